"""Damages files that the formats' own software wrote, has it read them, and holds what it does against what `check --for READER` says.

Run by interop.py in the environment that it makes. Every read is of a process of its own kind that may die: a crash is a failure like any other.
A line is printed for each reader; one that starts with FAULT is a verdict that the reader contradicts.
"""
import argparse
import collections
import io
import json
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import zlib

import numpy as np
import safetensors.numpy


def npy(r):
    kind = r.choice(["<f4", ">i4", "<u2", "|b1", "<f8", "|i1", "<c8", "<M8[D]", "<U5", "|S4"])
    shape = [(r.randrange(1, 40),), (r.randrange(1, 9), r.randrange(1, 9)), ()][r.randrange(3)]
    raw = r.randbytes(4 * 64 * max(1, int(np.prod(shape))))
    if kind[1] in "US":
        return np.array(["".join(r.choices("abcxyz", k=r.randrange(5))) for _ in range(int(np.prod(shape)))], kind).reshape(shape)
    if kind[1] == "b":
        return np.frombuffer(raw, "u1", int(np.prod(shape))).reshape(shape) > 127
    return np.frombuffer(raw, kind, int(np.prod(shape))).reshape(shape)


def make_npy(r, path):
    a = npy(r)
    np.save(path, np.asfortranarray(a) if r.random() < 0.2 else a)


def make_npz(r, path):
    save = np.savez_compressed if r.random() < 0.5 else np.savez
    save(path, **{f"a{i}": npy(r) for i in range(r.randrange(1, 4))})


def make_safetensors(r, path):
    kinds = ["<f4", "<f2", "<i8", "<u1", "|b1", "<f8", "<i4"]
    some = {f"layer{i}.weight": np.zeros((r.randrange(1, 6), r.randrange(1, 9)), r.choice(kinds)) + 1 for i in range(r.randrange(1, 5))}
    safetensors.numpy.save_file({k: np.ascontiguousarray(v.astype(v.dtype)) for k, v in some.items()}, path, metadata={"format": "np"} if r.random() < 0.5 else None)


def make_tar(r, path):
    with tarfile.open(path, "w", format=r.choice([tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])) as t:
        for i in range(r.randrange(1, 6)):
            m = tarfile.TarInfo(f"{i:06d}.{r.choice(['txt', 'json', 'cls'])}" if r.random() < 0.8 else "long/" * 25 + f"{i}.bin")
            m.size, m.mtime = r.randrange(0, 1500), 1_700_000_000 + i
            t.addfile(m, io.BytesIO(r.randbytes(m.size)))


def read_numpy(path):
    with open(path, "rb") as f:
        a = np.load(f, allow_pickle=False)
        if isinstance(a, np.ndarray):
            return [[a.dtype.str, a.shape, zlib.crc32(a.tobytes())]]
        out = []
        opened()
        for name in sorted(a.files):
            x = a[name]
            out.append([name, x.dtype.str, x.shape, zlib.crc32(x.tobytes())] if isinstance(x, np.ndarray) else [name, zlib.crc32(x)])
        return out


def read_safetensors(path):
    out = safetensors.numpy.load_file(path)
    return sorted([k, v.dtype.str, v.shape, zlib.crc32(v.tobytes())] for k, v in out.items())


def read_tar(path):
    with tarfile.open(path, "r:") as t:
        opened()
        out = []
        for m in t:
            f = t.extractfile(m) if m.isfile() else None
            data = f.read() if f else b""
            if f and len(data) != m.size:
                raise EOFError("unexpected end of data")
            out.append([m.name, m.size, m.type.decode("latin-1"), zlib.crc32(data)])
        return out


# What is made and read: the name of the reader in check --for, the ending, the writer and the reader.
ALL = {"npy": ("numpy", make_npy, read_numpy), "npz": ("numpy", make_npz, read_numpy),
       "safetensors": ("safetensors", make_safetensors, read_safetensors), "tar": ("tarfile", make_tar, read_tar)}

STAGE = "open"


def opened():
    global STAGE
    STAGE = "read"


def done(path, read):
    """what a reader does with a file: refuses, fails or reads, and what it says or gives."""
    global STAGE
    STAGE = "open"
    try:
        return "read", json.loads(json.dumps(read(path)))
    except MemoryError as e:
        return "refuses" if STAGE == "open" else "fails", str(e)
    except Exception as e:
        return "refuses" if STAGE == "open" else "fails", f"{type(e).__name__}: {e}"


def damage(r, b):
    """a damaged copy, and what was done to it."""
    b, n = bytearray(b), len(b)
    head = r.randrange(min(n, 256)) if r.random() < 0.6 else r.randrange(n)  # most of what is read is at the front
    kind = r.choice(["byte", "bit", "number", "cut", "zeros", "added", "lost", "twice", "digit"])
    if kind == "byte":
        b[head] = r.randrange(256)
    elif kind == "bit":
        b[head] ^= 1 << r.randrange(8)
    elif kind == "number":
        b[head:head + 4] = r.choice([1, 0, 7, 255, 65535, 2**31]).to_bytes(4, "little")
    elif kind == "cut":
        del b[r.randrange(1, n):]
    elif kind == "zeros":
        b[head:head + 16] = bytes(len(b[head:head + 16]))
    elif kind == "added":
        b += r.randbytes(r.randrange(1, 64))
    elif kind == "lost":
        del b[head:head + r.randrange(1, 5)]
    elif kind == "twice":
        b[head:head] = b[head:head + 8]
    else:
        digits = [i for i, c in enumerate(b[:4096]) if 0x30 <= c <= 0x39]
        if digits:
            b[r.choice(digits)] = 0x30 + r.randrange(10)
    return bytes(b), f"{kind} at {head}"


# What of a verdict and of what a reader did goes together. A value that nothing checks is read as it is now: that is no error of the file.
FITS = {("refuses", "refuses"), ("fails", "fails"), ("opens", "read"), ("opens", "other"), ("reads other data", "other")}


def hold(spandrel, kind, each, seed, keep):
    name, make, read = ALL[kind]
    r, table, faults = random.Random(f"{seed} {kind}"), collections.Counter(), []
    with tempfile.TemporaryDirectory() as work:
        truth = {}
        for i in range(each):
            path = os.path.join(work, f"{i:05d}.{kind}")
            make(r, path)
            with open(path, "rb") as f:
                healthy = f.read()
            was = done(path, read)
            b, how = damage(r, healthy)
            with open(path, "wb") as f:
                f.write(b)
            does, gives = done(path, read)
            truth[path] = ("other" if does == "read" and gives != was[1] else does, gives if does != "read" else "", how)
        out = subprocess.run([spandrel, "check", "--deep", "--json", "--for", name, work], stdout=subprocess.PIPE, text=True)
        said = {}
        for line in out.stdout.splitlines():
            x = json.loads(line)
            if x.get("kind") == "reader":
                said[x["document"]] = x
        for path, (does, words, how) in truth.items():
            x = said.get(path)
            claim = x["does"] if x else "not known"
            if claim == "not known":
                table["silent"] += 1
            elif (claim, does) in FITS:
                table["agree"] += 1
            else:
                table["contradicted"] += 1
                faults.append(f"{how}: {name} {does} ({words[:80]}), and is said to do: {x['text'][:160]}")
                if keep:
                    os.makedirs(keep, exist_ok=True)
                    with open(path, "rb") as f, open(os.path.join(keep, f"{seed}-" + os.path.basename(path)), "wb") as g:
                        g.write(f.read())
    print(f"{name} reads {kind}: {each} damaged, {table['agree']} as said, {table['silent']} not known, {table['contradicted']} contradicted")
    for f in faults:
        print("  FAULT " + f)
    return len(faults)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--spandrel", required=True, help="the binary")
    p.add_argument("--each", type=int, default=100, help="damaged files of a kind")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--only", choices=sorted(ALL), help="one kind of file")
    p.add_argument("--keep", help="a folder for the files whose reader contradicts")
    o = p.parse_args()
    return sum(hold(os.path.abspath(o.spandrel), k, o.each, o.seed, o.keep) for k in ALL if o.only in (None, k)) > 0


if __name__ == "__main__":
    sys.exit(main())
