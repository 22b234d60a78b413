package tiledb

import (
	"context"
	"fmt"
	"strings"
	"time"

	"spandrel/model"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// Evolution as in TileDB (7.3): attributes are added and dropped, unused enumerations are dropped, the current
// domain grows. The old schema stays, because fragments name it.
func evolve(ctx context.Context, t *model.Tree, at *model.Span, args map[string]string) ([]model.Edit, error) {
	a, s := schemaAt(t, at)
	if s == nil {
		return nil, fmt.Errorf("not a schema that can evolve")
	}
	if err := a.evolvable(); err != nil {
		return nil, err
	}
	list, dropped, err := s.DropEnumerations(names(args["drop-enumerations"]))
	if err != nil {
		return nil, err
	}
	cuts, have, err := s.DropAttrs(names(args["drop"]), dropped)
	if err != nil {
		return nil, err
	}
	for _, name := range names(args["drop"]) {
		if inDeletion(ctx, a, name) {
			return nil, fmt.Errorf("a deletion of cells uses %q: TileDB would no longer open the array; consolidate and vacuum it first", name)
		}
	}
	added, n, err := s.AddAttrs(names(args["add"]), have, dropped)
	if err != nil {
		return nil, err
	}
	if n += uint32(len(s.Attrs) - len(cuts)); n == 0 && s.Dense() {
		return nil, fmt.Errorf("a dense array needs an attribute")
	}
	end := s.AttrCount.Range.End()
	if k := len(s.Attrs); k > 0 {
		end = s.Attrs[k-1].Self.Range.End()
	}
	list = append(append(list, cuts...), schema.Splice{Off: end, With: added}, schema.Count(s.AttrCount, n))
	if grow := names(args["grow"]); len(grow) > 0 {
		b, err := growDomain(ctx, a, s, grow)
		if err != nil {
			return nil, err
		}
		list = append(list, schema.Instead(s.Current.Self, b))
	}
	e, err := evolved(ctx, a, s, list)
	return []model.Edit{e}, err
}

func names(list string) (out []string) {
	for _, n := range strings.Split(list, ",") {
		if n = strings.TrimSpace(n); n != "" {
			out = append(out, n)
		}
	}
	return out
}

// growDomain serializes the current domain with other ranges of some dimensions: dimension=low:high. It never shrinks, stays inside the
// domain, and contains all existing cells.
func growDomain(ctx context.Context, a *array, s *schema.Schema, list []string) ([]byte, error) {
	if s.Layout < 22 {
		return nil, fmt.Errorf("schemas of version %d have no current domain", s.Layout)
	}
	asked := map[string]string{}
	for _, text := range list {
		name, ends, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not dimension=low:high", text)
		}
		asked[name] = ends
	}
	frags := glances(ctx, a)
	b := []byte{0, 0, 0, 0, 0, 0} // version 0, not empty, a rectangle
	for i := range s.Dims {
		d := &s.Dims[i]
		text, ok := asked[d.Name.Text()]
		delete(asked, d.Name.Text())
		low, high, err := grown(s, i, text, ok)
		if err != nil {
			return nil, err
		}
		if f := beyond(frags, i, low, high); f != "" {
			return nil, fmt.Errorf("%s: the fragment %s has cells outside %s to %s", d.Name.Text(), f, low, high)
		}
		if b, err = d.AppendRange(b, low, high); err != nil {
			return nil, err
		}
	}
	for name := range asked {
		return nil, fmt.Errorf("there is no dimension %q", name)
	}
	return b, nil
}

// grown is the range of a dimension in the new current domain: the present one, or the requested one.
func grown(s *schema.Schema, i int, text string, asked bool) (low, high model.Value, err error) {
	d := &s.Dims[i]
	have := i < len(s.Current.Ranges)
	switch {
	case have:
		low, high = s.Current.Ranges[i].Ends()
	case d.Variable():
		low, high = model.S(""), model.S("")
	default:
		low, high = d.Low.Value, d.High.Value
	}
	if !asked {
		return low, high, nil
	}
	from, to, err := d.ParseRange(text)
	if err == nil && have && (storage.Compare(from, low) > 0 || storage.Compare(to, high) < 0) {
		err = fmt.Errorf("%s: the current domain is %s to %s, and cannot shrink", d.Name.Text(), low, high)
	}
	return from, to, err
}

// beyond names a fragment with cells of dimension i outside a range, "" if there is none.
func beyond(frags []glance, i int, low, high model.Value) string {
	for _, g := range frags {
		if g.f.live && i < len(g.domain) {
			if from, to := g.domain[i][0], g.domain[i][1]; from.Kind == low.Kind && (storage.Compare(from, low) < 0 || storage.Compare(to, high) > 0) {
				return g.f.name
			}
		}
	}
	return ""
}

// evolved is the edit that writes a changed schema as a new file, later than all others (7.3).
func evolved(ctx context.Context, a *array, s *schema.Schema, list []schema.Splice) (model.Edit, error) {
	b, err := a.d.t.All(ctx, s.VersionAt.Range.Space)
	if err != nil {
		return nil, err
	}
	now := uint64(time.Now().UnixMilli())
	for _, name := range a.schemas.Order {
		if x := stampOf(name); x.ok && x.to >= now {
			now = x.to + 1
		}
	}
	return a.tileFile(ctx, s, s.Version, schema.Apply(b, list), "__schema", stamped(now))
}

// evolvable is an error if the schemas of an array cannot evolve: fragments before version 10 name no schema, so that TileDB
// reads them with the newest one and misreads them.
func (a *array) evolvable() error {
	for _, f := range a.fragList {
		if f.stamp.version < 10 {
			return fmt.Errorf("fragment %s is older than version 10 and would be misread with the new schema: consolidate the array with TileDB first", f.name)
		}
	}
	return nil
}
