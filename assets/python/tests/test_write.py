import subprocess

import pytest

import spandrel


def test_dicts(sample):
    path = sample("idv/good/deflated.idv")
    rows = list(spandrel.open(path).tables["rows"].rows())
    preview = spandrel.write(path, "rows", [{**r, "Int32": 7} for r in rows[:2]], dry_run=True)
    assert preview.changes[0] == spandrel.Cell(0, "Int32", rows[0]["Int32"], 7) and list(spandrel.open(path).tables["rows"].rows()) == rows
    done = spandrel.write(path, "rows", ({"Int32": r["Int32"] + 1, "Text": "é\n"} for r in rows), backup=False)
    assert (done.added, done.dropped, done.rows) == (0, 0, len(rows))
    after = list(spandrel.open(path).tables["rows"].rows())
    assert [r["Int32"] for r in after] == [r["Int32"] + 1 for r in rows] and after[0]["Text"] == "é\n" and after[0]["Single"] == rows[0]["Single"]
    assert spandrel.check(path).ok


def test_files_and_appending(sample, tmp_path):
    path = sample("idv/good/deflated.idv")
    source = tmp_path / "more.csv"
    subprocess.run([spandrel.binary(), "table", "--rows", "0:1", "-o", source, path, "rows"], check=True)
    n = len(spandrel.open(path).tables["rows"])
    assert spandrel.write(path, "rows", source, append=True, out=tmp_path / "out.idv").added == 1
    assert len(spandrel.open(tmp_path / "out.idv").tables["rows"]) == n + 1 and len(spandrel.open(path).tables["rows"]) == n


def test_refused(sample):
    path = sample("idv/good/deflated.idv")
    before = path.read_bytes()
    with pytest.raises(spandrel.SpandrelError, match=r'^rows, row 1, column "Int32"'):
        spandrel.write(path, "rows", [{"Int32": 1}, {"Int32": "x"}])
    with pytest.raises(spandrel.SpandrelError, match="no column"):
        spandrel.write(path, "rows", [{"nothing": 1}])
    assert path.read_bytes() == before


def test_arrays(sample):
    numpy = pytest.importorskip("numpy")
    pytest.importorskip("pyarrow")
    for name in ("vector.npy", "columns.npy"):
        path = sample("npy/good/" + name)
        was = numpy.load(path)
        spandrel.write(path, "values", was + 1, backup=False)
        assert (numpy.load(path) == was + 1).all() and numpy.load(path).flags.f_contiguous == was.flags.f_contiguous
    with pytest.raises(spandrel.SpandrelError, match="shape"):
        spandrel.write(path, "values", was[:1])


def test_frames(sample):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    path = sample("idv/good/deflated.idv")
    frame = spandrel.open(path).tables["rows"].to_pandas(0, 2).set_axis(["x", "y"])
    assert spandrel.write(path, "rows", frame.assign(Int32=[1, 2]), append=True, backup=False).added == 2
    assert [r["Int32"] for r in spandrel.open(path).tables["rows"].rows()][-2:] == [1, 2]
