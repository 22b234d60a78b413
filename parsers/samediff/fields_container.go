package samediff

import (
	"encoding/binary"
	"hash/crc32"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// record is where a record and its parts lie.
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

// known tells whether a record has a type that is known, and flags that it may have.
func (r *record) known() bool { return r.typ <= shardInfo && !r.badFlags }

// walkState says how a walk over records ended.
type walkState uint8

const (
	atEnd walkState = iota
	shortHead
	longData
	tooMany
)

const maxRecords = 65536

// framing is how the records of a container are laid out, and where they are.
type framing struct {
	pro    prologue
	layout layoutCode
	order  binary.ByteOrder
	recs   []record
	state  walkState
	fronts int64 // bytes inflated so far to see what streams hold
}

// container is a container and what was found in it.
type container struct {
	framing
	doc      *doc
	header   *placed
	count    int64 // what HEADER says; -1: nothing
	format   int64
	sections []*section
	meta     *meta
	shard    *shard
	cutAt    int64       // where the file should end, as the length of a record that is cut off says
	cutBy    *model.Span // that length
	whole    int64       // how long the file should be, where bytes are missing in the middle of it, or there are too many; 0: as it is
	torn     uint32      // the type of the section that they are missing in
	rump     *section    // what is left of one that was cut; it is none of the sections
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

// layoutCode is a record layout (section 2.4): the order and width of what stands before and behind the data.
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
// inflated to see what it holds; fronts is how many bytes that may be of all streams together.
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
func (k *framing) writeRecord(typ, flags byte, data []byte) []byte {
	out := append([]byte{typ}, make([]byte, 8)...)
	k.order.PutUint64(out[1:], uint64(len(data)))
	out = append(append(out, flags), data...)
	if flags&0x80 != 0 {
		sum := make([]byte, 4)
		k.order.PutUint32(sum, crc32.ChecksumIEEE(data))
		out = append(out, sum...)
	}
	return out
}

// newHeader is the fix that rewrites the payload of the HEADER, which is at a node; sure tells that nothing else can be what is wrong.
func (k *container) newHeader(at model.Node, sure bool) []model.Fix {
	if k.state != atEnd { // the records are not where they seem to be
		return nil
	}
	e := model.Replace(at.Range, flatHeader(int64(k.pro.version), int64(len(k.recs))))
	e.Into = at.Path()
	return []model.Fix{{Label: "rewrite the HEADER", Safe: sure, Edits: []model.Edit{e}}}
}
