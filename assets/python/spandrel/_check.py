"""Checks files: problems, causes and repairs."""

from __future__ import annotations

import html
import json
import os
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Optional, Tuple

from ._run import DONE, FAILED, FOUND, PathLike, SpandrelError, absolute, flags, objects, run


@dataclass(frozen=True)
class Change:
    """Replaces `length` bytes by `new_length` bytes. `was` and `new` are these bytes; only the first ones of long changes."""

    file: str
    offset: int
    length: int
    new_length: int
    was: bytes
    new: bytes


@dataclass(frozen=True)
class Repair:
    """A repair: `fix(path, choose=repair.id)` applies it, and nothing else if the file has changed since."""

    number: int
    id: str
    label: str
    safe: bool
    loses: str
    changes: Tuple[Change, ...] = ()


@dataclass(frozen=True)
class Cause:
    """What happened to the file. `grade` is "proven", "likely" or "possible"; it explains `explains` of `of` findings."""

    number: int
    grade: str
    text: str
    means: str
    evidence: Tuple[str, ...]
    explains: int
    of: int
    repairs: Tuple[Repair, ...]


@dataclass(frozen=True)
class Finding:
    """One problem. `severity` is "error", "warning" or "note"; `cause` is the number of the cause that explains it."""

    rule: str
    severity: str
    message: str
    path: str
    file: str
    space: str
    offset: int
    length: int
    found: str
    expected: str
    cause: Optional[int] = None


@dataclass(frozen=True)
class Report:
    """The result of `check`. It is true if there are no errors: `if not spandrel.check(path): …`."""

    path: str
    ok: bool
    causes: Tuple[Cause, ...] = ()
    findings: Tuple[Finding, ...] = ()
    error: str = ""  # set by `check_many`: why it could not be read

    @property
    def repairs(self) -> Tuple[Repair, ...]:
        """The repairs of all causes, by number."""
        return tuple(sorted((r for c in self.causes for r in c.repairs), key=lambda r: r.number))

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        lines = [self.error] if self.error else []
        for c in self.causes:
            lines.append(f"{c.grade} cause: {c.text}" + (f" {c.means}" if c.means else ""))
            lines += [f"  evidence: {e}" for e in c.evidence]
            lines += [f"  repair {r.number}: {r.label}" + (f", which loses {r.loses}" if r.loses else "") for r in c.repairs]
        lines += [f"{f.severity} {f.rule}: {f.message}" for f in self.findings if f.cause is None]
        return "\n".join(f"{self.path}: {line}" for line in lines or ["no problems found"])

    def to_html(self) -> str:
        """Returns the report as a page: causes, findings, and the bytes around each."""
        return run("report", "--quiet", absolute(self.path)).stdout.decode()

    def _repr_html_(self) -> str:
        return frame(self.to_html())


def frame(page: str) -> str:
    """Embeds a page in another page without mixing their styles."""
    return f'<iframe style="width:100%;height:32em;border:0" srcdoc="{html.escape(page)}"></iframe>'


def check(path: PathLike, *, deep: bool = False, format: Optional[str] = None) -> Report:
    """Checks a file, or a folder that is one document.

    `deep` reads everything, however large the file is; files of up to 16 MiB are always read completely. `format` skips detection. Raises SpandrelError if
    the file cannot be read.
    """
    return _report(path, objects("check", *flags(quiet=True, all=True, deep=deep, format=format), absolute(path)))


_TOGETHER = 500  # paths per request


def check_many(paths: Iterable[PathLike], *, deep: bool = False, format: Optional[str] = None, jobs: Optional[int] = None) -> List[Report]:
    """Checks many files on `jobs` cores, by default on all, which is faster than one by one. Returns a report for each, in order.

    The report of an unreadable path is not `ok`, and its `error` says why.
    """
    given = list(paths)
    out: List[Report] = []
    for start in range(0, len(given), _TOGETHER):
        out += _check_together(given[start:start + _TOGETHER], flags(quiet=True, all=True, deep=deep, format=format, jobs=jobs))
    return out


def _check_together(given: List[PathLike], options: List[str]) -> List[Report]:
    places = [absolute(p) for p in given]
    found: Dict[str, List[Dict[str, Any]]] = {p: [] for p in places}
    done = run("check", "--json", *options, "--", *found, accept=(DONE, FOUND, FAILED))
    by_name = {os.path.normpath(p): p for p in found} if done.stdout else {}
    for text in done.stdout.split(b"\n"):
        line = json.loads(text) if text else {}
        if "document" not in line:
            continue
        name = os.path.normpath(line["document"])  # the given path, or a document in a given folder
        while name not in by_name and os.path.dirname(name) != name:
            name = os.path.dirname(name)
        if name in by_name:
            found[by_name[name]].append(line)
    return [_found(path, found[place], options, done.returncode == FAILED) for path, place in zip(given, places)]


def _found(path: PathLike, lines: List[Dict[str, Any]], options: List[str], unread: bool) -> Report:
    """Returns the report of a path. If parts of the request were unreadable, no findings may mean that this path was one of them."""
    try:
        return _report(path, lines if lines or not unread else objects("check", *options, absolute(path)))
    except SpandrelError as error:
        return Report(os.fspath(path), False, error=str(error))


def _report(path: PathLike, lines: List[Dict[str, Any]]) -> Report:
    causes = tuple(_cause(line) for line in lines if "grade" in line)
    findings = tuple(_finding(line) for line in lines if "grade" not in line)
    ok = not any(f.severity == "error" for f in findings) and not causes
    return Report(os.fspath(path), ok, causes, findings)


def _cause(line: Dict[str, Any]) -> Cause:
    repairs = tuple(
        Repair(r["number"], r["id"], r["label"], r["safe"], r["loses"], tuple(changes(r["changes"]))) for r in line["repairs"] or ())
    return Cause(line["cause"], line["grade"], line["text"], line["means"], tuple(line["evidence"] or ()), line["explains"], line["of"], repairs)


def _finding(line: Dict[str, Any]) -> Finding:
    return Finding(
        line["rule"], line["severity"], line["message"], line["path"], line["file"], line["space"], line["offset"], line["length"],
        line["found"], line["expected"], line.get("cause"))


def changes(lines: Optional[List[Dict[str, Any]]]) -> List[Change]:
    """Returns the changes that a command lists."""
    out = []
    for c in lines or ():
        if c.get("kind", "patch") != "patch":  # the result of a command
            continue
        was, new = (bytes.fromhex(c[k].split("…")[0]) for k in ("was", "is"))
        out.append(Change(c["file"], c["offset"], c.get("length", len(was)), c.get("new_length", len(new)), was, new))
    return out
