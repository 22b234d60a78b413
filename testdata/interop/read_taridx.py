"""Reads TARIDX indexes and their shards with Python's struct, tarfile and xxhash: a folder a line in, a JSON object a line out.

No release of the format's own package is on PyPI. What this reader refuses is what that package refuses when it loads an index; beyond that
it holds every row against the member that tarfile finds at its offset.
"""
import hashlib
import json
import os
import struct
import sys
import tarfile

import xxhash


def members(path):
    """the members of a shard by the offset of the header that holds their data, with a hash of the payload."""
    out = {}
    if not os.path.getsize(path):
        return out
    with tarfile.open(path, "r:") as tar:
        for m in tar:
            payload = tar.extractfile(m).read() if m.isreg() else b""
            out[m.offset_data - 512] = (m, hashlib.sha256(payload).hexdigest()[:16])
    return out


def stem(name):
    name = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    base, _, ext = name.rsplit("/", 1)[-1].partition(".")
    return base, ext.lower()


def fold(path):
    """an index and, of each row, the member that it stands for."""
    with open(path, "rb") as f:
        raw = f.read()
    magic, major, minor, rec, hdr, stems, n, n_ext, n_crash, off_crash, off_arr, flags = struct.unpack_from("<8sHHHHQQIIQQB", raw)
    if magic.rstrip(b"\0") != b"TARIDX":
        raise ValueError("not an index")
    ext = raw[64:off_crash].decode().split() if off_crash >= 64 else None
    if ext is None or off_arr < off_crash:
        raise ValueError("negative length")
    crash = raw[off_crash:off_arr].decode().split()
    if len(ext) != n_ext or len(set(ext)) != len(ext):
        raise ValueError(f"{n_ext} extensions wanted, {len(ext)} there")
    if (len(raw) - off_arr) % 32 or (len(raw) - off_arr) // 32 != n:
        raise ValueError(f"{n} rows wanted, {(len(raw) - off_arr) / 32} there")
    base = os.path.basename(path)[:-len(".taridx")]
    shards = sorted(s for s in os.listdir(os.path.dirname(path)) if s.endswith(".tar") and s.rsplit("_", 1)[0] == base)
    tars = [members(os.path.join(os.path.dirname(path), s)) for s in shards]
    rows = []
    for i in range(n):
        fid, offset, size, extid, crashid, key = struct.unpack_from("<HQQHIQ", raw, off_arr + 32 * i)
        row = {"fid": fid, "offset": offset, "size": size, "ext": ext[extid] if extid < len(ext) else extid, "crash": crashid, "key": key}
        m, payload = tars[fid].get(offset, (None, None)) if fid < len(tars) else (None, None)
        row["member"], row["payload"] = (m.name, payload) if m else (None, None)
        row["fits"] = False
        if m:
            base_name, e = stem(m.name)
            row["fits"] = size == m.size and key == xxhash.xxh64(base_name.encode()).intdigest() and row["ext"] == e
        rows.append(row)
    return {"version": [major, minor], "rec": rec, "hdr": hdr, "stems": stems, "flags": flags, "extensions": ext, "collisions": crash, "crashes": n_crash,
            "shards": shards, "rows": rows}


def main():
    print(json.dumps({"software": f"Python {sys.version.split()[0]} tarfile, xxhash {xxhash.VERSION}"}), flush=True)
    for line in sys.stdin:
        path = line.rstrip("\n")
        try:
            indexes = sorted(f for f in os.listdir(path) if f.endswith(".taridx"))
            folds = {f.rsplit("_", 1)[0] for f in os.listdir(path) if f.endswith(".tar")}
            if folds != {f[:-len(".taridx")] for f in indexes}:
                raise ValueError("the folds of the shards are not those of the indexes")
            answer = {"read": {f: fold(os.path.join(path, f)) for f in indexes}}
        except Exception as e:  # noqa: BLE001 - whatever stops the reading is the answer
            answer = {"error": f"{type(e).__name__}: {e}"[:300]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
