"""Writes arrays and groups with TileDB itself, of every kind that it has: python make_tiledb.py FOLDER."""
import os
import sys

import numpy as np
import tiledb

KEY = b"0123456789abcdef0123456789abcdeF"  # of the encrypted array


def dense(path, filters=(), dtype=np.int32, var=False, nullable=False, timestamps=(1,), enum=None, ctx=None, extra=()):
    """one dimension of ten cells in tiles of five, an attribute "a", and attributes "b"… of the types of extra."""
    dom = tiledb.Domain(tiledb.Dim("x", domain=(1, 10), tile=5, dtype=np.int32))
    attr = tiledb.Attr("a", dtype=dtype, var=var or None, nullable=nullable, filters=tiledb.FilterList(filters), enum_label=enum and enum.name)
    attrs = [attr] + [tiledb.Attr(chr(98 + i), dtype=t) for i, t in enumerate(extra)]
    schema = tiledb.ArraySchema(domain=dom, attrs=attrs, sparse=False, enums=[enum] if enum else [])
    tiledb.Array.create(path, schema, ctx=ctx)
    for t in timestamps:
        values = np.arange(t, t + 10)
        if var:
            cells = np.array([f"text {i}" * (i % 3) + "ü" for i in range(10)], dtype=object)
        elif enum:
            cells = (values % len(enum.values())).astype(dtype)
        elif np.dtype(dtype).kind == "f":
            cells = (values * 1.5 - 4).astype(dtype)
        else:
            cells = (values * 3).astype(dtype)
        data = {"a": cells} | {chr(98 + i): (values * 2).astype(d) for i, d in enumerate(extra)}
        with tiledb.open(path, "w", timestamp=1_700_000_000_000 + 1000 * t, ctx=ctx) as a:
            if nullable:
                a._setitem_impl(slice(1, 11), data, {"a": (values % 3 > 0).astype(np.uint8)})
            else:
                a[1:11] = data if len(data) > 1 else cells


def sparse(path, ctx=None, fragments=2, duplicates=False, enum=None):
    """an integer and a text dimension, a float, a text that may be missing and, with enum, an enumerated attribute."""
    dom = tiledb.Domain(tiledb.Dim("i", domain=(0, 99), tile=10, dtype=np.int64), tiledb.Dim("s", domain=(None, None), tile=None, dtype="ascii"))
    attrs = [tiledb.Attr("f", dtype=np.float64, filters=tiledb.FilterList([tiledb.ByteShuffleFilter(), tiledb.ZstdFilter(5)])),
             tiledb.Attr("t", dtype=str, var=True, nullable=True)]
    if enum:
        attrs.append(tiledb.Attr("e", dtype=np.int8, enum_label=enum.name))
    schema = tiledb.ArraySchema(domain=dom, attrs=attrs, sparse=True, capacity=4, allows_duplicates=duplicates, enums=[enum] if enum else [])
    tiledb.Array.create(path, schema, ctx=ctx)
    for t in range(fragments):
        n = np.arange(7)
        data = {"f": n * 0.25 + t, "t": np.array([f"cell {i} {t}" if i % 3 else None for i in n], dtype=object)}
        if enum:
            data["e"] = (n % len(enum.values())).astype(np.int8)
        with tiledb.open(path, "w", timestamp=1_700_000_000_000 + 1000 * t, ctx=ctx) as a:
            a[n * 5 + t, np.array([b"k%d" % (i % 4) for i in n], dtype="S")] = data


def metadata(path, ctx=None):
    for t, more in enumerate(({"answer": 42, "pi": 3.25, "name": "cell", "raw": b"\x00\xff\x10"}, {"answer": 43, "list": (1, 2, 3), "ü": "grün"})):
        with tiledb.open(path, "w", timestamp=1_700_000_005_000 + 1000 * t, ctx=ctx) as a:
            for k, v in more.items():
                a.meta[k] = v
    with tiledb.open(path, "w", timestamp=1_700_000_009_000, ctx=ctx) as a:
        del a.meta["pi"]


FILTERS = {
    "gzip": [tiledb.GzipFilter(4)], "zstd": [tiledb.ZstdFilter(-1)], "lz4": [tiledb.LZ4Filter(-1)], "rle": [tiledb.RleFilter()],
    "bzip2": [tiledb.Bzip2Filter(3)], "delta": [tiledb.DeltaFilter()], "double-delta": [tiledb.DoubleDeltaFilter()],
    "bit-width": [tiledb.BitWidthReductionFilter()], "bitshuffle": [tiledb.BitShuffleFilter()], "byteshuffle": [tiledb.ByteShuffleFilter()],
    "positive-delta": [tiledb.PositiveDeltaFilter()], "md5": [tiledb.ChecksumMD5Filter()], "sha256": [tiledb.ChecksumSHA256Filter()],
    "xor": [tiledb.XORFilter()], "chain": [tiledb.ByteShuffleFilter(), tiledb.DoubleDeltaFilter(), tiledb.ZstdFilter(3), tiledb.ChecksumMD5Filter()],
}


def main(root):
    os.makedirs(root)
    at = lambda name: os.path.join(root, name)  # noqa: E731
    colors = tiledb.Enumeration("colors", False, np.array(["red", "green", "blue"]))
    sizes = tiledb.Enumeration("sizes", True, np.array([10, 20, 40], dtype=np.int64))
    for name, filters in FILTERS.items():
        dense(at("filter-" + name), filters)
    dense(at("filter-scale"), [tiledb.FloatScaleFilter(0.5, 0, 4)], np.float64)
    for t in (np.int8, np.uint8, np.int16, np.uint16, np.uint32, np.int64, np.uint64, np.float32, np.float64, np.bool_, "datetime64[ms]", "datetime64[D]"):
        dense(at("type-" + np.dtype(t).name.replace("[", "-").replace("]", "")), (), t)
    dense(at("two-attributes"), (), extra=(np.float32, np.uint8))
    dense(at("text"), (), "U0", var=True)
    dense(at("nullable"), (), nullable=True)
    dense(at("enumerated"), (), np.int8, enum=colors)
    dense(at("enumerated-numbers"), (), np.uint16, enum=sizes)
    dense(at("history"), (), timestamps=(1, 2, 3))
    metadata(at("history"))
    sparse(at("sparse"))
    metadata(at("sparse"))
    sparse(at("sparse-enumerated"), enum=colors)
    sparse(at("sparse-duplicates"), duplicates=True)
    sparse(at("consolidated"), fragments=3)
    tiledb.consolidate(at("consolidated"), config=tiledb.Config({"sm.consolidation.timestamp_end": "1700000001500"}))
    sparse(at("deleted"))
    with tiledb.open(at("deleted"), "d", timestamp=1_700_000_004_000) as a:
        a.query(cond="f > 1.5").submit()
    ctx = tiledb.Ctx({"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": KEY.decode()})
    sparse(at("encrypted"), ctx=ctx)
    metadata(at("encrypted"), ctx=ctx)
    evolved = at("evolved")
    dense(evolved, ())
    change = tiledb.ArraySchemaEvolution()
    change.add_attribute(tiledb.Attr("added", dtype=np.float32))
    change.timestamp(1_700_000_008_000)
    change.array_evolve(evolved)
    current = tiledb.CurrentDomain(tiledb.Ctx())
    box = tiledb.NDRectangle(tiledb.Ctx(), dom := tiledb.Domain(tiledb.Dim("x", domain=(0, 999), tile=10, dtype=np.int32)))
    box.set_range(0, 0, 49)
    current.set_ndrectangle(box)
    tiledb.Array.create(at("current-domain"), s := tiledb.ArraySchema(domain=dom, attrs=[tiledb.Attr("a", dtype=np.int32)], sparse=True))
    change = tiledb.ArraySchemaEvolution()
    change.expand_current_domain(current)
    change.array_evolve(at("current-domain"))
    labels = {0: {"names": dom.dim(0).create_label_schema("increasing", np.int64)}}
    tiledb.Array.create(at("labels"), tiledb.ArraySchema(domain=dom, attrs=[tiledb.Attr("a", dtype=np.int32)], dim_labels=labels))
    tiledb.Group.create(at("group"))
    with tiledb.Group(at("group"), "w") as g:
        dense(os.path.join(at("group"), "inside"))
        g.add("inside", "first", relative=True)
        g.meta["purpose"] = "test"
    del s


if __name__ == "__main__":
    main(sys.argv[1])
