"""ML.NET writes what its loader reads of random texts, and reads it back."""
import os

import environment
from interop import Reader
from zoolib import name

READER, MAKER = Reader(environment.idv()), Reader(environment.idv(os.path.join(os.path.dirname(os.path.abspath(__file__)), "MakeIDV.cs")))
NUMBERS = {"SByte": (-128, 127), "Byte": (0, 255), "Int16": (-32768, 32767), "UInt16": (0, 65535), "Int32": (-2**31 + 1, 2**31 - 1), "UInt32": (0, 2**32 - 1),
           "Int64": (-2**63 + 1, 2**63 - 1), "UInt64": (0, 2**64 - 1)}
TEXTS = {"String": lambda rnd: rnd.choice(["", "a", name(rnd, 12), "x" * 300]), "Boolean": lambda rnd: rnd.choice("01"), "TimeSpan": lambda rnd: f"{rnd.randint(0, 23)}:{rnd.randint(0, 59):02}:07",
         "DateTime": lambda rnd: rnd.choice(["2020-02-29", "1969-07-20 20:17:40", "9999-12-31"]), "DateTimeOffset": lambda rnd: "2020-02-29T12:00:00+02:00",
         "Single": lambda rnd: rnd.choice(["0", "-0.5", repr(rnd.gauss(0, 1)), "NaN", "", "1e30"]), "Double": lambda rnd: rnd.choice(["0", "0.1", repr(rnd.gauss(0, 1e6)), "NaN"])}


def make(rnd, folder, i):
    path, text = os.path.join(folder, f"{i:05d}.idv"), os.path.join(folder, f"{i:05d}.txt")
    rows, fields, specs, keys = rnd.choice([0, 1, 7, 40, 300]), [], [], []
    for _ in range(rnd.randint(1, 6)):
        kind = rnd.choice([*NUMBERS, *TEXTS])
        width = rnd.choice([1, 1, 1, 3, 20]) if kind != "DateTimeOffset" else 1
        count = rnd.choice([5, 100]) if kind in ("Byte", "UInt16", "UInt32", "UInt64") and rnd.random() < 0.3 else 0
        label = name(rnd, 9).replace(";", "") or "x"
        if label in [s[0] for s in specs]:
            continue
        if kind == "String" and width == 1 and rnd.random() < 0.4 and rows:
            keys.append(label)
        specs.append((label, kind, len(fields), len(fields) + width - 1, count))
        for _ in range(width):
            fields.append((lambda rnd, c=count: str(rnd.randint(0, c - 1))) if count else TEXTS[kind] if kind in TEXTS else lambda rnd, k=kind: str(rnd.choice([*NUMBERS[k], 0, 1, 7])))
    with open(text, "w", encoding="utf-8", newline="\n") as f:
        f.write("\t".join(f"h{k}" for k in range(len(fields))) + "\n")
        f.writelines("\t".join(x(rnd) for x in fields) + "\n" for _ in range(rows))
    answer = MAKER.ask(text, path, str(rnd.choice([0, 1, 3, 100])), rnd.choice(["Default", "None"]), ";".join(keys), *(str(v) for s in specs for v in s))
    os.remove(text)
    if "error" in answer:
        raise ValueError(answer["error"])
    read = READER.read(path)
    if "error" in read:
        raise ValueError("not read back: " + read["error"])
    columns = [c | {"values": [None] * len(c["values"])} if "DateTimeOffset" in c["type"] else c for c in read["read"]["columns"]]
    return path, ", ".join(s[1] + f"[{s[3] - s[2] + 1}]" * (s[3] > s[2]) for s in specs), {"rows": [dict(zip([c["name"] for c in columns], map(plain, r))) for r in zip(*(c["values"] for c in columns))]}


def plain(v):
    """numbers, and vectors of them: texts, times and what is missing are printed in words of their own."""
    if isinstance(v, list):
        return [plain(x) for x in v]
    return v if isinstance(v, (int, float)) and not isinstance(v, bool) else None
