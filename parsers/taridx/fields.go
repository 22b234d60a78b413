package taridx

import (
	"encoding/binary"

	"spandrel/model"
)

const (
	magic      = "TARIDX\x00\x00"
	headerSize = 64
	rowSize    = 32
)

// The header (section 2).
var (
	headerField = &model.Field{Name: "header", Ref: "2"}
	magicField  = &model.Field{Name: "magic", Codec: model.TextOf(8, 0), Doc: "TARIDX and two NULs", Ref: "2"}
	major       = &model.Field{Name: "major", Codec: model.U16LE, Ref: "2", Rule: otherMajor, Check: model.Is(model.U(1)), Offer: model.U(1)}
	minor       = &model.Field{Name: "minor", Codec: model.U16LE, Ref: "2", Rule: otherMinor, Check: model.Is(model.U(0)), Offer: model.U(0)}
	recSize     = &model.Field{Name: "rec_size", Codec: model.U16LE, Doc: "size of a row in bytes", Ref: "2", Rule: otherRowSize,
		Check: model.Is(model.U(rowSize)), Safe: model.U(rowSize)}
	hdrSize = &model.Field{Name: "hdr_size", Codec: model.U16LE, Doc: "size of the header in bytes", Ref: "2", Rule: otherHeaderSize,
		Check: model.Is(model.U(headerSize)), Safe: model.U(headerSize)}
	nStems   = &model.Field{Name: "n_stems", Codec: model.U64LE, Doc: "distinct samples", Ref: "2"}
	nRows    = &model.Field{Name: "n_rows", Codec: model.U64LE, Doc: "rows", Ref: "2"}
	nExt     = &model.Field{Name: "n_ext", Codec: model.U32LE, Doc: "extension names", Ref: "2"}
	nCrash   = &model.Field{Name: "n_crash", Codec: model.U32LE, Doc: "collision stems", Ref: "2"}
	offCrash = &model.Field{Name: "off_crash", Codec: model.U64LE, Doc: "where the collision block starts", Ref: "2", Show: model.ShowHex}
	offArr   = &model.Field{Name: "off_arr", Codec: model.U64LE, Doc: "where the rows start", Ref: "2", Show: model.ShowHex}
	flags    = &model.Field{Name: "flags", Codec: model.U8, Doc: "bit 0: rows are grouped by sample", Ref: "2", Rule: unknownFlags,
		Check: model.AtMost(1),
		Flags: []model.Flag{{Mask: 1, Name: "contiguous"}}}
	reserved = &model.Field{Name: "reserved", Codec: model.BytesOf(7), Ref: "2", Rule: reservedUsed, Check: model.Zeros}

	headerFields = []*model.Field{major, minor, recSize, hdrSize, nStems, nRows, nExt, nCrash, offCrash, offArr, flags, reserved}
)

// The names (sections 3 and 4).
var (
	extsField  = &model.Field{Name: "ext", Doc: "extension names, by id", Ref: "3"}
	stemsField = &model.Field{Name: "crash", Doc: "stems that share a hash with another stem; the first has id 1", Ref: "4"}
	entryField = &model.Field{Name: "entry", Ref: "3"}
	nameField  = &model.Field{Name: "name", Codec: model.UTF8, Ref: "3"}
	newline    = &model.Field{Name: "sep", Codec: model.ASCII, Doc: "newline", Fixed: "the newline separates entries"}
)

// stated is the layout according to the header.
type stated struct {
	rowSize, headerSize     uint16
	rows, offStems, offRows uint64
	exts, stems             uint64
}

func parseStated(h []byte) stated {
	le := binary.LittleEndian
	return stated{rowSize: le.Uint16(h[12:]), headerSize: le.Uint16(h[14:]), rows: le.Uint64(h[24:]), exts: uint64(le.Uint32(h[32:])), stems: uint64(le.Uint32(h[36:])), offStems: le.Uint64(h[40:]),
		offRows: le.Uint64(h[48:])}
}

// inOrder tells whether the parts are in order, inside a file of so many bytes.
func (s stated) inOrder(size int64) bool {
	return s.offStems >= headerSize && s.offStems <= s.offRows && s.offRows <= uint64(size)
}
