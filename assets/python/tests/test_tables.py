import json
import math

import pytest

import spandrel


def test_rows(sample):
    document = spandrel.open(sample("taridx/good/three-shards/train.taridx"))
    assert list(document.tables) == ["rows", "samples", "shards", "payloads"]
    table = document.tables["rows"]
    assert len(table) == 10 and table.dtypes["keyhash"] == "u64" and table.columns[0] == "fid"
    first = next(iter(table))
    assert first["keyhash"] == 11440372652284926954 and first["member"] == "s0000.jpg"
    assert [r["stem"] for r in table.rows(2, 4, columns=["stem"])] == ["s0001", "s0001"]
    assert list(table.rows(20)) == []


def test_types(sample):
    rows = list(spandrel.open(sample("idv/good/deflated.idv")).tables["rows"])
    assert all(isinstance(r["Int64"], int) and isinstance(r["Double"], float) for r in rows)
    assert rows[0]["Vector"] == [1, 2, 0, 4] and rows[0]["Bits"][0] is True


def test_with(sample):
    with spandrel.open(sample("npy/good/matrix.npy")) as document:
        assert len(document.tables["values"]) == 6


def test_labels(sample):
    table = spandrel.open(sample("idv/good/deflated.idv")).tables["rows"]
    assert [r["Key"] for r in table.rows(0, 3, columns=["Key"], labels=True)] == ["missing", "red", "green"]


def test_damaged(sample):
    path = sample("taridx/bad/054-cut/train.taridx")
    assert len(spandrel.open(path).tables["rows"]) == 6
    assert len(spandrel.open(path, as_is=True).tables["rows"]) == 3


def test_wrong_use(sample, tmp_path):
    table = spandrel.open(sample("npy/good/matrix.npy")).tables["values"]
    with pytest.raises(KeyError):
        table.rows(columns=["nothing"]).__next__()
    with pytest.raises(ValueError):
        table.rows(3, 2).__next__()
    (tmp_path / "text.txt").write_text("text")
    with pytest.raises(spandrel.SpandrelError, match="text.txt"):
        spandrel.open(tmp_path / "text.txt")


def test_stopping_early(sample):
    rows = spandrel.open(sample("taridx/good/three-shards/train.taridx")).tables["rows"].rows()
    next(rows)
    rows.close()


def test_html(sample):
    assert "<iframe" in spandrel.open(sample("npy/good/matrix.npy"))._repr_html_()


def test_numpy_of_structures(tmp_path):
    numpy = pytest.importorskip("numpy")
    kind = [("i", "<i4"), ("f", ">f8"), ("t", "<U8"), ("s", "S4"), ("b", "?")]
    want = numpy.array([(n, n / 7, f"text {n}", b"ab", n % 2) for n in range(24)], dtype=kind).reshape(4, 6)
    for name, array in {"c.npy": want, "f.npy": numpy.asfortranarray(want)}.items():
        numpy.save(tmp_path / name, array)
        got = spandrel.open(tmp_path / name).tables["values"].to_numpy()
        assert got.shape == (4, 6) and got.dtype.names == ("i", "f", "t", "s", "b")
        for field in ("i", "f", "t", "b"):
            assert (got[field] == want[field]).all(), field



DTYPES = ["?", "<f2", ">f8", "<c8", ">c16", "S5", "<U4", ">U3", "V3", "<M8[D]", "<M8[Y]", ">M8[25us]", "<M8[ns]", "<m8[h]", "<m8[ps]", "<m8",
          [("a", "<i4"), ("b,c", "S3"), ("d", "<M8[s]", (2,)), ("e", [("x", ">f4"), ("y", "?")]), ("z", "<c8")],
          {"names": ["x", "y"], "formats": ["<i2", "<f8"], "offsets": [0, 8]}]


def numbered(numpy, dtype, size):
    array = numpy.zeros(size, dtype)
    for part in spandrel._tables._leaves(array):
        numbers = numpy.arange(1, size + 1)
        part[...] = numbers.astype(f"S{part.dtype.itemsize}").view(part.dtype) if part.dtype.kind == "V" else numbers.astype(part.dtype)
        if part.dtype.kind in "mM":
            part[1:2] = "NaT"
    return array


def parts(array):
    return [part.tobytes() for part in spandrel._tables._leaves(array.reshape(-1))]  # without padding


@pytest.mark.parametrize("shape", [(), (0,), (5,), (2, 3), (0, 3)])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_numpy_of_every_type(tmp_path, dtype, shape):
    numpy = pytest.importorskip("numpy")
    array = numbered(numpy, dtype, int(numpy.prod(shape))).reshape(shape)
    for order in "CF":
        numpy.save(tmp_path / "a.npy", array.copy(order))
        numpy.savez(tmp_path / "a.npz", values=array.copy(order))
        for name in ("a.npy", "a.npz"):
            got = spandrel.open(tmp_path / name).tables["values"].to_numpy()
            want = numpy.load(tmp_path / "a.npy").astype(array.dtype.newbyteorder("="))
            assert got.dtype == want.dtype and got.shape == want.shape and parts(got) == parts(want)


def test_numpy_texts_of_no_encoding(tmp_path):
    numpy = pytest.importorskip("numpy")
    want = numpy.array([b"a\xff", "\u00e9".encode()])
    numpy.save(tmp_path / "s.npy", want)
    table = spandrel.open(tmp_path / "s.npy").tables["values"]
    assert [r["value"] for r in table] == ["a\ufffd", "\u00e9"]
    assert (table.to_numpy() == want).all()
    numpy.savez(tmp_path / "s.npz", values=want)
    table = spandrel.open(tmp_path / "s.npz").tables["values"]
    with pytest.raises(ValueError, match="not UTF-8"):
        table.to_numpy()


def test_numpy_of_a_changed_file(tmp_path):
    numpy = pytest.importorskip("numpy")
    path = tmp_path / "a.npy"
    numpy.save(path, numpy.zeros((2, 3)))
    table = spandrel.open(path).tables["values"]
    numpy.save(path, numpy.arange(6.0).reshape(2, 3))
    assert table.to_numpy().tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("name", ["matrix", "columns", "vector"])
def test_numpy_reads_the_same(sample, name):
    numpy = pytest.importorskip("numpy")
    path = sample(f"npy/good/{name}.npy")
    want, got = numpy.load(path), spandrel.open(path).tables["values"].to_numpy()
    assert got.dtype == want.dtype.newbyteorder("=") and got.shape == want.shape and (got == want).all()


def test_no_columns(sample):
    table = spandrel.open(sample("idv/good/deflated.idv")).tables["rows"]
    with pytest.raises(ValueError, match="at least one"):
        next(table.rows(columns=[]))


@pytest.mark.parametrize("shape", [(), (3,), (0, 2), (2, 3)])
@pytest.mark.parametrize("dtype", ["F32", "C64"])
def test_numpy_of_tensors(tmp_path, dtype, shape):
    numpy = pytest.importorskip("numpy")
    want = numpy.arange(numpy.prod(shape, dtype=int)).astype("c8" if dtype == "C64" else "f4").reshape(shape)
    header = json.dumps({"t": {"dtype": dtype, "shape": shape, "data_offsets": [0, want.nbytes]}}).encode()
    (tmp_path / "t.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + want.tobytes())
    got = spandrel.open(tmp_path / "t.safetensors").tables["t"].to_numpy()
    assert got.dtype == want.dtype and got.shape == want.shape and (got == want).all()


def test_numpy_of_gguf(sample):
    numpy = pytest.importorskip("numpy")
    table = spandrel.open(sample("gguf/good/version-2.gguf")).tables["a.weight"]
    got = table.to_numpy()  # the last index changes fastest, as gguf reads it; ggml counts dimensions the other way
    assert got.shape == (2, 3) and got.tolist() == numpy.array([r["value"] for r in table]).reshape(2, 3).tolist()


def test_numbers_that_json_has_not(tmp_path):
    numpy = pytest.importorskip("numpy")
    numpy.save(tmp_path / "f.npy", numpy.array([math.nan, math.inf, -math.inf, 1.0]))
    table = spandrel.open(tmp_path / "f.npy").tables["values"]
    first, *others = [r["value"] for r in table]
    assert math.isnan(first) and others == [math.inf, -math.inf, 1.0]
    numpy.testing.assert_array_equal(table.to_numpy(), numpy.load(tmp_path / "f.npy"))
    numpy.save(tmp_path / "i.npy", numpy.array([2**63, 2**64 - 1], dtype="uint64"))
    table = spandrel.open(tmp_path / "i.npy").tables["values"]
    assert [r["value"] for r in table] == [2**63, 2**64 - 1] == table.to_numpy().tolist()


def test_structured_array(sample):
    pytest.importorskip("numpy")
    rows = spandrel.open(sample("taridx/good/three-shards/train.taridx")).tables["rows"].to_numpy()
    assert rows["keyhash"][0] == 11440372652284926954 and rows["size"].dtype == "uint64"


def test_arrow(sample):
    pytest.importorskip("pyarrow")
    table = spandrel.open(sample("idv/good/deflated.idv")).tables["rows"]
    assert table.to_arrow(columns=["Int32", "Text"]).to_pylist() == list(table.rows(columns=["Int32", "Text"]))
    assert [b.num_rows for b in table.batches(3, columns=["Int32"])] == [3, 3, 2]


def test_pandas(sample):
    pytest.importorskip("pandas")
    frame = spandrel.open(sample("taridx/good/three-shards/train.taridx")).tables["rows"].to_pandas(columns=["stem", "size"])
    assert frame.shape == (10, 2) and frame["size"][0] == 600


@pytest.mark.parametrize("dtype", ["?", "<f2", ">f8", "u1", [("a", ">i4"), ("b", "<f8", (2,))], "<M8[D]", "S5", "<c8"], ids=str)
def test_pandas_of_arrays(tmp_path, dtype):
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    array = numbered(numpy, dtype, 12).reshape(3, 4)
    numpy.save(tmp_path / "a.npy", array)
    numpy.savez(tmp_path / "a.npz", values=array)
    read, slow = (spandrel.open(tmp_path / name).tables["values"] for name in ("a.npy", "a.npz"))
    for part in ((), (2, 7), (10, 20), (12, None)):
        frame = read.to_pandas(*part)
        assert tuple(frame.columns) == read.columns[1:]
        pandas.testing.assert_frame_equal(frame, slow.to_pandas(*part))
    assert list(read.to_pandas(columns=["position"])["position"])[4:6] == ["1, 0", "1, 1"]
    with pytest.raises(KeyError):
        read.to_pandas(columns=["nothing"])
