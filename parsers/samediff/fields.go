package samediff

import (
	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

var (
	fieldMagic = &model.Field{Name: "magic", Doc: "SAMEDIFF_MODEL", Ref: "2.2", Codec: model.ASCII,
		Fixed: "other bytes would make it another kind of file"}
	fieldUTF   = &model.Field{Name: "utfLength", Doc: "length that Java's writeUTF puts before a text", Ref: "2.4", Codec: model.U16BE}
	fieldRecs  = &model.Field{Name: "records", Doc: "the sections", Ref: "2.2"}
	fieldRec   = &model.Field{Name: "record", Ref: "2.2"}
	fieldTail  = &model.Field{Name: "tail", Unused: true, Doc: "bytes behind the last record", Ref: "2.4", Codec: model.RawBytes}
	fieldData  = &model.Field{Name: "data", Doc: "the stored bytes of the section", Ref: "2.2", Codec: model.RawBytes}
	fieldText0 = &model.Field{Name: "data", Doc: "a text", Ref: "2.4", Codec: model.UTF8}
	flagNames  = []model.Flag{{Mask: 0x80, Name: "CRC"}, {Mask: 2, Name: "zstd"}, {Mask: 1, Name: "deflate"}}
	// outer are the integers of a container by byte order: big-endian, then little-endian.
	outer = [2]outerFields{outerOf(model.U16BE, model.U32BE, model.U64BE), outerOf(model.U16LE, model.U32LE, model.U64LE)}
)

// outerFields are the fields of one byte order.
type outerFields struct {
	version, typ, typ4, length, flags, crc, crc8, k, prefix4, prefix8, count, len2, len4 *model.Field
}

func outerOf(u16, u32, u64 model.Codec) outerFields {
	return outerFields{
		version: &model.Field{Name: "version", Ref: "2.1 H-03", Codec: u32},
		typ:     &model.Field{Name: "type", Ref: "2.1 H-05", Codec: model.U8, Enum: flat.Enums["SectionType"]},
		typ4:    &model.Field{Name: "type", Ref: "2.4", Codec: u32, Enum: flat.Enums["SectionType"]},
		length:  &model.Field{Name: "length", Doc: "stored bytes", Ref: "2.1 H-07", Codec: u64, Show: model.ShowSize},
		flags:   &model.Field{Name: "flags", Doc: "compression, and whether a CRC follows", Ref: "2.1 H-08", Codec: model.U8, Flags: flagNames},
		crc:     &model.Field{Name: "crc", Doc: "CRC-32 of the stored bytes", Ref: "2.1 H-09", Codec: u32, Show: model.ShowHex},
		crc8:    &model.Field{Name: "crc", Doc: "CRC-32 of the stored bytes, as a Java long", Ref: "2.4", Codec: u64, Show: model.ShowHex},
		k:       &model.Field{Name: "K", Doc: "bytes of the index", Ref: "2.3", Codec: u64},
		prefix4: &model.Field{Name: "prefix", Doc: "bytes of the graph", Ref: "2.4", Codec: u32},
		prefix8: &model.Field{Name: "prefix", Doc: "bytes of the graph", Ref: "2.4", Codec: u64},
		count:   &model.Field{Name: "count", Ref: "2.4", Codec: u32},
		len2:    &model.Field{Name: "len", Ref: "2.4", Codec: u16},
		len4:    &model.Field{Name: "len", Ref: "2.4", Codec: u32},
	}
}

// Limits of inflating (section 2.1, H-12, and section 1.5).
const (
	maxRatio    = 100
	maxInflated = 10 << 30
	maxMembers  = 1000
	mostModels  = 5 * maxMembers // of an archive that are read, though Java refuses it
	mostBeside  = 256            // other shards of a set: of more none is read, or each of a folder of them would read all
)
