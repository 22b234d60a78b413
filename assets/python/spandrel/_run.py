"""Runs commands of the program that comes with this package."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sysconfig
from typing import Any, Iterator, List, Sequence, Union

from ._serve import Died, server

PathLike = Union[str, "os.PathLike[str]"]

DONE, FOUND, FAILED = 0, 1, 2  # exit statuses of the program


class SpandrelError(Exception):
    """A command failed, and nothing was written. The message is one line that says why."""


@functools.lru_cache(maxsize=None)
def binary() -> str:
    """Returns the path of the program `spandrel`: from the variable SPANDREL, or the one installed with this package."""
    if named := os.environ.get("SPANDREL"):
        return named
    name = "spandrel.exe" if os.name == "nt" else "spandrel"
    here = os.path.dirname(os.path.abspath(__file__))
    user = sysconfig.get_path("scripts", os.name + "_user")
    # with `pip install --target DIR`, programs are in DIR/bin
    for folder in (sysconfig.get_path("scripts"), user, os.path.join(os.path.dirname(here), "bin")):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    raise SpandrelError(f"the program {name} is missing: install the package spandrel again")


_WRITING = ("convert", "fix", "merge", "protect", "recover", "salvage", "set", "table")  # not repeated, because the first run may have written something
_LONGEST = 4 << 30  # maximum length of an answer of `spandrel serve`


def run(command: str, *args: PathLike, accept: Sequence[int] = (DONE, FOUND)) -> "subprocess.CompletedProcess[bytes]":
    """Runs a command and returns its output and exit status; raises SpandrelError for a status that is not accepted.

    Paths must be absolute, because the process has its own working directory.
    """
    line = [os.fspath(a) for a in args]
    again = command not in _WRITING or command == "table" and not any(a.startswith("--from") for a in line)
    try:
        done = server.ask(binary(), command, line, again=again)
        if done.returncode == FAILED and len(done.stdout) > _LONGEST - (2 << 20):
            done = _run_once(command, line)
    except UnicodeEncodeError:  # a name that is not valid text
        done = _run_once(command, line)
    except Died as error:
        raise SpandrelError(f"spandrel ended with status {error}, and did not finish {command}") from None
    except OSError as error:
        raise SpandrelError(f"{binary()} cannot be run: {error.strerror}") from None
    if done.returncode not in accept:
        raise SpandrelError(complaint(done.stderr, done.returncode))
    return done


def _run_once(command: str, args: Sequence[str]) -> "subprocess.CompletedProcess[bytes]":
    """Runs a command that `spandrel serve` does not support in a separate process."""
    return subprocess.run([binary(), command, *args], stdin=subprocess.DEVNULL, capture_output=True, check=False)


def complaint(stderr: bytes, status: int) -> str:
    """Returns the last message of a failed command."""
    said = stderr.decode("utf-8", "replace").strip()
    said = said.splitlines()[-1] if said else f"spandrel ended with status {status}"
    if said.startswith('{"kind":"error"'):
        return str(json.loads(said)["message"])
    return said[len("spandrel: "):] if said.startswith("spandrel: ") else said


def objects(command: str, *args: PathLike) -> List[Any]:
    """Runs a command and returns the objects of its JSON lines."""
    return [json.loads(line) for line in lines(command, "--json", *args)]


def lines(command: str, *args: PathLike) -> List[bytes]:
    """Runs a command and returns the lines that it prints."""
    return [line for line in run(command, *args).stdout.split(b"\n") if line]


def stream(command: str, *args: PathLike) -> Iterator[bytes]:
    """Runs a command in a separate process and yields its lines as they are printed."""
    line = [binary(), command, *(os.fspath(a) for a in args)]
    with subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        finished = False
        try:
            yield from process.stdout
            finished = True
        finally:
            if not finished:  # the caller stopped reading
                process.kill()
        said = process.stderr.read()
        if process.wait() not in (DONE, FOUND):
            raise SpandrelError(complaint(said, process.returncode))


def version() -> str:
    """Returns the version of the program."""
    return str(objects("version")[0]["version"])


def flags(**named: Any) -> List[str]:
    """Returns arguments: no_backup=True is --no-backup, rule="X" is --rule=X; None and False are left out."""
    out = []
    for name, value in named.items():
        if value is True:
            out.append("--" + name.replace("_", "-"))
        elif value is not None and value is not False:
            out.append(f"--{name.replace('_', '-')}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
    return out


def absolute(path: PathLike) -> str:
    """Returns an absolute path that cannot be mistaken for a flag. Addresses are unchanged."""
    text = os.fspath(path)
    return text if re.match(r"[A-Za-z0-9]+://", text) else os.path.join(os.getcwd(), text)
