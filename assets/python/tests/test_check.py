import pickle
import subprocess
import sys

import pytest

import spandrel


def test_sound(sample):
    report = spandrel.check(sample("npy/good/matrix.npy"))
    assert report and report.ok and report.causes == () and report.findings == () and report.repairs == ()
    assert str(report).endswith("no problems found")


def test_damaged(sample):
    path = sample("taridx/bad/022-n-rows/train.taridx")
    report = spandrel.check(path)
    assert not report and not report.ok
    (cause,) = report.causes
    assert cause.grade == "proven" and "n_rows" in cause.text and cause.evidence and cause.explains == 1
    (repair,) = report.repairs
    assert repair.number == 1 and repair.safe and repair.loses == ""
    (change,) = repair.changes
    assert (change.file, change.offset, change.was, change.new) == ("train.taridx", 24, b"\x09", b"\x06")
    (finding,) = report.findings
    assert (finding.rule, finding.severity, finding.path, finding.cause) == ("TIX-022", "error", "header/n_rows", 1)
    assert "proven cause" in str(report) and "repair 1" in str(report)
    assert pickle.loads(pickle.dumps(report)) == report


def test_html(sample):
    page = spandrel.check(sample("taridx/bad/022-n-rows/train.taridx"))._repr_html_()
    assert page.startswith("<iframe") and "n_rows" in page


def test_missing_file(tmp_path):
    with pytest.raises(spandrel.SpandrelError, match="absent.npy"):
        spandrel.check(tmp_path / "absent.npy")


def test_name_that_looks_like_a_flag(sample, tmp_path, monkeypatch):
    sample("npy/good/matrix.npy").rename(tmp_path / "--all")
    monkeypatch.chdir(tmp_path)
    assert spandrel.check("--all").ok
    assert spandrel.open("--all").tables["values"].num_rows == 6


def test_command():
    done = subprocess.run([sys.executable, "-m", "spandrel", "version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("spandrel " + spandrel.version())
