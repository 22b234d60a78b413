package safetensors

import (
	"spandrel/model"
	"spandrel/parsers/internal/jsontext"
)

const (
	maxHeader = 100_000_000 // bytes: longer headers are refused by readers
	maxTaken  = 4 << 20     // bytes of a header that is taken apart; a longer one is one text
)

var (
	headerSize = &model.Field{Name: "header_size", Codec: model.U64LE, Doc: "bytes of the header", Ref: "Format", Rule: headerLong}
	header     = &model.Field{Name: "header", Doc: "a JSON object with one entry per tensor", Ref: "Format"}
	filling    = &model.Field{Name: "filling", Codec: model.UTF8, Doc: "spaces that pad the header", Ref: "Format"}
	headerText = &model.Field{Name: "text", Codec: model.UTF8, Doc: "the header, not parsed", Ref: "Format"}
	entries    = &model.Field{Name: "entries", Doc: "tensors by name, and strings under __metadata__", Ref: "Format"}
	entry      = &model.Field{Name: "entry", Ref: "Format"}
	dtypeField = &model.Field{Name: "dtype", Codec: jsontext.Scalar{Of: model.Text}, Doc: "the type of the values", Ref: "Format"}
	dim        = &model.Field{Name: "dim", Codec: jsontext.Scalar{Of: model.Int}, Doc: "a dimension of the shape", Ref: "Format"}
	begin      = &model.Field{Name: "begin", Codec: jsontext.Scalar{Of: model.Int}, Doc: "where the tensor starts in the data", Ref: "Format"}
	end        = &model.Field{Name: "end", Codec: jsontext.Scalar{Of: model.Int}, Doc: "where the tensor ends in the data", Ref: "Format"}
	data       = &model.Field{Name: "data", Doc: "the tensor data; offsets are relative to its start", Ref: "Format"}
)

// dtype is a type of values: its codec, or only its width in bits if values are not whole bytes.
type dtype struct {
	codec model.Codec
	bits  int64
}

func (d dtype) element() *model.Field { return &model.Field{Name: "value", Codec: d.codec} }

// complexNumber is a value of the type C64.
var complexNumber = model.NewRecord(&model.Field{Name: "real", Codec: model.F32LE}, &model.Field{Name: "imag", Codec: model.F32LE})

var dtypes = map[string]dtype{
	"BOOL": {model.Bool8, 8}, "U8": {model.U8, 8}, "I8": {model.I8, 8}, "U16": {model.U16LE, 16}, "I16": {model.I16LE, 16},
	"U32": {model.U32LE, 32}, "I32": {model.I32LE, 32}, "U64": {model.U64LE, 64}, "I64": {model.I64LE, 64},
	"F16": {model.F16LE, 16}, "BF16": {model.BF16LE, 16}, "F32": {model.F32LE, 32}, "F64": {model.F64LE, 64},
	"F8_E4M3": {model.E4M3, 8}, "F8_E5M2": {model.E5M2, 8}, "F8_E8M0": {model.E8M0, 8}, "F8_E4M3FNUZ": {model.E4M3FNUZ, 8}, "F8_E5M2FNUZ": {model.E5M2FNUZ, 8},
	"C64": {nil, 64},
	"F4":  {nil, 4}, "F6_E2M3": {nil, 6}, "F6_E3M2": {nil, 6},
}
