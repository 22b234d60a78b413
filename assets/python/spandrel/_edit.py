"""Repairs, edits and comparisons."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from ._check import Change, changes
from ._run import DONE, FAILED, PathLike, SpandrelError, absolute, complaint, flags, objects, run

_SAVING = """`out` is the output file; without it the file is replaced, and the old one is kept beside it unless `backup` is false.
In a store, `upload` replaces the object, if it has not changed there. With `dry_run` nothing is written.
Returns the changes of a dry run, and otherwise nothing."""


def fix(path: PathLike, *, choose: Union[int, str, None] = None, rule: Optional[str] = None, copy: Optional[PathLike] = None, warnings: bool = False,
        out: Optional[PathLike] = None, upload: bool = False, backup: bool = True, dry_run: bool = False,
        format: Optional[str] = None) -> List[Change]:
    """Applies the repairs that are proven and lossless, or the one that `choose` names, by its `id` or number in `check`, or those of one rule.

    `copy` is another copy of the file, such as a backup, to restore damaged bytes from; it may be damaged elsewhere. `warnings` also repairs what readers accept.
    Raises SpandrelError if errors remain afterwards; `check` lists them.
    """
    named = {"with": None if copy is None else absolute(copy)}
    return _change("fix", [absolute(path)], choose=choose, rule=rule, warnings=warnings, out=out, upload=upload, backup=backup, dry_run=dry_run,
                   format=format, **named)


def set(path: PathLike, fields: Mapping[str, Any], *, table: Optional[str] = None, force: bool = False, out: Optional[PathLike] = None,
        upload: bool = False, backup: bool = True, dry_run: bool = False, format: Optional[str] = None) -> List[Change]:
    """Sets fields, such as {"header/n_rows": 6}, or with `table` cells, such as {"0/name": "x"} (row, counted from 0, and column).

    An edit that would make a valid file invalid is refused unless `force` is true.
    """
    edits = [f"{name}={_text(value)}" for name, value in fields.items()]
    return _change("set", [absolute(path), "--", *edits], table=table, force=force, out=out, upload=upload, backup=backup, dry_run=dry_run, format=format)


def convert(path: PathLike, action: str, *, at: Optional[str] = None, force: bool = False, out: Optional[PathLike] = None,
            upload: bool = False, backup: bool = True, dry_run: bool = False, format: Optional[str] = None, **parameters: Any) -> List[Change]:
    """Runs a structural action, one of `actions(path)`, on the field `at`: convert(p, "rename-column", at="toc[2]", name="Age")."""
    named = [f"{name}={_text(value)}" for name, value in parameters.items()]
    return _change("convert", [absolute(path), action, "--", *named], path=at, force=force, out=out, upload=upload, backup=backup, dry_run=dry_run, format=format)


for _f in (fix, set, convert):
    _f.__doc__ = f"{_f.__doc__}\n    " + _SAVING.replace("\n", "\n    ")


def actions(path: PathLike, *, format: Optional[str] = None) -> List[Dict[str, Any]]:
    """Returns the structural actions that apply to a file: each with `action`, `label`, `doc`, `path` and `params`."""
    return objects("convert", *flags(quiet=True, format=format), absolute(path))


@dataclass(frozen=True)
class Part:
    """The number `saved` of `of` rows, columns, members or other parts; `lost` says which are lost."""

    what: str
    saved: int
    of: int
    lost: str


@dataclass(frozen=True)
class Salvage:
    """The result of `salvage`. It is true if nothing was lost."""

    out: str
    files: Tuple[str, ...]
    parts: Tuple[Part, ...]
    complete: bool
    valid: bool = False
    problems: Tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.complete


def salvage(path: PathLike, out: PathLike, *, format: Optional[str] = None) -> Salvage:
    """Writes the readable data to a new file, which is opened and fully checked first."""
    done = run("salvage", "--json", *flags(quiet=True, format=format, o=absolute(out)), absolute(path))
    line = json.loads(done.stdout)
    parts = tuple(Part(p["what"], p["saved"], p["of"], p["lost"]) for p in line["parts"] or ())
    return Salvage(os.fspath(out), tuple(line["files"] or ()), parts, done.returncode == DONE, line["valid"], tuple(line["problems"]))


@dataclass(frozen=True)
class Difference:
    """A field that differs between two documents; None if a document does not have it."""

    path: str
    a: Any
    b: Any


def diff(a: PathLike, b: PathLike, *, key: Optional[str] = None, layout: bool = False, format: Optional[str] = None) -> List[Difference]:
    """Compares the content of two documents: metadata and cells.

    `key` is a column that identifies rows. `layout` compares field by field, including how the content is stored.
    """
    lines = objects("diff", *flags(quiet=True, key=key, layout=layout, format=format), absolute(a), absolute(b))
    return [Difference(d["path"], d.get("a"), d.get("b")) for d in lines if "path" in d]


@dataclass(frozen=True)
class Conflict:
    """A field or cell that both documents changed in different ways; None if a document does not have it."""

    path: str
    base: Any
    a: Any
    b: Any


def merge(base: PathLike, a: PathLike, b: PathLike, out: PathLike, *, key: Optional[str] = None, prefer: Optional[str] = None,
          force: bool = False, format: Optional[str] = None) -> List[Conflict]:
    """Writes what `a` and `b` changed of `base` to `out`, and returns the conflicts. With a conflict nothing is written, unless `prefer` is "a" or "b"."""
    options = flags(json=True, quiet=True, key=key, prefer=prefer, force=force, format=format, o=absolute(out))
    lines = run("merge", *options, absolute(base), absolute(a), absolute(b)).stdout.splitlines()
    return [Conflict(c["path"], c.get("base"), c.get("a"), c.get("b")) for c in map(json.loads, lines) if c["kind"] == "conflict"]


def protect(path: PathLike, *, percent: int = 5, format: Optional[str] = None) -> None:
    """Writes protection data beside a file or folder: `check` finds any later change, and offers a repair that restores up to `percent` percent of the bytes."""
    run("protect", *flags(quiet=True, percent=percent, format=format), absolute(path), accept=(DONE,))


def get(path: PathLike, field: str, *, format: Optional[str] = None) -> Any:
    """Returns the value of one field, such as "header/n_rows"."""
    return objects("get", *flags(quiet=True, format=format), "--", absolute(path), field)[0]


def _change(command: str, args: List[str], *, out: Optional[PathLike], upload: bool, backup: bool, dry_run: bool, **named: Any) -> List[Change]:
    line = flags(json=True, quiet=True, o=None if out is None else absolute(out), upload=upload, no_backup=not backup, dry_run=dry_run, **named)
    done = run(command, *line, *args, accept=(0, 1))
    if done.returncode != DONE and not dry_run:
        raise SpandrelError(complaint(done.stderr, done.returncode) if done.stderr else "errors remain; check lists them")
    return changes([json.loads(text) for text in done.stdout.splitlines() if text])


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.hex() if isinstance(value, bytes) else str(value)
