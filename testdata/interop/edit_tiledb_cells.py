"""TileDB: cells are edited, added and deleted, and metadata set and deleted, each by files beside those that are there."""
import re

import leaves
from interop import Edit

CELL = re.compile(r"fragments/([^/]+)/a(\d+)(_var|_validity)?\.tdb/tiles\[(\d+)\]/cells/cells(?:\[(\d+)\]|/(\d+))")


def edits(run, nodes, before):
    value = {n["path"]: n.get("value") for n in nodes}
    schemas = {p.split("/")[1] for p in value if p.startswith("schemas/") and p.count("/") > 1}
    if len(schemas) == 1 and before["cells"]:
        yield from cells(run, nodes, value, before)
        if before["schema"]["sparse"]:
            yield from rows(run, before)
    yield from metadata(before)


def cells(run, nodes, value, before):
    last = max((p.split("/")[1] for p in value if p.startswith("fragments/") and p.count("/") > 1), default="")
    for leaf in leaves.few(run, [n for n in leaves.plain(nodes) if CELL.fullmatch(n["path"])]):
        m = CELL.fullmatch(leaf["path"])
        fragment, i, part, tile, at = m.group(1), int(m.group(2)), m.group(3) or "", int(m.group(4)), int(m.group(5) or m.group(6))
        if i >= len(before["schema"]["attributes"]):
            continue  # the coordinates of an old fragment
        attr = before["schema"]["attributes"][i]
        if attr["var"] and not part or "FloatScale" in str(attr["filters"]) or not before["schema"]["sparse"] and fragment != last:
            continue  # offsets of values; rounded numbers; cells that a later fragment hides
        k = place(before, value, fragment, tile, at)
        if k is None or before["cells"][attr["name"]][k] is None:
            continue
        for text, v in leaves.values(leaf, run.random):
            if attr["enumeration"]:
                v = run.random.randrange(len(before["enumerations"][attr["enumeration"]]["values"]))
                text = str(v)
            if part == "_validity":
                text, v = "0", None
            elif leaf["type"] in ("utf8", "ascii"):
                v = "hex:" + v.encode().hex()
            elif attr["var"]:
                continue  # the bytes of numbers, several to a cell
            kind = "text" if attr["var"] else "null" if v is None else attr["type"]
            yield Edit("cell: " + kind, ["set", "PATH", f"{leaf['path']}={text}"], put(attr["name"], k, v))
            if part != "_validity":
                yield Edit("convert rewrite-cell", ["convert", "--path", leaf["path"], "PATH", "rewrite-cell", "value=" + text], put(attr["name"], k, v))


def place(before, value, fragment, tile, at):
    """where in the reading a cell of a fragment is; None where that is not told by its coordinates."""
    dims = before["schema"]["dimensions"]
    if before["schema"]["sparse"]:
        found = range(len(before["cells"][dims[0]["name"]]))
        for d, dim in enumerate(dims):
            text = value.get(f"fragments/{fragment}/d{d}_var.tdb/tiles[{tile}]/cells/cells/{at}")
            want = "hex:" + text.encode().hex() if text is not None else leaves.number(value.get(f"fragments/{fragment}/d{d}.tdb/tiles[{tile}]/cells/cells[{at}]"))
            found = [k for k in found if before["cells"][dim["name"]][k] == want]
        return found[0] if len(found) == 1 else None
    if len(dims) > 1 or not isinstance(dims[0]["tile"], int):
        return None
    low, extent = dims[0]["domain"][0], dims[0]["tile"]
    first = before["domain"][0][0]
    k = low + (first - low) // extent * extent + tile * extent + at - first
    return k if 0 <= k < len(before["cells"][before["schema"]["attributes"][0]["name"]]) else None


def put(name, k, v):
    def expect(before):
        before["cells"][name][k] = v
        return before
    return expect


def rows(run, before):
    """a cell more, and some cells less."""
    cells, dims = before["cells"], [d["name"] for d in before["schema"]["dimensions"]]
    if dims == ["i", "s"] and "t" in cells:
        def added(before):
            k = sum(c < 77 for c in cells["i"])
            for name, v in {"i": 77, "s": "hex:7a7a", "f": -1.5, "t": "hex:" + "grün".encode().hex(), "e": 1}.items():
                if name in before["cells"]:
                    before["cells"][name].insert(k, v)
            before["domain"] = [[before["domain"][0][0], 77], [before["domain"][1][0], "hex:7a7a"]]
            return before
        more = ",e=1" if "e" in cells else ""
        yield Edit("convert add-cell", ["convert", "PATH", "add-cell", "cell=i=77,s=zz,f=-1.5,t=grün" + more], added)

        def deleted(before):
            kept = [k for k, f in enumerate(before["cells"]["f"]) if not f >= 1.5]
            before["cells"] = {n: [c[k] for k in kept] for n, c in before["cells"].items()}
            return before
        yield Edit("convert delete-cells", ["convert", "PATH", "delete-cells", "where=f>=1.5"], deleted)


def metadata(before):
    for key, kind, text, v in (("neu", "STRING_UTF8", "größer", "größer"), ("n", "INT32", "-7", -7), ("list", "FLOAT64", "0.5 1 2", [0.5, 1.0, 2.0])):
        def expect(before, key=key, v=v):
            before["metadata"][key] = v
            return before
        yield Edit("convert set-metadata", ["convert", "PATH", "set-metadata", "key=" + key, "value=" + text, "type=" + kind], expect)
    for key in list(before["metadata"])[:1]:
        def gone(before, key=key):
            del before["metadata"][key]
            return before
        yield Edit("convert delete-metadata", ["convert", "PATH", "delete-metadata", "key=" + key], gone)
