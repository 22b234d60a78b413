"""safetensors writes files of all its dtypes, and reads back what NumPy has a type for."""
import math
import os

import ml_dtypes
import numpy as np
import safetensors
import safetensors.numpy

from zoolib import cell, name

# What safetensors calls them, and bits an element; the header's names follow from these.
DTYPES = {"bool": 8, "int8": 8, "uint8": 8, "int16": 16, "uint16": 16, "int32": 32, "uint32": 32, "int64": 64, "uint64": 64, "float16": 16, "float32": 32,
          "float64": 64, "bfloat16": 16, "float8_e4m3fn": 8, "float8_e4m3fnuz": 8, "float8_e5m2": 8, "float8_e5m2fnuz": 8, "float8_e8m0fnu": 8,
          "float4_e2m1fn_x2": 8, "complex64": 64}
SMALL = {"F8_E4M3": ml_dtypes.float8_e4m3fn, "F8_E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "F8_E5M2": ml_dtypes.float8_e5m2, "F8_E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
         "F8_E8M0": ml_dtypes.float8_e8m0fnu, "BF16": ml_dtypes.bfloat16}


def make(rnd, folder, i):
    path = os.path.join(folder, f"{i:05d}.safetensors")
    tensors, keep = {}, []
    for _ in range(rnd.choice([0, 1, 1, 2, 3, 5, 9])):
        dtype = rnd.choice(list(DTYPES))
        shape = rnd.choice([(), (0,), (1,), (rnd.randint(1, 9),), (2, 0, 3), (rnd.randint(1, 5), rnd.randint(1, 5)), (2, 2, 1, 3)])
        if dtype == "float4_e2m1fn_x2" and not shape:
            shape = (2,)  # a scalar is half a byte
        raw = bytearray(rnd.randbytes(math.prod(shape) * DTYPES[dtype] // 8))
        if dtype == "bool":
            raw = bytearray(b & 1 for b in raw)
        keep.append(buffer := np.frombuffer(bytes(raw) or b"\0", np.uint8))
        tensors[name(rnd, 20).replace("\\", "")] = safetensors.TensorSpec(dtype=dtype, shape=list(shape), data_ptr=buffer.ctypes.data, data_len=len(raw))
    metadata = {name(rnd, 10): rnd.choice(["", "pt", "{\"a\": [1]}", "ü\n\"", "x" * 300]) for _ in range(rnd.randint(0, 3))} if rnd.random() < 0.5 else None
    b = safetensors.serialize(tensors, metadata)
    if rnd.random() < 0.3:  # other writers do not pad the header, or pad it to pages
        size = int.from_bytes(b[:8], "little")
        text = b[8:8 + size].rstrip(b" ") + b" " * rnd.choice([0, 1, 7, 4000])
        b = len(text).to_bytes(8, "little") + text + b[8 + size:]
    with open(path, "wb") as f:
        f.write(b)
    return path, f"{len(tensors)} tensors, " + "+".join(sorted({t.dtype for t in tensors.values()})), tables(b)


def tables(b):
    read = dict(safetensors.deserialize(b))
    out = {"tensors": [{"name": n, "dtype": t["dtype"], "shape": ", ".join(map(str, t["shape"]))} for n, t in read.items()]}
    for n, t in list(read.items())[:4]:
        if t["data"]:
            out[n] = values(t["dtype"], t["data"])
    return out


def values(dtype, data):
    """the numbers of a tensor, as the libraries of their types read them."""
    if dtype == "C64":
        return [{"real": cell(v.real), "imag": cell(v.imag)} for v in np.frombuffer(data, np.complex64)]
    if dtype == "F4":
        return [{"value": cell(float(v))} for b in data for v in np.array([b & 15, b >> 4], np.uint8).view(ml_dtypes.float4_e2m1fn)]
    kind = SMALL.get(dtype) or safetensors.numpy._TYPES[dtype]
    return [{"value": cell(float(v)) if dtype in SMALL else cell(v)} for v in np.frombuffer(data, kind)]
