package tiledb

import (
	"context"
	"maps"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// fixedForLife is what evolution never changes, so that all schemas of an array agree in it: its type and orders, and its dimensions.
func fixedForLife(s *schema.Schema) (out []string) {
	said := func(n model.Node) string {
		if n.Span == nil {
			return ""
		}
		return n.Span.Field.Said(n.Value)
	}
	out = []string{"array type " + said(s.Array), "cell order " + said(s.CellOrder), "tile order " + said(s.TileOrder)}
	for i := range s.Dims {
		d := &s.Dims[i]
		says := "dimension " + d.Name.Text() + " " + storage.TypeName(d.Datatype)
		if d.Low.Span != nil {
			says += " " + d.Low.Value.String() + " to " + d.High.Value.String()
		}
		if d.Extent.Span != nil {
			says += " in tiles of " + d.Extent.Value.String()
		}
		out = append(out, says)
	}
	return out
}

// mixed is the files of two arrays in one folder: of that which a finding is about, and of that with the newest schema.
type mixed struct {
	a             *array
	other, newest family
}

// family is the schemas of one array, and what they have that those of the other do not.
type family struct {
	names []string
	says  string
}

// checkMixed reports the newest schema of each array whose files are in the folder beside those of the array of the newest schema of all.
func checkMixed(c *model.Cursor, a *array) {
	now := a.schemas.Current()
	if now == nil || !now.Complete {
		return
	}
	kept, mine := fixedForLife(now), []string(nil)
	others := map[string][]string{}
	for _, name := range a.schemas.Order {
		s := a.schemas.Kept(name)
		switch {
		case s == nil || !s.Complete:
		case slices.Equal(fixedForLife(s), kept):
			mine = append(mine, name)
		default:
			key := strings.Join(fixedForLife(s), "; ")
			others[key] = append(others[key], name)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(others)) {
		names := others[key]
		last, grade, used := names[len(names)-1], model.Warning, schemasNamed(c.Context(), a.fragList)
		if slices.ContainsFunc(names, func(name string) bool { return used[name] }) {
			grade = model.Error // its cells are not found
		}
		x := mixed{a, family{names, less(fixedForLife(a.schemas.Kept(last)), kept)}, family{mine, less(kept, fixedForLife(a.schemas.Kept(last)))}}
		c.Wrong(rule.TwoArrays, a.schemas.Files[last], x.other.says, x.newest.says+" as in "+now.File, model.About(x), model.Graded(grade))
	}
}

// schemasNamed are the files of the schemas that fragments name.
func schemasNamed(ctx context.Context, frags []*frag) map[string]bool {
	named := map[string]bool{}
	for _, x := range frags {
		if m := x.load(ctx); m != nil {
			named[m.SchemaName] = true
		}
	}
	return named
}

// less is what one list has that the other does not.
func less(list, other []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) }), ", ")
}
