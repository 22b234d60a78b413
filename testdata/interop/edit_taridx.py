"""TARIDX: header fields, names and rows are edited; actions drop, order and number rows."""
import csv
import glob
import hashlib
import os
import re

import environment
import leaves
from interop import Any, Edit

NAME, QUICK, ENV = "taridx", True, {}
TESTDATA = os.path.dirname(environment.HERE)


def reader():
    return environment.taridx()


def samples(corpus):
    """folders with one index."""
    out = glob.glob(os.path.join(TESTDATA, "taridx", "*", "*")) + (glob.glob(os.path.join(corpus, "taridx", "*")) if corpus else [])
    return sorted(d for d in out if len(glob.glob(os.path.join(d, "*.taridx"))) == 1)


def target(path):
    return glob.glob(os.path.join(path, "*.taridx"))[0]


def request(path):
    return (path,)


def work(path):
    return None


def past(sample, path, kind):
    return None


def wrong(read):
    """a row that is not of the member at its place."""
    rows = [r for index in read.values() for r in index["rows"]]
    return next((f"a row that does not fit its member: {r}" for r in rows if not r["fits"]), "")


def normal(read):
    return read


HEADER = {"major": ("version", 0), "minor": ("version", 1), "rec_size": ("rec",), "hdr_size": ("hdr",), "n_stems": ("stems",),
          "n_crash": ("crashes",), "flags": ("flags",)}
ROW = {"fid": "fid", "offset": "offset", "size": "size", "crashid": "crash", "keyhash": "key"}


def edits(run, path, before):
    (name, index), = before.items()
    for leaf in leaves.few(run, leaves.plain(run.dump(path))):
        for text, v in leaves.values(leaf, run.random):
            expect = meaning(leaf["path"], v, index)
            kind = re.sub(r"\[\d+\]", "", leaf["path"]) if expect else "set of another field"
            yield Edit("set " + kind if expect else kind, ["set", "PATH", f"{leaf['path']}={text}"], expect and on(name, expect))
    yield from actions(run, name, index)


def on(name, expect):
    def whole(before):
        expect(before[name])
        return before
    return whole


def meaning(path, v, index):
    """what setting a field makes of an index."""
    part, _, field = path.partition("/")
    if part == "header" and field in HEADER:
        def expect(x, keys=HEADER[field]):
            at = x[keys[0]] if len(keys) > 1 else x
            at[keys[-1]] = v
        return expect
    if m := re.fullmatch(r"rows\[(\d+)\]/(\w+)", path):
        i, field = int(m.group(1)), m.group(2)
        if field == "extid" and v >= len(index["extensions"]):
            return None

        def expect(x):
            row = x["rows"][i]
            row["ext" if field == "extid" else ROW[field]] = x["extensions"][v] if field == "extid" else v
            row |= {"member": Any(), "payload": Any(), "fits": Any()}
        return expect
    if m := re.fullmatch(r"ext\[(\d+)\]/name", path):
        def expect(x):
            old, x["extensions"][int(m.group(1))] = x["extensions"][int(m.group(1))], v
            for row in x["rows"]:
                if row["ext"] == old:
                    row["ext"] = v
                    row["fits"] = Any()
        return expect if re.fullmatch(r"\S+", v) else None
    return None


def samples_of(rows):
    """how many samples rows are of, and whether those of each stand together."""
    keys = [(r["key"], r["crash"]) for r in rows]
    runs = sum(k != p for k, p in zip(keys, [None, *keys]))
    return len(set(keys)), int(runs == len(set(keys)))


def recount(x):
    x["stems"], grouped = samples_of(x["rows"])
    x["flags"] = x["flags"] & ~1 | grouped


def without(x, gone):
    """an index that rows are dropped from, and with them the names that only they had; a stem that becomes the first of its hash has no number."""
    had = {r["ext"] for r in x["rows"]}, {r["crash"] for r in x["rows"]}
    x["rows"] = [r for r in x["rows"] if not any(r is g for g in gone)]
    for key in {g["key"] for g in gone if not g["crash"]}:
        alike = [r for r in x["rows"] if r["key"] == key]
        if all(r["crash"] for r in alike):
            for r in [r for r in alike if r["crash"] == alike[0]["crash"]]:
                r["crash"] = 0
    has = {r["ext"] for r in x["rows"]}, {r["crash"] for r in x["rows"]}
    x["extensions"] = [e for e in x["extensions"] if e in has[0] or e not in had[0]]
    stay = [k for k in range(1, len(x["collisions"]) + 1) if k in has[1] or k not in had[1]]
    x["collisions"] = [x["collisions"][k - 1] for k in stay]
    x["crashes"] = len(stay)
    for r in x["rows"]:
        r["crash"] = stay.index(r["crash"]) + 1 if r["crash"] in stay else 0
    recount(x)


def from_files(run, name, index, a, b):
    """rows that come from a file: some are dropped, and come again by the names of their members."""
    def file(title, columns, rows):
        path = os.path.join(run.work, title + ".csv")
        with open(path, "w", encoding="utf-8", newline="") as f:
            csv.writer(f).writerows([columns, *rows])
        return ["--from", path]
    kept = index["rows"][:a] + index["rows"][b + 1:]
    gone = index["rows"][a:b + 1]
    drop = ["table", *file("kept", ["fid", "offset"], [[r["fid"], r["offset"]] for r in kept]), "PATH", "rows"]
    yield Edit("table with fewer rows", drop, on(name, lambda x: without(x, x["rows"][a:b + 1])))
    ordered = index["rows"] == sorted(index["rows"], key=lambda r: (r["fid"], r["offset"]))
    if index["collisions"] or not ordered or not index["flags"] & 1 or not all(r["fits"] for r in index["rows"]):
        return

    def again(x):
        had = [r["ext"] for r in x["rows"]]
        without(x, x["rows"][a:b + 1])
        x["extensions"] += [e for e in dict.fromkeys(r["ext"] for r in gone) if e not in x["extensions"] and e in had]
        x["rows"][a:a] = gone
        recount(x)
    come = ["table", "--append", *file("gone", ["member", "fid"], [[r["member"], r["fid"]] for r in gone]), "PATH", "rows"]
    yield Edit("table with fewer rows, then more", [*drop, ";", *come], on(name, again))


def actions(run, name, index):
    n = len(index["rows"])
    if not n:
        return
    a = run.random.randrange(n)
    b = min(n - 1, a + run.random.randrange(3))

    def drop(x):
        without(x, x["rows"][a:b + 1])
    yield Edit("convert drop-rows", ["convert", "--path", "rows", "PATH", "drop-rows", f"from={a}", f"to={b}"], on(name, drop))

    row = index["rows"][a]
    yield Edit("convert drop-rows, add-row", ["convert", "--path", "rows", "PATH", "drop-rows", f"from={a}", f"to={a}", ";",
                                            "convert", "--path", "rows", "PATH", "add-row", f"shard={row['fid']}", f"offset={row['offset']}"],
               lambda before: {name: before[name] | {"rows": Any(), "stems": Any(), "flags": Any(), "extensions": Any(), "collisions": Any(), "crashes": Any()}})
    yield from from_files(run, name, index, a, b)

    def contiguous(x):
        first = {}
        for i, r in enumerate(x["rows"]):
            first.setdefault((r["key"], r["crash"]), i)
        x["rows"].sort(key=lambda r: first[r["key"], r["crash"]])
        recount(x)
    yield Edit("convert make-contiguous", ["convert", "--path", "rows", "PATH", "make-contiguous"], on(name, contiguous))

    def shard_order(x):
        x["rows"].sort(key=lambda r: (r["fid"], r["offset"]))
        recount(x)
    yield Edit("convert sort-rows", ["convert", "--path", "rows", "PATH", "sort-rows"], on(name, shard_order))

    def renumber(x):
        for r in x["rows"]:
            if r["fid"] == row["fid"]:
                r |= {"fid": 7, "member": Any(), "payload": Any(), "fits": Any()}
    if len(index["shards"]) > 7:  # numbers are those of the shards that there are
        yield Edit("convert renumber-fid", ["convert", "--path", "rows", "PATH", "renumber-fid", f"from={row['fid']}", "to=7"], on(name, renumber))
    if row["fits"]:
        yield from members(name, index, a)

    def extension(x):
        i = x["extensions"].index(row["ext"])
        x["extensions"][i] = "neu.xyz"
        for r in x["rows"]:
            if r["ext"] == row["ext"]:
                r |= {"ext": "neu.xyz", "member": r["member"] and r["member"][:-len(row["ext"])] + "neu.xyz"}
    if row["ext"] in index["extensions"] and all(r["fits"] for r in index["rows"]):
        yield Edit("convert rename-extension", ["convert", "--path", f"ext[{index['extensions'].index(row['ext'])}]", "PATH", "rename-extension", "name=neu.xyz"],
                   on(name, extension))
    if not run.warned:
        def reindex(x):
            shard_order(x)
            x["extensions"] = list(dict.fromkeys(r["ext"] for r in x["rows"]))
        yield Edit("convert reindex", ["convert", "--path", "rows", "PATH", "reindex"], on(name, reindex))


NEW = ("sample0001", 0x493dedd61d0e140c)  # a stem and its XXH64


def members(name, index, a):
    """a member that is written out, or gets other content or another name."""
    row, at = index["rows"][a], ["convert", "--path", f"rows[{a}]", "PATH"]
    yield Edit("convert extract", [*at, "extract", "file=member.bin"], lambda before: before)

    def payload(x):
        old = x["rows"][a]
        moved = 512 - (old["size"] + 511) // 512 * 512
        for r in x["rows"]:
            if r["fid"] == old["fid"] and r["offset"] > old["offset"]:
                r["offset"] += moved
        x["rows"][a] |= {"size": 3, "payload": hashlib.sha256(b"neu").hexdigest()[:16]}
    yield Edit("convert replace-payload", [*at, "replace-payload", "text=neu"], on(name, payload))

    def renamed(member, stem):
        folder, slash, base = member.rpartition("/")
        return folder + slash + stem + base[len(base.partition(".")[0]):]

    def sample(x):
        for r in x["rows"]:
            if r["key"] == row["key"]:
                r |= {"key": NEW[1], "member": renamed(r["member"], NEW[0])}
    yield Edit("convert rename-sample", [*at, "rename-sample", "name=" + NEW[0]], on(name, sample))

    def member(x):
        r, folder = x["rows"][a], row["member"].rpartition("/")
        r |= {"key": NEW[1], "member": folder[0] + folder[1] + f"{NEW[0]}.{row['ext']}"}
        recount(x)
    yield Edit("convert rename-member", [*at, "rename-member", f"name={NEW[0]}.{row['ext']}"], on(name, member))
