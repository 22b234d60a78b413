package idv

import (
	"encoding/binary"

	"spandrel/model"
)

// Transposed files (.tdv): one stream for each column, and one for the schema (§9.3).
const (
	transposedSignature     = 0x56444445534F5058 // "XPOSEDDV"
	transposedTailSignature = 0x58504F5345444456 // "VDDESOPX"
)

var (
	transposedSubTable = &model.Field{Name: "tableOffset", Codec: model.I64LE, Show: model.ShowHex, Doc: "start of the table of streams",
		Ref: "§9.3"}
	transposedFields    = []*model.Field{signatureF, versionF, compatible, transposedSubTable, tailOffset, rowCount, columnCount, unused}
	transposedTable     = &model.Field{Name: "table", Doc: "the schema stream, then one stream per column", Ref: "§9.3"}
	transposedOffset    = &model.Field{Name: "offset", Codec: model.I64LE, Show: model.ShowHex, Doc: "0: there is none", Ref: "§9.3"}
	transposedLength    = &model.Field{Name: "length", Codec: model.I64LE, Ref: "§9.3"}
	transposedRecord    = model.NewRecord(transposedOffset, transposedLength)
	transposedSub       = &model.Field{Name: "sub", Codec: model.RawBytes, Doc: "an embedded stream", Ref: "§9.3"}
	transposedStreamDoc = &model.Field{Name: "stream", Doc: "the embedded stream, with offsets of its own", Ref: "§9.3"}
)

// transposedMaxStreams is how many embedded streams are shown.
const transposedMaxStreams = 1 << 14

// transposedTailed tells whether bytes end with the tail signature of a transposed file.
func transposedTailed(b []byte) bool {
	return len(b) >= 8 && binary.LittleEndian.Uint64(b[len(b)-8:]) == transposedTailSignature
}
