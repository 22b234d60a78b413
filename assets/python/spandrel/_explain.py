"""What the messages of readers mean."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import List, Optional, Tuple

from ._run import DONE, FAILED, FOUND, PathLike, SpandrelError, absolute, complaint, flags, run


@dataclass(frozen=True)
class Meaning:
    """What a message of a reader means, what to do about it, and the rules that a file breaks which leads to it: none if it is not about the file."""

    format: str
    reader: str
    message: str
    means: str
    do: str
    rules: Tuple[str, ...]


def explain(message: str, path: Optional[PathLike] = None, *, format: Optional[str] = None) -> List[Meaning]:
    """Returns what the messages of readers in a text mean, such as a stack trace: `explain(str(error), path)`.

    With `path`, messages of the readers of that file's format come first. The list is empty if no known reader prints such a message.
    """
    about = [] if path is None else [absolute(path)]
    done = run("explain", "--json", *flags(quiet=True, format=format), "--", *about, message, accept=(DONE, FOUND, FAILED))
    if done.returncode == FAILED and path is not None:
        raise SpandrelError(complaint(done.stderr, done.returncode))
    lines = [json.loads(line) for line in done.stdout.split(b"\n") if line]
    return [Meaning(line["format"], line["reader"], line["message"], line["means"], line.get("do", ""), tuple(line["rules"]))
            for line in lines if line["kind"] == "explain" and line["known"]]
