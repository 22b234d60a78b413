import pytest

import spandrel


def test_explain(sample):
    (found,) = spandrel.explain("Traceback\nValueError: cannot reshape array of size 5 into shape (3,4)\n", sample("npy/bad/003-cut.npy"))
    assert (found.format, found.reader, found.rules[0]) == ("npy", "numpy", "NPY-003") and found.means


def test_without_a_file():
    (found,) = spandrel.explain("error loading model: unknown model architecture: 'x'")
    assert found.rules == () and found.do
    assert spandrel.explain("Segmentation fault") == []


def test_unreadable(tmp_path):
    with pytest.raises(spandrel.SpandrelError, match="missing"):
        spandrel.explain("std::bad_alloc", tmp_path / "missing.tdb")
