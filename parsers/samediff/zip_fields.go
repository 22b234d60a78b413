package samediff

import "spandrel/model"

// Fields of ZIP headers, in the order of APPNOTE.TXT.
var (
	zipSignature = &model.Field{Name: "signature", Codec: model.U32LE, Show: model.ShowHex}
	zipMadeBy    = &model.Field{Name: "madeBy", Codec: model.U16LE}
	zipNeeds     = &model.Field{Name: "needs", Codec: model.U16LE}
	zipFlags     = &model.Field{Name: "flags", Codec: model.U16LE, Show: model.ShowHex}
	zipMethod    = &model.Field{Name: "method", Codec: model.U16LE, Enum: model.Enum{0: "stored", 8: "deflate"}}
	zipTime      = &model.Field{Name: "time", Codec: model.U16LE}
	zipDate      = &model.Field{Name: "date", Codec: model.U16LE}
	zipCRC       = &model.Field{Name: "crc", Codec: model.U32LE, Show: model.ShowHex}
	zipCSize     = &model.Field{Name: "csize", Codec: model.U32LE, Show: model.ShowSize}
	zipUSize     = &model.Field{Name: "usize", Codec: model.U32LE, Show: model.ShowSize}
	zipCSize8    = &model.Field{Name: "csize", Codec: model.U64LE, Show: model.ShowSize}
	zipUSize8    = &model.Field{Name: "usize", Codec: model.U64LE, Show: model.ShowSize}
	zipNameLen   = &model.Field{Name: "nameLength", Codec: model.U16LE}
	zipExtraLen  = &model.Field{Name: "extraLength", Codec: model.U16LE}
	zipCommLen   = &model.Field{Name: "commentLength", Codec: model.U16LE}
	zipDiskStart = &model.Field{Name: "diskStart", Codec: model.U16LE}
	zipIntAttr   = &model.Field{Name: "intAttr", Codec: model.U16LE}
	zipExtAttr   = &model.Field{Name: "extAttr", Codec: model.U32LE}
	zipOffset    = &model.Field{Name: "localOffset", Codec: model.U32LE}
	zipName      = &model.Field{Name: "name", Codec: model.UTF8}
	zipExtra     = &model.Field{Name: "extra", Codec: model.RawBytes}
	zipComment   = &model.Field{Name: "comment", Codec: model.UTF8}
	zipData      = &model.Field{Name: "data", Codec: model.RawBytes}
	zipInside    = &model.Field{Name: "inflated", Doc: "what the member holds"}
	zipEntry     = &model.Field{Name: "entry", Doc: "a member", Ref: "1.5"}
	zipCD        = &model.Field{Name: "cd", Doc: "the central directory", Ref: "1.5"}
	zipEndField  = &model.Field{Name: "end", Doc: "the end record"}
	zipEnd64F    = &model.Field{Name: "end64", Doc: "the ZIP64 end record"}
	zipLocatorF  = &model.Field{Name: "locator", Doc: "where the ZIP64 end record is"}
	zipBefore    = &model.Field{Name: "before", Doc: "bytes in front of the archive", Codec: model.RawBytes}
	zipBetween   = &model.Field{Name: "between", Doc: "bytes between members", Codec: model.RawBytes}
	zipAfter     = &model.Field{Name: "after", Doc: "bytes behind the archive", Codec: model.RawBytes}
	zipDescField = &model.Field{Name: "descriptor", Doc: "sizes and CRC behind the data"}

	zipLocalRecord = []*model.Field{zipSignature, zipNeeds, zipFlags, zipMethod, zipTime, zipDate, zipCRC, zipCSize, zipUSize, zipNameLen, zipExtraLen}
	zipDirRecord   = []*model.Field{zipSignature, zipMadeBy, zipNeeds, zipFlags, zipMethod, zipTime, zipDate, zipCRC, zipCSize, zipUSize, zipNameLen,
		zipExtraLen, zipCommLen, zipDiskStart, zipIntAttr, zipExtAttr, zipOffset}
	zipEndRecord = []*model.Field{zipSignature, {Name: "disk", Codec: model.U16LE}, {Name: "cdDisk", Codec: model.U16LE}, {Name: "entriesHere", Codec: model.U16LE},
		{Name: "entries", Codec: model.U16LE}, {Name: "cdSize", Codec: model.U32LE}, {Name: "cdOffset", Codec: model.U32LE}, zipCommLen}
	zipEnd64Record = []*model.Field{zipSignature, {Name: "size", Codec: model.U64LE}, zipMadeBy, zipNeeds, {Name: "disk", Codec: model.U32LE},
		{Name: "cdDisk", Codec: model.U32LE}, {Name: "entriesHere", Codec: model.U64LE}, {Name: "entries", Codec: model.U64LE},
		{Name: "cdSize", Codec: model.U64LE}, {Name: "cdOffset", Codec: model.U64LE}}
	zipLocatorRecord = []*model.Field{zipSignature, {Name: "disk", Codec: model.U32LE}, {Name: "endOffset", Codec: model.U64LE}, {Name: "disks", Codec: model.U32LE}}
)
