package samediff

import (
	"encoding/binary"
	"hash/crc32"
	"io"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

var (
	fieldMagic = &model.Field{Name: "magic", Doc: "SAMEDIFF_MODEL", Ref: "2.2", Codec: model.ASCII,
		Fixed: "other bytes would make it another kind of file"}
	fieldUTF   = &model.Field{Name: "utfLength", Doc: "length that Java's writeUTF puts before a string", Ref: "2.4", Codec: model.U16BE}
	fieldRecs  = &model.Field{Name: "records", Doc: "the sections", Ref: "2.2"}
	fieldRec   = &model.Field{Name: "record", Ref: "2.2"}
	fieldTail  = &model.Field{Name: "tail", Unused: true, Doc: "bytes after the last record", Ref: "2.4", Codec: model.RawBytes}
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
	mostModels  = 5 * maxMembers // models of an archive that are read, although Java rejects the archive
	mostBeside  = 256            // other shards of a set; if there are more, none is read, because each document of the folder would read all
)

// record is the places of a record and its parts.
type record struct {
	at, data, size, sum int64 // sum: bytes of the checksum
	typ                 uint32
	flags               byte // compression in the low bits; 0 when the layout has none
	badFlags            bool
	wrongFlags          bool // flags is what the byte should be
	wrongType           bool // typ is what the byte should be
}

func (r *record) end() int64 { return r.data + r.size + r.sum }

// code returns the compression code.
func (r *record) code() byte { return r.flags & 15 }

// known tells whether a record has a known type and legal flags.
func (r *record) known() bool { return r.typ <= shardInfo && !r.badFlags }

// walkState is how a walk over records ended.
type walkState uint8

const (
	atEnd walkState = iota
	shortHead
	longData
	tooMany
)

const maxRecords = 65536

// framing is the layout of a container's records, and their places.
type framing struct {
	pro    prologue
	layout layoutCode
	order  binary.ByteOrder
	recs   []record
	state  walkState
	fronts int64 // bytes inflated so far to identify streams
}

// container is a container with its content.
type container struct {
	framing
	doc      *doc
	header   *placed
	count    int64 // what HEADER says; -1: nothing
	format   int64
	sections []*section
	meta     *meta
	shard    *shard
	cutAt    int64                  // where the file should end according to the length of a truncated record
	cutBy    *model.Span            // that length
	whole    int64                  // expected length if bytes are missing or inserted inside the file; 0: unchanged
	torn     uint32                 // the type of the section with missing or inserted bytes
	named    map[string]model.Range // arrays of all sections, by name
	rump     *section               // the rest of a truncated section, which is not in the list
}

// sectionNames are the types as people read them.
var sectionNames = [...]string{"HEADER", "METADATA", "GRAPH", "ARRAYS", "SHARD_INFO"}

// Section types (section 2.1, H-05).
const (
	header = iota
	metadata
	graphs
	arraysType
	shardInfo
)

// magicForms are the signatures of section 2.4 as people read them.
var magicForms = map[string]string{"M12": "SAMEDIFF_MOD", "M16": "SAMEDIFF_MODEL and two zero bytes", "MU": "a length and SAMEDIFF_MODEL"}

// prologue is how a container begins (section 2.4).
type prologue struct {
	code    string // M14, M16, MU, M12
	magic   int64  // bytes of the magic
	at      int64  // of the version
	version uint32
	little  bool
	plain   bool // the version is 1…255 in one byte order
}

// layoutCode is a record layout (section 2.4): the order and width of what precedes and follows the data.
type layoutCode struct {
	code      string
	typeLen   int64
	flagAt    int64 // -1: none
	lengthAt  int64
	head      int64
	sum       int64 // bytes of the checksum when it is there
	always    bool  // the checksum is always there
	inclusive bool  // the length counts flag, data and checksum
}

// small is up to how many bytes a record's checksum is computed while the layout is guessed, and how many bytes of a stream are
// inflated to recognise its content; fronts is how many bytes that may be for all streams together.
const (
	small  = 1 << 20
	fronts = 64 << 20
)

// section is a record in the tree.
type section struct {
	rec        record
	index      int
	span       *model.Span // the record
	typ, flags model.Node
	length     model.Node
	data, sum  model.Node
	body       model.Node // the data, inflated where they are compressed
	variant    string
	arrays     *arrays
	derived    bool
	con        *container
}

// outer returns the fields in the container's byte order.
func (k *framing) outer() *outerFields {
	if k.order == binary.LittleEndian {
		return &outer[1]
	}
	return &outer[0]
}

// flatHeader makes a ContainerHeader (section 2.3).
func flatHeader(format, count int64) []byte {
	return flat.Fields{0: int32(format), 1: int32(count)}.Buffer()
}

// writeRecord makes a record of layout R1.
func (k *framing) writeRecord(typ, flags byte, data []byte) model.Source {
	out, _ := newRecord(k.order, typ, flags, model.Memory(data))
	return out
}

// newRecord is a record of layout R1 in a byte order.
func newRecord(order binary.ByteOrder, typ, flags byte, data model.Source) (model.Source, error) {
	head, sum := append([]byte{typ}, make([]byte, 9)...), make([]byte, 4)
	order.PutUint64(head[1:], uint64(data.Len()))
	if head[9] = flags; flags&0x80 == 0 {
		return joined(model.Memory(head), data), nil
	}
	h := crc32.NewIEEE()
	_, err := io.Copy(h, io.NewSectionReader(data, 0, data.Len()))
	order.PutUint32(sum, h.Sum32())
	return joined(model.Memory(head), data, model.Memory(sum)), err
}

// newHeader is the fix that rewrites the payload of the HEADER, which is at a node; sure means that nothing else can be wrong.
func (k *container) newHeader(at model.Node, sure bool) []model.Fix {
	if k.state != atEnd { // the records may be somewhere else
		return nil
	}
	e := model.Replace(at.Range, flatHeader(int64(k.pro.version), int64(len(k.recs))))
	e.Into = at.Path()
	return []model.Fix{{Label: "rewrite the HEADER", Safe: sure, Edits: []model.Edit{e}}}
}

// joined is concatenated sources.
func joined(parts ...model.Source) *model.Joined {
	out := &model.Joined{}
	for _, s := range parts {
		out.Add(s)
	}
	return out
}
