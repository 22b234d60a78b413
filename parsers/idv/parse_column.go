package idv

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// column is a column entry.
type column struct {
	index       int
	entry       [2]int64 // offset and length
	name        text
	codec       *block.Codec
	compression byte
	rpb         int64  // as readers take it
	rpbStored   uint64 // as stored
	lookup      int64
	meta        int64 // offset of the metadata directory, or 0
	metaEnd     int64
	slots       [3]int64 // of version 1.1.1.3: offset, size, count
	entries     []*metadata
	blocks      int64 // in the lookup table
	cut         bool  // the table reaches out of the stream: where it really ends, if it is one, is not known
	// Where the fields are in the stream.
	compressionAt, rpbAt, lookupAt, metaAt int64

	table    *model.Span // the lookup table
	metaSpan *model.Span // the metadata directory
	once     sync.Once
	labels   []string // key values
	slotsN   []string // slot names
}

// metadata is an entry of a metadata directory.
type metadata struct {
	kind          text
	codec         *block.Codec
	compression   byte
	off, n        int64
	said          int64 // n as it is stored
	entry         [2]int64
	offAt         int64
	lenAt         int64
	compressionAt int64
	region        *region // of its block
}

// readable tells whether the rows of a column can be read.
func (c *column) readable() bool { return c.codec.Readable() && c.compression <= 1 }

func (m *metadata) readable() bool {
	return m.codec.Readable() && m.compression <= 1
}

// plausible tells whether an entry looks like one of a sound directory.
func (c *column) plausible(tail int64) bool {
	return c.name.n > 0 && utf8.ValidString(c.name.s) && !strings.ContainsFunc(c.name.s, unicode.IsControl) && c.codec.NameLen > 0 &&
		utf8.ValidString(c.codec.Name) && c.compression <= 2 && c.rpb > 0 &&
		c.lookup >= headerSize && c.lookup < tail && (c.meta == 0 || c.meta >= headerSize && c.meta < tail)
}
