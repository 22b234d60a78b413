"""Shards by Python's tarfile, as the format's writer makes them, and an index by its rules; the interop reader reads them back."""
import io
import os
import struct
import tarfile

import xxhash

import read_taridx
from zoolib import name

EXTENSIONS = ["jpg", "cls", "json", "txt", "npy", "seg.png", "mask.npz", "ü"]


def make(rnd, folder, i):
    home, fold = os.path.join(folder, f"{i:05d}"), rnd.choice(["train", "val", "x"])
    os.makedirs(home)
    shards = rnd.randint(1, 4)
    stems = list(dict.fromkeys(name(rnd, 12).split(".")[0].strip() or "s" for _ in range(rnd.randint(0, 12))))
    extensions = rnd.sample(EXTENSIONS, rnd.randint(1, 4))
    tars = [tarfile.open(os.path.join(home, f"{fold}_{k:04d}.tar"), "w", format=tarfile.USTAR_FORMAT, encoding="utf-8") for k in range(shards)]
    rows, ids, odd = [], {}, rnd.random() < 0.2
    for k, stem in enumerate(stems):
        shard = min(shards - 1, k * shards // max(1, len(stems)))
        for ext in extensions if rnd.random() < 0.8 else extensions[:1]:
            data = rnd.choice([b"", rnd.randbytes(rnd.randint(1, 1500)), b"\0" * 1024, b"5"])
            info = tarfile.TarInfo(("d/" if odd else "") + f"{stem}.{ext}")
            info.size, info.mtime = len(data), rnd.choice([0, 1_700_000_000])
            offset = tars[shard].offset
            tars[shard].addfile(info, io.BytesIO(data))
            rows.append((shard, offset, len(data), ids.setdefault(ext, len(ids)), xxhash.xxh64(stem.encode()).intdigest()))
    for t in tars:
        t.close()
    ext = "\n".join(ids).encode()
    at = 64 + len(ext)
    head = struct.pack("<8sHHHHQQIIQQB7x", b"TARIDX", 1, 0, 32, 64, len({r[4] for r in rows}), len(rows), len(ids), 0, at, at, 1)
    path = os.path.join(home, fold + ".taridx")
    with open(path, "wb") as f:
        f.write(head + ext + b"".join(struct.pack("<HQQHIQ", s, o, n, e, 0, h) for s, o, n, e, h in rows))
    read = read_taridx.fold(path)
    if bad := [r for r in read["rows"] if not r["fits"]]:
        raise ValueError(f"the reader does not find {bad[0]}")
    table = [{"fid": r["fid"], "offset": r["offset"], "size": r["size"], "extension": r["ext"], "member": r["member"], "keyhash": r["key"]} for r in read["rows"]]
    return path, f"{shards} shards, {len(rows)} rows", {"rows": table}
