"""Makes TARIDX indexes with glzn itself, and reads them with it. It is on no registry, so its files are taken as they are; torch, torchvision and
the widgets of its browser, which reading does not use, are empty modules."""
import io
import os
import sys
import tarfile
import types
import zlib

import environment


def package():
    """glzn's fold and dataset; without torch its own __init__ does not load."""
    if "glzn" not in sys.modules:
        root = os.path.join(environment.glzn(), "glzn")
        for name in ("torch", "torch.utils", "torch.utils.data", "torchvision", "ipywidgets", "IPython", "IPython.display", "glzn", "glzn.data"):
            sys.modules[name] = types.ModuleType(name)
        sys.modules["glzn"].__path__, sys.modules["glzn.data"].__path__ = [root], [os.path.join(root, "data")]
        sys.modules["torch.utils.data"].Dataset = dict
        sys.modules["torchvision"].__version__ = "0.1"
        sys.modules["IPython.display"].display = print
    from glzn.data import dataset
    from glzn.data.itar import fold
    return fold, dataset


def make(r, path):
    """a fold of some shards; of some the rows of a sample do not stand together."""
    os.makedirs(path)
    extensions, samples = r.sample(["txt", "cls", "jpg", "json", "seg.png"], r.randrange(1, 4)), r.randrange(1, 12)
    names = [f"{i:04d}.{e}" for i in range(samples) for e in extensions]
    if r.random() < 0.2:
        names.sort(key=lambda n: n.partition(".")[2])
    shards = r.randrange(1, min(3, samples) + 1)
    for k in range(shards):
        with tarfile.open(os.path.join(path, f"train_{k:04d}.tar"), "w", format=tarfile.USTAR_FORMAT) as t:
            for name in names[k * len(names) // shards:(k + 1) * len(names) // shards]:
                m = tarfile.TarInfo(name)
                m.size = r.randrange(0, 1200)
                t.addfile(m, io.BytesIO(r.randbytes(m.size)))
    fold, _ = package()
    fold.iTarDirectory(path).parse_folder(serialize=True)


def read(path, opened):
    """every sample: its name, and its members as they are, since what decoders make of them is no question of the index."""
    fold, dataset = package()
    extensions = list(fold.iTarFold(path, "train").state.ext2id)
    opened()
    d = dataset.iTarDataset(os.path.basename(path), os.path.dirname(path), "train", [*extensions, "_stem"], enforce_contiguous=True)
    d.decoders = dict.fromkeys(d.decoders, zlib.crc32)
    return sorted(sorted(zip(d.extensions, d[i])) for i in range(len(d)))
