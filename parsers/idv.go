package parsers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"

	"spandrel/model"
)

// ML.NET Binary DataView (.idv), versions 1.1.1.1 to 1.1.1.6, and the transposed form (.tdv): docs/code/IdvFileFormat.md and
// src/Microsoft.ML.Data/DataLoadSave/Binary in dotnet/machinelearning. References "§" are to the reference sheet of the format.
//
// A stream is read in two steps. The directories (header, column entries, metadata entries, lookup tables) are read first,
// with an idvReader, because any offset may lead anywhere; what they say divides the stream into regions, which are then laid
// out as spans in the order of the file. Blocks are frames: they are inflated and divided when somebody looks inside.

var _ = add(&model.Format{
	Name:  "idv",
	Title: "ML.NET Binary DataView",
	Doc: "Columns of typed values in compressed blocks of rows, with a directory behind the data. Whole files (.idv), transposed files (.tdv), " +
		"and schemas and maps inside ML.NET model archives (.zip).",
	Exts:    []string{".idv", ".tdv"},
	MIME:    []string{"application/x-mlnet-idv"},
	Detect:  idvDetect,
	Decline: idvDecline,
	Parse:   idvParse,
	Tables:  idvTables,
	Deep:    idvDeep,
	Rules:   idvRuleList(),
	Actions: idvActions,
	Rewrite: idvRewrite,
})

const (
	idvSignature     = 0x00425644004C4D43 // "CML\0DVB\0"
	idvTailSignature = 0x434D4C0044564200 // "\0BVD\0LMC"
	idvHeaderSize    = 256
	idvVersion       = 0x0001000100010000 // plus the last part
)

// idvVersionText prints a version as four numbers, the most major first (§1.1).
func idvVersionText(v uint64) string {
	return fmt.Sprintf("%d.%d.%d.%d", v>>48, v>>32&0xffff, v>>16&0xffff, v&0xffff)
}

var idvVersionCodec = model.U64LE

func idvVersionNote(t *model.Tree, s *model.Span) string {
	v, err := idvRead(t, s)
	if err != nil {
		return ""
	}
	return idvVersionText(v.Uint())
}

// Header and tail (§1.1).
var (
	idvHeader       = &model.Field{Name: "header", Ref: "§1.1"}
	idvSignatureF   = &model.Field{Name: "signature", Codec: model.U64LE, Show: model.ShowHex, Doc: "CML␀DVB␀", Ref: "§1.1"}
	idvVersionF     = &model.Field{Name: "version", Codec: idvVersionCodec, Show: model.ShowHex, Note: idvVersionNote, Ref: "§1.2"}
	idvCompatible   = &model.Field{Name: "compatibleVersion", Codec: idvVersionCodec, Show: model.ShowHex, Note: idvVersionNote, Doc: "the oldest reader that understands the file", Ref: "§1.2"}
	idvTOCOffset    = &model.Field{Name: "tocOffset", Codec: model.I64LE, Show: model.ShowHex, Doc: "start of the column directory", Ref: "§1.1"}
	idvTailOffset   = &model.Field{Name: "tailOffset", Codec: model.I64LE, Show: model.ShowHex, Doc: "start of the tail signature", Ref: "§1.1"}
	idvRowCount     = &model.Field{Name: "rowCount", Codec: model.I64LE, Ref: "§1.1"}
	idvColumnCount  = &model.Field{Name: "columnCount", Codec: model.I32LE, Ref: "§1.1"}
	idvUnused       = &model.Field{Name: "unused", Codec: model.BytesOf(204), Doc: "never read; zero in all files seen", Ref: "§1.1"}
	idvHeaderFields = []*model.Field{idvSignatureF, idvVersionF, idvCompatible, idvTOCOffset, idvTailOffset, idvRowCount, idvColumnCount, idvUnused}
	idvTail         = &model.Field{Name: "tail", Ref: "§1.1"}
	idvTrailing     = &model.Field{Name: "trailing", Codec: model.RawBytes, Doc: "bytes behind the tail: not part of the stream", Ref: "§2.6"}
)

// Column directory (§2.2).
var (
	idvTOC          = &model.Field{Name: "toc", Doc: "column directory: one entry for each column", Ref: "§2.2"}
	idvEntry        = &model.Field{Name: "column", Ref: "§2.2"}
	idvName         = &model.Field{Name: "name", Ref: "§2.2"}
	idvLength       = &model.Field{Name: "length", Codec: model.ULEB31, Doc: "bytes of UTF-8", Ref: "§0"}
	idvChars        = &model.Field{Name: "text", Codec: model.UTF8, Ref: "§0"}
	idvCompression  = &model.Field{Name: "compression", Codec: model.U8, Enum: model.Enum{0: "none", 1: "deflate"}, Ref: "§4.1"}
	idvRowsPerBlock = &model.Field{Name: "rowsPerBlock", Codec: model.ULEB64, Ref: "§4.5"}
	idvLookupOffset = &model.Field{Name: "lookupOffset", Codec: model.I64LE, Show: model.ShowHex, Ref: "§2.3"}
	idvMetaOffset   = &model.Field{Name: "metadataOffset", Codec: model.I64LE, Show: model.ShowHex, Doc: "metadata directory of the column; 0: none", Ref: "§2.4"}
	idvSlotsOffset  = &model.Field{Name: "slotNamesOffset", Codec: model.I64LE, Show: model.ShowHex, Doc: "version 1.1.1.3 only; 0: none", Ref: "§2.5"}
	idvSlotsSize    = &model.Field{Name: "slotNamesSize", Codec: model.I64LE, Ref: "§2.5"}
	idvSlotsCount   = &model.Field{Name: "slotNamesCount", Codec: model.I32LE, Ref: "§2.5"}
	idvSlots        = &model.Field{Name: "slotNames", Ref: "§2.5"}
	idvSlot         = &model.Field{Name: "slot", Ref: "§2.5"}
	idvSlotIndex    = &model.Field{Name: "index", Codec: model.I32LE, Ref: "§2.5"}
)

// Codec definitions (§3.1).
var (
	idvCodecField  = &model.Field{Name: "codec", Ref: "§3.1"}
	idvItemField   = &model.Field{Name: "item", Doc: "codec of the items", Ref: "§3.1"}
	idvLoadName    = &model.Field{Name: "loadName", Doc: "what the codec is", Ref: "§3.1"}
	idvParamLength = &model.Field{Name: "parameterLength", Codec: model.ULEB64, Doc: "bytes of parameters", Ref: "§3.1"}
	idvParams      = &model.Field{Name: "parameters", Codec: model.RawBytes, Doc: "parameters that are not understood", Ref: "§3.1"}
	idvRank        = &model.Field{Name: "rank", Codec: model.I32LE, Doc: "number of dimensions; 0: an old way to say one of unknown length", Ref: "§3.1"}
	idvDims        = &model.Field{Name: "dimensions", Doc: "0 anywhere: the length varies", Ref: "§3.1"}
	idvDim         = &model.Field{Name: "dimension", Codec: model.I32LE, Ref: "§3.1"}
	idvCount       = &model.Field{Name: "count", Codec: model.U64LE, Doc: "largest raw key", Ref: "§3.1"}
	idvContiguous  = &model.Field{Name: "contiguous", Codec: model.U8, Ref: "§3.1"}
	idvMin         = &model.Field{Name: "min", Codec: model.U64LE, Doc: "logical value of raw key 1", Ref: "§3.1"}
	idvLegacyCount = &model.Field{Name: "count", Codec: model.I32LE, Doc: "largest raw key; 0: unknown", Ref: "§3.1"}
)

// Lookup tables (§2.3) and metadata (§2.4).
var (
	idvLookup       = &model.Field{Name: "lookup", Doc: "where the blocks of a column are", Ref: "§2.3"}
	idvBlockOffset  = &model.Field{Name: "offset", Codec: model.I64LE, Show: model.ShowHex, Target: idvBlockTarget, Ref: "§2.3"}
	idvBlockLength  = &model.Field{Name: "length", Codec: model.I32LE, Doc: "bytes in the file", Ref: "§2.3"}
	idvBlockDecoded = &model.Field{Name: "decompressedLength", Codec: model.I32LE, Ref: "§2.3"}
	idvLookupRecord = model.NewRecord(idvBlockOffset, idvBlockLength, idvBlockDecoded)
	idvMeta         = &model.Field{Name: "metadata", Doc: "metadata directory of a column", Ref: "§2.4"}
	idvMetaCount    = &model.Field{Name: "count", Codec: model.ULEB64, Ref: "§2.4"}
	idvMetaEntries  = &model.Field{Name: "entries", Ref: "§2.4"}
	idvMetaEntry    = &model.Field{Name: "entry", Ref: "§2.4"}
	idvMetaKind     = &model.Field{Name: "kind", Ref: "§10"}
	idvMetaBlockOff = &model.Field{Name: "blockOffset", Codec: model.I64LE, Show: model.ShowHex, Ref: "§2.4"}
	idvMetaBlockLen = &model.Field{Name: "blockLength", Codec: model.ULEB64, Ref: "§2.4"}
	idvMetaBlock    = &model.Field{Name: "block", Doc: "a block of one value", Ref: "§2.4"}
	idvBlocks       = &model.Field{Name: "blocks", Doc: "blocks of rows, in the order of the file", Ref: "§2.1"}
	idvData         = &model.Field{Name: "data", Codec: idvStored{model.RawBytes}, Doc: "the block as it is stored", Ref: "§4", Fixed: "its bytes follow from the decoded values"}
	idvPrefix       = &model.Field{Name: "prefix", Codec: model.I32LE, Doc: "bytes of the stream that follows", Ref: "§9.1"}
	idvStreamField  = &model.Field{Name: "stream", Ref: "§9.1"}
)

// idvStored is the bytes of a block: what they say is in the space that they decode to, so they have no value of their own.
type idvStored struct{ model.Codec }

func (idvStored) Decode(b []byte) (model.Value, int, error) { return model.Value{}, len(b), nil }

func idvDetect(name string, head, tail []byte, size int64) model.Confidence {
	ext := strings.HasSuffix(strings.ToLower(name), ".idv") || strings.HasSuffix(strings.ToLower(name), ".tdv")
	switch {
	case len(head) >= 8 && (binary.LittleEndian.Uint64(head) == idvSignature || binary.LittleEndian.Uint64(head) == tdvSignature):
		return 100
	case len(head) >= 12 && binary.LittleEndian.Uint64(head[4:]) == idvSignature:
		return 95
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		for _, mark := range []string{"Model.key", "TrainingInfo", "Schema.idv", "TransformerChain", "DefaultMap.idv", "\x00Schema"} {
			if bytes.Contains(tail, []byte(mark)) {
				return 80
			}
		}
	case ext:
		return 60
	case len(tail) >= 8 && size > idvHeaderSize && (binary.LittleEndian.Uint64(tail[len(tail)-8:]) == idvTailSignature || tdvTailed(tail)):
		return 70
	}
	return 0
}

// idvDecline says why idvDetect found nothing.
func idvDecline(_ string, head, tail []byte, _ int64) string {
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return "is a ZIP archive whose directory names no part of an ML.NET model"
	}
	return fmt.Sprintf("begins with %s, not 43 4D 4C 00 44 56 42 00 (CML.DVB.), and ends with % X, not 00 42 56 44 00 4C 4D 43",
		model.Opening(head), tail[max(0, len(tail)-8):])
}

// idvState is what the tree remembers: the streams of a document, in the order in which they were found.
type idvState struct {
	mu      sync.Mutex
	streams []*idvStream
	// boxed are spans of embedded streams that have not been opened yet.
	boxed []*model.Span
	// recent is the texts of the block that somebody looked at last.
	recent struct {
		sync.Mutex
		space model.SpaceID
		ix    *idvIndex
	}
	// derived tells by SpaceID which block a space is decoded from: *idvDerivedBlock.
	derived sync.Map
}

// add remembers a stream; one that is read again, at the same place, takes the place of the former.
func (st *idvState) add(s *idvStream) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for i, old := range st.streams {
		if old.space == s.space && old.base == s.base {
			st.streams[i] = s
			return
		}
	}
	st.streams = append(st.streams, s)
}

func (st *idvState) all() []*idvStream {
	st.mu.Lock()
	defer st.mu.Unlock()
	return append([]*idvStream(nil), st.streams...)
}

func idvStateOf(t *model.Tree) *idvState {
	st, _ := t.State.(*idvState)
	if st == nil {
		st = &idvState{}
	}
	return st
}

// idvParse reads whichever form the bytes have (§9.1).
func idvParse(c *model.Cursor) {
	st := &idvState{}
	c.Tree().State = st
	head := c.Peek(12)
	sig := func(at int) uint64 {
		if len(head) < at+8 {
			return 0
		}
		return binary.LittleEndian.Uint64(head[at:])
	}
	switch {
	case sig(0) == tdvSignature || sig(0) != idvSignature && tdvTailed(c.PeekAt(max(0, c.Size()-8), 8)):
		tdvParse(c, st)
	case sig(0) != idvSignature && sig(4) == idvSignature:
		idvPrefixed(c, st, "")
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		idvZip(c, st)
	default:
		idvStreamParse(c, st, "")
	}
}

// idvPrefixed reads a stream behind its length (§9.1).
func idvPrefixed(c *model.Cursor, st *idvState, label string) {
	n := c.Field(idvPrefix)
	size, own := c.Left(), int64(0)
	if b := c.Peek(40); len(b) == 40 { // what the stream says itself: bytes may follow it
		own = int64(binary.LittleEndian.Uint64(b[32:]))
		if own >= idvHeaderSize && own <= size-8 && n.Int() == own+8 {
			size = own + 8
		}
	}
	if n.Int() != size {
		fix := model.SetTo(n.Span, model.I(size))
		fix.Safe = own == size-8 // otherwise bytes of the stream may be missing, or too many
		c.Report(model.Finding{Rule: idvRules[110], Span: n.Span, Found: n.Value.String(), Expected: fmt.Sprint(size), Fixes: []model.Fix{fix}})
	}
	s := c.Block(idvStreamField, size, func(c *model.Cursor) { idvStreamParse(c, st, label) })
	c.LengthOf(n, s).Unchecked()
}

// idvRead decodes a leaf that was just laid.
func idvRead(t *model.Tree, s *model.Span) (model.Value, error) { return t.Value(idvBackground, s) }
