package model

import (
	"context"
	"slices"
)

// sampledRows is how many rows of a table are read before and after a change.
const sampledRows = 256

// ReadsLess says what of a damaged document can be read less after a change: a table has no rows left that can be read, or fewer and more that cannot, or
// all tables are gone. One that is no longer there was removed or renamed. It returns "" if nothing.
func ReadsLess(ctx context.Context, was, is *Tree) (string, error) {
	after, left := map[string]*Table{}, 0
	for _, x := range is.Tables(ctx) {
		after[x.Name] = &x
		if now, _ := x.sample(ctx); !x.Aside && !x.Groups {
			left += now
		}
	}
	for _, x := range was.Tables(ctx) {
		y := after[x.Name]
		if x.Aside || x.Groups || y == nil && left > 0 {
			continue
		}
		read, unread := x.sample(ctx)
		now, not := 0, 0
		if y != nil {
			now, not = y.sample(ctx)
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if read > 0 && now == 0 || now < read && not > unread {
			return Words("of the first rows of table %q, %d could be read before the change, and %d after it", x.Name, read, now), nil
		}
	}
	return "", nil
}

// Readable tells whether a row of a table that the document is opened for can be read.
func (t *Tree) Readable(ctx context.Context) bool {
	return slices.ContainsFunc(t.Tables(ctx), func(x Table) bool {
		read, _ := x.sample(ctx)
		return !x.Aside && read > 0
	})
}

// sample counts those of the first rows of which all cells can be read, and the others.
func (x *Table) sample(ctx context.Context) (read, unread int) {
	rows, _ := x.Read(ctx, 0, min(x.Rows, sampledRows))
	for _, r := range rows {
		if !slices.ContainsFunc(r, func(c Cell) bool { return c.Trouble != "" }) {
			read++
		}
	}
	return read, len(rows) - read
}
