"""TileDB writes arrays with random schemas, filters and histories, and reads them back."""
import json
import os
import sys

import numpy as np
import tiledb
from tiledb import sparse_array

import read_tiledb
from zoolib import name

KEY = b"0123456789abcdef0123456789abcdeF"
T0 = 1_700_000_000_000
INTS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
KINDS = INTS + [np.float32, np.float64, np.bool_, "datetime64[ms]", "datetime64[D]", "S3", "ascii", "U0", "blob"]


def filters(rnd, dtype):
    """a chain that TileDB takes for the type."""
    kind = "O" if dtype in ("ascii", "U0", "blob") else np.dtype(dtype).kind
    f = rnd.random
    out = []
    if f() < 0.3:
        return out
    if kind in "iu" and f() < 0.4:
        out.append(rnd.choice([tiledb.BitWidthReductionFilter(rnd.choice([64, 256, 1024])), tiledb.PositiveDeltaFilter() if f() < 0.2 else tiledb.XORFilter(), tiledb.DeltaFilter(), tiledb.DoubleDeltaFilter()]))
    if kind in "iufM" and f() < 0.4:
        out.append(rnd.choice([tiledb.ByteShuffleFilter(), tiledb.BitShuffleFilter()]))
    if f() < 0.8:
        out.append(rnd.choice([tiledb.GzipFilter(rnd.randint(-1, 9)), tiledb.ZstdFilter(rnd.choice([-1, 1, 19])), tiledb.LZ4Filter(), tiledb.Bzip2Filter(rnd.randint(1, 9)), tiledb.RleFilter()]))
    if f() < 0.2:
        out.append(rnd.choice([tiledb.ChecksumMD5Filter(), tiledb.ChecksumSHA256Filter()]))
    return out


def attribute(rnd, k, enums, sparse):
    dtype = rnd.choice(KINDS)
    label = f"{name(rnd, 6)}{k}".lstrip("_")  # names that begin with two are its own
    more = {"filters": tiledb.FilterList(filters(rnd, dtype), chunksize=rnd.choice([65536, 65536, 64, 1000])), "nullable": rnd.random() < 0.25}
    if dtype in INTS and enums and rnd.random() < 0.3:
        return tiledb.Attr(label, dtype=dtype, enum_label=rnd.choice(enums).name, **more)
    if dtype in ("ascii", "U0", "blob"):
        return tiledb.Attr(label, dtype=dtype, var=True, **more)
    if dtype in (np.int32, np.float64) and rnd.random() < 0.3:
        return tiledb.Attr(label, dtype=dtype, var=True, filters=more["filters"])
    if dtype in (np.int32, np.float32, np.uint8) and rnd.random() < 0.2:
        more["fill"] = dtype(rnd.choice([0, 7]))
    return tiledb.Attr(label, dtype=dtype, **more)


def column(rnd, a, n, enums):
    if a.enum_label is not None:
        return np.array([rnd.randrange(len(next(e for e in enums if e.name == a.enum_label).values())) for _ in range(n)], a.dtype)
    if a.isvar and a.dtype.kind in "if":
        out = np.empty(n, object)
        out[:] = [np.array([rnd.randint(-9, 9) for _ in range(rnd.randint(1, 4))], a.dtype) for _ in range(n)]
        return out
    if a.isvar:
        text = [rnd.choice(["", "x", "text", "a" * 200]) if a.isascii or a.dtype.kind == "S" else name(rnd, 9) for _ in range(n)]
        return np.array([t.encode() if a.dtype.kind == "S" else t for t in text], dtype=object)
    if a.dtype.kind == "S":
        return np.array([rnd.choice(["abc", "xyz", "uvw"]) for _ in range(n)], dtype=a.dtype)
    if a.dtype.kind == "f":
        return np.array([rnd.choice([0.0, -0.5, rnd.gauss(0, 1), float("nan"), float("inf")]) for _ in range(n)], a.dtype)
    if a.dtype.kind == "M":
        return np.array([rnd.choice([0, -1, 19000, 1_700_000_000_000]) for _ in range(n)], "i8").view(a.dtype)
    if a.dtype.kind == "b":
        return np.array([rnd.random() < 0.5 for _ in range(n)])
    return np.array([rnd.choice([0, 1, 2, 3, rnd.randint(0, 100)]) for _ in range(n)], a.dtype)


def dimension(rnd, k, sparse, dtype):
    if sparse and rnd.random() < 0.25:
        return tiledb.Dim(f"s{k}", domain=(None, None), tile=None, dtype="ascii", filters=tiledb.FilterList(rnd.choice([[], [tiledb.ZstdFilter()], [tiledb.RleFilter()], [tiledb.DictionaryFilter()]])))
    if sparse and rnd.random() < 0.2:
        return tiledb.Dim(f"f{k}", domain=(-100.0, 100.0), tile=10.0, dtype=rnd.choice([np.float32, np.float64]))
    if sparse:
        dtype = rnd.choice(INTS)
    lo = rnd.choice([0, 1, -5]) if np.dtype(dtype).kind == "i" and sparse else rnd.choice([0, 1])  # slices of Python count from the end
    tile = rnd.randint(1, 5)
    return tiledb.Dim(f"d{k}", domain=(lo, lo + rnd.choice([7, 20, 60]) - 1), tile=tile, dtype=dtype, filters=tiledb.FilterList(filters(rnd, dtype)))


def schema(rnd, sparse, enums):
    every = rnd.choice(INTS)  # the dimensions of a dense array have one type
    dims = [dimension(rnd, k, sparse, every) for k in range(rnd.choice([1, 1, 2, 3]))]
    attrs = [attribute(rnd, k, enums, sparse) for k in range(rnd.randint(1, 4))]
    orders = {"cell_order": rnd.choice(["row-major", "col-major"] + (["hilbert"] if sparse else [])), "tile_order": rnd.choice(["row-major", "col-major"])}
    if orders["cell_order"] == "hilbert":
        orders.pop("tile_order")
    more = {"capacity": rnd.choice([2, 10, 10000]), "allows_duplicates": rnd.random() < 0.3} if sparse else {}
    return tiledb.ArraySchema(tiledb.Domain(*dims), attrs, sparse=sparse, enums=enums, offsets_filters=tiledb.FilterList(rnd.choice([[tiledb.ZstdFilter()], [], [tiledb.DoubleDeltaFilter(), tiledb.ZstdFilter()]])), **orders, **more)


def write(rnd, path, s, t, ctx, enums):
    dims, attrs = [s.domain.dim(i) for i in range(s.domain.ndim)], [s.attr(i) for i in range(s.nattr)]
    with tiledb.open(path, "w", timestamp=T0 + 1000 * t, ctx=ctx) as a:
        if s.sparse:
            n = rnd.choice([1, 3, 12])
            cells, seen = [], set()
            for _ in range(n):
                c = tuple(name(rnd, 5, script=["abcd"]) if d.name[0] == "s" else rnd.randint(-99, 99) / 2 if d.name[0] == "f" else rnd.randint(int(d.domain[0]), int(d.domain[1])) for d in dims)
                if c not in seen:
                    seen.add(c)
                    cells.append(c)
            n = len(cells)
            index = tuple(np.array([c[k] for c in cells], "S" if d.name[0] == "s" else d.dtype) for k, d in enumerate(dims))
            shape = (n,)
        else:
            box = [sorted((rnd.randint(int(d.domain[0]), int(d.domain[1])), rnd.randint(int(d.domain[0]), int(d.domain[1])))) for d in dims]
            if rnd.random() < 0.5:
                box = [[int(d.domain[0]), min(int(d.domain[1]), int(d.domain[0]) + 9)] for d in dims]
            box = [[lo, min(hi, lo + 7)] for lo, hi in box]
            index = tuple(slice(lo, hi + 1) for lo, hi in box)
            shape = tuple(hi - lo + 1 for lo, hi in box)
            n = int(np.prod(shape))
        data = {x.name: column(rnd, x, n, enums).reshape(shape) for x in attrs}
        nulls = {x.name: np.array([rnd.random() < 0.7 for _ in range(n)], np.uint8).reshape(shape) for x in attrs if x.isnullable}
        index = index if len(index) > 1 else index[0]
        if nulls and s.sparse:
            sparse_array._setitem_impl_sparse(a, index, data, nulls)
        elif nulls:
            a._setitem_impl(index, data, nulls)
        else:
            a[index] = data if len(data) > 1 or s.sparse else next(iter(data.values()))


def metadata(rnd, path, t, ctx):
    with tiledb.open(path, "w", timestamp=T0 + 1000 * t + 7, ctx=ctx) as a:
        for _ in range(rnd.randint(1, 3)):
            a.meta[name(rnd, 8)] = rnd.choice([1, 2.5, "text ü", b"\x00\xff", (1, 2, 3), (0.5, 1.5), ""])
        if rnd.random() < 0.2:
            del a.meta["absent"]


def evolve(rnd, path, s, t, ctx):
    e = tiledb.ArraySchemaEvolution(ctx)
    if s.nattr > 1 and rnd.random() < 0.4:
        e.drop_attribute(s.attr(0).name)
    else:
        e.add_attribute(tiledb.Attr(f"added{t}", dtype=rnd.choice([np.int32, np.float64, np.uint8]), filters=tiledb.FilterList(rnd.choice([[], [tiledb.ZstdFilter()]]))))
    e.timestamp(T0 + 1000 * t + 500)
    e.array_evolve(path)
    return tiledb.ArraySchema.load(path, ctx=ctx)


def consolidate(rnd, path, ctx):
    for mode in rnd.sample(["fragments", "fragment_meta", "array_meta", "commits"], rnd.randint(1, 3)):
        config = tiledb.Config(ctx.config().dict() | {"sm.consolidation.mode": mode, "sm.vacuum.mode": mode})
        tiledb.consolidate(path, config=config, ctx=ctx)
        if rnd.random() < 0.6:
            tiledb.vacuum(path, config=config, ctx=ctx)


def make(rnd, folder, i):
    path, key = os.path.join(folder, f"{i:05d}"), rnd.random() < 0.1
    ctx = tiledb.Ctx({"sm.compute_concurrency_level": "1", "sm.io_concurrency_level": "1", **({"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": KEY.decode()} if key else {})})
    if not key and rnd.random() < 0.15:
        return (numpy if rnd.random() < 0.6 else group)(rnd, path, ctx)
    if not key and rnd.random() < 0.06:
        return labels(rnd, path)
    sparse, what = rnd.random() < 0.5, []
    enums = [tiledb.Enumeration("colors", rnd.random() < 0.5, np.array(["red", "green", "blü"])), tiledb.Enumeration("sizes", False, np.array([10, 20], np.int64))]
    s = schema(rnd, sparse, rnd.sample(enums, rnd.randint(0, 2)))
    tiledb.Array.create(path, s, ctx=ctx)
    for t in range(1, 1 + rnd.choice([0, 1, 1, 2, 3])):
        write(rnd, path, s, t, ctx, enums)
        if rnd.random() < 0.3:
            metadata(rnd, path, t, ctx)
            what.append("metadata")
        if rnd.random() < 0.15 and not key:
            s = evolve(rnd, path, s, t, ctx)
            what.append("evolved")
        if sparse and rnd.random() < 0.15:
            with tiledb.open(path, "d", timestamp=T0 + 1000 * t + 800, ctx=ctx) as a:
                d = s.domain.dim(0)
                a.query(cond=f"{d.name} > {d.domain[0] + 5}" if d.name[0] != "s" else f"{d.name} > 'b'").submit()
            what.append("deleted")
    if rnd.random() < 0.3:
        consolidate(rnd, path, ctx)
        what.append("consolidated")
    what = f"{'sparse' if sparse else 'dense'} {' '.join(sorted(set(what)))}{' encrypted' * key}"
    return path, what, tables(path, ctx)


def tables(path, ctx):
    """the attributes, and the cells; of a dense array those of the whole box that was written."""
    read = read_tiledb.array(path, ctx, None)
    out = {"attributes": [{"name": a["name"]} for a in read["schema"]["attributes"]]}
    if read["cells"]:
        columns = list(read["cells"].items())
        out["cells"] = [{n: plain(v[k]) for n, v in columns} for k in range(len(columns[0][1]))]
    return out


def plain(v):
    """numbers alone: texts, times and values that are missing are printed in words of their own."""
    return v if isinstance(v, (int, float)) and not isinstance(v, bool) else None


def numpy(rnd, path, ctx):
    a = np.array([[rnd.random() for _ in range(rnd.randint(1, 8))] for _ in range(3)] if rnd.random() < 0.01 else rnd.sample(range(100), rnd.randint(1, 30)), rnd.choice([np.int16, np.float32, np.float64, np.uint8]))
    tiledb.from_numpy(path, a).close()
    return path, f"from_numpy {a.dtype} {a.shape}", {}


def group(rnd, path, ctx):
    tiledb.Group.create(path)
    with tiledb.Group(path, "w") as g:
        for k in range(rnd.randint(0, 3)):
            at = f"m{k}"
            if rnd.random() < 0.7:
                tiledb.from_numpy(os.path.join(path, at), np.arange(k + 3)).close()
            else:
                tiledb.Group.create(os.path.join(path, at))
            g.add(at, *([name(rnd, 6) + str(k)] if rnd.random() < 0.7 else []), relative=True)
        for _ in range(rnd.randint(0, 2)):
            g.meta[name(rnd, 6)] = rnd.choice([1, "x", 2.5])
    return path, "group", {}


def labels(rnd, path):
    dom = tiledb.Domain(tiledb.Dim("x", domain=(0, 9), tile=5, dtype=np.int32))
    label = {0: {name(rnd, 5, script=["abcdef"]): dom.dim(0).create_label_schema(rnd.choice(["increasing", "decreasing"]), rnd.choice([np.int64, np.float64]))}}
    tiledb.Array.create(path, tiledb.ArraySchema(domain=dom, attrs=[tiledb.Attr("a", dtype=np.int32)], dim_labels=label))
    return path, "dimension labels", {}


if __name__ == "__main__":  # what the library reads of an array that someone else wrote
    print(json.dumps(tables(sys.argv[1], tiledb.Ctx())))
