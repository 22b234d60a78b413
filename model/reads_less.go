package model

import (
	"context"
	"slices"
)

// sampledRows is how many rows of a table are read before and after a change.
const sampledRows = 256

// ReadsLess says what of a damaged document can be read less after a change: a table has no rows left that can be read, or fewer and more that cannot. One
// that is gone has another name if there is a new one with as many rows. It returns "" if nothing.
func ReadsLess(ctx context.Context, was, is *Tree) (string, error) {
	before := was.Tables(ctx)
	after, renamed := map[string]sampled{}, 0
	for _, x := range is.Tables(ctx) {
		if after[x.Name] = x.sample(ctx); !slices.ContainsFunc(before, func(o Table) bool { return o.Name == x.Name }) {
			renamed = max(renamed, after[x.Name].read)
		}
	}
	for _, x := range before {
		is, there := after[x.Name]
		was := x.sample(ctx)
		if x.Aside || x.Groups || !there && renamed >= was.read {
			continue
		}
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
