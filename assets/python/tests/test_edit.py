import os

import pytest

import spandrel


def test_fix(sample):
    path = sample("taridx/bad/022-n-rows/train.taridx")
    before = path.read_bytes()
    (change,) = spandrel.fix(path, dry_run=True)
    assert (change.offset, change.was, change.new) == (24, b"\x09", b"\x06") and path.read_bytes() == before
    assert spandrel.fix(path) == []
    assert spandrel.check(path).ok
    backups = [p for p in path.parent.iterdir() if p.is_file() and p.read_bytes() == before]
    assert len(backups) == 1


def test_fix_elsewhere(sample, tmp_path):
    path = sample("idv/bad/008-negative-rows.idv")
    before = path.read_bytes()
    spandrel.fix(path, out=tmp_path / "out.idv", choose=1, backup=False)
    assert path.read_bytes() == before and spandrel.check(tmp_path / "out.idv").ok


def test_fix_by_id(sample):
    path = sample("taridx/bad/022-n-rows/train.taridx")
    (repair,) = spandrel.check(path).repairs
    with pytest.raises(spandrel.SpandrelError):
        spandrel.fix(path, choose=repair.id[::-1])
    spandrel.fix(path, choose=repair.id, backup=False)
    assert spandrel.check(path).ok


def test_fix_from_a_copy_and_protection(sample, tmp_path):
    path = sample("safetensors/good/model.safetensors")
    whole = path.read_bytes()
    copy = tmp_path / "copy.safetensors"
    copy.write_bytes(whole)
    damaged = whole[:40] + b"\0\0\0" + whole[43:]
    path.write_bytes(damaged)
    spandrel.fix(path, copy=copy, backup=False)
    assert path.read_bytes() == whole
    spandrel.protect(path, percent=10)
    saved = path.stat()
    path.write_bytes(damaged)
    os.utime(path, ns=(saved.st_atime_ns, saved.st_mtime_ns))  # as a disk damages it
    spandrel.fix(path, choose=spandrel.check(path).repairs[0].id, backup=False)
    assert path.read_bytes() == whole


def test_merge(sample, tmp_path):
    base = sample("idv/good/deflated.idv")
    a, b, out = (tmp_path / name for name in ("a.idv", "b.idv", "out.idv"))
    spandrel.set(base, {"0/Int32": 5}, table="rows", out=a)
    spandrel.set(base, {"1/Int32": 6}, table="rows", out=b)
    assert spandrel.merge(base, a, b, out) == []
    assert [r["Int32"] for r in spandrel.open(out).tables["rows"].rows(0, 2)] == [5, 6]
    spandrel.set(base, {"0/Int32": 7}, table="rows", out=b, backup=False)
    (conflict,) = spandrel.merge(base, a, b, tmp_path / "other.idv")
    assert (conflict.a, conflict.b) == ("5", "7") and not (tmp_path / "other.idv").exists()


def test_what_cannot_be_fixed(sample):
    with pytest.raises(spandrel.SpandrelError):
        spandrel.fix(sample("taridx/bad/022-n-rows/train.taridx"), choose=99)


def test_salvage(sample, tmp_path):
    saved = spandrel.salvage(sample("idv/bad/013-tail-outside.idv"), tmp_path / "left.idv")
    assert saved and saved.valid and {p.what: (p.saved, p.of) for p in saved.parts} == {"columns": (1, 1), "rows": (2, 2)}
    assert spandrel.check(tmp_path / "left.idv").ok


def test_set_and_get(sample):
    path = sample("safetensors/good/model.safetensors")
    spandrel.set(path, {"header/entries[2]/name": "tokens"}, backup=False)
    assert spandrel.get(path, "header/entries[2]/name") == "tokens"
    with pytest.raises(spandrel.SpandrelError, match="nothing"):
        spandrel.set(path, {"nothing": 1})


def test_set_cells(sample):
    path = sample("idv/good/deflated.idv")
    spandrel.set(path, {"0/Single": 2.5, "1/Boolean": True, "2/Text": "=x"}, table="rows", backup=False)
    rows = list(spandrel.open(path).tables["rows"].rows(0, 3, columns=["Single", "Boolean", "Text"]))
    assert rows[0]["Single"] == 2.5 and rows[1]["Boolean"] is True and rows[2]["Text"] == "=x"


def test_convert(sample, tmp_path):
    path = sample("idv/good/deflated.idv")
    assert "rename-column" in {a["action"] for a in spandrel.actions(path)}
    spandrel.convert(path, "rename-column", at="toc[0]", name="first", out=tmp_path / "new.idv")
    assert spandrel.open(tmp_path / "new.idv").tables["rows"].columns[0] == "first"
    assert spandrel.open(path).tables["rows"].columns[0] == "SByte"


def test_diff(sample):
    a, b = sample("safetensors/good/model.safetensors"), sample("safetensors/bad/007-shape.safetensors")
    assert spandrel.diff(a, b)[0] == spandrel.Difference('tensors["layer.0/weight"]/shape', "2, 3", "2, 4")
    assert spandrel.diff(a, b, layout=True) == [spandrel.Difference("header/entries[1]/dim1", 3, 4)]
    assert spandrel.diff(a, a) == []
