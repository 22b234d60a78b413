package idv

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

const (
	headSignature = 0x00425644004C4D43 // "CML\0DVB\0"
	tailSignature = 0x434D4C0044564200 // "\0BVD\0LMC"
	headerSize    = 256
	versionBase   = 0x0001000100010000 // plus the last part
)

// versionText prints a version as four numbers, the major one first (§1.1).
func versionText(v uint64) string {
	return fmt.Sprintf("%d.%d.%d.%d", v>>48, v>>32&0xffff, v>>16&0xffff, v&0xffff)
}

var versionCodec = model.U64LE

func versionNote(ctx context.Context, t *model.Tree, s *model.Span) string {
	v, err := t.Value(ctx, s)
	if err != nil {
		return ""
	}
	return versionText(v.Uint())
}

func sayVersion(v model.Value) string { return versionText(v.Uint()) }

// saySignature prints the eight characters of a signature.
func saySignature(v model.Value) string {
	text := binary.LittleEndian.AppendUint64(nil, v.Uint())
	return strings.ReplaceAll(strconv.Quote(string(text)), `\x00`, `\0`)
}

// Header and tail (§1.1).
var (
	headerField = &model.Field{Name: "header", Ref: "§1.1"}
	signatureF  = &model.Field{Name: "signature", Codec: model.U64LE, Show: model.ShowHex, Say: saySignature, Doc: `CML\0DVB\0`, Ref: "§1.1"}
	versionF    = &model.Field{Name: "version", Codec: versionCodec, Show: model.ShowHex, Say: sayVersion, Note: versionNote, Ref: "§1.2"}
	compatible  = &model.Field{Name: "compatibleVersion", Codec: versionCodec, Show: model.ShowHex, Say: sayVersion, Note: versionNote,
		Doc: "the oldest reader that can read the file", Ref: "§1.2"}
	tocOffset    = &model.Field{Name: "tocOffset", Codec: model.I64LE, Show: model.ShowHex, Doc: "start of the column directory", Ref: "§1.1"}
	tailOffset   = &model.Field{Name: "tailOffset", Codec: model.I64LE, Show: model.ShowHex, Doc: "start of the tail signature", Ref: "§1.1"}
	rowCount     = &model.Field{Name: "rowCount", Codec: model.I64LE, Ref: "§1.1"}
	columnCount  = &model.Field{Name: "columnCount", Codec: model.I32LE, Ref: "§1.1"}
	unused       = &model.Field{Name: "unused", Codec: model.BytesOf(204), Doc: "never read; zero in all known files", Ref: "§1.1"}
	headerFields = []*model.Field{signatureF, versionF, compatible, tocOffset, tailOffset, rowCount, columnCount, unused}
	tailField    = &model.Field{Name: "tail", Ref: "§1.1"}
	trailing     = &model.Field{Name: "trailing", Codec: model.RawBytes, Unused: true, Doc: "bytes after the tail: not part of the stream", Ref: "§2.6"}
)

// Column directory (§2.2).
var (
	toc          = &model.Field{Name: "toc", Doc: "column directory: one entry for each column", Ref: "§2.2"}
	entry        = &model.Field{Name: "column", Ref: "§2.2"}
	name         = &model.Field{Name: "name", Ref: "§2.2"}
	length       = &model.Field{Name: "length", Codec: model.ULEB31, Doc: "bytes of UTF-8", Ref: "§0"}
	chars        = &model.Field{Name: "text", Codec: model.UTF8, Ref: "§0"}
	compression  = &model.Field{Name: "compression", Codec: model.U8, Enum: model.Enum{0: "none", 1: "deflate"}, Ref: "§4.1"}
	rowsPerBlock = &model.Field{Name: "rowsPerBlock", Codec: model.ULEB64, Ref: "§4.5"}
	lookupOffset = &model.Field{Name: "lookupOffset", Codec: model.I64LE, Show: model.ShowHex, Ref: "§2.3"}
	metaOffset   = &model.Field{Name: "metadataOffset", Codec: model.I64LE, Show: model.ShowHex,
		Doc: "metadata directory of the column; 0: none", Ref: "§2.4"}
	slotsOffset = &model.Field{Name: "slotNamesOffset", Codec: model.I64LE, Show: model.ShowHex, Doc: "version 1.1.1.3 only; 0: none",
		Ref: "§2.5"}
	slotsSize  = &model.Field{Name: "slotNamesSize", Codec: model.I64LE, Ref: "§2.5"}
	slotsCount = &model.Field{Name: "slotNamesCount", Codec: model.I32LE, Ref: "§2.5"}
	slots      = &model.Field{Name: "slotNames", Ref: "§2.5"}
	slot       = &model.Field{Name: "slot", Ref: "§2.5"}
	slotIndex  = &model.Field{Name: "index", Codec: model.I32LE, Ref: "§2.5"}
)

// Codec definitions (§3.1).
var (
	codecField  = &model.Field{Name: "codec", Ref: "§3.1"}
	itemField   = &model.Field{Name: "item", Doc: "codec of the items", Ref: "§3.1"}
	codecName   = &model.Field{Name: "text", Codec: model.UTF8, Ref: "§0", Terms: func(s string) bool { return block.LoadNames[s] != block.Unknown }}
	loadName    = &model.Field{Name: "loadName", Doc: "name of the codec", Ref: "§3.1"}
	paramLength = &model.Field{Name: "parameterLength", Codec: model.ULEB64, Doc: "bytes of parameters", Ref: "§3.1"}
	params      = &model.Field{Name: "parameters", Codec: model.RawBytes, Doc: "unknown parameters", Ref: "§3.1"}
	rank        = &model.Field{Name: "rank", Codec: model.I32LE, Doc: "number of dimensions; 0: an old form for one of unknown length",
		Ref: "§3.1"}
	dims        = &model.Field{Name: "dimensions", Doc: "any 0: the length varies", Ref: "§3.1"}
	dim         = &model.Field{Name: "dimension", Codec: model.I32LE, Ref: "§3.1"}
	count       = &model.Field{Name: "count", Codec: model.U64LE, Doc: "largest raw key", Ref: "§3.1"}
	contiguous  = &model.Field{Name: "contiguous", Codec: model.U8, Ref: "§3.1"}
	minRows     = &model.Field{Name: "min", Codec: model.U64LE, Doc: "logical value of raw key 1", Ref: "§3.1"}
	legacyCount = &model.Field{Name: "count", Codec: model.I32LE, Doc: "largest raw key; 0: unknown", Ref: "§3.1"}
)

// Lookup tables (§2.3) and metadata (§2.4).
var (
	lookup       = &model.Field{Name: "lookup", Doc: "locations of a column's blocks", Ref: "§2.3"}
	meta         = &model.Field{Name: "metadata", Doc: "metadata directory of a column", Ref: "§2.4"}
	metaCount    = &model.Field{Name: "count", Codec: model.ULEB64, Ref: "§2.4"}
	metaEntries  = &model.Field{Name: "entries", Ref: "§2.4"}
	metaEntry    = &model.Field{Name: "entry", Ref: "§2.4"}
	metaKind     = &model.Field{Name: "kind", Ref: "§10"}
	metaBlockOff = &model.Field{Name: "blockOffset", Codec: model.I64LE, Show: model.ShowHex, Ref: "§2.4"}
	metaBlockLen = &model.Field{Name: "blockLength", Codec: model.ULEB64, Ref: "§2.4"}
	metaBlock    = &model.Field{Name: "block", Doc: "a block of one value", Ref: "§2.4"}
	blocks       = &model.Field{Name: "blocks", Doc: "blocks of rows, in the order of the file", Ref: "§2.1"}
	dataField    = &model.Field{Name: "data", Codec: stored{model.RawBytes}, Doc: "the block as it is stored", Ref: "§4",
		Fixed: "its bytes are computed from the decoded values"}
	prefix      = &model.Field{Name: "prefix", Codec: model.I32LE, Doc: "size of the stream that follows", Ref: "§9.1"}
	streamField = &model.Field{Name: "stream", Ref: "§9.1"}
)

// stored is the bytes of a block: their content is in the decoded space, so they have no value of their own.
type stored struct{ model.Codec }

func (stored) Decode(b []byte) (model.Value, int, error) { return model.Value{}, len(b), nil }

// The offsets of the numbers in the header (§1.1).
const (
	directoryAt = 24
	tailAt      = 32
	rowsAt      = 40
	columnsAt   = 48
)
