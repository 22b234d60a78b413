"""NumPy writes arrays and archives of all its dtypes, versions and orders, and reads them back."""
import math
import os

import numpy as np

from zoolib import cell, name

NAME = "npy"
SIMPLE = ["?", "i1", "u1", "<i2", ">i2", "<u2", ">u2", "<i4", ">i4", "<u4", ">u4", "<i8", ">i8", "<u8", ">u8", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8",
          "<c8", ">c8", "<c16", ">c16", "S1", "S7", "<U1", "<U5", ">U5", "<M8[s]", ">M8[ns]", "<M8[D]", "<m8[us]", ">m8[h]", "V3", "<g", "<G", "<M8[25s]", "<m8"]
STRANGE = "aZ09 _-äßñЖ語한🙂\u200f\x01\\'\"\n"


def dtype(rnd, depth=0):
    if depth < 2 and rnd.random() < (0.25, 0.15)[depth]:
        fields, names = [], set()
        for _ in range(rnd.randint(1, 4)):
            if (n := name(rnd, 6)) not in names:
                names.add(n)
                shape = rnd.choice([(), (), (), (2,), (2, 3)])
                fields.append((n, dtype(rnd, depth + 1), *([shape] if shape else [])))
        return np.dtype(fields, align=rnd.random() < 0.3)
    return np.dtype(rnd.choice(SIMPLE))


def fill(rnd, d, n):
    """n random elements of a dtype, with the edges of its range."""
    if d.subdtype:
        base, shape = d.subdtype
        return fill(rnd, base, n * math.prod(shape)).reshape(n, *shape)
    out = np.zeros(n, d)
    if d.names:
        for f in d.names:
            out[f] = fill(rnd, d[f], n)
    elif d.kind == "U":
        out[:] = ["".join(rnd.choice(STRANGE) for _ in range(rnd.randint(0, d.itemsize // 4))) for _ in range(n)]
    elif d.kind == "S":
        out[:] = [bytes(rnd.choice((0, 10, 65, 0x80, 0xff)) for _ in range(rnd.randint(0, d.itemsize))) for _ in range(n)]
    elif d.kind == "b":
        out[:] = [rnd.random() < 0.5 for _ in range(n)]
    elif d.kind in "fc":
        real = lambda: rnd.choice([rnd.gauss(0, 1), rnd.gauss(0, 1e4), 0.0, -0.0, 1.0, *([float("nan"), float("inf"), -float("inf")] if rnd.random() < 0.1 else [])])  # noqa: E731
        out[:] = [real() if d.kind == "f" else complex(real(), real()) for _ in range(n)]
    else:
        raw = out.view(np.uint8).reshape(n, -1) if n else out
        for i in range(n):
            raw[i] = list(rnd.choice([bytes(d.itemsize), b"\xff" * d.itemsize, rnd.randbytes(d.itemsize), bytes([7]) + bytes(d.itemsize - 1)]))
    return out


def array(rnd):
    if rnd.random() < 0.05:
        return np.array([None, "text", {"a": 1}, [1.5]][:rnd.randint(0, 4)], dtype=object)
    d = dtype(rnd)
    shape = rnd.choice([(), (0,), (1,), (rnd.randint(1, 40),), (rnd.randint(1, 6), rnd.randint(1, 6)), (3, 0, 2), (2, 1, rnd.randint(1, 5)), (1,) * 7])
    a = fill(rnd, d, math.prod(shape)).reshape(shape)
    return np.asfortranarray(a) if rnd.random() < 0.3 and a.ndim else a




def write(path, a, version):
    with open(path, "wb") as f:
        try:
            np.lib.format.write_array(f, a, version, allow_pickle=True)
        except (ValueError, UnicodeEncodeError):  # a version that has no room for such names
            f.seek(0)
            f.truncate()
            np.lib.format.write_array(f, a, (3, 0), allow_pickle=True)


def single(rnd, path):
    a = array(rnd)
    version = rnd.choice([None, (1, 0), (2, 0), (3, 0)])
    write(path, a, version)
    b = np.load(path, allow_pickle=True)
    what = f"{a.dtype.str if not a.dtype.names else 'structured'} {a.shape} version {version}"
    return what, {"values": table(b)}


def table(b):
    """the elements in the order of the file, structures taken apart; nothing of Python objects, nor of bytes that are none, of which there is no table."""
    if b.dtype.hasobject or not b.dtype.itemsize:
        return None
    flat = b.ravel(order="F" if b.flags.f_contiguous and not b.flags.c_contiguous else "C")
    return [list(parts(v, b.dtype)) for v in flat]


def parts(v, d):
    """the numbers and texts of an element."""
    if d.subdtype:
        for x in np.asarray(v).ravel():
            yield from parts(x, d.subdtype[0])
    elif d.names:
        at = 0
        for n in d.names:
            field, offset = d.fields[n][:2]
            if offset > at:  # what aligns it is a field in the file
                yield None
            yield from parts(v[n], field)
            at = offset + field.itemsize
        if d.itemsize > at:
            yield None
    elif d.kind == "c":
        yield from (cell(v.real), cell(v.imag))
    elif d.kind in "Mm":
        yield int(v.astype("i8"))
    elif d.kind == "V":
        yield bytes(v).hex()
    elif d.kind == "S":
        yield v.decode() if v.isascii() else None
    elif d.itemsize > 8 and d.kind == "f":
        yield cell(float(v))
    else:
        yield cell(v)


def sparse(rnd):
    """zeros that deflate more than 1000:1, and shorter ones that do not quite."""
    a = np.zeros(rnd.choice([3000, 70_000, 300_000, 2_000_000]), rnd.choice(["f4", "i8", "u1", "?"]))
    if rnd.random() < 0.3 and a.size:
        a[rnd.randrange(a.size)] = 1
    return a


def archive(rnd, path):
    members = {}
    for _ in range(rnd.randint(0, 4)):
        members[name(rnd, 12, slashes=True)] = sparse(rnd) if rnd.random() < 0.25 else array(rnd)
    members.pop("file", None)  # the name of the parameter
    (np.savez_compressed if (packed := rnd.random() < 0.5) else np.savez)(path, **members)
    with np.load(path, allow_pickle=True) as z:
        rows = [{"name": n + ".npy"} for n in z.files]
    return f"npz of {len(members)} {'deflated' if packed else 'stored'}", {"arrays": rows}


def make(rnd, folder, i):
    zipped = rnd.random() < 0.4
    path = os.path.join(folder, f"{i:05d}.np" + "yz"[zipped])
    return path, *(archive if zipped else single)(rnd, path)
