"""Reads TileDB arrays and groups with TileDB itself: a path a line in, a JSON object a line out.

A tab and the hex of an encryption key may follow the path, another tab and the timestamp to read at, and
another tab and "work" to have TileDB work on the array before.
"""
import json
import sys

import numpy as np
import tiledb
import tiledb.libtiledb as lt
from tiledb.main import PyQuery


def plain(value):
    """value in JSON: floats that JSON has no word for, and dates, as their bits; bytes as hex."""
    if isinstance(value, np.ndarray):
        return [plain(v) for v in value.ravel()]
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return int(value.astype("i8"))
    if isinstance(value, np.void):
        return [plain(v) for v in value.item()] if value.dtype.names else "hex:" + value.tobytes().hex()
    if isinstance(value, (np.complexfloating, complex)):
        return [plain(np.float64(value.real)), plain(np.float64(value.imag))]
    if isinstance(value, (float, np.floating)):
        f = float(value)
        return f if np.isfinite(f) and (f or not np.signbit(f)) else f"bits:{np.asarray(value).tobytes().hex()}"
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, bytes):
        return "hex:" + value.hex()
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def filters(pipeline):
    return [repr(f) for f in pipeline]


def fill(a):
    """the fill value of an attribute. The binding crashes on numbers of variable count, and has none where cells may be null."""
    if a.isnullable or a.isvar and a.dtype.kind not in "SUO":
        return None
    return plain(a.fill)


def schema(s):
    out = {"version": s.version, "sparse": s.sparse, "cell_order": s.cell_order, "tile_order": s.tile_order, "capacity": s.capacity,
           "duplicates": s.sparse and s.allows_duplicates, "coords_filters": filters(s.coords_filters),
           "offsets_filters": filters(s.offsets_filters), "validity_filters": filters(s.validity_filters)}
    dims = [s.domain.dim(i) for i in range(s.domain.ndim)]
    out["dimensions"] = [{"name": d.name, "type": str(d.dtype), "domain": plain(d.domain), "tile": plain(d.tile), "filters": filters(d.filters)}
                         for d in dims]
    attrs = [s.attr(i) for i in range(s.nattr)]
    out["attributes"] = [{"name": a.name, "type": str(a.dtype), "var": a.isvar, "nullable": a.isnullable, "fill": fill(a),
                          "filters": filters(a.filters), "enumeration": a.enum_label} for a in attrs]
    if not s.current_domain.is_empty:
        out["current_domain"] = [plain(s.current_domain.ndrectangle.range(i)) for i in range(len(dims))]
    return out


def cut(name, data, offsets, valid, dtype):
    """the cells of a field, each as TileDB gives its bytes."""
    raw = data.tobytes()
    if not len(offsets) and dtype.kind in "biumM":
        out = np.frombuffer(raw, dtype).astype(dtype if dtype.kind in "biu" else "i8").tolist()
        return [c if v else None for c, v in zip(out, valid)] if len(valid) else out
    if len(offsets):
        ends = [*(int(o) for o in offsets[1:]), len(raw)]
        out = [raw[int(a):b] for a, b in zip(offsets, ends)]
    else:
        size = max(1, dtype.itemsize)
        out = [raw[i:i + size] for i in range(0, len(raw), size)]
    if dtype.kind in "biufcmMV" and dtype.itemsize:
        out = [plain(v[0]) if len(v := np.frombuffer(c, dtype)) == 1 and not len(offsets) else plain(v) for c in out]
    else:
        out = [plain(c.rstrip(b"\0")) if dtype.itemsize else plain(c) for c in out]
    return [c if v else None for c, v in zip(out, valid)] if len(valid) else out


def cells(a, ctx):
    """the non-empty domain, and the cells inside it: a list an attribute and, of a sparse array, a dimension."""
    ned = a.nonempty_domain()
    if ned is None:
        return None, {}
    s = a.schema
    fields = [s.attr(i)._internal_name if hasattr(s.attr(i), "_internal_name") else s.attr(i).name for i in range(s.nattr)]
    dims = [s.domain.dim(i).name for i in range(s.domain.ndim)] if s.sparse else []
    query = PyQuery(ctx, a, tuple(fields), tuple(dims), lt.LayoutType.ROW_MAJOR, False)
    sub = tiledb.Subarray(a, ctx)
    sub.add_ranges([[tuple(r)] if r[0] != b"" else [] for r in ned])  # the binding crashes on an empty text as an end; without a range it is all
    query.set_subarray(sub)
    query.submit()
    got = query.results()
    out = {}
    for name in fields + dims:
        data, offsets, valid = (list(got[name]) + [[], []])[:3]
        dtype = s.domain.dim(name).dtype if name in dims else s.attr(name).dtype
        dtype = np.dtype(np.uint8 if dtype == np.bool_ else dtype)  # the fill value of a truth value is neither
        out[name] = cut(name, data, offsets, valid, dtype)
    return [plain(r) for r in ned], out


def array(path, ctx, timestamp):
    with tiledb.open(path, ctx=ctx, timestamp=timestamp) as a:
        s = a.schema
        labels = {s.attr(i).enum_label for i in range(s.nattr)} - {None}
        domain, values = cells(a, ctx)
        return {"schema": schema(s), "metadata": {k: plain(a.meta[k]) for k in sorted(a.meta.keys())}, "domain": domain, "cells": values,
                "enumerations": {n: {"ordered": a.enum(n).ordered, "values": plain(list(a.enum(n).values()))} for n in sorted(labels)}}


def group(path, ctx):
    with tiledb.Group(path, "r", ctx=ctx) as g:
        members = sorted([m.name or "", m.type.__name__ if m.type else "", m.uri.rsplit("/", 1)[-1]] for m in g)
        return {"metadata": {k: plain(g.meta[k]) for k in sorted(g.meta.keys())}, "members": members}


def work(path, ctx):
    """what its owner does with an array in time: evolves the schema there and back, consolidates and vacuums."""
    for change in (lambda e: e.add_attribute(tiledb.Attr("passing", dtype=np.int16)), lambda e: e.drop_attribute("passing")):
        evolution = tiledb.ArraySchemaEvolution(ctx)
        change(evolution)
        evolution.array_evolve(path)
    for mode in ("fragments", "fragment_meta", "array_meta", "commits"):
        config = tiledb.Config(ctx.config().dict() | {"sm.consolidation.mode": mode, "sm.vacuum.mode": mode})
        tiledb.consolidate(path, config=config, ctx=ctx)
        tiledb.vacuum(path, config=config, ctx=ctx)


def read(line):
    path, key, timestamp, then = (line.split("\t") + ["", "", ""])[:4]
    config = {"sm.compute_concurrency_level": "1", "sm.io_concurrency_level": "1"}
    if key:
        config |= {"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": bytes.fromhex(key).decode("latin-1")}
    ctx = tiledb.Ctx(config)
    if tiledb.object_type(path, ctx=ctx) == "group":
        return group(path, ctx)
    if then:
        work(path, ctx)
    return array(path, ctx, int(timestamp) if timestamp else None)


def main():
    print(json.dumps({"software": f"TileDB {'.'.join(map(str, lt.version()))} (tiledb {'.'.join(map(str, tiledb.version()))})"}), flush=True)
    for line in sys.stdin:
        try:
            answer = {"read": read(line.rstrip("\n"))}
        except Exception as e:  # noqa: BLE001 - whatever the software says is the answer
            answer = {"error": f"{type(e).__name__}: {e}"[:400]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
