"""Makes files of a format with its own software: make.py FORMAT FOLDER SEED FROM TO. A JSON object a line says what was made.

A maker is a module zoo_<format> with make(random, folder, number), which writes a document whose name begins with the number and returns its path, in a
few words what it is, and {table: rows} as the format's own reader gives them; a value that is None is not compared. File number n of a seed is
the same whatever else is made.
"""
import importlib
import json
import os
import random
import sys
import warnings

warnings.simplefilter("ignore")
sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "interop"))


def main():
    fmt, folder, seed, first, last = sys.argv[1:]
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="surrogatepass")
    os.dup2(2, 1)  # libraries may print lines of their own
    maker = importlib.import_module("zoo_" + fmt)
    for i in range(int(first), int(last)):
        line = {"number": i}
        try:
            path, what, tables = maker.make(random.Random(f"{seed}/{fmt}/{i}"), folder, i)
            line |= {"path": path, "what": what, "tables": {k: v for k, v in tables.items() if v is not None}}
        except Exception as e:  # noqa: BLE001 - the software does not want it so: there is no such file
            line["refused"] = f"{type(e).__name__}: {e}"[:200]
        print(json.dumps(line), file=out, flush=True)


if __name__ == "__main__":
    main()
