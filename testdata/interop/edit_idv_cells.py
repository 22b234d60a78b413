"""IDV: cells of the table of rows, each typed in the type of its column."""
import datetime
import re

import leaves
from interop import Edit

DAY = 864_000_000_000  # ticks
RANGES = {"SByte": "i8", "Byte": "u8", "Int16": "i16", "UInt16": "u16", "Int32": "i32", "UInt32": "u32", "Int64": "i64", "UInt64": "u64"}


def ticks(year, month, day, seconds=0, fraction=0):
    return (datetime.date(year, month, day).toordinal() - 1) * DAY + seconds * 10_000_000 + fraction


def scalars(kind, column, random):
    """a few (text to type, what ML.NET then reads) of a type."""
    if kind in RANGES:
        lo, hi = leaves.INTEGERS[RANGES[kind]]
        return [(str(v), v) for v in (lo if kind.startswith("U") or kind == "Byte" else lo + 1, hi, random.randrange(lo + 1, hi))]
    if kind in ("Single", "Double"):
        t = "f32" if kind == "Single" else "f64"
        nan = "bits:7fc00000" if t == "f32" else "bits:7ff8000000000000"
        return [("0.1", leaves.real(0.1, t)), ("-0", "bits:" + ("80000000" if t == "f32" else "8000000000000000")), ("NaN", nan), ("1e30", leaves.real(1e30, t))]
    if kind == "String":
        return [("q", "q"), ("", ""), ("größer 𝄞, und \"so\"", "größer 𝄞, und \"so\""), ("lang " * 60 + ".", "lang " * 60 + ".")]
    if kind == "Boolean":
        return [("true", True), ("false", False)]
    if kind == "TimeSpan":
        return [("1.02:03:04.5", DAY + 73_845_000_000), ("-00:00:01", -10_000_000), ("77", 77)]
    if kind == "DateTime":
        return [("2013-08-05T12:30:00.25", ticks(2013, 8, 5, 45000, 2_500_000)), ("0001-01-01", 0), ("9999-12-31", ticks(9999, 12, 31))]
    if kind == "DateTimeOffset":
        return [("2013-08-05T12:30:00+02:00", [ticks(2013, 8, 5, 45000), 120]), ("2020-02-29T00:00:00Z", [ticks(2020, 2, 29), 0])]
    if kind == "DataViewRowId":
        return [("0123456789abcdef0011223344556677", [0x0011223344556677, 0x0123456789ABCDEF])]
    if m := re.match(r"Key<\w+, 0-(\d+)>", kind):
        names = column["annotations"].get("KeyValues", {}).get("value")
        texts = names["values"] if isinstance(names, dict) and names.get("indices") is None else []
        out = [("1", 1), (str(int(m.group(1)) + 1), int(m.group(1)) + 1)]
        return out if not texts or not isinstance(texts[0], str) or texts.count(texts[-1]) > 1 else [(texts[-1], len(texts))]
    return []


def vectors(kind, column, old, random):
    """dense and sparse vectors, of another length where lengths vary."""
    m = re.fullmatch(r"Vector<(.*?)(?:, ([\d, ]+))?>", kind) if "Key" not in kind else re.fullmatch(r"Vector<(Key<[^>]*>)(?:, ([\d, ]+))?>", kind)
    if not m:
        return []
    items = [v for v in scalars(m.group(1), column, random) if not re.search(r"[,\"{}:\[\]]", v[0])]
    if not items:
        return []
    lengths = [old["length"]] if m.group(2) else sorted({0, 1, old["length"] + 2})
    quote = (lambda t: '"' + t + '"') if m.group(1) == "String" else (lambda t: t)
    out = []
    for n in lengths:
        if n > 1000:
            continue
        picked = [random.choice(items) for _ in range(n)]
        out.append(("[" + ", ".join(quote(t) for t, _ in picked) + "]", {"length": n, "indices": None, "values": [v for _, v in picked]}))
    n = old["length"]
    if 1 < n < 1000:
        at, (text, v) = random.randrange(n), random.choice(items)
        out.append((f"{{{at}: {quote(text)}}}", {"length": n, "indices": [at], "values": [v]}))
    return out


def edits(run, before):
    if not before["rows"]:
        return
    for c, column in enumerate(before["columns"]):
        kind, values = column["type"], column["values"]
        for row in run.random.sample(range(len(values)), min(len(values), run.options.each)):
            choices = vectors(kind, column, values[row], run.random) if kind.startswith("Vector") else scalars(kind, column, run.random)
            for text, v in run.random.sample(choices, min(len(choices), run.options.each + 1)):
                yield Edit("cell: " + re.sub(r"\d+(, \d+)*", "n", kind.replace("0-", "")) if "<" in kind else "cell: " + kind,
                           ["set", "--table", "rows", "PATH", f"{row}/{c}={text}"], put(c, row, v))


def put(c, row, v):
    def expect(before):
        before["columns"][c]["values"][row] = v
        return before
    return expect
