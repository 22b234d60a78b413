"""Asks Spandrel about files that the formats' own software made: nothing may be wrong with any of them. See README.md."""
import argparse
import collections
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(HERE), "interop"))
import environment  # noqa: E402

# A format, what must be had to make its files, and whether the quick share makes some.
FORMATS = {"npy": (environment.venv, True), "safetensors": (environment.venv, True), "gguf": (environment.venv, True), "tar": (environment.venv, True), "taridx": (environment.venv, True),
           "scdl": (environment.venv, True), "tiledb": (environment.venv, True), "idv": (environment.idv, False), "samediff": (environment.samediff, False)}
ENV = os.environ | {"SPANDREL_TILEDB_KEY": b"0123456789abcdef0123456789abcdeF".hex(), "XDG_STATE_HOME": os.path.join(tempfile.gettempdir(), "zoo-state")}


class Zoo:
    """One format: its files, and what is said of them."""

    def __init__(self, fmt, options, folder):
        self.fmt, self.options, self.folder = fmt, options, folder
        self.count, self.faults = collections.Counter(), []

    def spandrel(self, *args, timeout=120):
        self.count["asked"] += 1
        return subprocess.run([self.options.spandrel, *args], capture_output=True, env=ENV, timeout=timeout)

    def fault(self, made, kind, what):
        line = f"{self.fmt} {kind}: {what}"
        for pattern in EXPECTED:
            if fnmatch.fnmatchcase(line, pattern):
                self.count["listed"] += 1
                USED.add(pattern)
                return
        self.faults.append((kind, what, made))

    def make(self, count):
        if not shutil.which("bsdtar") and self.fmt == "tar":
            print("tar: without bsdtar (Debian's libarchive-tools)")
        lines, last = [], self.options.first + count
        while (at := lines[-1]["number"] + 1 if lines else self.options.first) < last:
            done = subprocess.run([environment.venv(), os.path.join(HERE, "make.py"), self.fmt, self.folder, self.options.seed, str(at), str(last)],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            more = [json.loads(line) for line in done.stdout.decode().splitlines()]
            if not more and done.returncode >= 0:
                raise environment.Skip(f"the maker failed: {done.stderr.decode(errors='replace')[-300:]}")
            lines += more
            if done.returncode:  # the software itself ended, at the next file
                lines.append({"number": at + len(more), "refused": f"the software ends with status {done.returncode}"})
        for line in lines:
            if "refused" in line:
                self.count["not made"] += 1
                if self.options.verbose:
                    print(self.fmt, line["number"], line["refused"], file=sys.stderr)
        return [line for line in lines if "path" in line]

    def run(self, made):
        before = {m["path"]: sums(m) for m in made}
        self.count["files"] = len(made)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(self.each, made))
        for m in made:
            if sums(m) != before[m["path"]]:
                self.fault(m, "fix", "changed " + ", ".join(sorted(k for k, v in set(sums(m).items()) ^ set(before[m["path"]].items()))))

    def each(self, made):
        try:
            self.check(made)
            self.values(made)
            self.salvage(made)
            self.fix(made)
        except Exception as e:  # noqa: BLE001 - a hang, or an answer that is no JSON
            self.fault(made, "driver", f"{type(e).__name__}: {e}"[:200])

    def check(self, made):
        done = self.spandrel("check", "--deep", "--all", "--json", made["path"])
        said = [json.loads(line) for line in done.stdout.decode().splitlines()]
        for c in said:
            if "grade" in c:
                self.fault(made, "cause", f"{c['grade']}: {c['text']}")
        for f in said:
            if f.get("severity") in ("error", "warning"):
                self.fault(made, f["severity"], f"{f['rule']} {f['path']}: {f['message']} found {f.get('found')} expected {f.get('expected')}"[:300])
        if done.returncode or done.stderr:
            self.fault(made, "check", f"exit status {done.returncode} {done.stderr.decode()[:200]}")

    def table(self, path, name):
        done = self.spandrel("table", "--to", "jsonl", "--", path, name)  # names may begin as options do
        if done.returncode:
            return None, done.stderr.decode().strip()
        return [json.loads(line) for line in done.stdout.decode().splitlines()], ""

    def values(self, made):
        listed = self.spandrel("table", "--json", made["path"])
        names = [json.loads(line)["name"] for line in listed.stdout.decode().splitlines()] if not listed.returncode else []
        for name, want in made["tables"].items():
            if name not in names:
                self.count["tables not shown"] += 1  # of values that are shown as bytes only
                continue
            rows, why = self.table(made["path"], name)
            if rows is None:
                self.fault(made, "table", f"{name}: {why}")
                continue
            if self.fmt == "tar":
                want, rows = members(want, rows)
            if rows and "i0" in rows[0]:  # one by one in the order of the file, which may be that of Fortran
                rows.sort(key=lambda r: [v for k, v in r.items() if k != "value"])
            if name == "tensors":  # in the order of their bytes
                want, rows = (sorted(x, key=lambda r: r["name"]) for x in (want, rows))
            if self.fmt == "tiledb" and name == "cells":
                want, rows = alike(want, rows)
            self.count["values"] += sum(len(r) for r in want)
            if (told := difference(want, rows)):
                self.fault(made, "values", f"{name}: {told}")

    def salvage(self, made):
        out = made["path"] + ".saved" + os.path.splitext(made["path"])[1]
        done = self.spandrel("salvage", "--quiet", made["path"], "-o", out)
        try:
            if done.returncode or not os.path.exists(out):
                self.fault(made, "salvage", f"exit status {done.returncode}: {(done.stderr or done.stdout).decode().strip()[:200]}")
                return
            for name in made["tables"]:
                (a, _), (b, why) = self.table(made["path"], name), self.table(out, name)
                if a is not None and a != b and not self.reordered(name, a, b):
                    self.fault(made, "salvage", f"{name}: {difference(a, b) if b is not None else why}")
            if self.fmt == "tiledb" and "cells" in made["tables"] and "encrypted" not in made["what"]:
                self.reread(made, out)
        finally:
            shutil.rmtree(out, ignore_errors=True) if os.path.isdir(out) else os.path.exists(out) and os.remove(out)

    def reread(self, made, out):
        """what TileDB itself reads of what was salvaged."""
        done = subprocess.run([environment.venv(), os.path.join(HERE, "zoo_tiledb.py"), out], capture_output=True, timeout=300,
                              env=os.environ | {"PYTHONPATH": os.path.join(os.path.dirname(HERE), "interop")})
        if done.returncode:
            self.fault(made, "salvage", f"TileDB does not read it: {done.stderr.decode().strip()[-200:]}")
        elif (told := difference(*alike(made["tables"]["cells"], json.loads(done.stdout)["cells"]))):
            self.fault(made, "salvage", f"TileDB reads other cells: {told}")

    def reordered(self, name, a, b):
        """cells of a sparse array have no order, and the copy has one fragment; the copy of an index is called otherwise than its shards."""
        return b is not None and self.fmt in ("tiledb", "taridx") and name in ("cells", "rows") and keyed(a) == keyed(b)

    def fix(self, made):
        done = self.spandrel("fix", "--quiet", "--no-backup", made["path"])
        if done.returncode:
            self.fault(made, "fix", f"exit status {done.returncode}: {done.stderr.decode().strip()[:200]}")


def keyed(rows):
    return sorted(json.dumps({k: v for k, v in r.items() if k not in ("fragment", "stem", "shard", "member")}) for r in rows)


def members(want, rows):
    """what tarfile lists, and the rows of a table that are no helper headers."""
    bare = lambda n: n and n.rstrip("/").removeprefix("./")  # noqa: E731
    rows = [r | {"name": bare(r["name"])} for r in rows if r["type"] not in ("x", "g", "L", "K")]
    return [m | {"name": bare(m["name"])} for m in want], rows


def alike(want, rows):
    """cells of a sparse array in one order: of those that are compared at all."""
    names = [n for n in (want[0] if want else {}) if all(r[n] is not None for r in want)]
    key = lambda r: [str(v if v is None else float(v) + 0.0) for v in map(r.get, names)]  # noqa: E731 - 1 and 1.0 are one number
    return sorted(({n: r[n] for n in names} for r in want), key=key), sorted(({n: r.get(n) for n in names} for r in rows), key=key)


def difference(want, rows):
    """where a table differs first from what the reader gives."""
    if len(want) != len(rows):
        return f"{len(want)} rows wanted, {len(rows)} shown"
    for i, (w, r) in enumerate(zip(want, rows)):
        cells = w.items() if isinstance(w, dict) else zip(list(r)[-len(w):], w)
        for name, v in cells:
            if v is not None and not equal(v, r.get(name)):
                return f"row {i} {name}: wanted {v!r}, shown {r.get(name)!r}"
    return ""


def equal(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(x is None or equal(x, y) for x, y in zip(a, b))
    if isinstance(b, str) and isinstance(a, (int, float)):
        try:
            b = type(a)(b)  # numbers that JSON has no room for
        except ValueError:
            return False
        return a == b or a != a and b != b
    if isinstance(a, float) and isinstance(b, (int, float)):
        return a == b or struct.pack("<f", a) == struct.pack("<f", b) if abs(a) < 3e38 else a == b
    return a == b


def sums(made):
    """a hash of every file that a document has."""
    top, out = made["path"], {}
    if os.path.isfile(top) and top.endswith(".taridx"):
        top = os.path.dirname(top)
    files = [top] if os.path.isfile(top) else [os.path.join(d, f) for d, _, names in os.walk(top) for f in names]
    for path in files:
        with open(path, "rb") as f:
            out[os.path.relpath(path, os.path.dirname(top))] = hashlib.file_digest(f, "sha256").hexdigest()
    return out


def kind(text):
    """a fault without what differs from file to file."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"|“[^”]*”", "…", text)
    return re.sub(r"\S*/\S*|\b[0-9a-f]{8,}\b|\d[\d,.]*|\[[^\]]*\]", "#", text)[:110]


def load_expected():
    """expected.txt: a pattern of a fault's line, a tab, and why it is right."""
    out = {}
    with open(os.path.join(HERE, "expected.txt"), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                pattern, why = line.rstrip("\n").split("\t")
                out[pattern] = why
    return out


def report(zoos, options):
    print(f"{'format':12} {'files':>6} {'not made':>8} {'values':>8} {'no table':>8} {'asked':>6} {'listed':>6} {'faults':>6}")
    for z in zoos:
        c = z.count
        print(f"{z.fmt:12} {c['files']:6} {c['not made']:8} {c['values']:8} {c['tables not shown']:8} {c['asked']:6} {c['listed']:6} {len({m['number'] for _, _, m in z.faults}):6}")
    for z in zoos:
        groups = collections.defaultdict(list)
        for f in z.faults:
            groups[f[0], kind(f[1])].append(f)
        for (what, _), alike in sorted(groups.items(), key=lambda g: -len(g[1])):
            _, text, made = alike[0]
            numbers = list(dict.fromkeys(m["number"] for _, _, m in alike))
            print(f"FAULT {z.fmt} {what}, {len(numbers)} files: {text}\n      {made['what']}; again: make zoo ZOO=1,{options.seed},{made['number']} ONLY={z.fmt} KEEP=/tmp/zoo"
                  f" (also {', '.join(map(str, numbers[1:6]))})")


EXPECTED, USED = {}, set()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--spandrel", required=True, help="the binary")
    p.add_argument("--zoo", default="20,1", help="files a format, seed, and the number of the first")
    p.add_argument("--only", default="", help="formats, with commas")
    p.add_argument("--quick", action="store_true", help="the formats that need wheels alone")
    p.add_argument("--keep", help="a folder for the files, which stay there")
    p.add_argument("--verbose", action="store_true", help="also what the software refused to make")
    options = p.parse_args()
    count, options.seed, options.first = (options.zoo.split(",") + ["1", "0"])[:3] if "," in options.zoo else (options.zoo, "1", "0")
    options.first = int(options.first)
    EXPECTED.update(load_expected())
    zoos, began = [], time.time()
    for fmt, (need, quick) in FORMATS.items():
        if options.only and fmt not in options.only.split(",") or options.quick and not quick:
            continue
        folder = os.path.join(options.keep or tempfile.mkdtemp(prefix="zoo-"), fmt)
        os.makedirs(folder, exist_ok=True)
        zoo = Zoo(fmt, options, folder)
        try:
            need()
            zoo.run(zoo.make(int(count)))
        except environment.Skip as why:
            print(f"{fmt} skipped: {why}")
            continue
        finally:
            if not options.keep:
                shutil.rmtree(os.path.dirname(folder))
        zoos.append(zoo)
    report(zoos, options)
    print(f"{time.time() - began:.0f} s")
    return any(z.faults for z in zoos)


if __name__ == "__main__":
    sys.exit(main())
