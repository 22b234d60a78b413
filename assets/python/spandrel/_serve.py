"""The process that answers calls: `spandrel serve --stdio`, started by the first call and kept until Python ends."""

from __future__ import annotations

import atexit
import io
import json
import os
import subprocess
import sys
import threading
from typing import Any, Dict, List, Optional


class Died(Exception):
    """The process ended before it answered. Its argument is the exit status."""


class Server:
    """One process that runs commands one after another, and keeps documents open that are only read. Threads can share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: "Optional[subprocess.Popen[bytes]]" = None
        self._answers: Optional[io.BufferedReader] = None
        self._environment: Dict[Any, Any] = {}

    def ask(self, program: str, command: str, args: List[str], *, again: bool) -> "subprocess.CompletedProcess[bytes]":
        """Runs a command. If the process ends meanwhile, `again` runs it a second time.

        Raises Died if the process ended, OSError if it cannot be started, and UnicodeEncodeError for an argument that JSON cannot encode.
        """
        request = json.dumps({"command": command, "args": args}, ensure_ascii=False).encode() + b"\n"
        with self._lock:
            for last in (False, True):
                self._start(program)
                taken = False
                try:
                    self._send(request)
                    taken = True
                    return self._receive([command, *args])
                except (OSError, EOFError):
                    status = self._end()
                    if last or taken and not again:
                        raise Died(status) from None
                except BaseException:  # the rest of the answer would be read as the answer to the next request
                    self._end()
                    raise
        raise AssertionError("unreachable")

    def _start(self, program: str) -> None:
        """Starts the process if none is running, or if environment variables that matter, such as credentials, have changed."""
        environment = dict(getattr(os.environ, "_data", os.environ))  # as bytes if possible: decoding takes as long as a call
        for name in ("PYTEST_CURRENT_TEST", b"PYTEST_CURRENT_TEST"):
            environment.pop(name, None)
        if self._process is not None and (self._process.poll() is not None or environment != self._environment):
            self._end()
        if self._process is None:
            # unbuffered, so that a forked child has nothing to write when it closes what it inherited
            wide: Dict[str, Any] = {"pipesize": 1 << 20} if sys.version_info >= (3, 10) else {}  # a whole frame per read, if the system supports it
            process = subprocess.Popen(
                [program, "serve", "--stdio"], bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **wide)
            assert isinstance(process.stdout, io.RawIOBase)
            self._process, self._answers, self._environment = process, io.BufferedReader(process.stdout, 1 << 16), environment

    def _send(self, request: bytes) -> None:
        assert self._process is not None and self._process.stdin is not None
        rest = memoryview(request)
        while rest:
            rest = rest[self._process.stdin.write(rest):]

    def _receive(self, args: List[str]) -> "subprocess.CompletedProcess[bytes]":
        """Reads frames of what the command prints, and the line that ends the answer.

        Frames are read into one buffer, because joining them would take as long as reading them.
        """
        assert self._answers is not None
        out = bytearray()
        while True:
            text = self._answers.readline()
            if not text.endswith(b"\n"):
                raise EOFError
            line = json.loads(text)
            if "length" not in line:
                said = line.get("said") or line.get("error") or ""
                return subprocess.CompletedProcess(args, line["status"], out, said.encode())
            at = len(out)
            out.extend(bytes(line["length"]))
            with memoryview(out) as whole:
                while at < len(whole):
                    n = self._answers.readinto(whole[at:])
                    if not n:
                        raise EOFError
                    at += n

    def _end(self) -> int:
        """Ends the process at once, and returns its exit status."""
        process, self._process = self._process, None
        if process is None:
            return 0
        process.kill()
        self._close(process)
        return process.wait()

    def _close(self, process: "subprocess.Popen[bytes]") -> None:
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()

    def close(self) -> None:
        """Ends the process when Python ends. The lock is not taken, because a thread may still wait for an answer."""
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            process.stdin.close()
            try:
                process.wait(1)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def forget(self) -> None:
        """Leaves the process to the parent in a forked child, which starts its own. Open pipes here would keep the process of the parent from ending."""
        process = self._process
        Server.__init__(self)
        if process is not None:
            self._close(process)
            process.returncode = 0  # not a child of this process, so do not wait for it


server = Server()
atexit.register(server.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=server.forget)
