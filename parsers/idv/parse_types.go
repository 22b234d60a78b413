package idv

import (
	"slices"
	"sync"

	"spandrel/model"
	"spandrel/parsers/idv/block"
	"spandrel/parsers/internal/zipfile"
)

// state is stored with the tree: the streams of a document, in the order in which they were found.
type state struct {
	mu      sync.Mutex
	streams []*stream
	// boxed are spans of embedded streams that have not been opened yet.
	boxed []*model.Span
	zip   *zipfile.Archive // of a model archive
	// vocabularies of a model archive, as far as they have been opened.
	vocabularies []*vocabulary
	tail         model.Node // of a transposed file: where its header puts the end mark
	// recent is the texts of the block that was looked at last.
	recent struct {
		sync.Mutex
		space model.SpaceID
		ix    *block.Block
	}
	// derived tells by SpaceID which block a space is decoded from: *derivedBlock.
	derived sync.Map
}

// stream is one IDV stream of a document: its spans, and the content of its directories.
type stream struct {
	division
	t       *model.Tree
	st      *state
	root    *model.Span
	tocSpan *model.Span
	lostMu  sync.Mutex
	lost    **remains // computed on demand
}

// remains are columns whose blocks are not where a directory says, as a stream of their own.
type remains struct {
	of      *stream
	rpb     int64
	instead bool   // these are all columns: those in the misread directory do not count
	capped  bool   // there may be more: the search for blocks ended before the file did
	carved  bool   // the blocks of a row are paired by their order in the file
	broken  bool   // more blocks follow, in an order that only the directory tells
	doubt   string // why the blocks of a row may not belong together
	by      int64  // by how much the offsets of the directory are too large
}

// division is a divided stream: which bytes are blocks, and which are unreferenced.
type division struct {
	directory
	blocks  []extent // sorted by offset
	runs    []blockRun
	holes   [][2]int64      // bytes that nothing refers to: from, to
	shared  bool            // blocks share bytes
	clashes [][2]extent     // pairs of blocks that share bytes: one of them is wrong
	strays  map[extent]bool // those of them whose own bytes nothing refers to
}

// directory is the content of the header and the directories of a stream. It is read without creating spans.
type directory struct {
	space model.SpaceID
	base  int64 // where the stream starts in the space; all offsets below are counted from it
	size  int64 // bytes of the stream that exist
	label string

	version, compatible uint64
	toc, tail, rows     int64
	columnCount         int64
	tocEnd              int64 // where the last column entry ends
	bound               int64 // the tail where it is plausible, the size otherwise
	cols                []*column
	correction          *correction // a wrong length in a column entry, which is read with the right one
	tried               int64       // bytes read so far to find such lengths
	starts              []int64     // of the directories, lookup tables and metadata blocks, sorted
	lost                int64       // bytes that may be missing before the directory: its offsets may be too large by that
	salvage             bool        // the header is all zero
	foreign, sure       bool        // the header is of another file: the directory gives the numbers here; sure: no type contradicts its version
	// layout is the form of the column entries, by version: 6 the present one, 3 and 1 the unreleased ones (§2.2).
	layout int

	corrects bool // wrong lengths are corrected while reading; off in trial reads of arbitrary bytes
	findings []finding
	perRule  map[*model.Rule]int
}

// peek returns up to n bytes of a space from an offset on.
type peek func(off, n int64) []byte

// column is a column entry.
type column struct {
	index       int
	entry       [2]int64 // offset and length
	name        text
	codec       *block.Codec
	compression byte
	rpb         int64  // as readers interpret it
	rpbStored   uint64 // as stored
	lookup      int64
	meta        int64 // offset of the metadata directory, or 0
	metaEnd     int64
	slots       [3]int64 // of version 1.1.1.3: offset, size, count
	entries     []*metadata
	metaOf      *column  // the column that shares the metadata
	unread      bool     // there are more entries than are read
	blocks      int64    // in the lookup table
	listed      []extent // blocks found without a table, an empty one is missing; nil: use the table
	guessed     bool     // its name and type are lost; the type is guessed from the values
	definition  []byte   // definition of a guessed type; nil: the values match no known type
	cut         bool     // the table extends past the end of the stream, so its real end is unknown
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
	said          int64 // n as stored
	entry         [2]int64
	offAt         int64
	lenAt         int64
	compressionAt int64
	region        *region // of its block
}

// text is text of a directory: its content, and the place of its bytes.
type text struct {
	s      string
	at, n  int64 // of the bytes
	length int64 // where the length starts
}

// block is an entry of a lookup table: where block k of a column is.
type extent struct {
	off    int64
	n, dec int32 // bytes in the file and inflated
	col, k int32
}

func (b extent) end() int64 { return b.off + int64(b.n) }

// blockRun is consecutive blocks with nothing else between them.
type blockRun struct {
	starts []int64 // in the space, one for each place where blocks start
	span   *model.Span
}

// shape is what is known about a block before it is decoded.
type shape struct {
	codec       *block.Codec
	compression byte
	rows        int64 // values in it
	declared    int64 // decompressed length, or -1
	at          model.Range
	meta        *metadata
	col         *column
	first       int64 // row
	k           int64 // block
	budget      int64 // how many decoded bytes are held at once; 0: all
}

// The classes of regions, in the order in which they keep their bytes in a conflict.
const (
	classHeader = iota
	classTOC
	classMeta
	classTail
	classLookup
	classMetaBlock
	classBlocks
	classTrailing
)

// region is a run of bytes with a meaning according to the directories. Offsets are counted from the start of the stream.
type region struct {
	class  int
	off, n int64
	full   int64 // its length before others claimed part of it
	name   *model.Field
	nodes  []treeNode
	list   bool
	col    *column
	meta   *metadata
	order  int  // among the metadata of its column
	whole  bool // of a directory: all entries are there
	run    int  // of blocks
	node   model.Node
}

func (r *region) end() int64 { return r.off + r.n }

type regionKey struct {
	class  int
	off, n int64
}

// regionMap divides a stream.
type regionMap struct {
	all  []*region
	same map[regionKey]*region
}

// treeNode is something read from a directory: a leaf, a group of others, or dimensions. Directories are read before any span is created, because
// the content of a stream determines how its bytes are divided. A group precedes its members: there may be a million, in one slice.
type treeNode struct {
	field *model.Field
	off   int64
	n     int64
	kids  int32 // number of following fields in the group and its subgroups
	group bool
	list  bool
	// measures means that the leaf is the length of the next sibling, or of all siblings after it.
	measures, all bool
}

// finding is a finding before the spans exist: at is an offset of the stream's space, and the leaf that starts there is the span
// in question.
type finding struct {
	rule            *model.Rule
	sev             model.Severity
	at, n           int64
	found, expected string
	message         string
	related         []model.Range
	set             *model.Value // a value for the leaf that repairs it
	ask             bool         // others would repair it too
	newer           bool         // only newer versions of ML.NET object
	about           about
}

// about is what repairs need to know about a finding.
type about struct {
	column   *column
	meta     *metadata
	codec    *block.Codec
	field    *model.Field // of the codec definition
	problem  block.Issue
	sh       *shape
	extent   *extent // an entry of a table of blocks
	other    *extent // one whose block it overlaps
	count    int64   // of columns that could be read, bytes, rows
	shortest []byte  // of a number
}

// correction is a wrong length in a directory, and its right value.
type correction struct {
	pos  int64 // in the space
	with []byte
	leaf treeNode // the number that it is in
	meta bool     // of metadata
	finding
}

// peek returns the bytes of a space with corrections.
func (m *correction) peek(of peek) peek {
	return func(off, n int64) []byte {
		b := of(off, n)
		if from := m.pos - off; from > -int64(len(m.with)) && from < int64(len(b)) {
			b = slices.Clone(b)
			copy(b[max(0, from):], m.with[max(0, -from):])
		}
		return b
	}
}

// within returns up to n bytes of b from an offset on.
func within(b []byte, off, n int64) []byte {
	if off < 0 || off >= int64(len(b)) {
		return nil
	}
	return b[off:min(off+n, int64(len(b)))]
}
