"""Rows of a table from Python."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from dataclasses import dataclass
from typing import Any, Iterator, Literal, Mapping, Optional, Tuple

from ._run import PathLike, SpandrelError, absolute, flags, objects
from ._tables import open


@dataclass(frozen=True)
class Cell:
    """A cell that an import changes."""

    row: int
    column: str
    was: Any
    new: Any


@dataclass(frozen=True)
class Written:
    """What `write` changed: `cells` in `rows` rows, and how many rows were added, and dropped from the end. `changes` is the preview of a dry run."""

    cells: int
    rows: int
    added: int
    dropped: int
    changes: Tuple[Cell, ...] = ()


def write(path: PathLike, table: str, rows: Any, *, key: Optional[str] = None, append: bool = False, force: bool = False,
          out: Optional[PathLike] = None, upload: bool = False, backup: bool = True, dry_run: bool = False, format: Optional[str] = None) -> Written:
    """Replaces the rows of a table, updates those with the same `key`, or with `append` adds rows.

    `rows` are dicts, a data frame, an Arrow table, an array (of structures, or of the values of an array in its shape), or the path of a CSV, JSON lines, Parquet
    or Arrow file. Data frames, Arrow tables and arrays need pyarrow. Columns are matched by name; those left out keep their values. A value that does not fit its
    column raises SpandrelError with row and column, and nothing is written. `out` is the output file; without it the file is replaced, and the old one is kept
    beside it unless `backup` is false. In a store, `upload` replaces the object, if it has not changed there. With `dry_run` nothing is written.
    """
    line = flags(quiet=True, key=key, append=append, force=force, o=None if out is None else absolute(out), upload=upload,
                 no_backup=not backup, dry_run=dry_run, format=format)
    into = open(path, format=format).tables[table] if hasattr(rows, "shape") and hasattr(rows, "dtype") else None
    if into is not None and into._shape is not None and len(into._shape) > 1 and tuple(into._shape) != rows.shape:
        raise SpandrelError(f"the array has the shape {rows.shape}, and table {table} {tuple(into._shape)}")
    with _file(rows, "C" if into is None else into._order) as source:
        try:
            said = objects("table", *line, f"--from={source}", "--", absolute(path), table)
        except SpandrelError as error:
            if isinstance(rows, (str, os.PathLike)):
                raise
            raise SpandrelError(str(error).replace(source, "rows")) from None
    changes = tuple(Cell(c["row"], c["column"], c["was"], c["is"]) for c in said if c["kind"] == "change")
    loaded = next(c for c in said if c["kind"] == "loaded")
    return Written(loaded["cells"], loaded["rows"], loaded["added"], loaded["dropped"], changes)


@contextlib.contextmanager
def _file(rows: Any, order: Literal["C", "F"]) -> Iterator[str]:
    """Yields the name of a file with the rows, which is removed afterwards unless it was given."""
    if isinstance(rows, (str, os.PathLike)):
        yield absolute(rows)
        return
    with tempfile.TemporaryDirectory(prefix="spandrel-") as folder:
        if _is_dicts(rows):
            name = os.path.join(folder, "rows.jsonl")
            with io.open(name, "w", encoding="utf-8") as f:
                for row in rows:
                    f.write(json.dumps(dict(row), default=_plain) + "\n")
        else:
            name = os.path.join(folder, "rows.arrow")
            _save(_arrow(rows, order), name)
        yield name


def _is_dicts(rows: Any) -> bool:
    """Tells whether rows are dicts, and not a table of some library."""
    return not isinstance(rows, Mapping) and not any(hasattr(rows, name) for name in ("to_batches", "dtypes", "dtype", "__arrow_c_stream__"))


def _arrow(rows: Any, order: Literal["C", "F"]) -> Any:
    """Returns rows as an Arrow table; the elements of an array in this order."""
    import pyarrow

    if isinstance(rows, Mapping):
        return pyarrow.table(rows)
    if hasattr(rows, "dtype"):  # an array
        names = rows.dtype.names
        return pyarrow.table({name: rows[name].ravel(order) for name in names} if names else {"value": rows.ravel(order)})
    if hasattr(rows, "iloc"):  # a data frame of pandas, whose index is not a column
        return pyarrow.Table.from_pandas(rows, preserve_index=False)
    return pyarrow.table(rows)


def _save(table: Any, name: str) -> None:
    import pyarrow

    with pyarrow.OSFile(name, "wb") as sink, pyarrow.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def _plain(value: Any) -> Any:
    """Returns a value that JSON has no form for as table --from reads it."""
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    if hasattr(value, "tolist"):  # of numpy
        return value.tolist()
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
