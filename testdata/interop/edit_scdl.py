"""SCDL: fields of the header, elements of the arrays and texts of the JSON files are edited; actions change the lists of the header."""
import csv
import functools
import glob
import json
import os
import re

import environment
import leaves
from interop import Any, Edit

NAME, QUICK, ENV = "scdl", True, {}
TESTDATA = os.path.dirname(environment.HERE)


def reader():
    return environment.scdl()


def samples(corpus):
    out = glob.glob(os.path.join(TESTDATA, "scdl", "*", "*"))
    if corpus:
        out += [p for p in glob.glob(os.path.join(corpus, "scdl", "*", "*")) if "expected" not in p]
    return sorted(p for p in out if os.path.isdir(p) or p.endswith(".sch"))


def target(path):
    return path


def request(path):
    return (path,)


def work(path):
    return None


def past(sample, path, kind):
    return None


def wrong(read):
    return ""


def normal(read):
    return read


def edits(run, path, before):
    if "archives" in before:
        return  # its archives are samples of their own
    for leaf in leaves.few(run, leaves.plain(run.dump(path))):
        for text, v in leaves.values(leaf, run.random):
            expect = meaning(leaf, v, before)
            kind = "set " + re.sub(r"\[\d+\]", "", leaf["path"]) if expect else "set of another field"
            yield Edit(kind, ["set", "PATH", f"{leaf['path']}={text}"], expect)
    if before.get("header"):
        yield from actions(run, before, os.path.isdir(path))
    if before.get("header") and "data" in before:
        yield from reshaped(run, before)
        yield from features(run, before)


def counted(x, cells, values, before=0):
    """an archive that has other cells, or other values alone: all that counts them."""
    for array in x["header"]["arrays"]:
        if array["name"] in ("DATA", "COLPTR", "ROWPTR"):
            array["length"] = cells + 1 if array["name"] == "ROWPTR" else values
    if cells != before:
        for f in x["header"]["features"]:
            f["length"] = cells
        x["metadata"]["num_rows"] = cells
    x["shape"] = Any()
    rows = x["rows"]
    x["cells"] = [[x["data"][a:b], x["columns"][a:b]] for a, b in zip(rows, rows[1:])][:50]
    if "neighbors" in x:
        x["neighbors"] = Any()
    return x


def reshaped(run, before):
    """cells and genes that come and go."""
    cells, values = len(before["rows"]) - 1, len(before["data"])
    genes = [len(next(iter(block.values()), [])) for block in before["var"]["blocks"]]
    if cells < 2 or not genes or genes[-1] < 2 or before["rows"][-1] != values:
        return
    a = run.random.randrange(cells)
    b = min(cells - 2, a + run.random.randrange(3)) if a < cells - 1 else a

    def dropped(x, gone):
        rows, data, columns = [0], [], []
        for i, (p, q) in enumerate(zip(x["rows"], x["rows"][1:])):
            if i not in gone:
                data += x["data"][p:q]
                columns += x["columns"][p:q]
                rows.append(len(data))
        x["rows"], x["data"], x["columns"] = rows, data, columns
        for part in ("var", "obs"):
            ends = x[part]["ends"]
            if part == "obs":
                for block, start, end in zip(x[part]["blocks"], ends, ends[1:]):
                    start = max(start, 0)
                    for name in block:
                        block[name] = [v for i, v in enumerate(block[name], start) if i not in gone]
            x[part]["ends"] = [e - sum(g < e for g in gone) for e in ends]
        return counted(x, cells - len(gone), len(data))
    yield Edit("convert drop-cells", ["convert", "PATH", "drop-cells", f"from={a}", f"to={b}"], lambda x: dropped(x, set(range(a, b + 1))))

    def added(x, more=1):
        for _ in range(more):
            x["rows"].append(x["rows"][-1] + 1)
            x["data"].append(Any())
            x["columns"].append(1)
        for part in ("var", "obs"):
            x[part]["ends"] = [e + more * (e == cells) for e in x[part]["ends"]]
        for name in (x["obs"]["blocks"] or [{}])[-1]:
            x["obs"]["blocks"][-1][name] = Any()
        return counted(x, cells + more, values + more) | {"cells": Any()}
    yield Edit("convert add-cell", ["convert", "PATH", "add-cell", "genes=1", "values=1", "name=neu"], added)
    yield from tabled(run, before, dropped, added)

    g = run.random.randrange(genes[-1])
    k = len(genes) - 1

    def without(x):
        first = max(0, x["var"]["ends"][k])
        data, columns, rows = [], [], [0]
        for row, (p, q) in enumerate(zip(x["rows"], x["rows"][1:])):
            for v, c in zip(x["data"][p:q], x["columns"][p:q]):
                if row < first or c != g:
                    data.append(v)
                    columns.append(c - (row >= first and c > g))
            rows.append(len(data))
        x["data"], x["columns"], x["rows"] = data, columns, rows
        for name, v in x["var"]["blocks"][k].items():
            del v[g]
        return counted(x, cells, len(data), cells)
    yield Edit("convert drop-genes", ["convert", "PATH", "drop-genes", f"from={g}", f"to={g}", f"block={k}"], without)

    def longer(x):
        for name, v in x["var"]["blocks"][k].items():
            v.append(Any())
        return x | {"shape": Any()}
    yield Edit("convert add-gene", ["convert", "PATH", "add-gene", "name=neu", f"block={k}"], longer)


def tabled(run, before, dropped, added):
    """rows of tables that come from a file: cells that are not given any more go, and others are added."""
    def table(name, columns, rows, *more):
        path = os.path.join(run.work, f"{name}-{len(rows)}.csv")
        with open(path, "w", encoding="utf-8", newline="") as f:
            csv.writer(f).writerows([columns, *rows])
        return ["table", "--from", path, *more, "PATH", name]
    cells = len(before["rows"]) - 1
    gone = set(run.random.sample(range(cells), run.random.randrange(1, cells)))
    stay = [[i] for i in range(cells) if i not in gone]
    yield Edit("table matrix with fewer rows", table("matrix", ["cell"], stay), lambda x: dropped(x, gone))

    genes = next((c for c in before["var"]["blocks"][-1].values() if c and isinstance(c[0], str)), None)
    if not genes or genes.count(genes[1]) > 1:
        return

    def numbers(x):
        x = added(x, 3)
        x["data"][-3:] = [1, 1, 1]
        return x
    come = [[json.dumps([genes[1]]), "[1]"]] * 3
    yield Edit("table matrix with more rows", table("matrix", ["genes", "values"], come, "--append"), numbers)

    def wide(x):
        x = added(x, 300)
        x["data"][-300:] = [1] * 300
        ptr = next(a for a in x["header"]["arrays"] if a["name"] == "ROWPTR")
        if ptr["dtype"] == "UINT8_ARRAY":
            ptr["dtype"] = "UINT16_ARRAY"
        return x | {"dtypes": Any()}
    yield Edit("table matrix with wider pointers", table("matrix", ["genes", "values"], come * 100, "--append"), wide)

    text = next((n for b in before["obs"]["blocks"][-1:] for n, c in b.items() if c and isinstance(c[0], str)), None)
    if text and len(before["rows"]) - 1 == before["obs"]["ends"][-1]:
        def named(x):
            values = len(x["data"])
            for part in ("var", "obs"):
                x[part]["ends"] = [e + 2 * (e == cells) for e in x[part]["ends"]]
            x["rows"] += [values, values]
            for name, column in x["obs"]["blocks"][-1].items():
                x["obs"]["blocks"][-1][name] = [*column, "neu", "größer, neu"] if name == text else [*column, Any(), Any()]
            return counted(x, cells + 2, values)
        yield Edit("table cells with more rows", table("cells", [text], [["neu"], ["größer, neu"]], "--append"), named)

    first = next(n for n, c in before["var"]["blocks"][-1].items() if c is genes)

    def gene(x):
        for name, column in x["var"]["blocks"][-1].items():
            x["var"]["blocks"][-1][name] = [*column, "neu"] if name == first else [*column, Any()]
        return x | {"shape": Any()}
    yield Edit("table genes with more rows", table("genes", [first], [["neu"]], "--append"), gene)


def features(run, before):
    """a text in a table of genes, and one in a table of cells."""
    for part, table in (("var", "genes"), ("obs", "cells")):
        blocks = before[part]["blocks"]
        if not blocks:
            continue
        for name, column in blocks[0].items():
            if column and isinstance(column[0], str):
                row = run.random.randrange(len(column))
                yield Edit("set cell of " + table, ["set", "--table", table, "PATH", f"{row}/{name}=żółw, neu"],
                           put(part, "blocks", 0, name, row, to="żółw, neu"))
                break


LISTS = {"arrays": "arrays", "feature_indices": "features"}
FILES = {"data.npy": "data", "col_ptr.npy": "columns"}


def meaning(leaf, v, before):
    """what setting a field makes of what the package reads; None where it is not told ahead."""
    path = leaf["path"]
    archive = "data" in before
    if m := re.fullmatch(r"(arrays|feature_indices)\[(\d+)\]/(length|name)", path):
        if m.group(3) == "name" and archive:
            return None  # the names of an archive are those of its files
        return put("header", LISTS[m.group(1)], int(m.group(2)), m.group(3), to=v)
    if m := re.fullmatch(r"feature_indices\[(\d+)\]/index_files\[(\d+)\]/path", path):
        return put("header", "features", int(m.group(1)), "files", int(m.group(2)), to=v)
    if m := re.fullmatch(r"(data|col_ptr)\.npy/values\[(\d+)\]", path):
        return functools.partial(element, array=FILES[m.group(1) + ".npy"], i=int(m.group(2)), v=v)
    if m := re.fullmatch(r"neighbor_(indptr|indices|values)\.npy/values\[(\d+)\]", path):
        return put("neighbors", ["indptr", "indices", "values"].index(m.group(1)), int(m.group(2)), to=v) if "neighbors" in before else None
    if path == "metadata.json/num_rows" and leaf["type"] != "utf8":
        return put("metadata", "num_rows", to=v)
    if m := re.fullmatch(r"(var|obs)_features/labels\.json/value\[(\d+)\]", path):
        return put(m.group(1), "labels", int(m.group(2)), to=v)
    if re.fullmatch(r"(version\.json/value|(var|obs)_features/version\.npy/data)", path):
        return lambda before: before
    return None


def put(*keys, to):
    def expect(before):
        at = before
        for k in keys[:-1]:
            at = at[k]
        at[keys[-1]] = to
        return before
    return expect


def element(before, array, i, v):
    """an element of the values or of the column numbers, which the cells give too."""
    before[array][i] = v
    rows = before["rows"]
    before["cells"] = [[before["data"][a:b], before["columns"][a:b]] for a, b in zip(rows, rows[1:])][:len(before["cells"])]
    return before


def actions(run, before, archive):
    header = before["header"]

    def act(kind, at, action, *args, expect):
        return Edit("convert " + kind, ["convert", *(["--path", at] if at else []), "PATH", action, *args], expect)

    def on_list(name, change):
        def expect(before):
            change(before["header"][name])
            return before
        return expect
    for part, name in LISTS.items():
        n = len(header[name])
        for i in run.random.sample(range(n), min(n, run.options.each)):
            at = f"{part}[{i}]"
            for shape in ("4,5", "7", ""):
                yield act("set-shape", at, "set-shape", "shape=" + shape,
                          expect=put("header", name, i, "shape", to=[int(x) for x in shape.split(",")] if shape else None))
            yield act("rename", at, "rename", "name=zellen", expect=None if archive else put("header", name, i, "name", to="zellen"))
            if part == "feature_indices":
                yield act("remove", at, "remove", expect=on_list(name, lambda x, i=i: x.pop(i)))
                yield act("add-path", at + "/index_files", "add-path", "path=a/ü.npy", expect=on_list(name, lambda x, i=i: x[i]["files"].append("a/ü.npy")))
    new = {"name": "neu", "length": 3, "dtype": "STRING_ARRAY", "shape": None, "files": []}
    yield act("add-feature-index", "feature_indices", "add-feature-index", "name=neu", "length=3", expect=on_list("features", lambda x: x.append(new)))
    if archive:
        yield act("set-json", "metadata.json", "set-json", "text=" + json.dumps({"num_rows": 99, "x": "ü"}), expect=put("metadata", to={"num_rows": 99, "x": "ü"}))
        yield act("byte-order", "", "byte-order", expect=None)
    else:
        array = {"name": "neu", "length": 3, "dtype": "FLOAT32_ARRAY", "shape": None}
        yield act("add-array", "arrays", "add-array", "name=neu", "length=3", "dtype=6", expect=on_list("arrays", lambda x: x.append(array)))
