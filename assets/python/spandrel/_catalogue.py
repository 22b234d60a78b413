"""Lists datasets."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import List, Optional, Tuple, Union

from ._run import PathLike, absolute, flags, objects, run


@dataclass(frozen=True)
class Dataset:
    """One dataset of a catalogue. It is true if its `state` is "ok" or "warnings"; other states are "damaged", "unknown" and "unreadable".

    `rows` and `columns` are those of its main table. `causes` says what happened to it. Equal bytes have equal fingerprints.
    """

    path: str
    format: str
    version: str
    shape: str
    rows: Optional[int]
    columns: Optional[int]
    files: int
    size: int
    modified: str
    state: str
    causes: Tuple[str, ...]
    fingerprint: str

    def __bool__(self) -> bool:
        return self.state in ("ok", "warnings")


def catalogue(*paths: PathLike, out: Optional[PathLike] = None, deep: bool = False, format: Optional[str] = None, jobs: Optional[int] = None,
              shard: Optional[str] = None, changed_since: "Union[str, int, datetime.datetime, None]" = None) -> List[Dataset]:
    """Lists every dataset at or below the paths, with absolute paths, including damaged and unreadable ones.

    With `out` the rows are written to a file, as Parquet, Arrow, CSV or JSON lines depending on its name, and none are returned; rows of unchanged datasets
    in that file are kept. `jobs` is the number of cores, all by default. `shard="1/8"` is the first of eight shares. `changed_since` is a date in UTC,
    or ms since 1970.
    """
    if isinstance(changed_since, datetime.datetime):
        changed_since = int(changed_since.timestamp() * 1000)
    options = flags(quiet=True, deep=deep, format=format, jobs=jobs, shard=shard, changed_since=changed_since)
    places = [absolute(p) for p in paths]
    if out is not None:
        run("catalogue", *options, *flags(o=absolute(out)), "--", *places)
        return []
    return [
        Dataset(d["document"], d["format"], d["version"], d["shape"], d["rows"], d["columns"], d["files"], d["size"], d["modified"], d["state"],
                tuple(d["causes"]), d["fingerprint"])
        for d in objects("catalogue", *options, "--", *places) if d["kind"] == "dataset"]
