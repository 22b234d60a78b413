"""The content of a file as tables."""

from __future__ import annotations

import ast
import io
import json
import os
import stat
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, Tuple, Union

from ._check import Report, check
from ._run import PathLike, absolute, flags, lines, objects, run, stream

if TYPE_CHECKING:
    import numpy
    import pandas
    import pyarrow

_NUMPY = {"bool": "bool", "bf16": "float32", "f16": "float16", "f32": "float32", "f64": "float64", "float64": "float64", "float32": "float32",
          **{f"{sign}{bits}": f"{word}{bits}" for sign, word in (("u", "uint"), ("i", "int")) for bits in (8, 16, 32, 64)}}

_FEW = 1024  # rows that are read at once; more are streamed from a separate process, so that other calls need not wait


class Document:
    """A file, or a folder that is one document, and its tables."""

    def __init__(self, path: PathLike, *, format: Optional[str] = None, as_is: bool = False) -> None:
        self.path, self._format, self._as_is = os.fspath(path), format, as_is
        self._place = absolute(path)
        self._state = _state(self._place)
        self.tables: Mapping[str, Table] = {
            line["name"]: Table(self, line)
            for line in objects("table", *self._flags(), self._place)}

    def check(self, *, deep: bool = False) -> Report:
        """Checks the document: `spandrel.check`."""
        return check(self._place, deep=deep, format=self._format)

    def __enter__(self) -> "Document":
        return self

    def __exit__(self, *_: object) -> None:
        """Does nothing: no file stays open. `with` works for compatibility with other libraries."""

    def _flags(self) -> List[str]:
        return flags(quiet=True, format=self._format, as_is=self._as_is)

    def __repr__(self) -> str:
        return f"Document({self.path!r}, tables={list(self.tables)})"

    def _repr_html_(self) -> str:
        return self.check()._repr_html_()


class Table:
    """A table of a document. Rows are read on demand."""

    def __init__(self, document: Document, line: Mapping[str, Any]) -> None:
        self._document = document
        self.name: str = line["name"]
        self.title: str = line["title"]
        self.num_rows: int = line["rows"]
        self.columns: Tuple[str, ...] = tuple(line["columns"])
        self.dtypes: Dict[str, str] = dict(zip(line["columns"], line["types"]))
        self._shape: Optional[Sequence[int]] = line.get("shape")
        self._order: Literal["C", "F"] = line.get("order", "C")
        self._dtype: Optional[str] = line.get("dtype")
        self._stored: Optional[Tuple[str, int, int]] = (line["file"], line["offset"], line["length"]) if "file" in line else None

    def __len__(self) -> int:
        return self.num_rows

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return self.rows()

    def __repr__(self) -> str:
        return f"Table({self.name!r}, rows={self.num_rows}, columns={list(self.columns)})"

    def rows(self, start: int = 0, stop: Optional[int] = None, *, columns: Optional[Sequence[str]] = None,
             labels: bool = False) -> Iterator[Dict[str, Any]]:
        """Yields the rows as dicts. `labels` gives names of keys and enumerations, and dates, instead of their numbers."""
        restore = {name: f for name, t in self.dtypes.items() if (f := _restorer(t)) and not labels}
        few = (self.num_rows if stop is None else stop) - start <= _FEW
        for line in (lines if few else stream)("table", "--to=jsonl", *flags(labels=labels), *self._select(start, stop, columns)):
            row: Dict[str, Any] = json.loads(line)
            for name, f in restore.items():
                if name in row:
                    row[name] = f(row[name])
            yield row

    def batches(self, size: int = 65536, *, columns: Optional[Sequence[str]] = None) -> "Iterator[pyarrow.RecordBatch]":
        """Yields the rows as record batches of up to `size` rows; needs pyarrow."""
        for start in range(0, self.num_rows, size):
            yield from self.to_arrow(start, start + size, columns=columns).to_batches()

    def to_arrow(self, start: int = 0, stop: Optional[int] = None, *, columns: Optional[Sequence[str]] = None) -> "pyarrow.Table":
        """Returns the rows as an Arrow table; needs pyarrow."""
        import pyarrow

        out = run("table", "--to=arrow", *self._select(start, stop, columns)).stdout
        return pyarrow.ipc.open_stream(pyarrow.py_buffer(out)).read_all()

    def to_pandas(self, start: int = 0, stop: Optional[int] = None, *, columns: Optional[Sequence[str]] = None) -> "pandas.DataFrame":
        """Returns the rows as a data frame; needs pandas, and is faster with pyarrow.

        Of an array, these are the elements in the order of the file, without the column `position` unless `columns` names it.
        """
        import pandas

        if columns is None:
            columns = self.columns[1:] if self._shape is not None and self.columns[0] == "position" else self.columns
        if (numbers := self._numbers(start, stop, columns)) is not None:
            return pandas.DataFrame(numbers, copy=False)
        try:
            return self.to_arrow(start, stop, columns=columns).to_pandas()
        except ImportError:
            return pandas.DataFrame(list(self.rows(start, stop, columns=columns)), columns=list(columns))

    def to_numpy(self) -> "numpy.ndarray[Any, Any]":
        """Returns the rows as an array; needs numpy.

        For a table of the values or structures of an array, that is the array itself, with its shape and dtype, in the byte order of this machine. Any other
        table becomes a structured array.
        """
        import numpy

        if self._dtype is not None:
            return self._whole()
        if self.columns[-1:] == ("value",) and self._is_array():
            return self._array()
        kinds = [(name, _NUMPY.get(t, "object")) for name, t in self.dtypes.items()]
        names = [name for name, _ in kinds]
        try:
            columns = self.to_arrow(columns=names).columns
        except ImportError:
            return numpy.array([tuple(row.values()) for row in self.rows(columns=names)], dtype=kinds)
        out = numpy.empty(self.num_rows, kinds)
        for (name, kind), column in zip(kinds, columns):
            out[name] = _plain(column, kind)
        return out

    def _descr(self) -> Any:
        """Returns the type of the elements as an NPY file gives it."""
        text = self._dtype or ""
        return ast.literal_eval(text) if text[:1] in ("[", "(") else text

    def _whole(self) -> "numpy.ndarray[Any, Any]":
        """Returns an array with the dtype given in its file."""
        import numpy

        if (stored := self._from_file(0, self.num_rows)) is not None:
            return self._shaped(stored)
        descr = self._descr()
        out = numpy.empty(self.num_rows, numpy.dtype(descr).newbyteorder("="))  # padding between fields becomes unnamed fields
        leaves, names = list(_leaves(out)), self.columns[1:]
        try:
            columns = self.to_arrow(columns=names).columns
        except ImportError:
            rows = list(self.rows(columns=names))
            columns = [[row[name] for row in rows] for name in names]
        for leaf, column in zip(leaves, columns):
            _store(leaf, column)
        return self._shaped(out.view(numpy.lib.format.descr_to_dtype(descr).newbyteorder("=")))

    def _numbers(self, start: int, stop: Optional[int], columns: Sequence[str]) -> "Optional[Dict[str, numpy.ndarray[Any, Any]]]":
        """Reads columns of an array from the file, if all of them are stored there as the numbers that they are."""
        import numpy

        self._select(start, stop, columns)
        first, stop, _ = slice(start, stop).indices(self.num_rows)
        if (stored := self._from_file(first, stop)) is None:
            return None
        leaves = dict(zip(self.columns[1:], _leaves(stored)))
        if any(name not in leaves or leaves[name].dtype.name != _NUMPY.get(self.dtypes[name]) for name in columns):
            return None
        return {name: numpy.ascontiguousarray(leaves[name]) for name in columns}

    def _from_file(self, start: int, stop: int) -> "Optional[numpy.ndarray[Any, Any]]":
        """Reads elements from the file, if they are stored one after another, and the file has not changed since its tables were listed."""
        import numpy

        if self._stored is None:
            return None
        file, offset, length = self._stored
        kind, state = numpy.lib.format.descr_to_dtype(self._descr()), self._document._state
        if kind.itemsize * self.num_rows != length or state is None or os.path.normpath(file) != os.path.normpath(self._document._place):
            return None
        with io.open(file, "rb") as f:
            f.seek(offset + start * kind.itemsize)
            out = numpy.fromfile(f, kind, stop - start)
            if len(out) != stop - start or _state(f.fileno()) != state:
                return None
        return out.astype(kind.newbyteorder("="), copy=False)

    def _is_array(self) -> bool:
        places = self.columns[:-1]
        return places in (("position",), ("index",)) or places == tuple(f"i{k}" for k in range(len(places)))

    def _array(self) -> "numpy.ndarray[Any, Any]":
        import numpy

        dtype = _NUMPY.get(self.dtypes["value"], "object")
        if not self.num_rows:
            return numpy.empty(0 if self._shape is None else self._shape, dtype)
        try:
            flat = self.to_arrow(columns=["value"]).column(0).to_numpy().astype(dtype)
        except ImportError:
            flat = numpy.array([row["value"] for row in self.rows(columns=["value"])], dtype=dtype)
        return self._shaped(flat)

    def _shaped(self, flat: "numpy.ndarray[Any, Any]") -> "numpy.ndarray[Any, Any]":
        """Returns the elements of an array, stored in file order, in its shape."""
        if self._shape is not None:
            return flat.reshape(self._shape, order=self._order)
        shape = tuple(i + 1 for i in self._place(self.num_rows - 1))
        second = self._place(1) if self.num_rows > 1 else ()
        fortran = len(second) > 1 and second[0] == 1 and any(n > 1 for n in shape[1:])
        return flat.reshape(shape, order="F" if fortran else "C")

    def _place(self, row: int) -> Tuple[int, ...]:
        """Returns the position in the array of the value in a row."""
        cells = list(next(self.rows(row, row + 1)).values())[:-1]
        if self.columns[0] == "position":
            return tuple(int(i) for i in cells[0].split(",") if i.strip())
        return tuple(int(i) for i in cells)

    def _select(self, start: int, stop: Optional[int], columns: Optional[Sequence[str]]) -> List[str]:
        if start < 0 or stop is not None and stop < start:
            raise ValueError(f"rows {start} to {stop}: the first is 0, and the end is not before the start")
        if columns is not None and not columns:
            raise ValueError("columns: name at least one, or leave it out for all")
        if columns is not None and (unknown := [c for c in columns if c not in self.dtypes]):
            raise KeyError(f"table {self.name!r} has no column {unknown[0]!r}")
        end = self.num_rows if stop is None else stop
        select = flags(rows=f"{min(start, end)}:{end}", columns=None if columns is None else ",".join(columns))
        return [*self._document._flags(), *select, "--", self._document._place, self.name]


def _state(file: Union[str, int]) -> Optional[Tuple[int, ...]]:
    """Returns what differs after a file has been replaced or written; None if it is not a local file."""
    try:
        s = os.stat(file)
    except OSError:
        return None
    return (s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns) if stat.S_ISREG(s.st_mode) else None


def _leaves(array: "numpy.ndarray[Any, Any]") -> "Iterator[numpy.ndarray[Any, Any]]":
    """Yields the parts of array elements that have their own columns."""
    import numpy

    if array.dtype.names is not None:
        for name in array.dtype.names:
            yield from _leaves(array[name])
    elif array.ndim > 1:
        for index in numpy.ndindex(array.shape[1:]):
            yield from _leaves(array[(slice(None), *index)])
    elif array.dtype.kind == "c":
        yield array.real
        yield array.imag
    else:
        yield array


def _store(leaf: "numpy.ndarray[Any, Any]", column: Any) -> None:
    """Stores the values of a column (Arrow or a list) in the part of an array that they belong to."""
    import numpy

    arrow = not isinstance(column, list)
    if leaf.dtype.kind in "mM":
        if arrow and str(column.type) != "int64":
            leaf[...] = column.to_numpy()
        else:
            missing = numpy.iinfo("int64").min
            whole = [missing if v is None else v for v in (column.to_pylist() if arrow else column)]
            leaf[...] = numpy.array(whole, "int64").view(leaf.dtype.newbyteorder("="))
    elif leaf.dtype.kind == "S":
        texts = column.to_pylist() if arrow else column
        if any("\ufffd" in v for v in texts):
            raise ValueError("the array has texts that are not UTF-8: numpy.load gives their bytes")
        leaf[...] = [v.encode() for v in texts]
    elif arrow and leaf.dtype.kind in "biuf":
        leaf[...] = column.to_numpy()
    else:
        leaf[...] = column.to_pylist() if arrow else column


def _plain(column: "pyarrow.ChunkedArray", kind: str) -> Any:
    """Returns the values of an Arrow column in the form of JSON: times as whole numbers, names as their numbers."""
    import numpy
    import pyarrow

    if pyarrow.types.is_dictionary(column.type) or kind == "object" or column.null_count and not kind.startswith("float"):
        out = numpy.empty(len(column), "object")
        out[:] = column.to_pylist()
        return out
    return column.to_numpy()


def _restorer(dtype: str) -> Optional[Callable[[Any], Any]]:
    """Returns a function that restores a value from JSON, in which large integers, non-finite numbers and bytes are strings."""
    if dtype.endswith("[]"):
        inner = _restorer(dtype[:-2])
        return inner and (lambda items: items if items is None else [inner(i) for i in items])
    kind = _NUMPY.get(dtype, "")
    if kind.endswith("int64"):
        return lambda v: int(v) if isinstance(v, str) else v
    if kind.startswith("float"):
        return lambda v: None if v is None else float(v)
    if dtype == "bytes":
        return lambda v: bytes.fromhex(v) if isinstance(v, str) else v
    return None


def open(path: PathLike, *, format: Optional[str] = None, as_is: bool = False) -> Document:
    """Opens a file, or a folder that is one document, and lists its tables.

    For a damaged file you get the rows after a proven repair; with `as_is` the unrepaired rows. `format` skips detection. Raises SpandrelError if the file
    cannot be read or has no known format.
    """
    return Document(path, format=format, as_is=as_is)
