package tiledb

import (
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
)

// glance is what must be known about a fragment before someone looks into it. Ten thousand footers as parts of the tree take 200 MB;
// these take little.
type glance struct {
	f      *frag
	schema *schema.Schema // nil when the fragment cannot be read
	rows   int64
	extra  []string // TileDB's own columns
	domain fragment.Box

	dense, times, deletes bool // dense; its cells have the times of writing and deletion
}

func summary(f *frag, of *frag) glance {
	g := glance{f: of, schema: f.meta.Schema, dense: f.meta.Dense, times: f.meta.Times, deletes: f.meta.Deletes, domain: f.meta.Box()}
	g.rows = f.meta.Rows()
	for i := range f.slots {
		if s := &f.slots[i]; s.Attr == nil && s.Dim == nil && !s.Coords {
			g.extra = append(g.extra, s.Name)
		}
	}
	return g
}
