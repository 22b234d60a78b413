package tarfile

import (
	"bytes"
	"context"
	"slices"

	"spandrel/model"
)

// Text tools such as sed replace names in an archive. The padding of a name keeps its length, so everything after a longer or shorter one is shifted; after one of
// the same length only the checksum is wrong.

const (
	// MostRenamed is by how many bytes a name is longer or shorter.
	MostRenamed = 64
	nameSize    = 100
	mostRenames = 1 << 16
	// SumAt is where the checksum is in a header.
	SumAt     = 148
	leastSame = 3       // headers with a wrong checksum that are one event
	mostEnd   = 1 << 20 // bytes of zeros at the end: writers fill up to a record
)

// Renamed returns the header that a block, read with some bytes after it, was before its name changed and became by bytes longer (negative: shorter), with the
// new name and the old checksum; nil if it was none.
func Renamed(b []byte) (header []byte, by int) {
	for k := -MostRenamed; k <= MostRenamed; k++ {
		if len(b) < Block+k || b[0] == 0 || string(b[magicAt+k:magicAt+k+len(magic)]) != magic {
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

// Renames offers to repair all headers from a place on whose names changed, if all members up to the end of the archive are found then.
func Renames(ctx context.Context, in model.SpaceID, read Reader, at, end int64) []model.Fix {
	list := renamed(ctx, read, at, end)
	if len(list) == 0 {
		return nil
	}
	return renames(in, list)
}

// Resums are the checksums of the headers in an archive if nothing but names of the same length changed in it, and are those that the headers should have, by
// the place of the header.
func Resums(ctx context.Context, read Reader, end int64) map[int64][]byte {
	out := map[int64][]byte{}
	for _, r := range renamed(ctx, read, 0, end) {
		if r.by != 0 {
			return nil
		}
		out[r.at] = r.sum()
	}
	return out
}

// renamed are the headers from a place on whose names changed; none if that does not lead to the end of the archive.
func renamed(ctx context.Context, read Reader, at, end int64) (list []rename) {
	same := 0
	for ; !model.AllZero(read(at, 2*Block)); at = pastStop(ctx, read, at, end) {
		b, n := read(at, Block+MostRenamed), int64(0)
		if IsHeader(b) {
			n = Mapped(read, at, end, b[:Block])
		} else if h, by := Renamed(b); h != nil {
			r := rename{at: at, by: by, is: h}
			r.inserted(b)
			same += 1 - min(1, max(by, -by))
			list, b, n = append(list, r), h, int64(by)
		} else {
			return nil
		}
		h := Parse(b)
		if at += Block + n + Padded(max(0, h.Payload())); at > end-2*Block || len(list) > mostRenames || ctx.Err() != nil {
			return nil
		}
	}
	if same == len(list) && same < leastSame || len(list) == 1 && list[0].at == 0 && list[0].by < 0 || end-at > mostEnd || !model.AllZero(read(at, end-at)) {
		return nil
	}
	return list
}

// pastStop is where an archive goes on that was joined to one which ends at a place; the place itself if there is none.
func pastStop(ctx context.Context, read Reader, at, end int64) int64 {
	if model.AllZero(read(at, 2*Block)) {
		if piece, n := PieceAt(ctx, read, at, end); piece == Stop {
			at += n
		}
	}
	return at
}

// sum is the checksum with the new name.
func (r *rename) sum() []byte { return sumLike(Parse(r.is).Sum, [][]byte{r.is}) }

// Historic programs sum a header with its checksum as zeros, where it counts as eight spaces.
const noSpaces = 8 * ' '

// unspaced tells whether the checksums were computed with the field as zeros.
func unspaced(list []rename) bool {
	return len(list) >= leastSame && !slices.ContainsFunc(list, func(r rename) bool {
		h := Parse(r.is)
		return r.by != 0 || h.Sum-octal(r.is[SumAt:SumAt+sumPart.n]) != noSpaces
	})
}

// renames offers to restore the old names, if the checksums say what they were, and to keep the new ones.
func renames(in model.SpaceID, list []rename) []model.Fix {
	if unspaced(list) {
		fix := model.Fix{Once: true, Safe: true, Witnessed: true, Label: model.Words("add the spaces to the checksums of %d headers", len(list)),
			Says: model.Words("The checksums of %d headers are each 256 too small: the program that wrote them counted the field itself as zeros, not as spaces.", len(list))}
		for _, r := range list {
			fix.Edits = append(fix.Edits, splice(in, r.at+SumAt, sumPart.n, r.sum()))
		}
		return []model.Fix{fix}
	}
	old := model.Fix{Label: model.Words("restore the names of %d members", len(list)), Safe: len(list) > 1}
	kept := model.Fix{Once: true, Label: model.Words("keep the new names of %d members, and correct their headers", len(list)),
		Says: model.Words("The names of %d members were changed in the archive itself: the checksums in their headers are those of the old names.", len(list))}
	for _, r := range list {
		old.Safe = old.Safe && r.cut == list[0].cut
		if r.cut == "" {
			old.Label = ""
		}
		old.Edits = append(old.Edits, splice(in, r.at+int64(r.from), len(r.cut), nil))
		kept.Edits = append(kept.Edits, splice(in, r.at+nameSize+int64(min(0, r.by)), max(0, r.by), make([]byte, max(0, -r.by))),
			splice(in, r.at+SumAt+int64(r.by), sumPart.n, r.sum()))
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
