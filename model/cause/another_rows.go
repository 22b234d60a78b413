package cause

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	"spandrel/model"
)

// What taking bytes from a copy does to rows: one that is sound in the document stays, and none becomes half the one and half the other.

// mostCompared is how many rows of a document are compared.
const mostCompared = 1 << 20

// rowSet is the set of the rows of a state.
type rowSet map[uint64]bool

// rowSeen is a row of a table.
type rowSeen struct {
	table  *model.Table
	number int64
	sum    uint64  // of its name, cells and payload
	at     []Place // its bytes
	whole  bool    // all of it can be read
}

// String names a row.
func (r rowSeen) String() string {
	return fmt.Sprintf("row %s of table %q", model.Thousands(r.number), r.table.Name)
}

// rowsSeed makes sums of rows comparable.
var rowsSeed = maphash.MakeSeed()

// eachRow passes the rows of a state that people open it for.
func eachRow(ctx context.Context, t *model.Tree, see func(r rowSeen) bool) {
	left := int64(mostCompared)
	for _, table := range t.Tables(ctx) {
		if table.Aside || table.Layout || table.Groups {
			continue
		}
		reader := model.RowReader{Table: &table}
		for i := range min(table.Rows, left) {
			var r rowSeen
			err := model.Contain(func() error {
				row, err := reader.At(ctx, i)
				if err == nil {
					r = saw(ctx, t, &table, i, row)
				}
				return err
			})
			if ctx.Err() != nil || err == nil && !see(r) {
				return
			}
		}
		left -= min(table.Rows, left)
	}
}

// saw is a row that was read.
func saw(ctx context.Context, t *model.Tree, table *model.Table, i int64, row model.Row) rowSeen {
	r := rowSeen{table: table, number: i, whole: true}
	var sum maphash.Hash
	sum.SetSeed(rowsSeed)
	fmt.Fprint(&sum, table.Name)
	for _, c := range row {
		fmt.Fprint(&sum, "\x00", c.Value, c.Items, c.Index)
		r.whole = r.whole && c.Trouble == ""
		r.at = append(r.at, filed(t, c.Range)...)
	}
	if table.Payload != nil {
		if at, ok := table.Payload(ctx, i); ok {
			r.at = append(r.at, filed(t, at)...)
			err := t.Stream(ctx, at, 1<<16, func(_ int64, b []byte) error { sum.Write(b); return nil })
			r.whole = r.whole && err == nil
		}
	}
	r.sum = sum.Sum64()
	return r
}

// filed is where in the files a range is, or the bytes that it is decoded from.
func filed(t *model.Tree, at model.Range) (out []Place) {
	switch s := t.Space(at.Space); {
	case s == nil || at.Len == 0:
	case s.Derived():
		for _, o := range s.Origins {
			out = append(out, filed(t, o)...)
		}
	default:
		out = append(out, Place{File: s.File, Off: at.Off, Len: at.Len})
	}
	return out
}

// rowsOf is the set of the rows of the document, or of the copy.
func (x *taking) rowsOf(copied bool) rowSet {
	set := &x.rows[b2i(copied)]
	if *set == nil {
		*set = rowSet{}
		t := x.base.tree
		if copied {
			t = judge(x.all, x.state(slices.Repeat([]bool{true}, len(x.runs))), x.base.format, nil).tree
		}
		if t != nil {
			eachRow(x.all, t, func(r rowSeen) bool { (*set)[r.sum] = true; return true })
		}
	}
	return *set
}

// mixes names a row that is sound in the document and would be overwritten, or one that would be neither the document's nor the copy's; "" for none.
func (x *taking) mixes(set []bool, after *model.Tree) (why string) {
	now := rowSet{}
	was, copied := x.rowsOf(false), x.rowsOf(true)
	taken := ordered(x.runs.taken(set))
	eachRow(x.all, after, func(r rowSeen) bool {
		if now[r.sum] = true; !was[r.sum] && !copied[r.sum] && overlap(r.at, taken) {
			why = fmt.Sprintf("%s would be a mixture of both", r)
		}
		return why == ""
	})
	if why != "" {
		return why
	}
	over, near := ordered(x.overwritten(set)), x.near()
	far := false // something was taken that no problem is near to
	for i := range set {
		far = far || set[i] && !near[i]
	}
	doubted := ordered(slices.Clone(x.doubts.places))
	eachRow(x.all, x.base.tree, func(r rowSeen) bool {
		if r.whole && len(r.at) > 0 && !now[r.sum] && (overlap(r.at, over) || far && !overlap(r.at, doubted)) {
			why = fmt.Sprintf("%s, in which nothing is wrong, would be replaced", r)
		}
		return why == ""
	})
	return why
}

// overwritten is where a set of runs overwrites what no problem casts doubt on: bytes of runs that are not near one, and those under a sum that
// matches or is itself overwritten, because the copy then has other content there.
func (x *taking) overwritten(set []bool) (out []Place) {
	near, loose := x.near(), x.loose()
	var at []Place
	for i, r := range x.runs {
		if p := (Place{File: r.name, Off: r.Off, Len: max(1, r.Len)}); set[i] && r.was != nil {
			if at = append(at, p); near[i] {
				out = append(out, outside(p, loose)...)
			} else {
				out = append(out, p)
			}
		}
	}
	for _, s := range x.believed(ordered(at)) {
		out = append(out, shared(s, at)...)
	}
	return out
}

// believed is what the checksums of the document cover, but for what one covers that does not match and is not among the places itself.
func (x *taking) believed(at []Place) (out []Place) {
	t := x.base.tree
	var sums, wrong []Place
	for _, l := range t.Links() {
		switch {
		case l.Kind != model.ChecksumLink:
		case x.doubts.sums[l.Field.Range] && !overlap(filed(t, l.Field.Range), at):
			wrong = append(wrong, targets(t, l)...)
		default:
			sums = append(sums, targets(t, l)...)
		}
	}
	wrong = ordered(wrong)
	return slices.DeleteFunc(sums, func(p Place) bool { return overlap([]Place{p}, wrong) })
}

// loose is what next to a problem may be damaged too: the parts of the document that have one, what could be any values, and what has no meaning.
func (x *taking) loose() []Place {
	list := slices.Concat(x.doubts.places, x.base.bare)
	for _, r := range x.base.tree.Unvouched(x.all, false) {
		list = append(list, filed(x.base.tree, r)...)
	}
	return ordered(list)
}

// targets are the bytes that a checksum covers.
func targets(t *model.Tree, l *model.Link) (out []Place) {
	for _, s := range l.Targets {
		out = append(out, filed(t, s.Range)...)
	}
	return out
}
