import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import tracemalloc

import pytest

import spandrel
from spandrel import _run
from spandrel._serve import Server, server

from conftest import SAMPLES


def process():
    """Returns the process that answers, after a call."""
    spandrel.version()
    return server._process


def test_one_process_answers(sample, monkeypatch):
    monkeypatch.setattr(subprocess, "run", None)
    first, path = process(), sample("idv/good/deflated.idv")
    assert spandrel.check(path).ok and spandrel.get(path, "header/rowCount") == 8
    table = spandrel.open(path).tables["rows"]
    monkeypatch.setattr(_run, "stream", None)
    assert len(list(table)) == 8
    assert spandrel.fix(sample("taridx/bad/022-n-rows/train.taridx")) == []
    assert process() is first and first.poll() is None


def test_calls_are_fast(sample):
    path = sample("npy/good/matrix.npy")
    for call in (spandrel.check, spandrel.open, lambda p: spandrel.get(p, "header_len")):
        call(path)
        taken = []
        for _ in range(30):
            start = time.perf_counter()
            call(path)
            taken.append(time.perf_counter() - start)
        assert sorted(taken)[10] < 0.01  # a process a call takes more, on any machine; the figure of speed.md is measured elsewhere


def test_changes_on_disk_are_noticed(sample):
    path, other = sample("npy/good/matrix.npy"), sample("npy/good/vector.npy")
    values = spandrel.open(path).tables["values"]
    before = list(values)
    assert list(values) == before and spandrel.check(path).ok
    os.replace(other, path)
    assert [list(r.values())[-1] for r in spandrel.open(path).tables["values"]] != [r["value"] for r in before]
    bad = (SAMPLES / "npy/bad/003-cut.npy").read_bytes()
    path.write_bytes(bad)
    assert not spandrel.check(path).ok
    path.unlink()
    for call in (spandrel.check, spandrel.open):
        with pytest.raises(spandrel.SpandrelError, match="matrix.npy"):
            call(path)


def test_new_files_of_a_folder_are_noticed(sample):
    folder = sample("taridx/good/three-shards")
    assert len(spandrel.open(folder).tables["shards"]) == 3
    (folder / "train_0001.tar").rename(folder / "elsewhere")
    assert not spandrel.check(folder).ok
    assert "train_0001.tar" in str(spandrel.check(folder))


def test_it_is_started_again(sample):
    first, path = process(), sample("npy/good/matrix.npy")
    first.kill()
    first.wait()
    assert spandrel.check(path).ok and server._process is not first
    second = server._process
    os.kill(second.pid, signal.SIGTERM)
    second.wait()
    assert spandrel.check(path).ok


def test_what_may_have_been_written_is_not_repeated(monkeypatch, sample):
    path = sample("taridx/bad/022-n-rows/train.taridx")
    monkeypatch.setattr(Server, "_receive", lambda self, args: (_ for _ in ()).throw(EOFError))
    sent = []
    monkeypatch.setattr(Server, "_send", lambda self, request: sent.append(request))
    with pytest.raises(spandrel.SpandrelError, match="did not finish fix"):
        spandrel.fix(path)
    assert len(sent) == 1
    with pytest.raises(spandrel.SpandrelError, match="did not finish check"):
        spandrel.check(path)
    assert len(sent) == 3


def test_an_interrupted_call_leaves_nothing_behind(monkeypatch, sample):
    path, receive = sample("npy/good/matrix.npy"), Server._receive

    def interrupt(self, args):
        raise KeyboardInterrupt

    monkeypatch.setattr(Server, "_receive", interrupt)
    with pytest.raises(KeyboardInterrupt):
        spandrel.open(path)
    monkeypatch.setattr(Server, "_receive", receive)
    assert spandrel.check(path).findings == ()


def test_variables_that_are_set_later(monkeypatch):
    first = process()
    assert process() is first
    monkeypatch.setenv("AWS_PROFILE", "another")
    assert process() is not first


def test_threads_share_it(sample):
    good, bad = sample("npy/good/matrix.npy"), SAMPLES / "npy/bad/003-cut.npy"
    wrong = []

    def work(path, ok):
        for _ in range(50):
            if spandrel.check(path).ok != ok:
                wrong.append(path)

    threads = [threading.Thread(target=work, args=a) for a in [(good, True), (bad, False)] * 3]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


def _pid(path):
    assert spandrel.check(path).ok
    return server._process.pid


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_children_start_their_own(sample):
    mine, path = process(), sample("npy/good/matrix.npy")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        theirs = set(pool.map(_pid, [path] * 20))
    assert mine.pid not in theirs
    assert _pid(path) == mine.pid


def test_it_ends_with_python(sample):
    code = f"import spandrel; spandrel.check({str(sample('npy/good/matrix.npy'))!r}); print(spandrel._serve.server._process.pid)"
    pid = int(subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True).stdout)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_working_directory_may_change(sample, tmp_path, monkeypatch):
    path = sample("npy/good/matrix.npy")
    process()
    monkeypatch.chdir(path.parent)
    document = spandrel.open("matrix.npy")
    monkeypatch.chdir(tmp_path)
    assert len(list(document.tables["values"])) == 6
    with pytest.raises(spandrel.SpandrelError):
        spandrel.check("matrix.npy")
    spandrel.convert(SAMPLES / "idv/good/deflated.idv", "rename-column", at="toc[0]", name="first", out="copy.idv")
    assert (tmp_path / "copy.idv").is_file()


def test_names_that_are_no_text(sample, tmp_path):
    name = os.fsencode(tmp_path) + b"/\xff.npy"
    try:
        shutil.copy(sample("npy/good/matrix.npy"), name)
    except OSError:
        pytest.skip("this disk takes no such name")
    assert spandrel.check(os.fsdecode(name)).ok


def test_answer_is_held_once(tmp_path):
    """A large answer is read into one buffer, and not put together of its frames afterwards."""
    path, n = tmp_path / "large.npy", 16 << 20
    head = b"{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % n
    path.write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + head.ljust(117) + b"\n" + bytes(n))
    table = spandrel.open(path).tables["values"]
    _run.run("table", "--to=arrow", *table._select(0, 1, None))  # the process is there
    tracemalloc.start()
    out = _run.run("table", "--to=arrow", *table._select(0, None, None)).stdout
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(out) > n and peak < 1.5 * len(out)
