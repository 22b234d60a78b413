"""bionemo-scdl writes archives of matrices that stand in for AnnData's, joins them, and reads them back."""
import os
import types

import numpy as np
import pandas as pd
import scipy.sparse

import read_scdl
from bionemo.scdl.io.single_cell_memmap_dataset import SingleCellMemMapDataset
from zoolib import cell, name

KINDS = ["uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]


class Features(pd.DataFrame):
    """a table of features as anndata hands it over."""


def features(rnd, n):
    columns = {}
    for k in range(rnd.randint(0, 3)):
        columns[name(rnd, 8) + str(k)] = rnd.choice([
            lambda: [name(rnd, 8) for _ in range(n)], lambda: [rnd.random() for _ in range(n)], lambda: [rnd.randint(-5, 5) for _ in range(n)],
            lambda: [rnd.random() < 0.5 for _ in range(n)], lambda: pd.Categorical([rnd.choice("abc") for _ in range(n)])])()
    return Features(columns, index=[f"{name(rnd, 6)}{k}" for k in range(n)])


def matrix(rnd, genes, kind):
    cells = rnd.choice([1, 2, 5, rnd.randint(1, 30)])
    x = np.array([[rnd.choice([0, 0, 1, rnd.randint(1, 200)]) if rnd.random() < 0.6 else 0 for _ in range(genes)] for _ in range(cells)], dtype="float64")
    if kind.startswith("f") and rnd.random() < 0.6:
        x = x / 8
    return scipy.sparse.csr_matrix(x)


def write(rnd, path, genes, var, kind):
    """an archive of one AnnData object."""
    x = matrix(rnd, genes, kind)
    raw = types.SimpleNamespace(X=x)
    near = scipy.sparse.csr_matrix(np.eye(x.shape[0], dtype="float32"))
    data = types.SimpleNamespace(X=x, raw=raw, var=var, obs=features(rnd, x.shape[0]), obsp={"next_cell_ids": near}, file=None)
    read_scdl.sys.modules["anndata"].read_h5ad = lambda *_, **__: data
    source = path + ".h5ad"
    open(source, "w").close()
    neighbors = rnd.random() < 0.2
    try:
        return SingleCellMemMapDataset(path, source, data_dtype=kind, load_neighbors=neighbors), neighbors
    finally:
        os.remove(source)


def make(rnd, folder, i):
    path, kind, genes = os.path.join(folder, f"{i:05d}"), rnd.choice(KINDS), rnd.choice([1, 3, 10, 300])
    var = features(rnd, genes)
    d, neighbors = write(rnd, path, genes, var, kind)
    joined = 0
    if rnd.random() < 0.3 and not neighbors:
        joined = 1
        os.makedirs(path + ".part")
        for k in range(rnd.randint(1, 2)):
            n = genes if rnd.random() < 0.5 else rnd.randint(1, 8)
            other, _ = write(rnd, os.path.join(path + ".part", str(k)), n, var if n == genes and rnd.random() < 0.7 else features(rnd, n), kind)
            d.concat(other)
        d.save()
        read_scdl.shutil.rmtree(path + ".part")
    del d
    read = read_scdl.read(path)
    rows = read["rows"]
    matrix = [{"count": b - a, "values": [cell(real(v)) for v in read["data"][a:b]]} for a, b in zip(rows, rows[1:])]
    return path, f"{kind}, {genes} genes{', joined' * joined}{', neighbors' * neighbors}", {"matrix": matrix, "col_ptr.npy": [{"value": v} for v in read["columns"]]}


def real(v):
    return None if isinstance(v, str) else v
