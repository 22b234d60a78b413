"""Makes small files of each kind with the format's own software, and reads damaged ones.

    python read_damaged.py KIND    # a path a line in; out JSON lines: a stage, what the file gives or what the software says, how the process ended

Each file is read in a process of its own, since it may crash it, take forever, or ask for all memory.
"""
import io
import json
import os
import resource
import shutil
import signal
import sys
import tarfile
import tempfile
import types
import zlib

import gguf
import numpy as np
import pandas as pd
import safetensors.numpy
import scipy.sparse
import tiledb
from gguf.quants import quantize

import make_tiledb as made
import read_glzn
import read_scdl
import read_tiledb as tiledb_reader

SECONDS = 30  # for a file
MEMORY = 8 << 30  # of addresses: TileDB maps some 3 GiB before it reads anything


def npy(r):
    kind = r.choice(["<f4", ">i4", "<u2", "|b1", "<f8", "|i1", "<c8", "<M8[D]", "<U5", "|S4"])
    shape = [(r.randrange(1, 40),), (r.randrange(1, 9), r.randrange(1, 9)), ()][r.randrange(3)]
    raw = r.randbytes(4 * 64 * max(1, int(np.prod(shape))))
    if kind[1] in "US":
        return np.array(["".join(r.choices("abcxyz", k=r.randrange(5))) for _ in range(int(np.prod(shape)))], kind).reshape(shape)
    if kind[1] == "b":
        return np.frombuffer(raw, "u1", int(np.prod(shape))).reshape(shape) > 127
    return np.frombuffer(raw, kind, int(np.prod(shape))).reshape(shape)


def make_npy(r, path):
    a = npy(r)
    np.save(path, np.asfortranarray(a) if r.random() < 0.2 else a)


def make_npz(r, path):
    save = np.savez_compressed if r.random() < 0.5 else np.savez
    save(path, **{f"a{i}": npy(r) for i in range(r.randrange(1, 4))})


def make_safetensors(r, path):
    kinds = ["<f4", "<f2", "<i8", "<u1", "|b1", "<f8", "<i4"]
    some = {f"layer{i}.weight": np.zeros((r.randrange(1, 6), r.randrange(1, 9)), r.choice(kinds)) + 1 for i in range(r.randrange(1, 5))}
    safetensors.numpy.save_file({k: np.ascontiguousarray(v.astype(v.dtype)) for k, v in some.items()}, path, metadata={"format": "np"} if r.random() < 0.5 else None)


def make_tar(r, path):
    with tarfile.open(path, "w", format=r.choice([tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])) as t:
        for i in range(r.randrange(1, 6)):
            m = tarfile.TarInfo(f"{i:06d}.{r.choice(['txt', 'json', 'cls'])}" if r.random() < 0.8 else "long/" * 25 + f"{i}.bin")
            m.size, m.mtime = r.randrange(0, 1500), 1_700_000_000 + i
            t.addfile(m, io.BytesIO(r.randbytes(m.size)))


def make_gguf(r, path):
    """a small model with metadata of every type, and tensors of some."""
    w = gguf.GGUFWriter(path, r.choice(["llama", "qwen2", "bert"]), endianess=gguf.GGUFEndian.BIG if r.random() < 0.1 else gguf.GGUFEndian.LITTLE)
    if r.random() < 0.3:
        w.add_custom_alignment(r.choice([8, 16, 64, 256]))
    adders = [lambda: w.add_name("ä model"), lambda: w.add_uint8("n.u8", r.randrange(256)), lambda: w.add_int16("n.i16", -300),
              lambda: w.add_bool("n.flag", True),
              lambda: w.add_float32("n.f32", r.random()), lambda: w.add_uint64("n.u64", r.getrandbits(60)), lambda: w.add_float64("n.f64", r.random()),
              lambda: w.add_token_list([f"<t{i}>" * (i % 3) for i in range(r.randrange(1, 40))]),
              lambda: w.add_array("n.list", [r.randrange(99) for _ in range(r.randrange(1, 20))]),
              lambda: w.add_block_count(r.randrange(1, 40)), lambda: w.add_array("n.bools", [True, False])]
    for add in r.sample(adders, r.randrange(len(adders))):
        add()
    for i in range(r.randrange(5)):
        shape = (r.randrange(1, 5), r.randrange(1, 5)) if r.random() < 0.6 else (r.randrange(1, 40),)
        if r.random() < 0.3:
            kind = r.choice([gguf.GGMLQuantizationType.Q4_0, gguf.GGMLQuantizationType.Q8_0, gguf.GGMLQuantizationType.Q5_1, gguf.GGMLQuantizationType.BF16])
            values = np.frombuffer(r.randbytes(shape[0] * 64), "i1").astype("<f4").reshape(shape[0], 64)
            w.add_tensor(f"blk.{i}.ffn_up.weight", quantize(values, kind), raw_dtype=kind)
        else:
            kind = np.dtype(r.choice(["<f4", "<f2", "<f8", "|i1", "<i2", "<i4", "<i8"]))
            w.add_tensor(f"blk.{i}.attn_q.weight", np.frombuffer(r.randbytes(int(np.prod(shape)) * kind.itemsize), kind).reshape(shape).copy())
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def make_tiledb(r, path):
    """an array with some attributes, filters and fragments; some with metadata, an enumeration, deleted cells, another schema, or consolidated."""
    enum, chance = tiledb.Enumeration("colors", False, np.array(["red", "green", "blue"])) if r.random() < 0.2 else None, r.random()
    if chance < 0.35:
        made.sparse(path, fragments=r.randrange(1, 4), duplicates=r.random() < 0.2, enum=enum)
        if r.random() < 0.2:
            with tiledb.open(path, "d", timestamp=1_700_000_004_000) as a:
                a.query(cond="f > 1.5").submit()
    elif chance < 0.7:
        name, filters = r.choice(sorted(made.FILTERS.items()))
        numbers = [np.int8, np.uint16, np.int32, np.int64, np.uint64]
        if "delta" not in name and name not in ("bit-width", "chain"):
            numbers += [np.float32, np.float64]
        more = {"dtype": np.int8, "enum": enum} if enum else r.choice([{"dtype": "U0", "var": True}, {"nullable": True}] + [{"dtype": n} for n in numbers])
        made.dense(path, () if more.get("var") or enum else filters, timestamps=range(1, r.randrange(2, 4)),
                   extra=r.choices([np.float32, np.uint8, np.int64], k=r.randrange(3)), **more)
    else:
        grid(r, path)
    if r.random() < 0.3:
        made.metadata(path)
    if r.random() < 0.15:
        change = tiledb.ArraySchemaEvolution()
        change.add_attribute(tiledb.Attr("added", dtype=np.float32))
        change.timestamp(1_700_000_008_000)
        change.array_evolve(path)
    if r.random() < 0.2:
        tiledb.consolidate(path, config=tiledb.Config({"sm.consolidation.mode": r.choice(["fragments", "commits", "fragment_meta", "array_meta"])}))


def grid(r, path):
    """numbers over two dimensions, more than one tile of each."""
    n, m, kind = r.randrange(2, 30), r.randrange(2, 30), r.choice([np.int32, np.float64, np.uint8])
    dims = [tiledb.Dim(x, domain=(0, k - 1), tile=r.randrange(1, k + 1), dtype=np.int64) for x, k in (("rows", n), ("columns", m))]
    filters = r.choice([[], made.FILTERS["gzip"], made.FILTERS["zstd"], made.FILTERS["lz4"], made.FILTERS["md5"]])
    order = r.choice(["row-major", "col-major"])
    tiledb.Array.create(path, tiledb.ArraySchema(domain=tiledb.Domain(*dims), attrs=[tiledb.Attr("v", dtype=kind, filters=tiledb.FilterList(filters))],
                                                 cell_order=order, tile_order=order))
    with tiledb.open(path, "w", timestamp=1_700_000_001_000) as a:
        a[:, :] = np.frombuffer(r.randbytes(n * m * 8), "i8").reshape(n, m).astype(kind)


def make_scdl(r, path):
    """an archive of some cells, as an h5ad file has them; some have neighbours, some are two that were joined."""
    neighbors = r.random() < 0.2

    def part(path, genes):
        cells = r.randrange(1, 9)
        x = scipy.sparse.random(cells, genes, r.uniform(0.1, 0.9), "csr", np.float32, np.random.default_rng(r.getrandbits(32)))
        var = pd.DataFrame({"feature_id": [f"g{r.getrandbits(20)}" for _ in range(genes)], "length": [r.randrange(999) for _ in range(genes)]})
        obs = pd.DataFrame({"kind": r.choices(["T cell", "B cell", "other"], k=cells), "score": [r.random() for _ in range(cells)]})
        near = scipy.sparse.random(cells, cells, 0.4, "csr", np.float32, np.random.default_rng(r.getrandbits(32)))
        sys.modules["anndata"].read_h5ad = lambda _: types.SimpleNamespace(X=scipy.sparse.csr_matrix(x), var=var, obs=obs, obsp={"next_cell_ids": near})
        x.data = (x.data * 9).astype(np.float32)
        return read_scdl.SingleCellMemMapDataset(path, h5ad_path=os.devnull, use_X_not_raw=True, load_neighbors=neighbors, data_dtype=kind)
    kind = r.choice(["float32", "float16", "float64", "uint8", "uint16"])
    archive = part(path, r.choice([5, 300]))
    if not neighbors and r.random() < 0.4:
        archive.concat(part(path + ".second", r.choice([5, 12])), destroy_on_copy=True)
        shutil.rmtree(path + ".second")


def read_numpy(path):
    with open(path, "rb") as f:
        a = np.load(f, allow_pickle=False)
        if isinstance(a, np.ndarray):
            return [[a.dtype.str, a.shape, zlib.crc32(a.tobytes())]]
        out = []
        opened()
        for name in sorted(a.files):
            x = a[name]
            out.append([name, x.dtype.str, x.shape, zlib.crc32(x.tobytes())] if isinstance(x, np.ndarray) else [name, zlib.crc32(x)])
        return out


def read_safetensors(path):
    out = safetensors.numpy.load_file(path)
    return sorted([k, v.dtype.str, v.shape, zlib.crc32(v.tobytes())] for k, v in out.items())


def read_tar(path):
    with tarfile.open(path, "r:") as t:
        opened()
        out = []
        for m in t:
            f = t.extractfile(m) if m.isfile() else None
            data = f.read() if f else b""
            if f and len(data) != m.size:
                raise EOFError("unexpected end of data")
            out.append([m.name, m.size, m.type.decode("latin-1"), zlib.crc32(data)])
        return out


def read_gguf(path):
    r = gguf.GGUFReader(path)
    opened()
    pairs = [[k, [int(t) for t in f.types], repr(f.contents())] for k, f in r.fields.items()]
    return [pairs, [[t.name, t.tensor_type.name, t.shape.tolist(), zlib.crc32(t.data.tobytes())] for t in r.tensors]]


def read_tiledb(path):
    ctx = tiledb.Ctx({"sm.compute_concurrency_level": "1", "sm.io_concurrency_level": "1"})
    with tiledb.open(path, ctx=ctx):
        opened()
    return tiledb_reader.array(path, ctx, None)


def read_scdl_archive(path):
    """each cell as the class gives it; from a copy, since it writes what it misses."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = os.path.join(scratch, "archive")
        shutil.copytree(path, copy)
        d = read_scdl.SingleCellMemMapDataset(copy, load_neighbors=os.path.exists(os.path.join(copy, "neighbor_indptr.npy")))
        opened()
        near = (lambda i: (d.get_neighbor_indices_for_cell(i), d.get_neighbor_weights_for_cell(i))) if d._has_neighbors else lambda i: None
        cells = [(d.get_row(i), d.get_row_padded(i)[0], d.var_features().lookup(i), d.obs_features().lookup(i), near(i)) for i in range(len(d))]
        return read_scdl.plain([d.shape(), str(d.data.dtype), cells])


# What is made and read: the name of the reader in check --for, the writer and the reader.
ALL = {"npy": ("numpy", make_npy, read_numpy), "npz": ("numpy", make_npz, read_numpy),
       "safetensors": ("safetensors", make_safetensors, read_safetensors), "tar": ("tarfile", make_tar, read_tar),
       "gguf": ("gguf", make_gguf, read_gguf), "tiledb": ("tiledb", make_tiledb, read_tiledb),
       "scdl": ("bionemo-scdl@0.1", make_scdl, read_scdl_archive), "taridx": ("glzn", read_glzn.make, lambda path: read_glzn.read(path, opened))}


def tell(what):
    os.write(OUT, (json.dumps(what) + "\n").encode())


def opened():
    """is called by what reads as soon as the file is open: what fails later does not refuse it."""
    tell({"stage": "read"})


def answer(path, read):
    signal.alarm(SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        tell({"gives": read(path)})
    except Exception as e:  # whatever the software says is the answer
        tell({"says": f"{type(e).__name__}: {e}"[:400]})


def main():
    global OUT
    OUT = os.dup(1)
    os.dup2(2, 1)  # libraries may print lines of their own
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            answer(line.rstrip("\n"), ALL[sys.argv[1]][2])
            os._exit(0)
        tell({"ended": os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])})


if __name__ == "__main__":
    main()
