package zipfile

import "spandrel/model"

// Fields of headers, in the order of APPNOTE.TXT 4.3.
var (
	signature  = &model.Field{Name: "signature", Codec: model.U32LE, Show: model.ShowHex, Ref: "APPNOTE 4.3"}
	madeBy     = &model.Field{Name: "madeBy", Codec: model.U16LE, Ref: "APPNOTE 4.4.2"}
	needs      = &model.Field{Name: "needs", Codec: model.U16LE, Ref: "APPNOTE 4.4.3"}
	flags      = &model.Field{Name: "flags", Codec: model.U16LE, Show: model.ShowHex, Ref: "APPNOTE 4.4.4"}
	method     = &model.Field{Name: "method", Codec: model.U16LE, Enum: model.Enum{0: "stored", 8: "deflate"}, Ref: "APPNOTE 4.4.5"}
	clock      = &model.Field{Name: "time", Codec: model.U16LE, Ref: "APPNOTE 4.4.6"}
	date       = &model.Field{Name: "date", Codec: model.U16LE, Ref: "APPNOTE 4.4.6"}
	crc        = &model.Field{Name: "crc", Codec: model.U32LE, Show: model.ShowHex, Ref: "APPNOTE 4.4.7"}
	csize      = &model.Field{Name: "csize", Codec: model.U32LE, Show: model.ShowSize, Doc: "stored bytes of the member", Ref: "APPNOTE 4.4.8"}
	usize      = &model.Field{Name: "usize", Codec: model.U32LE, Show: model.ShowSize, Doc: "bytes of the member inflated", Ref: "APPNOTE 4.4.9"}
	csize8     = &model.Field{Name: "csize", Codec: model.U64LE, Show: model.ShowSize, Ref: "APPNOTE 4.5.3"}
	usize8     = &model.Field{Name: "usize", Codec: model.U64LE, Show: model.ShowSize, Ref: "APPNOTE 4.5.3"}
	nameLength = &model.Field{Name: "nameLength", Codec: model.U16LE, Ref: "APPNOTE 4.4.10"}
	extraLen   = &model.Field{Name: "extraLength", Codec: model.U16LE, Ref: "APPNOTE 4.4.11"}
	commentLen = &model.Field{Name: "commentLength", Codec: model.U16LE, Ref: "APPNOTE 4.4.12"}
	diskStart  = &model.Field{Name: "diskStart", Codec: model.U16LE, Ref: "APPNOTE 4.4.13"}
	intAttr    = &model.Field{Name: "intAttr", Codec: model.U16LE, Ref: "APPNOTE 4.4.14"}
	extAttr    = &model.Field{Name: "extAttr", Codec: model.U32LE, Ref: "APPNOTE 4.4.15"}
	offset     = &model.Field{Name: "localOffset", Codec: model.U32LE, Doc: "offset of the local header of the member", Ref: "APPNOTE 4.4.16"}
	offset8    = &model.Field{Name: "localOffset", Codec: model.U64LE, Ref: "APPNOTE 4.5.3"}
	nameField  = &model.Field{Name: "name", Codec: model.UTF8, Ref: "APPNOTE 4.4.17"}
	comment    = &model.Field{Name: "comment", Codec: model.UTF8, Ref: "APPNOTE 4.4.18"}
	extra      = &model.Field{Name: "extra", Codec: model.RawBytes, Ref: "APPNOTE 4.4.28"}
	extras     = &model.Field{Name: "extra", Doc: "blocks of other programs, and sizes above 4 GiB", Ref: "APPNOTE 4.5"}
	extra64    = &model.Field{Name: "zip64", Doc: "sizes and offset that are ff ff ff ff in the header", Ref: "APPNOTE 4.5.3"}
	extraOther = &model.Field{Name: "block", Codec: model.RawBytes, Ref: "APPNOTE 4.5"}
	extraID    = &model.Field{Name: "id", Codec: model.U16LE, Show: model.ShowHex, Fixed: "the kind of block", Ref: "APPNOTE 4.5.2"}
	extraSize  = &model.Field{Name: "size", Codec: model.U16LE, Ref: "APPNOTE 4.5.1"}
	memberList = &model.Field{Name: "entry", Doc: "the members, in the order of the file", Ref: "APPNOTE 4.3.1"}
	memberF    = &model.Field{Name: "entry", Doc: "a member: its local header and its data", Ref: "APPNOTE 4.3.7"}
	directory  = &model.Field{Name: "cd", Doc: "the central directory", Ref: "APPNOTE 4.3.12"}
	entry      = &model.Field{Name: "entry", Doc: "the directory entry of a member", Ref: "APPNOTE 4.3.12"}
	end        = &model.Field{Name: "end", Doc: "the end record", Ref: "APPNOTE 4.3.16"}
	end64      = &model.Field{Name: "end64", Doc: "the ZIP64 end record", Ref: "APPNOTE 4.3.14"}
	locator    = &model.Field{Name: "locator", Doc: "offset of the ZIP64 end record", Ref: "APPNOTE 4.3.15"}
	before     = &model.Field{Name: "before", Doc: "bytes before the archive", Codec: model.RawBytes, Unused: true}
	between    = &model.Field{Name: "between", Doc: "bytes between members", Codec: model.RawBytes, Unused: true}
	after      = &model.Field{Name: "after", Doc: "bytes after the archive", Codec: model.RawBytes, Unused: true}
	descriptor = &model.Field{Name: "descriptor", Doc: "sizes and CRC after the data", Ref: "APPNOTE 4.3.9"}

	localRecord = []*model.Field{signature, needs, flags, method, clock, date, crc, csize, usize, nameLength, extraLen}
	entryRecord = []*model.Field{signature, madeBy, needs, flags, method, clock, date, crc, csize, usize, nameLength, extraLen, commentLen, diskStart,
		intAttr, extAttr, offset}
	endRecord = []*model.Field{signature, {Name: "disk", Codec: model.U16LE}, {Name: "cdDisk", Codec: model.U16LE}, {Name: "entriesHere", Codec: model.U16LE},
		{Name: "entries", Codec: model.U16LE}, {Name: "cdSize", Codec: model.U32LE}, {Name: "cdOffset", Codec: model.U32LE}, commentLen}
	end64Record = []*model.Field{signature, {Name: "size", Codec: model.U64LE}, madeBy, needs, {Name: "disk", Codec: model.U32LE},
		{Name: "cdDisk", Codec: model.U32LE}, {Name: "entriesHere", Codec: model.U64LE}, {Name: "entries", Codec: model.U64LE},
		{Name: "cdSize", Codec: model.U64LE}, {Name: "cdOffset", Codec: model.U64LE}}
	locatorRecord = []*model.Field{signature, {Name: "disk", Codec: model.U32LE}, {Name: "endOffset", Codec: model.U64LE}, {Name: "disks", Codec: model.U32LE}}

	// Data is the stored bytes of a member.
	Data = &model.Field{Name: "data", Codec: model.RawBytes, Doc: "the stored member", Ref: "APPNOTE 4.3.8"}
	// Inflated is the content of a deflated member.
	Inflated = &model.Field{Name: "inflated", Doc: "the content of the member"}
)
