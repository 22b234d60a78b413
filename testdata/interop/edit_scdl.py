"""SCDL: fields of the header, elements of the arrays and texts of the JSON files are edited; actions change the lists of the header."""
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
            to = run.random.randrange(n)
            yield act("move", at, "move", f"to={to}", expect=on_list(name, lambda x, i=i, to=to: x.insert(to, x.pop(i))))
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
