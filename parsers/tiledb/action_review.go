package tiledb

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// prepare reviews edits: those of cells become fragments, names of enumerations are updated everywhere, and edits that stored cells do not
// survive cause a warning or an error.
func prepare(ctx context.Context, t *model.Tree, edits []model.Edit) (out []model.Edit, warnings []string, err error) {
	d, ok := t.State.(*doc)
	if !ok {
		return edits, nil, nil
	}
	cells, out, err := cellsOf(ctx, t, d, edits)
	if err != nil {
		return nil, nil, err
	}
	more, err := d.fixup(ctx, out)
	if err != nil {
		return nil, nil, err
	}
	out = append(out, more...)
	named := d.newNames(out)
	for _, e := range out {
		if s, ok := e.(model.Splice); ok && s.Loose || d.isNamed(e, named) {
			continue
		}
		warn, err := d.review(ctx, e)
		if err != nil {
			return nil, nil, err
		}
		if warn != "" {
			warnings = append(warnings, warn)
		}
	}
	if len(cells) == 0 {
		return out, warnings, nil
	}
	written, warned, err := rewriteCells(ctx, d, cells)
	return append(out, written...), append(warnings, warned...), err
}

// newNames are the new names of enumerations in the maps of schemas.
func (d *doc) newNames(edits []model.Edit) map[string]bool {
	at, out := map[string]bool{}, map[string]bool{}
	for _, a := range d.inOrder {
		for _, sc := range a.schemas.All() {
			for _, e := range sc.Enums {
				at[e.Name.Path()] = true
			}
		}
	}
	for _, e := range edits {
		if set, ok := e.(model.Set); ok && at[set.Path] {
			out[set.Value.Text()] = true
		}
	}
	return out
}

// isNamed tells whether an edit gives an attribute an enumeration that gets this name in the same step.
func (d *doc) isNamed(e model.Edit, named map[string]bool) bool {
	set, ok := e.(model.Set)
	return ok && strings.HasSuffix(set.Path, "/"+schema.AttrEnum.Name) && named[set.Value.Text()]
}

// review rejects edits whose consequences cannot be applied, and warns of those that stored cells do not survive.
func (d *doc) review(ctx context.Context, e model.Edit) (warn string, err error) {
	t, s := d.t, (*model.Span)(nil)
	switch e := e.(type) {
	case model.Set:
		if s, err = t.Find(ctx, e.Path); err != nil {
			return "", err
		}
	case model.Splice:
		s = t.At(e.Range.Space, e.Range.Off)
	}
	if s == nil {
		return "", nil
	}
	name := t.FileName(s.Range)
	kind, dir := d.kindOf(name)
	a := d.array(dir)
	sc, in := a.schemas.Kept(path.Base(name)), t.Space(s.Range.Space)
	switch {
	case kind == kindFragment && in != nil && in.Derived():
		return "", fmt.Errorf("%s: the footer and other files depend on these bytes, and would not be updated", name)
	case kind == kindFragment:
		return "TileDB trusts the footer: a wrong size or offset makes the fragment unreadable", nil
	case kind == kindData:
		return "", fmt.Errorf("%s: the offsets of the fragment depend on the bytes of its tiles", name)
	case kind == kindConMeta:
		return "", fmt.Errorf("%s: it repeats the footers of other files", name)
	case kind != kindSchema && kind != kindEnumeration:
		return "", nil
	case sc != nil && (sc.Version == storage.VersionTrial || sc.Layout == 0):
		return "", fmt.Errorf("%s: TileDB 1.3 and experimental builds wrote this layout, which is read-only here", name)
	}
	if err := a.refused(ctx, s, e, sc); err != nil {
		return "", err
	}
	why, instead := schema.Consequence(ctx, t, s, e), "evolve-schema writes a new schema and leaves the fragments unchanged"
	if why == "" || !a.hasFragments() {
		return "", nil
	}
	if kind == kindEnumeration {
		instead = "extend-enumeration adds values and keeps the existing ones"
	}
	return fmt.Sprintf("%s of %s: the array has fragments, and %s; %s", s.Name(), path.Base(name), why, instead), nil
}

// refused is an error if an edit of a schema would leave an array that TileDB does not open.
func (a *array) refused(ctx context.Context, s *model.Span, e model.Edit, sc *schema.Schema) error {
	set, ok := e.(model.Set)
	if !ok || sc == nil {
		return nil
	}
	if want := set.Value.Text(); s.Field == schema.AttrEnum && want != "" && !sc.HasEnumeration(want) {
		return fmt.Errorf("the schema has no enumeration %q: TileDB would not open the array; add-enumeration adds one", want)
	}
	if s.Field != schema.NameF || !a.hasFragments() {
		return nil
	}
	field := sc.FieldAt(s)
	if field != "" && inDeletion(ctx, a, field) {
		return fmt.Errorf("a deletion of cells uses %q: TileDB would no longer open the array; consolidate and vacuum it first", field)
	}
	for _, f := range a.fragList {
		if v := f.stamp.version; v < 9 {
			return fmt.Errorf("fragment %s is older than version 9, so its data files are named after their fields: TileDB would not find them", f.name)
		}
		if m := f.load(ctx); m != nil && m.Schema != nil && m.Schema != sc && m.Schema.HasField(field) {
			return fmt.Errorf("fragment %s was written with another schema of the array, which also has %q: TileDB would not find its cells under the new name", f.name, field)
		}
	}
	return nil
}

// hasFragments tells whether the array has fragments, which depend on its schemas, their own and the newest one.
func (a *array) hasFragments() bool {
	if a.d.whole() {
		return len(a.fragList) > 0
	}
	frags, _ := a.findFragments()
	return len(frags) > 0
}

// fixup renames an enumeration everywhere (7.2): in its own file, in the maps of the schemas
// that have the file, and in their attributes.
func (d *doc) fixup(ctx context.Context, edits []model.Edit) (more []model.Edit, err error) {
	asked := map[string]bool{}
	var sets []model.Set
	for _, e := range edits {
		if e, ok := e.(model.Set); ok {
			asked[e.Path], sets = true, append(sets, e)
		}
	}
	for _, e := range sets {
		s, err := d.t.Find(ctx, e.Path)
		if err != nil {
			return nil, err
		}
		for _, at := range d.enumerationNames(ctx, s) {
			if path := at.Path(); !asked[path] {
				asked[path] = true
				more = append(more, model.SetValue(at.Span, e.Value))
			}
		}
	}
	return more, nil
}

// enumerationNamed is the enumeration whose name is at s, in its file or in a schema: its file, "" for none, and its name.
func (d *doc) enumerationNamed(ctx context.Context, s *model.Span) (a *array, file, name string) {
	at := d.t.FileName(s.Range)
	kind, dir := d.kindOf(at)
	a = d.array(dir)
	switch e, sc := a.schemas.EnumerationFile(ctx, path.Base(at)), a.schemas.Kept(path.Base(at)); {
	case kind == kindEnumeration && e != nil && e.Name.Span == s:
		return a, path.Base(at), e.Name.Text()
	case kind == kindSchema && sc != nil:
		for _, e := range sc.Enums {
			if e.Name.Span == s {
				return a, e.File.Text(), e.Name.Text()
			}
		}
	}
	return a, "", ""
}

// enumerationNames are all places of the name of an enumeration, if s is one of them; otherwise nil.
func (d *doc) enumerationNames(ctx context.Context, s *model.Span) (out []model.Node) {
	a, file, old := d.enumerationNamed(ctx, s)
	if file == "" {
		return nil
	}
	if e := a.schemas.EnumerationFile(ctx, file); e != nil && e.Name.Text() == old {
		out = append(out, e.Name)
	}
	for _, sc := range a.schemas.All() {
		if !slices.ContainsFunc(sc.Enums, func(e schema.EnumerationEntry) bool { return e.File.Text() == file && e.Name.Text() == old }) {
			continue
		}
		out = append(out, sc.Named(old)...)
	}
	return out
}
