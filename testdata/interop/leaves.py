"""The editable leaves of a dump, and what they may be set to."""
import math
import re
import struct

INTEGERS = {"u8": (0, 255), "i8": (-128, 127), "u16": (0, 65535), "i16": (-32768, 32767), "u32": (0, 2**32 - 1), "i32": (-2**31, 2**31 - 1),
            "u64": (0, 2**64 - 1), "i64": (-2**63, 2**63 - 1)}
TEXTS = ["q", "Zellen ü", "a much longer name than the one before, 123"]
FLOATS = ["0.5", "-0", "NaN", "-Inf", "1e-30"]


def kind(path):
    """a path without the positions and the names of files: what sort of field it is."""
    path = re.sub(r"\[\d+\]", "[]", path)
    return re.sub(r"__[0-9a-zA-Z_]*\d{6,}[0-9a-zA-Z_]*(\.\w+)?", "*", path)


def few(run, leaves):
    """some leaves of each kind, at most run.options.each."""
    groups = {}
    for leaf in leaves:
        groups.setdefault((kind(leaf["path"]), leaf["type"]), []).append(leaf)
    for group in groups.values():
        yield from run.random.sample(group, min(run.options.each, len(group)))


def plain(dump):
    return [n for n in dump if n["type"] not in ("struct", "array", "gap", "bad") and n["state"] == "ok" and "value" in n]


def number(value):
    """a number of a dump: beyond 2^53 and where JSON has none it is a text."""
    return int(value) if isinstance(value, str) and value.lstrip("-").isdigit() else value


def values(leaf, random):
    """a few (text for the command, value) for a leaf, none of them what it holds."""
    t = leaf["type"]
    if t in INTEGERS:
        lo, hi = INTEGERS[t]
        now = number(leaf["value"])
        pool = {now ^ 1, now + 1, lo, hi, random.randrange(lo, hi + 1)} - {now}
        return [(str(v), v) for v in random.sample(sorted(v for v in pool if lo <= v <= hi), 2)]
    if t in ("f32", "f64"):
        out = [(text, real(float(text.replace("Inf", "inf")), t)) for text in random.sample(FLOATS, 2)]
        return [(text, v) for text, v in out if v != leaf["value"]]
    if t in ("utf8", "ascii"):
        return [(v, v) for v in random.sample(TEXTS if t == "utf8" else ["q", "more text"], 2) if v != leaf["value"]]
    if t == "enum":
        return [(str(v), v) for v in (number(leaf["value"]) ^ 1,)]
    if t == "bytes" and leaf["value"]:
        new = "%02x" % (int(leaf["value"][:2], 16) ^ 1) + leaf["value"][2:]
        return [(new, new)]
    return []


def real(v, t):
    """a float as the readers write it: those that JSON has no word for as their bits."""
    size = "<f" if t == "f32" else "<d"
    v = struct.unpack(size, struct.pack(size, v))[0]
    return v if math.isfinite(v) and (v or math.copysign(1, v) > 0) else "bits:" + struct.pack(size, v).hex()
