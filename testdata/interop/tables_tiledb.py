"""Compares the table `cells` with what TileDB reads: the whole table, at any time, of arrays with random histories and of those that are given.
TileDB reads the same from the arrays with random histories when `consolidate` has written them as one fragment.

python tables_tiledb.py --spandrel BIN [--made N] [--seed S] [--keep FOLDER] [PATH…], in the environment of environment.venv().
"""
import argparse
import collections
import fnmatch
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import numpy as np
import tiledb
from tiledb import sparse_array

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE, os.path.join(os.path.dirname(HERE), "zoo")]
import interop  # noqa: E402
import read_tiledb  # noqa: E402
import zoo_tiledb as zoo  # noqa: E402

T0, KEY = zoo.T0, zoo.KEY
CONFIG = {"sm.compute_concurrency_level": "1", "sm.io_concurrency_level": "1"}
ENV = os.environ | {"SPANDREL_TILEDB_KEY": KEY.hex(), "XDG_STATE_HOME": os.path.join(tempfile.gettempdir(), "zoo-state")}


class History:
    """An array that is written, deleted from, evolved and consolidated, as chance has it."""

    def __init__(self, rnd, path):
        self.rnd, self.path, self.t, self.what = rnd, path, 0, []
        self.key = rnd.random() < 0.1
        self.ctx = tiledb.Ctx(CONFIG | ({"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": KEY.decode()} if self.key else {}))
        self.sparse = rnd.random() < 0.65
        self.enums = [tiledb.Enumeration("colors", rnd.random() < 0.5, np.array(["red", "green", "blü"])), tiledb.Enumeration("sizes", False, np.array([10, 20], np.int64))]
        tiledb.Array.create(path, self.schema(), ctx=self.ctx)

    def schema(self):
        rnd = self.rnd
        if rnd.random() < 0.3:
            return zoo.schema(rnd, self.sparse, rnd.sample(self.enums, rnd.randint(0, 2)))
        every = rnd.choice(zoo.INTS)
        dims = []
        for k in range(rnd.choice([1, 1, 2, 3])):
            if self.sparse and rnd.random() < 0.3:
                dims.append(zoo.dimension(rnd, k, True, every))
                continue
            dtype = rnd.choice(zoo.INTS) if self.sparse else every
            low = rnd.choice([0, 1, -7, -20]) if np.dtype(dtype).kind == "i" else rnd.choice([0, 1])
            dims.append(tiledb.Dim(f"d{k}", domain=(low, low + rnd.choice([3, 9, 15])), tile=rnd.randint(1, 4), dtype=dtype))
        attrs = [zoo.attribute(rnd, k, self.enums, self.sparse) for k in range(rnd.randint(1, 3))] + [tiledb.Attr("n", dtype=np.int32, nullable=rnd.random() < 0.3)]
        more = {"capacity": rnd.choice([2, 5, 10000]), "allows_duplicates": rnd.random() < 0.3} if self.sparse else {}
        orders = {"cell_order": rnd.choice(["row-major", "col-major"] + ["hilbert"] * self.sparse), "tile_order": rnd.choice(["row-major", "col-major"])}
        if orders["cell_order"] == "hilbert":
            orders.pop("tile_order")
        return tiledb.ArraySchema(tiledb.Domain(*dims), attrs, sparse=self.sparse, enums=self.enums, **orders, **more)

    def now(self):
        """times follow each other: of two writes in one millisecond TileDB reads the one or the other, by the order that is asked for."""
        self.t += 1000
        return T0 + self.t

    def coordinate(self, d):
        if d.name[0] == "s":
            return self.rnd.choice(["a", "b", "bb", "c", "ca", ""])
        if d.name[0] == "f":
            return self.rnd.choice([0.0, -0.0, 1.5, -2.0, 7.25, 50.0])
        lo, hi = int(d.domain[0]), int(d.domain[1])
        return self.rnd.randint(lo, min(hi, lo + 9))

    def write(self):
        rnd = self.rnd
        with tiledb.open(self.path, "w", timestamp=self.now(), ctx=self.ctx) as a:
            s = a.schema
            dims, attrs = [s.domain.dim(i) for i in range(s.domain.ndim)], [s.attr(i) for i in range(s.nattr)]
            enums = [a.enum(n) for n in {x.enum_label for x in attrs} - {None}]
            if s.sparse:
                cells = [tuple(self.coordinate(d) for d in dims) for _ in range(rnd.choice([1, 4, 12, 30]))]
                if not s.allows_duplicates:
                    cells = list(dict.fromkeys(tuple(c + 0.0 if isinstance(c, float) else c for c in x) for x in cells))
                index = tuple(np.array([c[k] for c in cells], "S" if d.name[0] == "s" else d.dtype) for k, d in enumerate(dims))
                shape = (len(cells),)
            else:
                ends = [[int(d.domain[0]), min(int(d.domain[1]), int(d.domain[0]) + 9)] for d in dims]
                box = [sorted((rnd.randint(*e), rnd.randint(*e))) for e in ends]
                index, shape = box, tuple(hi - lo + 1 for lo, hi in box)
            n = int(np.prod(shape))
            data = {x._internal_name: zoo.column(rnd, x, n, enums).reshape(shape) for x in attrs}
            nulls = {x.name: np.array([rnd.random() < 0.7 for _ in range(n)], np.uint8).reshape(shape) for x in attrs if x.isnullable}
            if s.sparse:
                sparse_array._setitem_impl_sparse(a, index if len(index) > 1 else index[0], data, nulls)
                return
            if any(lo < 0 for lo, _ in box):
                if nulls:
                    raise tiledb.TileDBError("the binding writes nulls to places after 0 alone")
                sub = tiledb.Subarray(a, self.ctx)
                sub.add_ranges([[tuple(r)] for r in box])
                a.write_subarray(sub, data)
            else:
                index = tuple(slice(lo, hi + 1) for lo, hi in box)
                a._setitem_impl(index if len(index) > 1 else index[0], data, nulls)

    def comparison(self, s):
        rnd = self.rnd
        fields = [(d.name, "'b'" if d.name[0] == "s" else self.coordinate(d)) for d in (s.domain.dim(i) for i in range(s.domain.ndim))]
        for i in range(s.nattr):
            a = s.attr(i)
            if not a.name.isidentifier() or not a.name.isascii():
                continue
            if a.enum_label is None and a.dtype.kind in "iuf" and not a.isvar:
                fields += [(a.name, rnd.choice([0, 1, 2, 50]))] * 2
            elif a.dtype.kind in "SU" and a.isvar:
                fields.append((a.name, "'x'"))
            elif a.enum_label == "colors":
                fields.append((a.name, rnd.choice(["'red'", "'green'"])))
        name, value = rnd.choice(fields)
        if rnd.random() < 0.15 and not isinstance(value, float):
            return f"{name} {rnd.choice(['in', 'not in'])} [{value}]"
        op = rnd.choice(["==", "!=", "<", ">=", ">", "<="]) if value not in ("'red'", "'green'") else rnd.choice(["==", "!="])
        return f"{name} {op} {value}"

    def delete(self):
        s = tiledb.ArraySchema.load(self.path, ctx=self.ctx)
        with tiledb.open(self.path, "d", timestamp=self.now(), ctx=self.ctx) as a:
            parts = [self.comparison(s) for _ in range(self.rnd.choice([1, 1, 2, 3]))]
            word = self.rnd.choice([" and ", " or "])
            a.query(cond=word.join(parts) if len(parts) < 3 else f"({parts[0]}{word}{parts[1]}) {'or' if word == ' and ' else 'and'} {parts[2]}").submit()

    def evolve(self):
        rnd, e = self.rnd, tiledb.ArraySchemaEvolution(self.ctx)
        s = tiledb.ArraySchema.load(self.path, ctx=self.ctx)
        kind = rnd.random()
        used = {s.attr(i).enum_label for i in range(s.nattr)} - {None}
        if used and kind < 0.35:
            with tiledb.open(self.path, ctx=self.ctx) as a:
                old = a.enum(rnd.choice(sorted(used)))
            e.extend_enumeration(old.extend([f"new{self.t}"] if old.name == "colors" else np.array([1000 + self.t], np.int64)))
        elif s.nattr > 1 and kind < 0.6:
            e.drop_attribute(s.attr(rnd.randrange(s.nattr)).name)
        else:
            dtype, more = rnd.choice([np.int32, np.float64, np.uint8, "U0", "ascii", np.bool_, "datetime64[D]"]), {"nullable": rnd.random() < 0.4}
            if dtype in ("U0", "ascii"):
                more["var"] = True
            elif dtype == np.int32 and rnd.random() < 0.5:
                more["fill"] = 7
            e.add_attribute(tiledb.Attr(f"added{self.t}{rnd.randrange(9)}", dtype=dtype, **more))
        e.timestamp(self.now() + 500)
        self.t += 500
        e.array_evolve(self.path)

    def consolidate(self):
        rnd = self.rnd
        mode = rnd.choice(["fragments", "fragments", "fragments", "commits", "fragment_meta"])
        more = {"sm.consolidation.mode": mode, "sm.vacuum.mode": mode, "sm.consolidation.purge_deleted_cells": rnd.choice(["true", "false"])}
        if rnd.random() < 0.4:
            more["sm.consolidation.timestamp_end"] = str(T0 + rnd.randint(0, self.t))
        config = tiledb.Config(self.ctx.config().dict() | more)
        tiledb.consolidate(self.path, config=config, ctx=self.ctx)
        if rnd.random() < 0.4:
            tiledb.vacuum(self.path, config=config, ctx=self.ctx)

    def live(self):
        steps = [self.write] * 4 + [self.delete] * (2 * self.sparse) + [self.evolve, self.consolidate]
        self.write()
        for _ in range(self.rnd.choice([0, 2, 4, 7])):
            step = self.rnd.choice(steps)
            try:
                step()
                self.what.append(step.__name__)
            except (tiledb.TileDBError, ValueError, OverflowError) as e:
                self.what.append(f"{step.__name__} refused: {str(e)[:80]}" if os.environ.get("WORDS") else f"{step.__name__} refused")
        return f"{'sparse' if self.sparse else 'dense'}{' encrypted' * self.key}: " + ", ".join(self.what)


class Compare:
    def __init__(self, spandrel):
        self.spandrel, self.count, self.faults = spandrel, collections.Counter(), []

    def table(self, path, *more):
        done = subprocess.run([self.spandrel, "table", "--to", "jsonl", "--as-is", *more, "--", path, "cells"], capture_output=True, env=ENV, timeout=300)
        if done.returncode:
            raise ValueError("spandrel: " + done.stderr.decode().strip()[:200])
        return [json.loads(line, parse_int=lambda s: -0.0 if s == "-0" else int(s)) for line in done.stdout.decode().splitlines()]

    def array(self, path, what, ctx, at=None):
        """one array at one time."""
        self.count["tables"] += 1
        try:
            with tiledb.open(path, ctx=ctx, timestamp=at) as a:
                fields, want, labels = truth(a, ctx)
                ordered = not a.schema.sparse
        except Exception:  # noqa: BLE001 - whatever the software says
            self.count["refused"] += 1
            return
        try:
            rows = self.table(path, *(["--at", str(at)] if at else []))
            told = difference(fields, want, rows, ordered)
            if not told and labels:
                told = named(fields, want, labels, self.table(path, "--labels", *(["--at", str(at)] if at else [])), rows)
            self.count["cells"] += len(want)
            self.count["values"] += len(want) * len(fields)
        except Exception as e:  # noqa: BLE001
            told = f"{type(e).__name__}: {e}"
        if told:
            self.faults.append(f"{path}{f' --at {at}' if at else ''} ({what}): {told}")
        else:
            self.count["equal"] += 1

    def together(self, path, what, ctx):
        """the array in one fragment: TileDB reads what it read before, and check finds nothing wrong."""
        try:
            with tiledb.open(path, ctx=ctx) as a:
                before = ordered(a, ctx)
        except Exception:  # noqa: BLE001 - counted with the table
            return
        done = subprocess.run([self.spandrel, "convert", "--no-backup", path, "consolidate"], capture_output=True, text=True, env=ENV, timeout=300)
        if done.returncode:
            self.count["apart"] += 1  # a filter of the array may have no room for the fill between its fragments
            if not re.search("Hilbert order|has no cells|POSITIVE_DELTA", done.stderr):
                self.faults.append(f"{path} ({what}): {done.stderr.strip()[:200]}")
            return
        try:
            with tiledb.open(path, ctx=ctx) as a:
                told = "" if ordered(a, ctx) == before else "consolidated, other cells"
            fragments = len(tiledb.array_fragments(path, ctx=ctx))
            told = told or (f"consolidated to {fragments} fragments" if fragments != 1 else "")
        except Exception as e:  # noqa: BLE001 - whatever the software says
            told = f"consolidated, {type(e).__name__}: {e}"
        if not told:
            out = subprocess.run([self.spandrel, "check", "--deep", "--json", path], capture_output=True, env=ENV, timeout=300).stdout
            rules = sorted({f["rule"] for f in map(json.loads, out.splitlines()) if f.get("severity") in ("error", "warning")})
            told = rules and f"consolidated, check finds {', '.join(rules)}"
        if told:
            self.faults.append(f"{path} ({what}): {told}")
        else:
            self.count["together"] += 1


def ordered(a, ctx):
    """the cells of an array, those of a sparse one in one order."""
    _, rows, _ = truth(a, ctx)
    return sorted(rows, key=json.dumps) if a.schema.sparse else rows


def truth(a, ctx):
    """the fields, the rows as TileDB reads them over the non-empty domain, and the names of enumerated fields."""
    s = a.schema
    dims = [s.domain.dim(i) for i in range(s.domain.ndim)]
    attrs = [s.attr(i) for i in range(s.nattr)]
    fields = [(d.name, d.dtype) for d in dims] + [(x._internal_name, x.dtype) for x in attrs]
    labels = {x._internal_name: [str(v) for v in a.enum(x.enum_label).values()] for x in attrs if x.enum_label is not None and separate(a.enum(x.enum_label))}
    domain, cells = read_tiledb.cells(a, ctx)
    if domain is None:
        return fields, [], labels
    if not s.sparse:
        box = [(int(read_tiledb.plain(lo)), int(read_tiledb.plain(hi))) for lo, hi in domain]
        grid = np.indices([hi - lo + 1 for lo, hi in box]).reshape(len(box), -1)
        for d, (lo, _), index in zip(dims, box, grid):
            cells[d.name] = (index + lo).tolist()
    columns = [[value(v, dtype) for v in cells[name]] for name, dtype in fields]
    return fields, [list(row) for row in zip(*columns)], labels


def separate(e):
    """whether the binding divides the values of an enumeration: of numbers of variable count it gives one list."""
    return e.cell_val_num == 1 or e.dtype.kind not in "biuf"


def value(v, dtype):
    """a value in one form for both sides: text and bytes as text, numbers by their bits."""
    if v is None:
        return None
    if isinstance(v, list):
        return [value(x, dtype) for x in v]
    if dtype.kind in "SUOV" and not (dtype.kind == "V" and dtype.names):
        if isinstance(v, str) and v.startswith("hex:"):
            raw = bytes.fromhex(v[4:])
            return raw.decode(errors="replace"), raw.hex()
        return v
    if dtype.kind in "fc" or dtype.kind == "V":
        if isinstance(v, str) and v.startswith("bits:"):
            v = np.frombuffer(bytes.fromhex(v[5:]), {4: np.float32, 8: np.float64}[len(v[5:]) // 2])[0]
        v = float(v)
        return "nan" if v != v else np.float32(v).tobytes().hex() if dtype.itemsize == 4 and dtype.kind == "f" or dtype.itemsize == 8 and dtype.kind != "f" else np.float64(v).tobytes().hex()
    return int(v)


def alike(want, got):
    if isinstance(want, tuple):
        bare = lambda s: re.sub("\ufffd+", "\ufffd", s.rstrip("\0"))  # noqa: E731 - bytes that are no text are shown as one sign
        return isinstance(got, str) and (bare(got) == bare(want[0]) or got.rstrip("0") == want[1].rstrip("0"))
    if isinstance(want, list):
        return want == got or len(want) == 1 and want[0] == got or got == [] == want
    return want == got or isinstance(got, list) and [want] == got


def difference(fields, want, rows, ordered):
    """where the table differs first from what TileDB reads."""
    got = [[value(r.get(n), dtype) if r.get(n) is not None else None for n, dtype in fields] for r in rows]
    if rows and (extra := set(rows[0]) - {n for n, _ in fields} - {"fragment"}):
        return f"columns {sorted(extra)} are not read"
    if len(got) != len(want):
        return f"{len(want)} rows wanted, {len(got)} shown"
    if not ordered:
        flat = lambda v: v[0] if isinstance(v, tuple) else v.rstrip("\0") if isinstance(v, str) else v  # noqa: E731
        key = lambda r: json.dumps([flat(v) for v, (_, d) in zip(r, fields)], default=str)  # noqa: E731
        want, got = sorted(want, key=key), sorted(got, key=key)
    for i, (w, g) in enumerate(zip(want, got)):
        for (name, _), x, y in zip(fields, w, g):
            if not alike(x, y):
                return f"row {i} {name}: wanted {x!r}, shown {y!r}"
    return ""


def named(fields, want, labels, rows, plain):
    """where names of an enumeration differ."""
    for r, p in zip(rows, plain):
        for name, values in labels.items():
            if (i := p[name]) is not None and not isinstance(i, list) and 0 <= int(i) < len(values) and r[name] != values[int(i)]:
                return f"{name}: {i} is {values[int(i)]!r}, shown {r[name]!r}"
    return ""


def arrays(paths):
    """the arrays in folders."""
    for top in paths:
        for folder, inside, _ in os.walk(top):
            if "__schema" in inside or os.path.exists(os.path.join(folder, "__array_schema.tdb")):
                yield folder
                inside[:] = []


def apart(spandrel, work):
    """what the work of a child process counts and finds: TileDB crashes on some of what it is asked."""
    out, into = os.pipe()
    if not os.fork():
        signal.alarm(120)
        compare = Compare(spandrel)
        work(compare)
        with os.fdopen(into, "w") as f:
            json.dump([compare.count, compare.faults], f)
        os._exit(0)
    os.close(into)
    with os.fdopen(out) as f:
        text = f.read()
    os.wait()
    return json.loads(text) if text else [{"crashed": 1}, []]


def made(options, folder, i):
    def work(compare):
        rnd, path = random.Random(f"{options.seed} {i}"), os.path.join(folder, f"{i:05d}")
        shutil.rmtree(path, ignore_errors=True)
        try:
            h = History(rnd, path)
            what = h.live()
        except (tiledb.TileDBError, ValueError, OverflowError):
            compare.count["not made"] += 1
            return
        compare.count["arrays"] += 1
        compare.array(path, what, h.ctx)
        for at in {T0 + rnd.randint(0, h.t) // 500 * 500 for _ in range(2)}:
            compare.array(path, what, h.ctx, at)
        compare.together(path, what, h.ctx)
    return work


def given(path):
    def work(compare):
        for key in ({}, {"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": KEY.decode()}):
            ctx = tiledb.Ctx(CONFIG | key)
            try:
                tiledb.ArraySchema.load(path, ctx=ctx)
            except Exception:  # noqa: BLE001 - no array, or none of this key
                continue
            compare.count["arrays"] += 1
            compare.array(path, "given", ctx)
            return
        compare.count["not read"] += 1
    return work


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--spandrel", required=True, help="the binary")
    p.add_argument("--made", type=int, default=40, help="arrays with random histories")
    p.add_argument("--first", type=int, default=0, help="the number of the first")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--keep", help="a folder for these, which stay there")
    p.add_argument("paths", nargs="*", help="folders with arrays")
    options = p.parse_args()
    folder = options.keep or tempfile.mkdtemp(prefix="tables-")
    c, faults = collections.Counter(), []
    work = [made(options, folder, i) for i in range(options.first, options.first + options.made)]
    for x in work + [given(path) for path in arrays(options.paths)]:
        count, found = apart(options.spandrel, x)
        c.update(count)
        faults += found
    if not options.keep:
        shutil.rmtree(folder)
    listed = [f for f in faults if any(fnmatch.fnmatch("tables: " + f, pattern) for pattern in interop.load_exceptions())]
    faults = [f for f in faults if f not in listed]
    print(f"tables as TileDB reads them: {c['arrays']} arrays, {c['tables']} tables of {c['cells']} cells and {c['values']} values: {c['equal']} equal, {len(faults)} different, {len(listed)} listed in exceptions.txt, "
          f"{c['together']} arrays the same in one fragment and {c['apart']} refused, "
          f"{c['refused']} refused by TileDB ({c['not made']} arrays not made, {c['not read']} not read, {c['crashed']} ended TileDB)")
    for f in faults[:50]:
        print("  FAULT tables: " + f)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
