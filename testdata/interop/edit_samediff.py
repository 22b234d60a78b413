"""SameDiff: names, arguments, arrays and the training state are edited; actions rename variables, change metadata and lay the graph out again.

ND4J M2.1, the newest release, reads and writes bare graphs (.fb). No release reads SDNB and SDZ: of those the parts are read that
Java and ND4J's classes know (NativeFile.java). The container is in no software at all, and not tried here.
"""
import glob
import json
import math
import os
import re
import struct

import environment
import leaves
from interop import Any, Edit

NAME, QUICK, ENV = "samediff", False, {}
TESTDATA = os.path.dirname(environment.HERE)


def reader():
    return environment.samediff()


def made():
    """graphs that ND4J itself wrote."""
    def make(path):
        command = reader()
        at = command.index("ReadSameDiff")
        environment.run([*command[:at], "MakeSameDiff", path], "MakeSameDiff fails")
    return environment.once("samediff-samples", make)


def samples(corpus):
    out = glob.glob(os.path.join(TESTDATA, "samediff", "*", "*")) + glob.glob(os.path.join(made(), "*.fb"))
    if corpus:
        out += glob.glob(os.path.join(corpus, "samediff", "*")) + glob.glob(os.path.join(corpus, "found", "samediff", "*", "*.fb"))
    return sorted(p for p in out if p.endswith((".fb", ".sdnb", ".sdz")))


def target(path):
    return path


def request(path):
    return (path,)


def work(path):
    """ND4J saves what it loaded, and reads that."""
    return (path, path + ".again") if path.endswith(".fb") else None


def past(sample, path, kind):
    return None


def wrong(read):
    return ""


def normal(read):
    """where no forward pass can be made its reason is not compared, nor the order of the inputs, which follows hashes of names."""
    if "forward" not in read:
        return read  # an archive of several files
    read["inputs"] = sorted(read["inputs"])
    if isinstance(read["training"], str):
        read["training"] = json.loads(read["training"])
    if isinstance(read["forward"], str):
        read["forward"] = "fails"
    return read


def edits(run, path, before):
    if "variables" not in before:
        return
    nodes = run.dump(path)
    value = {n["path"]: n.get("value") for n in nodes}
    ids = {m.group(1): value[p] for p in value if (m := re.fullmatch(r"graph/variables\[(\d+)\]/name/text", p))}
    ops = {m.group(1): value[p] for p in value if (m := re.fullmatch(r"graph/nodes\[(\d+)\]/name/text", p))}
    for leaf in leaves.few(run, leaves.plain(nodes)):
        if re.search(r"/(vtable|soffset|off\[|pad@|nul|count|len|root)", leaf["path"]) or "/table/" in leaf["path"] and leaf["type"] == "u32":
            continue  # offsets and lengths follow from what they are of
        for text, v in leaves.values(leaf, run.random):
            if "/extraInteger/" in leaf["path"] and not 0 <= v < 100:
                continue  # ND4J computes for ever with a kernel of that size
            expect = meaning(leaf, v, before, ids, ops)
            yield Edit("set " + leaves.kind(leaf["path"]) if expect else "set of another field", ["set", "PATH", f"{leaf['path']}={text}"], expect)
    for name in run.random.sample(sorted(before["variables"]), min(len(before["variables"]), run.options.each * 2)):
        for new in ("q", "größer als vorher"):
            yield Edit("convert rename-variable", ["convert", "PATH", "rename-variable", f"from={name}", f"to={new}"], renamed(name, new))
    yield from structural(run, before)
    if path.endswith(".fb"):
        for kind, action in ((".sdc", "convert-container"), (".sdnb", "convert-sdnb"), (".sdz", "convert-sdz")):
            yield Edit(f"convert {action}, convert-fb", ["convert", "PATH", action, "-o", "PATH" + kind, ";", "convert", "PATH" + kind, "convert-fb", "-o", "PATH"],
                       lambda before: before)
    yield Edit("convert set-metadata", ["convert", "PATH", "set-metadata", "key=autor", "value=Jürgen"], lambda before: before)
    yield Edit("convert set-metadata, compact", ["convert", "PATH", "set-metadata", "key=autor", "value=J", ";", "convert", "PATH", "compact"],
               lambda before: before)



def structural(run, before):
    """variables are added and dropped, operations renamed, and values get another type."""
    yield Edit("convert add-variable", ["convert", "PATH", "add-variable", "name=neu", "kind=CONSTANT", "type=DOUBLE", "shape=[2,2]", "value=2.5"], added("neu", {
        "kind": "CONSTANT", "type": "DOUBLE", "shape": [2, 2], "array": {"type": "DOUBLE", "shape": [2, 2], "values": [2.5] * 4}} if "manifest" not in before else Any()))
    yield Edit("convert add-variable, drop-variable", ["convert", "PATH", "add-variable", "name=neu", "kind=VARIABLE", "type=FLOAT", "shape=[3]", "value=1", ";",
                                                       "convert", "PATH", "drop-variable", "name=neu"], lambda before: before)
    path = os.path.join(run.work, "rows.csv")
    with open(path, "w", encoding="utf-8") as f:
        f.write("value\n7\n-8.5\n")
    add = ["convert", "PATH", "add-variable", "name=neu", "kind=VARIABLE", "type=FLOAT", "shape=[2,2]", "value=2.5", ";"]
    for kind, more, values in (("more", ["--append"], [2.5] * 4 + [7, -8.5]), ("fewer", [], [7, -8.5])):
        shape = [len(values) // 2, 2]
        yield Edit(f"convert add-variable, table with {kind} rows", [*add, "table", "PATH", "neu", "--from", path, *more], added("neu", {
            "kind": "VARIABLE", "type": "FLOAT", "shape": shape, "array": {"type": "FLOAT", "shape": shape, "values": values}} if "manifest" not in before else Any()))
    stored = {n: v for n, v in before["variables"].items() if isinstance(v["array"], dict) and v["array"]["type"] in ("FLOAT", "INT", "SHORT", "BYTE")
              and v["array"]["values"] and v["type"] == v["array"]["type"]}
    for name in run.random.sample(sorted(stored), min(len(stored), run.options.each)):
        yield Edit("convert convert-type", ["convert", "PATH", "convert-type", f"name={name}", "type=DOUBLE"], retyped(name, "DOUBLE"))
    for name in run.random.sample(sorted(before["ops"]), min(len(before["ops"]), run.options.each)):
        yield Edit("convert rename-operation", ["convert", "PATH", "rename-operation", f"from={name}", "to=umbenannt"], op_renamed(name, "umbenannt"))


def added(name, variable):
    def expect(before):
        before["variables"][name] = variable
        return before
    return expect


def retyped(name, to):
    def expect(before):
        variable = before["variables"][name]
        variable["type"] = variable["array"]["type"] = to
        before["forward"] = Any()  # operations may not take two types
        return before
    return expect


def op_renamed(old, new):
    def expect(before):
        before["ops"][new] = before["ops"].pop(old)
        for op in before["ops"].values():
            if "controlDeps" in op:
                op["controlDeps"] = Any()
        return before
    return expect


WIDTH = {"FLOAT": ("f", 4), "DOUBLE": ("d", 8), "LONG": ("q", 8), "INT": ("i", 4), "SHORT": ("h", 2), "BYTE": ("b", 1), "UBYTE": ("B", 1)}


def meaning(leaf, v, before, ids, ops):
    path = leaf["path"]
    if (m := re.fullmatch(r"graph/variables\[(\d+)\]/ndarray/buffer/elem", path)) and m.group(1) in ids:
        array = before["variables"][ids[m.group(1)]]["array"]
        if isinstance(array, dict) and array["type"] in WIDTH and len(v) // 2 == WIDTH[array["type"]][1] * len(array["values"]):
            code = WIDTH[array["type"]][0]
            values = list(struct.unpack(f">{len(array['values'])}{code}", bytes.fromhex(v)))
            return array_set(ids[m.group(1)], values)
    if (m := re.fullmatch(r"graph/nodes\[(\d+)\]/name/text", path)) and m.group(1) in ops:
        def expect(before, old=ops[m.group(1)]):
            before["ops"][v] = before["ops"].pop(old)
            return before
        return expect
    if (m := re.fullmatch(r"graph/nodes\[(\d+)\]/extraInteger/elem\[(\d+)\]", path)) and m.group(1) in ops:
        def expect(before, op=ops[m.group(1)]):
            before["ops"][op] = Any()
            before["forward"] = Any()
            return before
        return expect
    return None


def array_set(name, values):
    def expect(before):
        array = before["variables"][name]["array"]
        if array["shape"] and len(array["shape"]) > 1:
            array["values"] = Any()  # the order of the file is not always the order of the reader
        else:
            array["values"] = [java(x) for x in values]
        before["forward"] = Any()
        return before
    return expect


def java(x):
    """a number as ReadSameDiff.java writes it."""
    if isinstance(x, int) or math.isfinite(x) and (x or math.copysign(1, x) > 0):
        return x
    return "float:" + {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(str(x), str(x))


def was_twin(before, old):
    """in graphs of before 2019 ND4J finds what an operation makes by its own name; it makes no ARRAY there."""
    return old in before["ops"] and before["ops"][old].get("outputs") == [old] and before["variables"][old]["kind"] == "VARIABLE"


def renamed(old, new):
    def name(x):
        if isinstance(x, str):
            return new if x == old else x
        if isinstance(x, list):
            return [name(i) for i in x]
        if isinstance(x, dict):
            return {name(k): name(i) for k, i in x.items()}
        return x

    def expect(before):
        if isinstance(before.get("training"), str):
            before["training"] = json.loads(before["training"])
        if was_twin(before, old):
            before["ops"] = {name(k): v for k, v in before["ops"].items()}
        before["variables"] = {name(k): v for k, v in before["variables"].items()}
        for op in before["ops"].values():
            op |= {k: name(op[k]) for k in ("inputs", "outputs", "controlDeps", "varControlDeps") if k in op}
        before |= {k: name(before[k]) for k in ("inputs", "loss", "training", "state", "manifest") if k in before}
        if isinstance(before["forward"], dict):
            before["forward"] = {name(k): v for k, v in before["forward"].items()}
        return before
    return expect
