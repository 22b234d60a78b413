package storage

import (
	"spandrel/model"
)

var (
	legacyHeader = &model.Field{Name: "legacy_generic_tile", Ref: "3.9"}
	LegacyComp   = &model.Field{Name: "compressor", Ref: "3.9", Codec: model.U8, Enum: Compressors}
	LegacyLevel  = &model.Field{Name: "level", Ref: "3.9", Codec: model.I32LE}
	legacyOrig   = &model.Field{Name: "original_length", Ref: "3.9", Codec: model.U64LE}
	legacyData   = &model.Field{Name: "compressed_length", Ref: "3.9", Codec: model.U64LE}
	legacyBytes  = &model.Field{Name: "compressed_data", Doc: "a zlib stream", Ref: "3.9", Codec: model.RawBytes}
)
