package cause

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	"spandrel/model"
)

// What taking bytes from a copy does to rows: one that is sound in the document stays, and none becomes half the one and half the other.

// mostKept is how many different rows of a state are remembered, besides those with bytes that differ.
const mostKept = 1 << 20

// rowSet is the set of the rows of a state.
type rowSet struct {
	sums map[uint64]bool
	cut  bool // some were left out
}

// add adds a row. Many rows are only remembered if they have some of the bytes that differ.
func (s *rowSet) add(r rowSeen, differ model.FileRanges) {
	if len(s.sums) < mostKept || differ.Meets(r.at...) {
		s.sums[r.sum] = true
	} else {
		s.cut = true
	}
}

// rowSeen is a row of a table.
type rowSeen struct {
	table  *model.Table
	number int64
	sum    uint64            // of its name, cells and payload
	at     []model.FileRange // its bytes, or what they are decoded from
	whole  bool              // all of it can be read
}

// String names a row.
func (r rowSeen) String() string {
	return fmt.Sprintf("row %s of table %q", model.Thousands(r.number), r.table.Name)
}

// rowsSeed makes sums of rows comparable.
var rowsSeed = maphash.MakeSeed()

// eachRow passes the rows of a state that people open it for, until see says something. What a limit of time leaves out is noted.
func (x *taking) eachRow(t *model.Tree, see func(r rowSeen) string) (why string) {
	for _, table := range t.Tables(x.all) {
		if table.Aside || table.Layout || table.Groups {
			continue
		}
		reader := model.RowReader{Table: &table}
		for i := int64(0); i < table.Rows && why == "" && !x.unread && x.all.Err() == nil; i++ {
			model.Contain(func() error {
				row, err := reader.At(x.all, i)
				if err == nil {
					why = see(saw(x.all, t, &table, i, row))
				}
				return err
			})
			x.unread = x.unread || i%mostKept == mostKept-1 && x.late()
		}
	}
	return why
}

// saw is a row that was read.
func saw(ctx context.Context, t *model.Tree, table *model.Table, i int64, row model.Row) rowSeen {
	r := rowSeen{table: table, number: i, whole: true}
	var sum maphash.Hash
	sum.SetSeed(rowsSeed)
	sum.WriteString(table.Name)
	for i := range row {
		c := &row[i]
		addCell(&sum, c)
		r.whole = r.whole && c.Trouble == ""
		r.at = append(r.at, inFiles(t, c.Range)...)
	}
	if table.Payload != nil {
		if at, ok := table.Payload(ctx, i); ok {
			r.at = append(r.at, inFiles(t, at)...)
			err := t.Stream(ctx, at, 1<<16, func(_ int64, b []byte) error { sum.Write(b); return nil })
			r.whole = r.whole && err == nil
		}
	}
	r.sum = sum.Sum64()
	return r
}

// addCell adds the content of a cell to a sum. Values with the same bits are the same: one NaN is not another, but it is itself.
func addCell(sum *maphash.Hash, c *model.Cell) {
	maphash.WriteComparable(sum, [2]model.Value{c.Value, c.Default})
	maphash.WriteComparable(sum, [3]int64{int64(len(c.Items)), int64(len(c.Index)), c.Len})
	for _, v := range c.Items {
		maphash.WriteComparable(sum, v)
	}
	for _, i := range c.Index {
		maphash.WriteComparable(sum, i)
	}
}

// inFiles is where in the files a range is, or the bytes that it is decoded from; nowhere if it is empty.
func inFiles(t *model.Tree, at model.Range) (in []model.FileRange) {
	if at.Len > 0 {
		in, _ = t.InFiles(at)
	}
	return in
}

// rowsOf is the set of the rows of the document, or of the copy.
func (x *taking) rowsOf(copied bool) rowSet {
	set := &x.rows[b2i(copied)]
	if set.sums == nil {
		set.sums = map[uint64]bool{}
		all := slices.Repeat([]bool{true}, len(x.runs))
		t, differ := x.base.tree, x.runs.where(all)
		if copied {
			t, differ = judge(x.all, x.state(all), x.base.format, nil).tree, x.runs.taken(all)
		}
		if t != nil {
			x.eachRow(t, func(r rowSeen) string { set.add(r, differ); return "" })
		}
	}
	return *set
}

// mixes names a row that is sound in the document and would be overwritten, or one that would be neither the document's nor the copy's; "" for none.
func (x *taking) mixes(set []bool, after *model.Tree) string {
	over, near := x.overwritten(set), x.near()
	far := false // something was taken that no problem is near to
	for i := range set {
		far = far || set[i] && !near[i]
	}
	if !slices.Contains(set, false) && len(over) == 0 && !far {
		return "" // the result is the copy, and nothing is replaced that was sound
	}
	now, was, copied := rowSet{sums: map[uint64]bool{}}, x.rowsOf(false), x.rowsOf(true)
	taken := x.runs.taken(set)
	why := x.eachRow(after, func(r rowSeen) string {
		if now.add(r, taken); !was.sums[r.sum] && !copied.sums[r.sum] && taken.Meets(r.at...) {
			return fmt.Sprintf("%s would be a mixture of both", r)
		}
		return ""
	})
	if why == "" {
		why = x.replaces(now, over, far && !now.cut)
	}
	if x.unread || why == "" && far && now.cut {
		return "rows may be lost: there are too many to compare all of them"
	}
	return why
}

// replaces names a row in which nothing is wrong, is not among those that there are now, and has overwritten bytes or, if all of them count, none in doubt.
// A row of which no bytes are known may be anywhere in a file in which nothing is wrong.
func (x *taking) replaces(now rowSet, over model.FileRanges, all bool) string {
	intact := slices.ContainsFunc(over, func(p model.FileRange) bool { return !x.doubts.files[p.File] })
	return x.eachRow(x.base.tree, func(r rowSeen) string {
		if !r.whole || now.sums[r.sum] {
			return ""
		}
		sound := over.Meets(r.at...) || all && !x.doubts.places.Meets(r.at...)
		if len(r.at) == 0 {
			sound = intact
		}
		if sound {
			return fmt.Sprintf("%s, in which nothing is wrong, would be replaced", r)
		}
		return ""
	})
}

// overwritten is where a set of runs overwrites what no problem casts doubt on: bytes of runs that are not near one, and those under a sum that
// matches or is itself overwritten, because the copy then has other content there.
func (x *taking) overwritten(set []bool) model.FileRanges {
	sound, near := slices.Clone(set), x.near()
	for i := range sound {
		sound[i] = set[i] && !near[i]
	}
	over, all := x.runs.where(sound), x.runs.where(set)
	return model.UnionOf(slices.Concat(over, all.Minus(over).Minus(x.loose()), all.And(x.believed(all)))...)
}

// believed is what the checksums of the document cover, but for what one covers that does not match and is not among the places itself.
func (x *taking) believed(at model.FileRanges) model.FileRanges {
	t := x.base.tree
	var sums, wrong model.FileRanges
	for _, l := range t.Links() {
		switch {
		case l.Kind != model.ChecksumLink:
		case x.doubts.sums[l.Field.Range] && !at.Meets(inFiles(t, l.Field.Range)...):
			wrong = append(wrong, targets(t, l)...)
		default:
			sums = append(sums, targets(t, l)...)
		}
	}
	wrong = model.UnionOf(wrong...)
	return model.UnionOf(slices.DeleteFunc(sums, func(p model.FileRange) bool { return wrong.Meets(p) })...)
}

// loose is what next to a problem may be damaged too: the parts of the document that have one, what could be any values, and what has no meaning.
func (x *taking) loose() model.FileRanges {
	list := slices.Concat(x.doubts.places, x.base.tree.Unvouched(x.all, false))
	for _, p := range x.base.bare {
		list = append(list, model.FileRange{File: p.File, Off: p.Off, Len: p.Len})
	}
	return model.UnionOf(list...)
}

// targets are the bytes that a checksum covers.
func targets(t *model.Tree, l *model.Link) (out []model.FileRange) {
	for _, s := range l.Targets {
		out = append(out, inFiles(t, s.Range)...)
	}
	return out
}
