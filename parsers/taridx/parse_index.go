package taridx

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"spandrel/model"
)

// index is the state of an index, stored with its tree.
type index struct {
	t     *model.Tree
	head  map[string]model.Node // header fields by name
	dead  bool                  // no value of the header can be trusted
	at    layout
	exts  []string
	stems []string // of collisions

	extSpan, stemSpan *model.Span
	rows              *model.Span // nil when the rows cannot be found
	n                 int64

	fold     *fold
	stemIDs  map[string]uint32
	stemHash []uint64

	once   sync.Mutex
	counts *rowCounts // computed on demand
	match  *match     // the match of rows and members; computed on demand

	grouped func() ([][]int64, error) // the rows of each sample; computed on demand
}

// stateOf returns the index of a tree.
func stateOf(t *model.Tree) *index { return model.StateOf[*index](t) }

// entryRow is one row, decoded.
type entryRow struct {
	fid, ext  uint16
	crash     uint32
	off, size uint64
	hash      uint64
}

func decode(b []byte) entryRow {
	le, _ := binary.LittleEndian, b[rowSize-1]
	return entryRow{fid: le.Uint16(b), off: le.Uint64(b[2:]), size: le.Uint64(b[10:]), ext: le.Uint16(b[18:]), crash: le.Uint32(b[20:]),
		hash: le.Uint64(b[24:])}
}

func encode(rows ...entryRow) []byte {
	b := make([]byte, len(rows)*rowSize)
	for i, r := range rows {
		r.put(b[i*rowSize:])
	}
	return b
}

// put writes a row over bytes.
func (r entryRow) put(b []byte) {
	le, _ := binary.LittleEndian, b[rowSize-1]
	le.PutUint16(b, r.fid)
	le.PutUint64(b[2:], r.off)
	le.PutUint64(b[10:], r.size)
	le.PutUint16(b[18:], r.ext)
	le.PutUint32(b[20:], r.crash)
	le.PutUint64(b[24:], r.hash)
}

// key is what all rows of a sample share.
func (r entryRow) key() [2]uint64 { return [2]uint64{r.hash, uint64(r.crash)} }

const step = rowSize << 15 // bytes of rows read at a time

// each hands every row to f, in order.
func (x *index) each(ctx context.Context, f func(i int64, r entryRow)) error {
	if x.rows == nil {
		return nil
	}
	return x.t.Stream(ctx, x.rows.Range, step, func(off int64, b []byte) error {
		for i := (off - x.rows.Range.Off) / rowSize; len(b) >= rowSize; b, i = b[rowSize:], i+1 {
			f(i, decode(b))
		}
		return nil
	})
}

// allRows reads all rows.
func (x *index) allRows(ctx context.Context) ([]entryRow, error) {
	if x.n > maxRewrite {
		return nil, fmt.Errorf("%d rows are too many to rewrite in memory: the limit is %d", x.n, maxRewrite)
	}
	rows := make([]entryRow, 0, x.n)
	err := x.each(ctx, func(_ int64, r entryRow) { rows = append(rows, r) })
	return rows, err
}

func (x *index) readRow(ctx context.Context, i int64) (entryRow, error) {
	b, err := x.t.Bytes(ctx, x.rows.Child(i).Range)
	if err != nil {
		return entryRow{}, err
	}
	return decode(b), nil
}

func (x *index) extName(id uint16) string {
	if int(id) < len(x.exts) {
		return x.exts[id]
	}
	return ""
}

// folderOf is a name up to its last slash.
func folderOf(name string) string { return name[:strings.LastIndexByte(name, '/')+1] }

// nameParts returns the stem and the extension of a member name as the indexer derives them (section 6.1).
func nameParts(name string) (stem, ext string) {
	name = name[strings.LastIndexByte(name, '/')+1:]
	stem, ext, _ = strings.Cut(name, ".")
	return stem, pythonLower(ext)
}

// pythonLower is Python's lower-casing of whole texts: İ becomes two characters, and a Σ at the end of a word ς.
func pythonLower(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return strings.ToLower(s)
	}
	return cases.Lower(language.Und).String(s)
}

// space tells whether Python's str.split treats a character as white space.
func space(r rune) bool {
	return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f
}

// reservedHashes are the hashes of names that no sample has (section 6.2).
var reservedHashes = map[uint64]string{0xef46db3751d8e999: "an empty stem", 0xde3a66ab5c7a5a12: "@PaxHeader",
	0xddf71ebb9afcd5f6: "@LongLink", 0x062ed88ed5f47d7d: "pax_global_header"}

// rowCounts is how many samples the rows have, the most rows of one, and whether all have as many, except the last.
type rowCounts struct {
	samples int
	most    int64
	same    bool
}

// samples are the row numbers of each key, in order of first appearance.
func (x *index) samples() (groups [][]int64, err error) {
	at := map[[2]uint64]int{}
	err = x.each(context.Background(), func(i int64, r entryRow) {
		k := r.key()
		g, ok := at[k]
		if !ok {
			g = len(groups)
			at[k], groups = g, append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	})
	return groups, err
}
