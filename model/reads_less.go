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
	after, some := map[string]sampled{}, is.Readable(ctx)
	for _, x := range is.Tables(ctx) {
		after[x.Name] = x.sample(ctx)
	}
	for _, x := range was.Tables(ctx) {
		is, there := after[x.Name]
		if x.Aside || x.Groups || !there && some {
			continue
		}
		was := x.sample(ctx)
		if was.read > 0 && is.read == 0 || is.read < was.read && is.unread > was.unread {
			return Words("of the first rows of table %q, %d could be read before the change, and %d after it", x.Name, was.read, is.read), ctx.Err()
		}
	}
	return "", ctx.Err()
}

// Readable tells whether a row of a table that the document is opened for can be read.
func (t *Tree) Readable(ctx context.Context) bool {
	return slices.ContainsFunc(t.Tables(ctx), func(x Table) bool {
		return !x.Aside && !x.Groups && x.sample(ctx).read > 0
	})
}

// sampled is of how many of the first rows of a table all cells can be read, and how many others there are.
type sampled struct{ read, unread int }

func (x *Table) sample(ctx context.Context) (n sampled) {
	rows, _ := x.Read(ctx, 0, min(x.Rows, sampledRows))
	for _, r := range rows {
		if slices.ContainsFunc(r, func(c Cell) bool { return c.Trouble != "" }) {
			n.unread++
		} else {
			n.read++
		}
	}
	return n
}
