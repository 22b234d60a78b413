"""Reads SCDL archives with bionemo-scdl itself: a path a line in, a JSON object a line out.

torch, anndata and pooch weigh gigabytes and take no part in loading; empty modules stand in for them. A file is read as a header alone.
"""
import json
import os
import shutil
import sys
import tempfile
import types
import warnings

import numpy as np

warnings.simplefilter("ignore")
for name in ("torch", "torch.utils", "torch.utils.data", "anndata", "pooch", "pydantic", "tqdm"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["torch"].Tensor = sys.modules["torch"].sparse_csr_tensor = object
sys.modules["torch.utils.data"].Dataset = object
sys.modules["anndata"].AnnData = object
sys.modules["tqdm"].tqdm = lambda x, **kw: x

import importlib.metadata  # noqa: E402

from bionemo.scdl.io.single_cell_memmap_dataset import SingleCellMemMapDataset  # noqa: E402
from bionemo.scdl.schema.header import SCDLHeader  # noqa: E402


def plain(value):
    if isinstance(value, np.ndarray):
        return [plain(v) for v in (value if value.dtype.kind in "fOSU" else value.tolist())]
    if isinstance(value, (float, np.floating)):
        f = float(value)
        return f if np.isfinite(f) and (f or not np.signbit(f)) else f"bits:{np.asarray(value).tobytes().hex()}"
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def header(h):
    if h is None:
        return None
    array = lambda a: {"name": a.name, "length": a.length, "dtype": a.dtype.name, "shape": plain(a.shape)}
    return {"version": str(h.version), "backend": h.backend.name, "arrays": [array(a) for a in h.arrays],
            "features": [array(f) | {"files": list(f.index_files)} for f in h.feature_indices]}


def features(index):
    return {"ends": plain(index._cumulative_sum_index), "labels": plain(index._labels),
            "blocks": [{str(k): plain(v) for k, v in block.items()} for block in index._feature_arr]}


def older_labels(folder):
    """Labels have been in labels.json since April 2026; the release on PyPI wants them in labels.npy."""
    for name in ("var_features", "obs_features", "features"):
        source = os.path.join(folder, name, "labels.json")
        if os.path.exists(source):
            with open(source, encoding="utf-8") as f:
                np.save(source[:-4] + "npy", np.array(json.load(f), dtype=object))


def archive(path, neighbors):
    older_labels(path)
    d = SingleCellMemMapDataset(path, load_neighbors=neighbors)
    if d.header is None and os.path.exists(d.header_path):
        SCDLHeader.load(d.header_path)  # the class only warns of it
    out = {"header": header(d.header), "dtypes": {k: str(v) for k, v in d.dtypes.items()}, "metadata": plain(d.metadata),
           "data": plain(np.asarray(d.data)), "rows": plain(np.asarray(d.row_index)), "columns": plain(np.asarray(d.col_index)),
           "var": features(d._var_feature_index), "obs": features(d._obs_feature_index), "shape": plain(d.shape())}
    out["cells"] = [[plain(x) for x in d.get_row(i, return_var_features=False)[0]] for i in range(min(50, d.number_of_rows()))]
    if d._has_neighbors:
        out["neighbors"] = [plain(np.asarray(x)) for x in (d._neighbor_indptr, d._neighbor_indices, d._neighbor_data)]
    return out


def read(path):
    if os.path.isfile(path):
        with open(path, "rb") as f:
            return {"header": header(SCDLHeader.deserialize(f.read()))}
    with tempfile.TemporaryDirectory() as scratch:  # the class writes what it misses into the folder that it opens
        copy = os.path.join(scratch, "archive")
        shutil.copytree(path, copy)
        parts = sorted(e.name for e in os.scandir(copy) if e.is_dir() and os.path.exists(os.path.join(e.path, "data.npy")))
        if not os.path.exists(os.path.join(copy, "data.npy")) and parts:
            return {"archives": {p: archive(os.path.join(copy, p), False) for p in parts}}
        return archive(copy, os.path.exists(os.path.join(copy, "neighbor_indptr.npy")))


def main():
    versions = [f"{m} {importlib.metadata.version(m)}" for m in ("bionemo-scdl", "numpy", "pyarrow", "pandas")]
    print(json.dumps({"software": ", ".join(versions) + ", torch and anndata replaced by empty modules"}), flush=True)
    for line in sys.stdin:
        try:
            answer = {"read": read(line.rstrip("\n"))}
        except Exception as e:  # noqa: BLE001 - whatever the software says is the answer
            answer = {"error": f"{type(e).__name__}: {e}"[:400]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
