"""GNU tar, bsdtar and Python's tarfile write archives in all their formats; tarfile lists them."""
import io
import os
import shutil
import subprocess
import tarfile

from zoolib import name

# tarfile does not write the format of Unix V7; GNU tar does.
GNU = ["v7", "ustar", "gnu", "oldgnu", "posix"]
BSD = ["ustar", "pax", "gnutar", "v7tar"]
PYTHON = [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]


def make(rnd, folder, i):
    path, tree = os.path.join(folder, f"{i:05d}.tar"), os.path.join(folder, f".tree{i:05d}")
    how = rnd.choice([python, python, gnu, gnu, sparse, bsd])
    try:
        what = how(rnd, path, tree)
    finally:
        shutil.rmtree(tree, ignore_errors=True)
    return path, what, {"members": listed(path)}


def listed(path):
    """the members as tarfile sees them. What a helper header says of a name, and what a hole makes of a size, is not in the header that a table prints."""
    with open(path, "rb") as f:
        data = f.read()
    # GNU tar keeps the times of an incremental archive where others keep the first part of a name, and tarfile takes them for one
    own = lambda m: m.offset_data - 512  # behind the helper headers, where m.offset is  # noqa: E731
    timed = lambda m: data[own(m) + 257:own(m) + 265] == b"ustar  \0" and data[own(m) + 345] != 0  # noqa: E731
    told = lambda m: len(m.name.encode("utf-8", "replace")) < 99 and not m.pax_headers.get("path") and not m.issparse() and not timed(m)  # noqa: E731
    with tarfile.open(path) as tar:
        return [{"name": m.name + "/" * m.isdir() if told(m) else None, "size": m.size if m.isreg() and not m.issparse() else None,
                 "offset": m.offset_data - 512 if not m.issparse() else None} for m in tar]


def leaf(rnd):
    return rnd.choice([lambda: name(rnd, 10), lambda: name(rnd, 3) + "x" * rnd.choice([90, 97, 99, 100, 101, 150, 240])])().replace("/", "-")[:80 if rnd.random() < 0.5 else None]


def paths(rnd, tree):
    """a tree of files, folders and links for a tar program."""
    os.makedirs(tree)
    folders, made = [""], []
    for _ in range(rnd.randint(0, 7)):
        inside = rnd.choice(folders)
        at = os.path.join(inside, leaf(rnd))
        full = os.path.join(tree, at)
        if os.path.lexists(full) or len(os.path.basename(at).encode()) > 255:
            continue
        kind = rnd.choice(["file"] * 5 + ["dir", "link", "hard"])
        if kind == "dir":
            os.mkdir(full)
            folders.append(at)
        elif kind == "link":
            os.symlink(rnd.choice(["nowhere", "../" + "y" * 120, name(rnd, 5)]), full)
        elif kind == "hard" and any(os.path.isfile(os.path.join(tree, m)) and not os.path.islink(os.path.join(tree, m)) for m in made):
            os.link(next(os.path.join(tree, m) for m in made if os.path.isfile(os.path.join(tree, m)) and not os.path.islink(os.path.join(tree, m))), full)
        else:
            with open(full, "wb") as f:
                f.write(payload(rnd))
        made.append(at)
        when = rnd.choice([0, 1_700_000_000, 1_700_000_000.123456789, 2**31, 2**33 + 5, 1, -1, -86400.5, 2**35])
        os.utime(full, (when, when), follow_symlinks=False)
    return made


def payload(rnd):
    return rnd.choice([b"", b"x", rnd.randbytes(rnd.randint(1, 2000)), b"\0" * rnd.choice([512, 1024, 5000]), b"text\n" * 200, rnd.randbytes(512), rnd.randbytes(511) + b"\0"])


def run(args, **kw):
    done = subprocess.run(args, capture_output=True, **kw)
    if done.returncode:
        raise ValueError(done.stderr.decode(errors="replace")[:200])


def gnu(rnd, path, tree):
    paths(rnd, tree)
    fmt, more = rnd.choice(GNU), []
    if fmt == "posix":
        more = rnd.choice([[], ["--pax-option=comment:=zoo"], ["--pax-option=comment=zoo"], ["--pax-option=delete=atime,delete=ctime"], ["--xattrs"]])
    elif fmt == "gnu":
        more = rnd.choice([[], ["--label=zoo ü"], ["--incremental"]])
    more += rnd.choice([[], [], ["-b", "1"], ["-b", "64"], ["--numeric-owner", "--owner=:2000000"], ["--sort=name"]])
    run(["tar", "--format=" + fmt, *more, "-cf", path, "-C", tree, "."], env={"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]})
    return f"GNU tar {fmt} {' '.join(more)}"


def sparse(rnd, path, tree):
    """files with 1 to 40 pieces, in each version of the map of a sparse file."""
    os.makedirs(tree)
    for k in range(rnd.randint(1, 3)):
        with open(os.path.join(tree, f"{k}" + name(rnd, 5).replace("/", "-")), "wb") as f:
            pieces = rnd.choice([0, 1, 2, 4, 5, 21, 25, 26, 40]) if rnd.random() < 0.6 else rnd.randint(1, 40)
            for p in range(pieces):
                f.seek(p * 16384 + (8192 if rnd.random() < 0.8 else 0))
                f.write(rnd.randbytes(rnd.choice([1, 512, 4096])))
            if rnd.random() < 0.5 or not pieces:
                f.truncate(f.tell() + 65536)
    fmt = rnd.choice([["--format=gnu"], ["--format=oldgnu"], *(["--format=posix", "--sparse-version=" + v] for v in ("0.0", "0.1", "1.0"))])
    run(["tar", "-S", *fmt, "-cf", path, "-C", tree, "."], env={"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]})
    return "GNU tar -S " + " ".join(fmt)


def bsd(rnd, path, tree):
    paths(rnd, tree)
    fmt = rnd.choice(BSD)
    run(["bsdtar", "--format", fmt, "-cf", path, "-C", tree, "."], env={"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]})
    return "bsdtar " + fmt


def python(rnd, path, tree):
    fmt, names = rnd.choice(PYTHON), set()
    headers = {name(rnd, 8).replace("=", "-"): name(rnd, 20)} if fmt == tarfile.PAX_FORMAT and rnd.random() < 0.3 else None
    with tarfile.open(path, "w", format=fmt, pax_headers=headers, encoding="utf-8") as tar:
        for _ in range(rnd.randint(0, 8)):
            info = tarfile.TarInfo("/".join(leaf(rnd) for _ in range(rnd.choice([1, 1, 2, 4]))))
            if info.name in names:
                continue
            names.add(info.name)
            info.type = rnd.choice([tarfile.REGTYPE] * 6 + [tarfile.AREGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.CONTTYPE])
            info.mtime = rnd.choice([0, 1, 1_700_000_000, 1_700_000_000.75, 2**33 + 5] + ([-1, -5.5, 2**40] if fmt != tarfile.USTAR_FORMAT else []))
            info.mode, info.uid, info.gid = rnd.choice([0o644, 0o755, 0, 0o7777]), rnd.choice([0, 1000, 2097151]), rnd.choice([0, 2097152 if fmt != tarfile.USTAR_FORMAT else 5])
            info.uname, info.gname = rnd.choice(["", "root", "jürgen"]), rnd.choice(["", "wheel"])
            if info.type in (tarfile.SYMTYPE, tarfile.LNKTYPE):
                info.linkname = rnd.choice([*names, "z" * rnd.choice([50, 100, 101, 130])])
            if info.type == tarfile.AREGTYPE and len(info.name.encode()) > 99:
                continue  # cut at a slash it is a folder to tarfile
            data = payload(rnd) if info.isreg() else b""
            info.size = len(data)
            try:
                tar.addfile(info, io.BytesIO(data))
            except ValueError:  # a name that does not fit
                names.discard(info.name)
    return f"tarfile format {fmt}" + (" with a global header" if headers else "")
