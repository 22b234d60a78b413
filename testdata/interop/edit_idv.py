"""IDV: header fields, names, elements of blocks and metadata are edited; actions change columns, rows, compression and metadata."""
import functools
import glob
import os
import re

import edit_idv_cells
import environment
import leaves
from interop import Edit

NAME, QUICK, ENV = "idv", False, {}
TESTDATA = os.path.dirname(environment.HERE)


def reader():
    return environment.idv()


def samples(corpus):
    out = glob.glob(os.path.join(TESTDATA, "idv", "*", "*"))
    if corpus:
        out += glob.glob(os.path.join(corpus, "idv", "*"))
    return sorted(p for p in out if p.endswith((".idv", ".tdv", ".zip")) and not p.endswith("prefixed.idv"))


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
    if "columns" not in before or path.endswith(".tdv"):
        return
    nodes = run.dump(path)
    dump = leaves.plain(nodes)
    value = {n["path"]: n.get("value") for n in nodes}
    columns = names(value, before)
    if columns is None:
        return  # dead columns, which ML.NET does not show
    places = blocks(nodes, value)
    for leaf in leaves.few(run, dump):
        for text, v in leaves.values(leaf, run.random):
            kind, expect = meaning(leaf["path"], v, value, before, places)
            yield Edit(kind, ["set", "PATH", f"{leaf['path']}={text}"], expect)
    yield from actions(run, value, before)
    yield from edit_idv_cells.edits(run, before)


def names(value, before):
    n = leaves.number(value.get("header/columnCount", 0))
    texts = [value.get(f"toc[{c}]/name/text") for c in range(n)]
    return texts if texts == [c["name"] for c in before["columns"]] else None


def blocks(nodes, value):
    """which column and block of rows the n-th block of the dump is, by its offset."""
    at = {}
    for path, v in value.items():
        if m := re.fullmatch(r"lookup\[(\d+)\]\[(\d+)\]/offset", path):
            at.setdefault(leaves.number(v), []).append((int(m.group(1)), int(m.group(2))))
    out = {}
    for n in nodes:
        if m := re.fullmatch(r"blocks\[(\d+)\]", n["path"]):
            if len(at.get(n["offset"], [])) == 1:
                out[int(m.group(1))] = at[n["offset"]][0]
    return out


def meaning(path, v, value, before, places):
    other = "set of another field", None
    if m := re.fullmatch(r"toc\[(\d+)\]/name/text", path):
        return "rename column", column(int(m.group(1)), "name", to=v)
    if path == "header/unused":
        return "set header/unused", lambda before: before
    m = re.fullmatch(r"mtoc\[(\d+)\]/entries\[(\d+)\]/kind/text", path)
    if m and value[path] in before["columns"][int(m.group(1))]["annotations"]:
        return "rename metadata kind", functools.partial(rename_kind, c=int(m.group(1)), old=value[path], new=v)
    if m := re.fullmatch(r"blocks\[(\d+)\]/decoded/(values|ticks)\[(\d+)\]", path):
        if int(m.group(1)) not in places:
            return other
        c, b = places[int(m.group(1))]
        row = b * rows_per_block(value, c) + int(m.group(3))
        kind = before["columns"][c]["type"]
        if kind in ("DateTime", "DateTimeOffset") or kind.startswith("Key") or kind == "TimeSpan" and v == -2**63:
            return other  # not every number is one, and the last is a missing value of old
        if isinstance(v, str) and v.startswith("bits:"):
            v = bits(v)
        return "set of a cell: " + kind, functools.partial(cell, c=c, row=row, v=v)
    if m := re.fullmatch(r"blocks\[(\d+)\]/decoded/items/values\[(\d+)\]", path):
        if int(m.group(1)) not in places:
            return other
        c, b = places[int(m.group(1))]
        kind = before["columns"][c]["type"]
        if "Key" in kind or "DateTime" in kind:
            return other
        rpb = rows_per_block(value, c)
        if isinstance(v, str) and v.startswith("bits:"):
            v = bits(v)
        return "set of an item: " + re.sub(r", .*>", ">", kind), functools.partial(item, c=c, row=b * rpb, i=int(m.group(2)), v=v)
    return other


def rows_per_block(value, c):
    """the low 32 bits are what ML.NET looks at."""
    return leaves.number(value[f"toc[{c}]/rowsPerBlock"]) & 0xFFFFFFFF


def bits(v):
    """the reader writes bits as a number, not in the order of the file."""
    return "bits:%x" % int.from_bytes(bytes.fromhex(v[5:]), "little")


def column(c, *keys, to):
    def expect(before):
        at = before["columns"][c]
        for k in keys[:-1]:
            at = at[k]
        at[keys[-1]] = to
        return hide(before)
    return expect


def hide(before):
    """of columns with one name the last is seen."""
    last = {c["name"]: i for i, c in enumerate(before["columns"])}
    for i, c in enumerate(before["columns"]):
        c["hidden"] = last[c["name"]] != i
    return before


def cell(before, c, row, v):
    values = before["columns"][c]["values"]
    if row >= len(values):
        return before
    values[row] = v
    return before


def item(before, c, row, i, v):
    """item i of a block that begins at a row: explicit items of its vectors, one behind the other."""
    for vector in before["columns"][c]["values"][row:]:
        if i < len(vector["values"]):
            vector["values"][i] = v
            return before
        i -= len(vector["values"])
    return before


def rename_kind(before, c, old, new):
    notes = before["columns"][c]["annotations"]
    notes[new] = notes.pop(old)
    return before


def actions(run, value, before):
    n = len(before["columns"])
    for c in run.random.sample(range(n), min(n, run.options.each)):
        at, kept = f"toc[{c}]", before["columns"][c]

        def act(action, *args, expect, at=at):
            return Edit("convert " + action, ["convert", "--path", at, "PATH", action, *args], expect)
        yield act("rename-column", "name=Größe 2", expect=column(c, "name", to="Größe 2"))
        yield act("drop-column", expect=lambda before, c=c: before["columns"].pop(c) and hide(before))
        to = run.random.randrange(n)
        yield act("move-column", f"to={to}", expect=functools.partial(moved, c=c, to=to))
        for kind in ("none", "deflate"):
            yield act("set-compression", "kind=" + kind, expect=lambda before: before)
        for name, note in kept["annotations"].items():
            if name != "KeyValues" or "Key" not in kept["type"]:
                yield act("drop-metadata", "kind=" + name, expect=lambda before, c=c, name=name: before["columns"][c]["annotations"].pop(name) and before)
            texts = note["value"]
            if name == "SlotNames" and texts.get("indices") is None and texts["values"]:
                slot = run.random.randrange(len(texts["values"]))
                yield act("set-slot-name", f"slot={slot}", "name=Länge", expect=column(c, "annotations", name, "value", "values", slot, to="Länge"))
            if name == "KeyValues" and isinstance(texts, dict) and texts.get("indices") is None and texts["values"] and isinstance(texts["values"][0], str) \
                    and "String" in note["type"]:
                key = run.random.randrange(len(texts["values"]))
                yield act("set-key-value", f"key={key + 1}", "value=grün", expect=column(c, "annotations", name, "value", "values", key, to="grün"))
    if before["rows"]:
        keep = run.random.randrange(before["rows"])
        yield Edit("convert cut-rows", ["convert", "PATH", "cut-rows", f"rows={keep}"], functools.partial(cut, rows=keep))
    yield Edit("convert compact", ["convert", "PATH", "compact"], lambda before: before)


def moved(before, c, to):
    before["columns"].insert(to, before["columns"].pop(c))
    return hide(before)


def cut(before, rows):
    before["rows"] = rows
    for c in before["columns"]:
        del c["values"][rows:]
    return before
