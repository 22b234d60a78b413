import datetime
import pickle
import shutil

import pytest

import spandrel

from conftest import SAMPLES


def test_catalogue(sample, tmp_path):
    good, bad = sample("npy/good/matrix.npy"), sample("npy/bad/003-cut.npy")
    rows = {d.path: d for d in spandrel.catalogue(good, bad.parent, SAMPLES / "scdl/good/archive", tmp_path / "nothing.npy")}
    first = rows[str(good)]
    assert first and (first.format, first.shape, first.rows, first.files, first.size, first.state) == ("npy", "[2, 3], 6 values", 6, 1, 152, "ok")
    assert first.fingerprint.startswith("sha256:") and pickle.loads(pickle.dumps(first)) == first
    damaged = rows[str(bad)]
    assert not damaged and damaged.state == "damaged" and "truncated" in damaged.causes[0]
    assert rows[str(SAMPLES / "scdl/good/archive")].files > 1
    unreadable = rows[str(tmp_path / "nothing.npy")]
    assert unreadable.state == "unreadable" and unreadable.causes and unreadable.rows is None


def test_shards_and_times(tmp_path):
    folder = SAMPLES / "npy" / "good"
    whole = spandrel.catalogue(folder)
    parts = [d for i in range(3) for d in spandrel.catalogue(folder, shard=f"{i}/3")]
    assert sorted(d.path for d in parts) == [d.path for d in whole]
    later = datetime.datetime.now() + datetime.timedelta(days=1)
    assert spandrel.catalogue(folder, changed_since=later) == [] == spandrel.catalogue(folder, changed_since="2999-01-01")


def test_a_file_of_rows(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "all.parquet"
    assert spandrel.catalogue(SAMPLES / "idv" / "good", out=out, jobs=1) == []
    table = parquet.read_table(out)
    assert table["path"].to_pylist() == [d.path for d in spandrel.catalogue(SAMPLES / "idv" / "good")]


def test_check_many(sample, tmp_path):
    good, bad = sample("npy/good/matrix.npy"), SAMPLES / "npy/bad/001-magic.npy"
    folder = tmp_path / "folder"
    folder.mkdir()
    shutil.copy(bad, folder / "bad.npy")
    paths = [bad, good, folder, good, *[good] * 600]
    reports = spandrel.check_many(paths)
    assert [r.ok for r in reports] == [False, True, False, *[True] * 601]
    assert reports[0] == spandrel.check(bad) and reports[2].findings and [r.path for r in reports] == [str(p) for p in paths]
    bad_name, missing = tmp_path / "no.npy", spandrel.check_many([good, tmp_path / "no.npy", bad])
    assert [r.ok for r in missing] == [True, False, False]
    assert str(bad_name) in missing[1].error and missing[0].error == "" == missing[2].error and missing[2].causes
    assert spandrel.check_many([]) == []
