"""Damages files that the formats' own software wrote, has it read them, and holds what it does against what `check --for READER` says.

Run by interop.py in the environment that it makes. A crash, or no answer in time, is a failure like any other.
A line is printed for each kind of file; one that starts with FAULT is a verdict that the reader contradicts.
"""
import argparse
import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import edit_idv
import edit_samediff
import environment
import interop
import read_damaged


class Program:
    """Software that is no Python: it reads samples, and saves them again. An error inside of what it gives is of a part that it cannot read."""

    def __init__(self, fmt, kind, spandrel):
        self.program = interop.Reader(fmt.reader(), 30)
        samples = [s for s in fmt.samples(os.environ.get("SPANDREL_CORPUS")) if s.endswith("." + kind)]
        said, _ = said_of(spandrel, NAMES[kind], samples)
        self.samples = [s for s in samples if said[s]["does"] in ("opens", "not known") and self.read(s)[0] == "read"]

    def make(self, r, path):
        """a copy of a sample, or what the software makes of it when it saves it."""
        sample = r.choice(self.samples)
        if r.random() < 0.5 or interop.refusal(self.program.read(sample, path)):
            shutil.copyfile(sample, path)

    def read(self, path):
        answer = self.program.ask(path)
        if why := interop.refusal(answer):
            return "fails" if "read" in answer or answer == interop.CRASH or why.startswith("no answer") else "refuses", why
        return "read", answer["read"]


class Reader:
    """The software of a kind of file."""

    def __init__(self, kind):
        _, self.make, _ = read_damaged.ALL[kind]
        self.process = subprocess.Popen([sys.executable, "-B", read_damaged.__file__, kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, bufsize=1)

    def read(self, path):
        """what it does with a file: refuses, fails or reads, and what it says or gives."""
        self.process.stdin.write(path + "\n")
        answer = {}
        while "ended" not in answer:
            answer |= json.loads(self.process.stdout.readline())
        if "gives" in answer:
            return "read", answer["gives"]
        return "fails" if "stage" in answer else "refuses", answer.get("says", f"the process ended: {answer['ended']}")


def damage(r, b):
    """damaged bytes, and what was done to them."""
    b, n = bytearray(b), len(b)
    head = r.randrange(min(n, 256)) if r.random() < 0.6 else r.randrange(n)  # most of what is read is at the front
    kind = r.choice(["byte", "bit", "number", "cut", "zeros", "added", "lost", "twice", "digit", "sector", "swapped"])
    if kind == "byte":
        b[head] = r.randrange(256)
    elif kind == "bit":
        b[head] ^= 1 << r.randrange(8)
    elif kind == "number":
        b[head:head + 4] = r.choice([1, 0, 7, 255, 65535, 2**31]).to_bytes(4, "little")
    elif kind == "cut":
        del b[r.randrange(n):]
    elif kind == "zeros":
        b[head:head + 16] = bytes(len(b[head:head + 16]))
    elif kind == "added":
        b += r.randbytes(r.randrange(1, 64))
    elif kind == "lost":
        del b[head:head + r.randrange(1, 5)]
    elif kind == "twice":
        b[head:head] = b[head:head + 8]
    elif kind == "sector":
        head = head // 512 * 512
        b[head:head + 512] = bytes(len(b[head:head + 512]))
    elif kind == "swapped":
        b[head:head + 16] = b[head + 8:head + 16] + b[head:head + 8]
    else:
        digits = [i for i, c in enumerate(b[:4096]) if 0x30 <= c <= 0x39]
        if digits:
            b[r.choice(digits)] = 0x30 + r.randrange(10)
    return bytes(b), f"{kind} at {head}"


def load(path):
    with open(path, "rb") as f:
        return f.read()


def store(path, b):
    with open(path, "wb") as f:
        f.write(b)


def damage_folder(r, path):
    """damages a file of a folder, or its files as a whole, and says what was done."""
    files = sorted(os.path.relpath(os.path.join(d, f), path) for d, _, fs in os.walk(path) for f in fs)
    file = r.choice(files)
    at, kind = os.path.join(path, file), r.choice(["bytes"] * 7 + ["missing", "foreign", "renamed", "stranger", "no folder"])
    if kind == "bytes" and os.path.getsize(at):
        b, kind = damage(r, load(at))
        store(at, b)
    elif kind == "missing":
        os.remove(at)
    elif kind == "foreign":
        kind = (kind + " " + (other := r.choice(files)))
        shutil.copyfile(os.path.join(path, other), at + ".new")
        os.replace(at + ".new", at)
    elif kind == "renamed":
        os.rename(at, at + r.choice(["~", " (1)", ".bak"]))
    elif kind == "no folder" and "/" in file:
        shutil.rmtree(os.path.join(path, file.split("/")[0]))
    else:
        kind = "stranger"
        store(os.path.join(os.path.dirname(at), r.choice([".DS_Store", "notes.txt", "a0 (1).tdb", "__copy", "desktop.ini"])), b"text\n")
    return f"{kind} in {file}"


def damage_at(r, path):
    if os.path.isdir(path):
        return damage_folder(r, path)
    b, how = damage(r, load(path))
    store(path, b)
    return how


# What of a verdict and of what a reader did goes together. A value that nothing checks is read as it is now: that is no error of the file.
FITS = {("refuses", "refuses"), ("fails", "fails"), ("opens", "read"), ("opens", "other"), ("reads other data", "other")}


def fits(claim, does, errors):
    """whether a reader did what is said of it. What it reads of a file with an error is other data where it was."""
    return (claim, does) in FITS and not (claim == "opens" and does == "other" and errors)


def spoken(pattern, words):
    """whether a message is the one that was told: an … stands for what differs."""
    return re.search(".*".join(re.escape(part) for part in pattern.split("…")), words, re.IGNORECASE | re.DOTALL)


def said_of(spandrel, name, paths):
    """what check says of each document: what the reader does, and how many errors there are."""
    out = subprocess.run([spandrel, "check", "--deep", "--json", "--for", name, *paths], stdout=subprocess.PIPE, text=True)
    said, errors = {}, collections.Counter()
    for line in out.stdout.splitlines():
        x = json.loads(line)
        if x.get("kind") == "error":
            raise RuntimeError(x["message"])
        if x.get("kind") == "reader":
            said[x["document"]] = x
        errors[x.get("document")] += x.get("severity") == "error"
    return said, errors


PROGRAMS = {"idv": edit_idv, "fb": edit_samediff}
SLOW = {"scdl", "taridx", *PROGRAMS}
NAMES = {kind: name for kind, (name, _, _) in read_damaged.ALL.items()} | {"idv": "mlnet", "fb": "nd4j"}


def hold(spandrel, kind, each, seed, keep, verbose):
    name = NAMES[kind]
    try:
        reader = Program(PROGRAMS[kind], kind, spandrel) if kind in PROGRAMS else Reader(kind)
    except environment.Skip as why:
        print(f"{name} reads {kind}: skipped: {why}")
        return 0
    r, table, faults = random.Random(f"{seed} {kind}"), collections.Counter(), []
    with tempfile.TemporaryDirectory() as work:
        truth = {}
        for i in range(each):
            path = os.path.join(work, f"{i:05d}.{kind}")
            reader.make(r, path)
            was = reader.read(path)
            how = damage_at(r, path)
            does, gives = reader.read(path)
            truth[path] = ("other" if does == "read" and gives != was[1] else does, gives if does != "read" else "", how)
        said, errors = said_of(spandrel, name, truth)
        for path, (does, words, how) in truth.items():
            x = said.get(path)
            claim = x["does"] if x else "not known"
            if claim == "not known":
                table["silent"] += 1
                if verbose:
                    print(f"not known: {os.path.basename(path)} {how}: {name} {does} ({words[:80]}) {' '.join(x['rules'] if x else ['no word'])}")
            elif fits(claim, does, errors[path]):
                table["agree"] += 1
                if verbose and not spoken(x["says"], words):
                    print(f"other words: {os.path.basename(path)} {how}: {x['says']!r}, and says {words[:80]} {' '.join(x['rules'])}")
            else:
                table["contradicted"] += 1
                table["untrue"] += claim == "opens" and does == "other"
                faults.append(f"{os.path.basename(path)} {how}: {name} {does} ({words[:80]}), and is said to do: {x['text'][:160]} {' '.join(x['rules'])}")
                if keep:
                    to = os.path.join(keep, f"{seed}-" + os.path.basename(path))
                    os.makedirs(keep, exist_ok=True)
                    (shutil.copytree if os.path.isdir(path) else shutil.copyfile)(path, to)
    print(f"{name} reads {kind}: {each} damaged, {table['agree']} as said, {table['silent']} not known, {table['contradicted']} contradicted, "
          f"{table['untrue']} of them said to read what was written")
    for f in faults:
        print("  FAULT " + f)
    return len(faults)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--spandrel", required=True, help="the binary")
    p.add_argument("--each", type=int, default=100, help="damaged files of a kind")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--only", choices=sorted(NAMES), help="one kind of file")
    p.add_argument("--keep", help="a folder for the files whose reader contradicts")
    p.add_argument("--quick", action="store_true", help="only kinds that take no time")
    p.add_argument("--verbose", action="store_true", help="also what is not known")
    o = p.parse_args()
    kinds = [k for k in NAMES if o.only in (None, k) and not (o.quick and k in SLOW)]
    return sum(hold(os.path.abspath(o.spandrel), k, o.each, o.seed, o.keep, o.verbose) for k in kinds) > 0


if __name__ == "__main__":
    sys.exit(main())
