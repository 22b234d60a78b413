"""TileDB: schemas, metadata, enumerations and groups are edited in place, schemas and enumerations evolve."""
import functools
import glob
import os
import re

import edit_tiledb_cells
import environment
import leaves
from interop import Edit

NAME, QUICK = "tiledb", True
KEY = b"0123456789abcdef0123456789abcdeF"
ENV = {"SPANDREL_TILEDB_KEY": KEY.hex()}
TESTDATA = os.path.dirname(environment.HERE)


def reader():
    return environment.tiledb()


def tables():
    """compares whole tables."""
    return [environment.venv(), os.path.join(environment.HERE, "tables_tiledb.py")]


def made():
    """arrays that TileDB itself wrote."""
    def make(path):
        os.rmdir(path)
        environment.run([environment.venv(), os.path.join(environment.HERE, "make_tiledb.py"), path], "make_tiledb.py fails")
    return environment.once("tiledb-samples", make)


def samples(corpus):
    out = [d for d in glob.glob(os.path.join(TESTDATA, "tiledb", "good", "*")) if os.path.isdir(d)]
    out += [d for d in glob.glob(os.path.join(made(), "*")) if os.path.isdir(d)]
    if corpus:
        for root in ("tiledb", os.path.join("found", "tiledb")):
            for folder, dirs, files in os.walk(os.path.join(corpus, root)):
                if "__array_schema.tdb" in files or {"__schema", "__group"} & set(dirs):
                    out.append(folder)
                    dirs.clear()
    return sorted(d for d in out if weight(d) < 600_000)  # images and cell atlases are the same kinds at length


def weight(folder):
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(folder) for f in files)


def target(path):
    return path


def request(path):
    return (path, KEY.hex() if is_encrypted(path) else "")


def work(path):
    """TileDB adds an attribute and drops it, consolidates fragments and metadata, and vacuums."""
    return (*request(path), "", "work")


def past(sample, path, kind):
    """before a cell was edited there was another, and TileDB still reads that when asked for the time."""
    if not kind.startswith("cell") or "duplicates" in sample:
        return None
    times = [int(t) for d, dirs, files in os.walk(sample) for n in dirs + files for t in re.findall(r"__\d+_(\d+)_[0-9a-f]{32}", n)]
    return (*request(path), str(max(times)))


def is_encrypted(path):
    for f in sorted(glob.glob(os.path.join(path, "__schema", "__*_*"))):
        if os.path.isfile(f):
            with open(f, "rb") as s:
                return s.read(30)[29:] == b"\1"
    return False


def edits(run, path, before):
    nodes = run.dump(path)
    dump = leaves.plain(nodes)
    if "members" in before:
        yield from group_edits(run, dump, before)
        return
    yield from array_edits(run, [n for n in dump if not edit_tiledb_cells.CELL.fullmatch(n["path"])], before)
    yield from edit_tiledb_cells.edits(run, nodes, before)


def change(*keys, to):
    """before with the value at keys replaced."""
    def expect(before):
        at = before
        for k in keys[:-1]:
            at = at[k]
        at[keys[-1]] = to
        return before
    return expect


def rename_field(part, i, to):
    def expect(before):
        field = before["schema"][part][i]
        if field["name"] in before["cells"]:
            before["cells"][to] = before["cells"].pop(field["name"])
        field["name"] = to
        return before
    return expect


def array_edits(run, dump, before):
    current = max((n["path"].split("/")[1] for n in dump if n["path"].startswith("schemas/")), default="")
    for leaf in leaves.few(run, dump):
        path = leaf["path"]
        if m := re.fullmatch(r"metadata/([^/]+)/metadata/entries\[(\d+)\]/value", path):
            key = next(n["value"] for n in dump if n["path"] == path[:-len("value")] + "key")
            if key.startswith("__np_"):
                continue
            for text, v in leaves.values(leaf, run.random):
                was = before["metadata"].get(key)
                if isinstance(was, str) and was.startswith("hex:"):
                    v = "hex:" + (v if leaf["type"] == "bytes" else v.encode().hex())
                yield Edit("set metadata value", ["set", "PATH", f"{path}={text}"], last_writer(dump, m.group(1), key, v))
            continue
        for text, v in leaves.values(leaf, run.random):
            args = ["set", "PATH", f"{path}={text}"]
            if m := re.fullmatch(rf"schemas/{re.escape(current)}/schema/attributes\[(\d+)\]/name", path):
                yield Edit("rename attribute", args, rename_field("attributes", int(m.group(1)), v))
            elif m := re.fullmatch(rf"schemas/{re.escape(current)}/schema/domain/dimensions\[(\d+)\]/name", path):
                yield Edit("rename dimension", args, rename_field("dimensions", int(m.group(1)), v))
            elif not re.search(r"/(generic_tile|tile|chunks)/", path):
                yield Edit("set of another field", args, None)
    yield from evolutions(run, dump, before)


def last_writer(dump, file, key, value):
    """the value of a metadata key changes where no later file writes the key."""
    writers = {n["path"].split("/")[1] for n in dump if re.fullmatch(r"metadata/[^/]+/metadata/entries\[\d+\]/key", n["path"]) and n["value"] == key}
    return change("metadata", key, to=value) if file == max(writers) else lambda before: before


TYPES = ["INT8", "UINT16", "INT64", "FLOAT32", "FLOAT64", "DATETIME_MS", "BOOL"]
FILLS = {"INT8": -128, "UINT16": 65535, "INT64": -2**63, "FLOAT32": "bits:0000c07f", "FLOAT64": "bits:000000000000f87f", "DATETIME_MS": -2**63, "BOOL": 0}


def evolutions(run, dump, before):
    """what a new schema or enumeration adds is there, and nothing else has changed."""
    attrs = [a["name"] for a in before["schema"]["attributes"]]
    for t in run.random.sample(TYPES, min(len(TYPES), run.options.each * 2)):
        yield Edit("convert evolve-schema add", ["convert", "PATH", "evolve-schema", f"add=new:{t}"], functools.partial(added, fill=FILLS[t], nullable=False))
    yield Edit("convert evolve-schema add", ["convert", "PATH", "evolve-schema", "add=new:INT32:nullable"], functools.partial(added, fill=None, nullable=True))
    yield Edit("convert evolve-schema add", ["convert", "PATH", "evolve-schema", "add=new:STRING_UTF8:var"], functools.partial(added, fill="hex:00", nullable=False))
    if len(attrs) > 1:
        yield Edit("convert evolve-schema drop", ["convert", "PATH", "evolve-schema", "drop=" + attrs[0]], functools.partial(dropped, name=attrs[0]))
    yield Edit("convert add-enumeration", ["convert", "PATH", "add-enumeration", "name=new", "values=one,zwei,drü"], lambda before: before)
    for n in dump:
        if m := re.fullmatch(r"(enumerations/[^/]+/enumeration)/name", n["path"]):
            old = before["enumerations"].get(n["value"])
            if old and isinstance(old["values"][0], str):
                yield Edit("convert extend-enumeration", ["convert", "--path", m.group(1), "PATH", "extend-enumeration", "values=weiß,x"],
                           change("enumerations", n["value"], "values", to=old["values"] + ["weiß", "x"]))
    d = before["schema"].get("current_domain")
    if d and isinstance(d[0][0], int):
        dim = before["schema"]["dimensions"][0]["name"]
        yield Edit("convert evolve-schema grow", ["convert", "PATH", "evolve-schema", f"grow={dim}={d[0][0]}:{d[0][1] + 1}"],
                   change("schema", "current_domain", 0, 1, to=d[0][1] + 1))


def added(before, fill, nullable):
    """cells of a new attribute say the fill value. How the binding shows its type is not asked."""
    before["schema"]["attributes"].append("new")
    n = len(next(iter(before["cells"].values()), []))
    if before["cells"]:
        before["cells"]["new"] = [None if nullable else fill] * n
    return before


def dropped(before, name):
    before["schema"]["attributes"] = [a for a in before["schema"]["attributes"] if a["name"] != name]
    before["cells"].pop(name, None)
    return before


def wrong(read):
    return ""


def normal(read):
    """what is compared of a reading: the version of a schema rises when it evolves, and of a new attribute the name is enough."""
    if "schema" in read:
        read["schema"]["version"] = None
        attrs = read["schema"]["attributes"]
        if attrs and isinstance(attrs[-1], dict) and attrs[-1]["name"] == "new":
            attrs[-1] = "new"
        used = {a["enumeration"] for a in attrs if isinstance(a, dict)}
        read["enumerations"] = {k: v for k, v in read["enumerations"].items() if k in used}
    return read


def group_edits(run, dump, before):
    alone = len({n["path"].split("/")[1] for n in dump if n["path"].startswith("details/")}) == 1  # TileDB reads several together, or the newest
    for leaf in leaves.few(run, [n for n in dump if n["path"].startswith("details/")]):
        for text, v in leaves.values(leaf, run.random):
            args = ["set", "PATH", f"{leaf['path']}={text}"]
            if leaf["path"].endswith("]/name"):
                yield Edit("rename member", args, functools.partial(member, old=leaf["value"], new=v) if alone else None)
            elif not re.search(r"/(generic_tile|tile|chunks)/", leaf["path"]):
                yield Edit("set of another field", args, None)


def member(before, old, new):
    before["members"] = sorted([new if n == old else n, t, u] for n, t, u in before["members"])
    return before
