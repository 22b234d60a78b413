"""Open any ML data file, find out why it will not load, and repair it.

    import spandrel
    report = spandrel.check("train.npy")
    if not report.ok:
        print(report)
    rows = spandrel.open("train.idv").tables["rows"].to_pandas()
"""

from ._catalogue import Dataset, catalogue
from ._check import Cause, Change, Finding, Repair, Report, check, check_many
from ._edit import Conflict, Difference, Part, Salvage, actions, convert, diff, fix, get, merge, protect, salvage, set
from ._explain import Meaning, explain
from ._run import SpandrelError, binary, version
from ._tables import Document, Table, open
from ._write import Cell, Written, write

__all__ = [
    "Cause", "Cell", "Change", "Conflict", "Dataset", "Difference", "Document", "Finding", "Meaning", "Part", "Repair", "Report", "Salvage", "SpandrelError",
    "Table", "Written", "actions", "binary", "catalogue", "check", "check_many", "convert", "diff", "explain", "fix", "get", "merge", "open", "protect",
    "salvage", "set", "version", "write",
]
