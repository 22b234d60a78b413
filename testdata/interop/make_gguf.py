"""gguf, the Python package of llama.cpp, writes the good samples of testdata/gguf into a folder."""
import os
import random
import struct
import sys

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType as T, GGUFEndian, GGUFWriter
from gguf.quants import quantize


def values(n, m=1):
    a = (np.arange(n * m, dtype=np.float32) % 37 - 18) / 8
    return a.reshape(m, n) if m > 1 else a


def write(w):
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def base(path, **kw):
    w = GGUFWriter(path, "llama", **kw)
    w.add_name("sample")
    return w


def types(path):
    w = base(path)
    w.add_uint8("test.u8", 200)
    w.add_int8("test.i8", -100)
    w.add_uint16("test.u16", 60000)
    w.add_int16("test.i16", -30000)
    w.add_uint32("test.u32", 4000000000)
    w.add_int32("test.i32", -2000000000)
    w.add_float32("test.f32", 0.15625)
    w.add_bool("test.bool", True)
    w.add_uint64("test.u64", 1 << 60)
    w.add_int64("test.i64", -(1 << 60))
    w.add_float64("test.f64", 0.1)
    w.add_token_list(["<unk>", "<s>", "</s>", "▁the", "ing", "", "ü", "a longer token", "b", "c"])
    w.add_token_scores([-1.0, 0.0, 0.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
    w.add_array("test.bools", [True, False, True])
    w.add_array("test.numbers", [1, -2, 3])
    for i, kind in enumerate([np.float32, np.float16, np.float64, np.int8, np.int16, np.int32, np.int64]):
        w.add_tensor(f"number.{np.dtype(kind).name}", values(3, 2 + i % 2).astype(kind))
    w.add_tensor("number.bfloat16", quantize(values(4, 2), T.BF16), raw_dtype=T.BF16)
    for kind in [T.Q4_0, T.Q4_1, T.Q5_0, T.Q5_1, T.Q8_0]:
        w.add_tensor(f"blocks.{kind.name}", quantize(values(64, 2), kind), raw_dtype=kind)
    write(w)


def blocks(path):
    """Types that the package does not quantise: blocks of random bytes, with scales that are numbers."""
    rnd, w = random.Random(7), base(path)
    scales = {T.Q2_K: (80, 82), T.Q3_K: (108,), T.Q4_K: (0, 2), T.Q5_K: (0, 2), T.Q6_K: (208,), T.IQ4_NL: (0,), T.TQ1_0: (52,), T.TQ2_0: (64,), T.MXFP4: ()}
    for kind in list(scales) + [k for k in T if k not in scales and GGML_QUANT_SIZES[k][0] > 1 and k.value > 8]:
        b = bytearray(rnd.randbytes(GGML_QUANT_SIZES[kind][1]))
        for at in scales.get(kind, ()):
            b[at:at + 2] = struct.pack("<e", rnd.uniform(-1, 1))
        if kind == T.MXFP4:
            b[0] = 120
        w.add_tensor(f"blocks.{kind.name}", np.frombuffer(bytes(b), np.uint8), raw_dtype=kind)
    write(w)


def aligned(path):
    w = base(path)
    w.add_custom_alignment(64)
    w.add_tensor("a.weight", values(5))
    w.add_tensor("b.weight", values(20))
    write(w)


def big_endian(path):
    w = base(path, endianess=GGUFEndian.BIG)
    w.add_token_list(["a", "bc"])
    w.add_tensor("a.weight", values(3, 2))
    w.add_tensor("b.weight", values(3).astype(np.int16))
    write(w)


def version_2(path):
    w = base(path)
    w.add_tensor("a.weight", values(3, 2))
    write(w)
    with open(path, "r+b") as f:
        f.seek(4)
        f.write(struct.pack("<I", 2))


def vocabulary(path):
    w = base(path)
    w.add_token_list(["<unk>", "a", "b"])
    write(w)


def split(path):
    w = base(path, split_max_tensors=2)
    for i in range(5):
        w.add_tensor(f"blk.{i}.weight", values(3 + i))
    write(w)


def main(folder):
    os.makedirs(os.path.join(folder, "split"), exist_ok=True)
    for name, make in {"types": types, "blocks": blocks, "aligned": aligned, "big-endian": big_endian, "version-2": version_2, "vocabulary": vocabulary,
                       "split/model": split}.items():
        make(os.path.join(folder, name + ".gguf"))


if __name__ == "__main__":
    main(sys.argv[1])
