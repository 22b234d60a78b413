"""Open any ML data file, find out why it will not load, and repair it.

    import spandrel
    report = spandrel.check("train.npy")
    if not report.ok:
        print(report)
    rows = spandrel.open("train.idv").tables["rows"].to_pandas()
"""

from ._catalogue import Dataset, catalogue
from ._check import Cause, Change, Finding, Repair, Report, check, check_many
from ._edit import Difference, Part, Salvage, actions, convert, diff, fix, get, salvage, set
from ._run import SpandrelError, binary, version
from ._tables import Document, Table, open

__all__ = [
    "Cause", "Change", "Dataset", "Difference", "Document", "Finding", "Part", "Repair", "Report", "Salvage", "SpandrelError", "Table",
    "actions", "binary", "catalogue", "check", "check_many", "convert", "diff", "fix", "get", "open", "salvage", "set", "version",
]
