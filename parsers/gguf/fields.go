package gguf

import (
	"fmt"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"spandrel/model"
)

var (
	header = &model.Field{Name: "header", Doc: "counts, metadata, and the location of each tensor", Ref: "File structure"}
	magic  = &model.Field{Name: "magic", Codec: model.TextOf(4, 0), Ref: "gguf_header_t", Rule: badMagic,
		Check: model.Is(model.S("GGUF")), Safe: model.S("GGUF")}
	metadata = &model.Field{Name: "metadata", Doc: "key-value pairs", Ref: "gguf_metadata_kv_t"}
	pair     = &model.Field{Name: "pair", Ref: "gguf_metadata_kv_t"}
	key      = &model.Field{Name: "key", Codec: model.UTF8, Ref: "gguf_metadata_kv_t"}
	text     = &model.Field{Name: "value", Codec: model.UTF8, Ref: "gguf_string_t", Rule: badText, Check: decodable}
	anyText  = &model.Field{Name: "value", Codec: model.UTF8, Ref: "gguf_string_t"}
	items    = &model.Field{Name: "items", Ref: "gguf_metadata_value_t"}
	item     = &model.Field{Name: "item", Ref: "gguf_metadata_value_t"}
	infos    = &model.Field{Name: "tensors", Doc: "name, shape, type and offset of each tensor", Ref: "gguf_tensor_info_t"}
	info     = &model.Field{Name: "tensor", Ref: "gguf_tensor_info_t"}
	name     = &model.Field{Name: "name", Codec: short{model.UTF8}, Ref: "gguf_tensor_info_t", Rule: nameLong,
		Check: func(v model.Value) string {
			if len(v.Text()) <= maxName {
				return ""
			}
			return model.Words("at most %d bytes", maxName)
		}}
	dims    = &model.Field{Name: "dims", Doc: "fastest-changing dimension first", Ref: "gguf_tensor_info_t"}
	padding = &model.Field{Name: "padding", Codec: model.RawBytes, Doc: "zeros up to a multiple of general.alignment",
		Ref: "File structure", Rule: padded, Check: model.Zeros}
	between = &model.Field{Name: "padding", Codec: model.RawBytes, Doc: "zeros up to a multiple of general.alignment",
		Ref: "File structure", Rule: headGoesOn, Check: model.Zeros}
	surplus = &model.Field{Name: "surplus", Codec: model.RawBytes, Doc: "zeros between the place where readers look for the data and the data", Ref: "File structure"}
	data    = &model.Field{Name: "data", Doc: "the tensor data; offsets are relative to its start", Ref: "File structure"}
	after   = &model.Field{Name: "trailing", Codec: model.RawBytes, Doc: "bytes that belong to no tensor"}
	raw     = &model.Field{Name: "values", Codec: model.RawBytes, Doc: "the tensor, not decoded"}
)

const (
	maxName = 63 // bytes of the name of a tensor: ggml keeps 64, the last of them zero
	maxDims = 4  // of a tensor
)

// short is the codec of a name.
type short struct{ model.Codec }

func (s short) Encode(v model.Value) ([]byte, error) {
	if n := len(v.Text()); n > maxName {
		return nil, fmt.Errorf("a tensor cannot have a name of %d bytes: ggml keeps at most %d", n, maxName)
	}
	return s.Codec.Encode(v)
}

// printable is the check of a text that names something.
func printable(v model.Value) string {
	if s := v.Text(); utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return ""
	}
	return "printable characters"
}

// decodable is the check of a text that may have line breaks and control characters, such as a template or a token.
func decodable(v model.Value) string {
	if utf8.ValidString(v.Text()) {
		return ""
	}
	return "UTF-8"
}

// The types of values that several places refer to.
const (
	kindU32    = 4
	kindString = 8
	kindArray  = 9
	kindLast   = 12
)

var kinds = model.Enum{0: "UINT8", 1: "INT8", 2: "UINT16", 3: "INT16", kindU32: "UINT32", 5: "INT32", 6: "FLOAT32", 7: "BOOL",
	kindString: "STRING", kindArray: "ARRAY",
	10: "UINT64", 11: "INT64", 12: "FLOAT64"}

var magics = []model.Magic{{Bytes: "GGUF"}}

// fields are the numbers of the header, in one byte order.
type fields struct {
	version, tensorCount, pairCount, keyLength, kind, length, itemKind, count, nameLength, dimCount, dim, typ, offset, alignment *model.Field

	scalars map[uint64]*model.Field // values that are single numbers, by type
	order   func(model.Codec) model.Codec
}

var little, big = fieldsOf(func(c model.Codec) model.Codec { return c }), fieldsOf(model.BigEndian)

func fieldsOf(order func(model.Codec) model.Codec) *fields {
	f := func(name string, c model.Codec, ref string) *model.Field {
		return &model.Field{Name: name, Codec: order(c), Ref: ref}
	}
	x := &fields{order: order, scalars: map[uint64]*model.Field{}}
	x.version = f("version", model.U32LE, "gguf_header_t")
	x.version.Rule, x.version.Check = badVersion, model.Between(2, 3)
	x.tensorCount, x.pairCount = f("tensor_count", model.U64LE, "gguf_header_t"), f("metadata_kv_count", model.U64LE, "gguf_header_t")
	x.keyLength, x.nameLength, x.length = f("key_length", model.U64LE, "gguf_string_t"), f("name_length", model.U64LE,
		"gguf_string_t"), f("length", model.U64LE, "gguf_string_t")
	x.kind, x.itemKind = f("type", model.U32LE, "gguf_metadata_value_type"), f("item_type", model.U32LE, "gguf_metadata_value_type")
	for _, k := range []*model.Field{x.kind, x.itemKind} {
		k.Enum, k.Rule, k.Check = kinds, badKind, model.OneOf(kinds)
	}
	x.count, x.dim, x.offset = f("count", model.U64LE, "gguf_metadata_value_t"), f("dim", model.U64LE, "gguf_tensor_info_t"), f("offset",
		model.U64LE, "gguf_tensor_info_t")
	x.dimCount = f("n_dims", model.U32LE, "gguf_tensor_info_t")
	x.dimCount.Rule, x.dimCount.Check = badDims, model.AtMost(maxDims)
	x.typ = f("type", model.U32LE, "ggml_type")
	x.typ.Enum, x.typ.Rule, x.typ.Check = typeNames, badType, model.OneOf(typeNames)
	x.alignment = f("value", model.U32LE, "general.alignment")
	x.alignment.Rule, x.alignment.Check = badAlignment, func(v model.Value) string {
		if bits.OnesCount64(v.Uint()) == 1 && v.Uint() <= model.MaxUnit {
			return ""
		}
		return fmt.Sprintf("a power of two up to %d", model.MaxUnit)
	}
	for kind, c := range map[uint64]model.Codec{0: model.U8, 1: model.I8, 2: model.U16LE, 3: model.I16LE, 4: model.U32LE, 5: model.I32LE,
		6: model.F32LE, 7: model.Bool8,
		10: model.U64LE, 11: model.I64LE, 12: model.F64LE} {
		x.scalars[kind] = f("value", c, "gguf_metadata_value_t")
	}
	return x
}

// ggml is a type of tensors: the number of values and bytes in a block; the codec of a value, or the function that decodes a block, if its
// values are shown.
type ggml struct {
	name        string
	block, size int64
	codec       model.Codec
	decode      func(b []byte, half func([]byte) float32, out []float32)
}

// types are those of ggml.h. Numbers that it no longer uses (4, 5, 31 to 33, 36 to 38) are invalid.
var types = map[uint64]ggml{
	0: {"F32", 1, 4, model.F32LE, nil}, 1: {"F16", 1, 2, model.F16LE, nil}, 2: {"Q4_0", 32, 18, nil, q40}, 3: {"Q4_1", 32, 20, nil, q41},
	6: {"Q5_0", 32, 22, nil, q50}, 7: {"Q5_1", 32, 24, nil, q51}, 8: {"Q8_0", 32, 34, nil, q80}, 9: {"Q8_1", 32, 40, nil, nil},
	10: {"Q2_K", 256, 84, nil, q2k}, 11: {"Q3_K", 256, 110, nil, q3k}, 12: {"Q4_K", 256, 144, nil, q4k}, 13: {"Q5_K", 256, 176, nil, q5k},
	14: {"Q6_K", 256, 210, nil, q6k}, 15: {"Q8_K", 256, 292, nil, nil}, 16: {"IQ2_XXS", 256, 66, nil, nil}, 17: {"IQ2_XS", 256, 74, nil, nil},
	18: {"IQ3_XXS", 256, 98, nil, nil}, 19: {"IQ1_S", 256, 50, nil, nil}, 20: {"IQ4_NL", 32, 18, nil, iq4nl}, 21: {"IQ3_S", 256, 110, nil,
		nil},
	22: {"IQ2_S", 256, 82, nil, nil}, 23: {"IQ4_XS", 256, 136, nil, nil}, 24: {"I8", 1, 1, model.I8, nil}, 25: {"I16", 1, 2, model.I16LE,
		nil},
	26: {"I32", 1, 4, model.I32LE, nil}, 27: {"I64", 1, 8, model.I64LE, nil}, 28: {"F64", 1, 8, model.F64LE, nil}, 29: {"IQ1_M", 256, 56,
		nil, nil},
	30: {"BF16", 1, 2, model.BF16LE, nil}, 34: {"TQ1_0", 256, 54, nil, nil}, 35: {"TQ2_0", 256, 66, nil, tq20}, 39: {"MXFP4", 32, 17, nil,
		mxfp4},
	40: {"NVFP4", 64, 36, nil, nil}, 41: {"Q1_0", 128, 18, nil, nil},
}

var typeNames = func() model.Enum {
	names := model.Enum{}
	for n, t := range types {
		names[n] = t.name
	}
	return names
}()
