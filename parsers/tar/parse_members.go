package tar

import (
	"bytes"
	"context"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// Members as readers see them: with the headers before them that belong to them.

// noMember tells whether n bytes without a header are none of a member of their own: an end, or surplus bytes and rests that are not whole blocks.
func noMember(piece tarfile.Piece, n int64) bool {
	return piece == tarfile.Stop || piece == tarfile.Lost && n%tarfile.Block > 0
}

// misplaced tells whether child i of the chain, of n bytes, shows that a header is not where it should be.
func misplaced(piece tarfile.Piece, n, i int64) bool {
	return piece == tarfile.Lost && i > 0 || piece == tarfile.Damaged && n%tarfile.Block > 0
}

// damagedHeader says which field of a header is wrong, if there is only one answer. The member has length bytes.
func damagedHeader(c *model.Cursor, sum model.Node, others []model.Node, length int64) {
	if sum.Span == nil { // skimmed: what is wrong is read again
		c.Wrong(badChecksum, sum, nil, nil)
		return
	}
	at := sum.Span.Parent().Range
	if length%tarfile.Block > 0 {
		c.Wrong(badChecksum, sum, nil, nil, model.Saying("bytes are missing or were inserted here: the checksum of a header does not match, and what follows it begins at another place in its block; %s may be lost",
			model.StateOf[*file](c.Tree()).beside[at.Off].between()))
		return
	}
	about := tarfile.Broken{At: at, Header: bytes.Clone(c.PeekAt(at.Off, tarfile.Block))}
	if len(about.Header) < tarfile.Block {
		return
	}
	f := model.StateOf[*file](c.Tree())
	known := tarfile.Known{Siblings: f.sound, Size: -1, Names: f.namesBeside(about)}.UpTo(func(off, n int64) []byte {
		b, _ := c.Tree().Bytes(c.Context(), model.Range{Space: at.Space, Off: off, Len: n}) // none: nothing is known
		return b
	}, at.Off, length)
	about.Answers = tarfile.Solve(about.Header, known)
	if m, ok := about.Sure(); ok {
		for _, n := range append(others, sum) {
			if n.Span.Field.Name == m.Field.Name {
				c.Wrong(badChecksum, n, nil, nil, model.About(about), model.Saying("%s", m.Saying(about.Header)))
				return
			}
		}
	}
	about.Answers = slices.DeleteFunc(about.Answers, func(m tarfile.Correction) bool { return m.Field.Name == "checksum" }) // setting the checksum is offered anyway
	c.Wrong(badChecksum, sum, nil, model.U(uint64(tarfile.Parse(about.Header).Sum)), model.Doubtful, model.About(about))
}

// record is what writers fill up at the end of an archive.
const record = 20 * tarfile.Block

// between notes what is before a damaged header, and zeros that end no archive: a writer ends one with two blocks or fills a record, after a member.
func (w *chain) between(piece tarfile.Piece, n int64) {
	if from := w.helps; piece == tarfile.Damaged {
		w.beside[w.at] = beside{w.group, w.last, nextName(w.c.Context(), w.c.PeekAt, w.at+n, w.end)}
	} else if piece == tarfile.Stop && (from >= 0 || n > 2*tarfile.Block && (w.at+n)%record > 0 && w.end%record == 0) {
		if from < 0 {
			from = w.at
		}
		w.wiped[w.at] = from
	}
	w.helps = -1
}

// number is how many members there are: helper headers and ends before members are links of the chain, but no members.
func (f *file) number() int64 { return max(0, f.members.Count()-int64(len(f.helpers))) }

var members = &model.Field{Name: "members", Doc: "a header, a payload and padding for each", Ref: "ustar", Note: counted}

// counted says how many links of the chain are members, if not all of them are.
func counted(_ context.Context, t *model.Tree, s *model.Span) string {
	if f := model.StateOf[*file](t); f != nil && len(f.helpers) > 0 && s == f.members {
		return model.Count(f.number(), "members")
	}
	return ""
}

// child is the index in the chain of member i, because helper headers do not count.
func (f *file) child(i int64) int64 {
	return i + int64(sort.Search(len(f.helpers), func(k int) bool { return f.helpers[k]-int64(k) > i }))
}

// before lists the helper headers before child k of the chain, which belong to it; a helper header itself has none.
func (f *file) before(k int64) []int64 {
	last, is := slices.BinarySearch(f.helpers, k)
	if is {
		return nil
	}
	first := last
	for first > 0 && f.helpers[first-1] == k-int64(last-first)-1 && last-first < mostHelpers {
		first--
	}
	return f.helpers[first:last]
}

// describe reads the helper headers before child k of the chain.
func (f *file) describe(ctx context.Context, t *model.Tree, k int64) (d described, err error) {
	d = undescribed()
	for _, at := range f.before(k) {
		r := f.members.Child(at).Range
		r.Len = min(r.Len, tarfile.Block+mostHelper)
		b, err := t.Bytes(ctx, r)
		if err != nil {
			return d, err
		}
		if !tarfile.IsHeader(b) {
			d = undescribed() // an end, behind which another archive begins
			continue
		}
		h := tarfile.Parse(b)
		d.add(h, b[tarfile.Block:][:max(0, min(h.Size, int64(len(b))-tarfile.Block))])
	}
	return d, nil
}

// mostHelpers is how many helper headers before a member are read.
const mostHelpers = 16

// modified is the unit of times in headers.
var modified = &model.Clock{Step: time.Second}

// modified is when a member was last changed, according to its helpers or a field of its header.
func (d described) modified(header []byte, at model.Range) (out model.Cell) {
	if whole, _, _ := strings.Cut(d.mtime, "."); d.mtime != "" {
		if n, err := strconv.ParseInt(whole, 10, 64); err == nil {
			out.Value = model.I(n)
		}
	} else if n, ok := tarfile.Signed(header[136:148]); ok {
		out = model.Cell{Value: model.I(n), Range: at}
	}
	if out.Value.Kind != model.None {
		out.Label = modified.Text(out.Value.Int())
	}
	return out
}

// row is member i as readers see it.
func (f *file) row(ctx context.Context, t *model.Tree, i int64) (model.Row, error) {
	k := f.child(i)
	s := f.members.Child(k)
	if s == nil { // the file became shorter since
		return nil, io.ErrUnexpectedEOF
	}
	b, err := t.Bytes(ctx, model.Range{Space: s.Range.Space, Off: s.Range.Off, Len: min(s.Range.Len, tarfile.Block)})
	if err != nil {
		return nil, err
	}
	if !tarfile.IsHeader(b) {
		return model.Row{{Trouble: "no header"}, {}, {}, {}, {Value: model.U(uint64(s.Range.Off))}, {}, {}}, nil
	}
	d, err := f.describe(ctx, t, k)
	if err != nil {
		return nil, err
	}
	at := func(off, n int64) model.Range {
		return model.Range{Space: s.Range.Space, Off: s.Range.Off + off, Len: n}
	}
	h := tarfile.Parse(b)
	typ := string(rune(h.Typ))
	row := model.Row{{}, {Value: model.S(typ), Label: types[typ], Range: at(156, 1)}, {}, {}, {Value: model.U(uint64(s.Range.Off))}, {}, {}}
	name, own := d.name(b, h)
	if row[0].Value = model.S(name); own {
		row[0].Range = at(0, 100)
	}
	stored := h.Size
	if d.size >= 0 {
		stored = d.size
	} else {
		row[2].Range, row[5].Range = at(124, 12), at(124, 12)
	}
	size := stored
	if n, ok := tarfile.RealSize(b); ok {
		size, row[2].Range = n, at(483, 12)
	} else if d.real >= 0 {
		size, row[2].Range = d.real, model.Range{}
	}
	if stored >= 0 {
		row[2].Value, row[5].Value = model.U(uint64(size)), model.U(uint64(stored))
	}
	row[3] = d.modified(b, at(136, 12))
	if link, _, _ := bytes.Cut(b[157:257], []byte{0}); d.link != "" {
		row[6].Value = model.S(d.link)
	} else if h.Typ == '1' || h.Typ == '2' {
		row[6] = model.Cell{Value: model.S(strings.ToValidUTF8(string(link), "\uFFFD")), Range: at(157, 100)}
	}
	return row, nil
}

// extents is the minimum length of the archive: up to the end of its last member and two blocks of zeros.
func extents(ctx context.Context, t *model.Tree) []model.Extent {
	f := model.StateOf[*file](t)
	if by := renamedFirst(t.Peek(ctx, t.Root.Range.Space)); by != 0 { // it begins here, not at a later header
		return []model.Extent{{Size: t.Root.Range.Len, Magics: []model.Magic{{At: int64(257 + by), Bytes: "ustar"}}}}
	}
	switch {
	case f == nil:
		return nil
	case f.moved < 0:
		return []model.Extent{{Size: t.Root.Range.Len - f.moved, Ends: true, Least: true, Says: "the members after them begin too early"}}
	case f.moved > 0:
		return []model.Extent{{Size: t.Root.Range.Len - f.moved, Says: "the members after the place begin too late"}}
	case f.ends == 0 && f.lost && t.Root.Range.Len%tarfile.Block > 0:
		return []model.Extent{{Size: tarfile.Padded(t.Root.Range.Len), Guess: true, Says: "a tar file is made of blocks of 512 bytes"}}
	case f.ends == 0:
		return nil
	case f.inHeader:
		return []model.Extent{{Size: f.ends + 2*tarfile.Block, Least: true, Says: "it ends inside a header"}}
	}
	return []model.Extent{{Size: f.ends + 2*tarfile.Block, Least: true, Says: "it ends inside a member"}}
}
