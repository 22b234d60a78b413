"""ND4J writes random graphs, trained ones among them, and reads them back."""
import os

import environment
from interop import Reader

READER, MAKER = Reader(environment.samediff()), Reader(environment.samediff(os.path.join(os.path.dirname(os.path.abspath(__file__)), "MakeGraphs.java")))


def make(rnd, folder, i):
    path = os.path.join(folder, f"{i:05d}.fb")
    answer = MAKER.ask(path, str(rnd.getrandbits(60)))
    if "error" in answer:
        raise ValueError(answer["error"])
    read = READER.read(path)
    if "error" in read:
        raise ValueError("not read back: " + read["error"])
    return path, answer["read"], tables(read["read"])


def tables(read):
    """the variables, and the arrays of the first of them. Not those of BFLOAT16, of which ND4J swaps the bytes when it writes and not when it reads; nor
    a number that JSON has none for."""
    out = {"variables": [{"name": n} for n in read["variables"]]}
    for n, v in read["variables"].items():
        a = v["array"]
        if a and a["type"] not in ("UTF8", "BFLOAT16") and len(out) < 6:
            out[n] = [{"value": x if not isinstance(x, str) else None} for x in a["values"]]
    return out
