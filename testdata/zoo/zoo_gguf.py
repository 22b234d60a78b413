"""gguf, the Python package of llama.cpp, writes models of all value and tensor types, and reads back what it computes with."""
import os

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType as T, GGUFEndian, GGUFReader, GGUFWriter
from gguf.quants import dequantize, quantize

from zoolib import cell, name

NUMBERS = [np.float32, np.float16, np.float64, np.int8, np.int16, np.int32, np.int64]
BLOCKS = [T.Q4_0, T.Q4_1, T.Q5_0, T.Q5_1, T.Q8_0, T.BF16]


def pairs(rnd, w):
    for i in range(rnd.choice([0, 1, 5, 20])):
        key = f"test.{i}"
        rnd.choice([lambda: w.add_uint8(key, rnd.randrange(256)), lambda: w.add_int16(key, rnd.randrange(-9, 9)), lambda: w.add_uint64(key, rnd.randrange(1 << 60)),
                    lambda: w.add_float32(key, rnd.random()), lambda: w.add_float64(key, rnd.random()), lambda: w.add_bool(key, rnd.random() < 0.5),
                    lambda: w.add_string(key, name(rnd, 60)), lambda: w.add_array(key, [rnd.randrange(99) for _ in range(rnd.randint(1, 40))]),
                    lambda: w.add_array(key, [name(rnd, 9) for _ in range(rnd.randint(1, 300))])])()


def make(rnd, folder, i):
    path = os.path.join(folder, f"{i:05d}.gguf")
    big = rnd.random() < 0.2
    w = GGUFWriter(path, "llama", endianess=GGUFEndian.BIG if big else GGUFEndian.LITTLE)
    if rnd.random() < 0.3:
        w.add_custom_alignment(rnd.choice([8, 16, 64, 256, 4096]))
    pairs(rnd, w)
    source = np.random.default_rng(rnd.randrange(1 << 30))
    kinds = []
    for k in range(rnd.choice([0, 1, 2, 5, 9])):
        shape = rnd.choice([(32,), (2, 64), (3, 2, 32), (1, 1, 2, 32), (5,), (0, 4)])
        values = source.normal(size=shape).astype(np.float32)
        kind = rnd.choice(NUMBERS if big or shape[-1] % 32 or not values.size else NUMBERS + BLOCKS)
        if isinstance(kind, T):
            w.add_tensor(f"blk.{k}.weight", quantize(values, kind), raw_dtype=kind)
        else:
            w.add_tensor(f"blk.{k}.weight", values.astype(kind))
        kinds.append(kind.name if isinstance(kind, T) else np.dtype(kind).name)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()
    return path, f"{len(kinds)} tensors, " + "+".join(sorted(set(kinds))) + (", big-endian" if big else ""), tables(path)


def tables(path):
    read = GGUFReader(path)
    out = {"tensors": [{"name": t.name, "type": t.tensor_type.name, "shape": ", ".join(map(str, t.shape.tolist()))} for t in read.tensors]}
    for t in read.tensors[:4]:
        if t.n_elements and (GGML_QUANT_SIZES[t.tensor_type][0] == 1 and t.tensor_type != T.BF16):
            out[t.name] = [{"value": cell(v)} for v in t.data.ravel()]
        elif t.n_elements:
            out[t.name] = [{"value": cell(v)} for v in dequantize(t.data, t.tensor_type).ravel()]
    return out
