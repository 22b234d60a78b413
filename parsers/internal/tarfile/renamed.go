package tarfile

import (
	"bytes"
	"context"
	"slices"

	"spandrel/model"
)

// Text tools such as sed replace names in an archive by longer or shorter ones. The padding of a name keeps its length, so everything after it is shifted.

const (
	// MostRenamed is by how many bytes a name is longer or shorter.
	MostRenamed = 64
	nameSize    = 100
	mostRenames = 1 << 16
	mostEnd     = 1 << 20 // bytes of zeros at the end: writers fill up to a record
)

// Renamed returns the header that a block, read with some bytes after it, was before its name became by bytes longer (negative: shorter), with the new name
// and the old checksum; nil if it was none.
func Renamed(b []byte) (header []byte, by int) {
	for k := -MostRenamed; k <= MostRenamed; k++ {
		if k == 0 || len(b) < Block+k || b[0] == 0 || string(b[magicAt+k:magicAt+k+len(magic)]) != magic {
			continue
		}
		h := slices.Concat(b[:nameSize+min(0, k)], make([]byte, max(0, -k)), b[nameSize+k:Block+k])
		if model.AllZero(b[nameSize:nameSize+max(0, k)]) && plausible(h) {
			return h, k
		}
	}
	return nil, 0
}

// plausible tells whether all numbers of a header are numbers.
func plausible(h []byte) bool {
	for _, at := range [][2]int{{100, 108}, {108, 116}, {116, 124}, {136, 148}} {
		if _, ok := Signed(h[at[0]:at[1]]); !ok {
			return false
		}
	}
	return Number(h[124:136]) >= 0 && octal(h[148:156]) > 0
}

// rename is a header with a name that became longer or shorter.
type rename struct {
	at   int64
	by   int
	is   []byte // the header with the new name
	cut  string // what the name has too much, according to the checksum; "" if that is not known
	from int    // where in the name
}

// Renames offers to repair all headers from a place on whose names became longer or shorter, if all members up to the end of the archive are found then.
func Renames(ctx context.Context, in model.SpaceID, read Reader, at, end int64) []model.Fix {
	var list []rename
	for !model.AllZero(read(at, 2*Block)) {
		b, n := read(at, Block+MostRenamed), int64(0)
		if IsHeader(b) {
			n = Mapped(read, at, end, b[:Block])
		} else if h, by := Renamed(b); h != nil {
			r := rename{at: at, by: by, is: h}
			r.inserted(b)
			list, b, n = append(list, r), h, int64(by)
		} else {
			return nil
		}
		h := Parse(b)
		if at += Block + n + Padded(max(0, h.Payload())); at > end-2*Block || len(list) > mostRenames || ctx.Err() != nil {
			return nil
		}
	}
	if len(list) == 0 || len(list) == 1 && list[0].at == 0 && list[0].by < 0 || end-at > mostEnd || !model.AllZero(read(at, end-at)) {
		return nil
	}
	return renames(in, list)
}

// renames offers to restore the old names, if the checksums say what they were, and to keep the new ones.
func renames(in model.SpaceID, list []rename) []model.Fix {
	old := model.Fix{Label: model.Words("restore the names of %d members", len(list)), Safe: len(list) > 1}
	kept := model.Fix{Label: model.Words("keep the new names of %d members, and correct their headers", len(list))}
	for _, r := range list {
		old.Safe = old.Safe && r.cut == list[0].cut
		if r.cut == "" {
			old.Label = ""
		}
		old.Edits = append(old.Edits, splice(in, r.at+int64(r.from), len(r.cut), nil))
		sum, err := Octal{Bytes: 8}.Encode(model.U(uint64(Parse(r.is).Sum)))
		if err != nil {
			return nil
		}
		kept.Edits = append(kept.Edits, splice(in, r.at+nameSize+int64(min(0, r.by)), max(0, r.by), make([]byte, max(0, -r.by))),
			splice(in, r.at+148+int64(r.by), 8, sum))
	}
	if old.Label == "" {
		return []model.Fix{kept}
	}
	old.Witnessed = old.Safe // every checksum agrees
	return []model.Fix{old, kept}
}

// splice replaces n bytes at a place.
func splice(in model.SpaceID, at int64, n int, with []byte) model.Edit {
	return model.Splice{Range: model.Range{Space: in, Off: at, Len: int64(n)}, With: model.Memory(with), Loose: true}
}

// inserted looks for the one piece of the name without which the checksum of the header, at the beginning of b, agrees.
func (r *rename) inserted(b []byte) {
	name := bytes.IndexByte(b, 0)
	var was []byte
	for i := 0; i+r.by <= name && r.by > 0; i++ {
		h := slices.Concat(b[:i], b[i+r.by:Block+r.by])
		switch {
		case !IsHeader(h) || bytes.Equal(h, was):
		case was != nil:
			r.cut = ""
			return
		default:
			was, r.cut, r.from = h, string(b[i:i+r.by]), i
		}
	}
}
