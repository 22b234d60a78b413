package tiledb

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// checkArray compares the files of an array with each other (4.6, 4.7).
func checkArray(c *model.Cursor, a *array) {
	if len(a.schemas.Order) == 0 {
		c.Wrong(rule.NoSchema, nil, "none", missingSchema(c, a))
		return
	}
	stamps, named := map[uint64]string{}, map[string]bool{}
	unread := false // a schema that cannot be read may name any enumeration
	for _, name := range a.schemas.Order {
		if s := stampOf(name); s.ok {
			if other, ok := stamps[s.to]; ok {
				c.Wrong(rule.SameTimes, a.schemas.Files[name], name, "another timestamp than "+other)
			}
			stamps[s.to] = name
		}
		s := a.schemas.Kept(name)
		unread = unread || s == nil || !s.Complete
		checkReferences(c, a, s, named)
	}
	for _, file := range slices.Sorted(maps.Keys(a.schemas.EnumFiles)) {
		if !named[file] && !unread {
			c.Wrong(rule.EnumFileUnused, a.schemas.EnumFiles[file], file, "a schema that names it")
		}
	}
	checkMixed(c, a)
	if s := a.schemas.Current(); s != nil && s.Version > versionReleased && s.Version <= storage.VersionNewest {
		c.Wrong(rule.PayloadVersion, s.VersionAt, s.Version, "at most "+filter.Text(versionReleased)+", for TileDB up to 2.30", model.Graded(model.Note), model.ForNewer,
			model.Saying("format version %d needs TileDB 2.31 or later: 2.30 and earlier refuse the array", s.Version))
	}
}

// checkReferences checks the files and arrays that a schema names, and notes the files of enumerations. The schema may be nil.
func checkReferences(c *model.Cursor, a *array, s *schema.Schema, named map[string]bool) {
	if s == nil {
		return
	}
	for _, e := range s.Enums {
		named[e.File.Text()] = true
		checkEnumEntry(c, a, s, e)
	}
	for _, l := range s.Labels {
		checkLabelArray(c, a, s, l)
	}
}

// missingSchema is the missing schema file that fragments name, or "".
func missingSchema(c *model.Cursor, a *array) string {
	want := "__schema/<name> or " + schema.OldSchema
	for _, f := range a.fragList[:min(len(a.fragList), mostLoaded)] {
		if f.load(c.Context()); f.stamp.version > 0 && f.stamp.version < 10 {
			want = schema.OldSchema
		} else if name := namesSchema(c.Context(), f, c.Tree()); name != "" {
			want = "__schema/" + name
		}
	}
	return want
}

// checkEnumEntry compares an entry of the enumeration map with the file it names, and the attributes that use it.
func checkEnumEntry(c *model.Cursor, a *array, s *schema.Schema, e schema.EnumerationEntry) {
	file := e.File.Text()
	if a.schemas.EnumFiles[file] == nil {
		c.Wrong(rule.EnumFileMissing, e.File, file, "a file of __schema/__enumerations", model.About(schema.EntryOf{Schema: s, Entry: e}))
		return
	}
	got := a.schemas.EnumerationFile(c.Context(), file)
	if got == nil {
		return
	}
	if name := got.Name.Text(); name != e.Name.Text() {
		c.Wrong(rule.EnumNameDiffers, got.Name, name, model.S(e.Name.Text()), model.Doubtful)
	}
	for i := range s.Attrs {
		at := &s.Attrs[i]
		if at.Enum.Text() != e.Name.Text() || !filter.IsInteger(at.Datatype) {
			continue
		}
		if _, most := storage.LimitsOf(at.Datatype); most.Uint() <= uint64(got.Count()) {
			c.Wrong(rule.EnumTooLong, at.Typ, storage.TypeName(at.Datatype), "a type that can count beyond "+filter.Text(got.Count()))
		}
	}
}

// checkLabel compares a label with the array that stores it.
func checkLabelArray(c *model.Cursor, a *array, s *schema.Schema, l schema.Label) {
	uri := path.Clean(l.Uri.Text())
	if l.Relative.Uint() == 0 || l.Uri.Text() == "" || strings.HasPrefix(uri, "..") {
		return
	}
	if objectAt(a.d.t.Snapshot, a.path(uri)) != 2 {
		c.Wrong(rule.LabelArray, l.Uri, uri, "an array inside the array")
		return
	}
	held := a.d.array(a.path(uri)).schemas.Current()
	if held == nil || l.Dim.Uint() >= uint64(len(s.Dims)) {
		return // not read, or reported by another rule
	}
	if len(held.Dims) != 1 || held.Dims[0].Datatype != s.Dims[l.Dim.Uint()].Datatype {
		c.Wrong(rule.LabelArray, l.Uri, filter.Text(len(held.Dims))+" dimensions", "one of type "+storage.TypeName(s.Dims[l.Dim.Uint()].Datatype))
		return
	}
	for i := range held.Attrs {
		if h := &held.Attrs[i]; h.Name.Text() == l.Attr.Text() {
			if uint64(h.Datatype) != l.Typ.Uint() || h.Num.Uint() != l.Num.Uint() || h.Order.Uint() != l.Order.Uint() {
				c.Wrong(rule.LabelArray, l.Attr, l.Attr.Text(), "an attribute of the label's type, order and value count")
			}
			return
		}
	}
	c.Wrong(rule.LabelArray, l.Attr, l.Attr.Text(), "an attribute of "+uri)
}

// checkMeta checks the metadata of a fragment against its name, its schema and themselves.
func checkFragment(c *model.Cursor, f *frag) {
	m := f.meta
	if v := f.stamp.version; v > 0 && m.VersionAt.Span != nil && uint64(v) != m.VersionAt.Uint() {
		c.Wrong(rule.VersionsDiffer, m.VersionAt, m.VersionAt.Value, "the version of the name, "+filter.Text(v))
	}
	for i := range m.Domain {
		r, d := &m.Domain[i], &m.Schema.Dims[i]
		low, high := r.Ends()
		switch {
		case storage.Compare(low, high) > 0:
			c.Wrong(rule.FragmentDomain, r.Self, low.String()+" to "+high.String(), "low <= high")
		case !d.Holds(low, high):
			c.Wrong(rule.FragmentDomain, r.Self, low.String()+" to "+high.String(), d.Low.Value.String()+" to "+d.High.Value.String())
		}
	}
	if !m.Dense && m.Tiles > 0 && m.LastAt.Span != nil && (m.Last == 0 || m.Last > m.Schema.Capacity.Uint()) {
		c.Wrong(rule.TileCells, m.LastAt, m.Last, "1 to "+filter.Text(m.Schema.Capacity.Uint()))
	}
	if f.group != nil {
		checkStored(c, f)
	}
	checkAgainstCurrent(c, f)
}

// checkStored reports missing data files: those that the footer knows, and those that the schema requires.
func checkStored(c *model.Cursor, f *frag) {
	lists := [3]model.Node{f.meta.Sizes, f.meta.VarSizes, f.meta.ValidSizes}
	for x := range f.dataFiles() {
		n, gone := x.size(), x.span() == nil
		if n > 0 && gone && !x.legal() {
			c.Wrong(rule.FileSizeWrong, f.meta.SizeAt(x.part, x.slot), nil, model.U(0),
				model.Saying("the footer gives a length for %s.tdb, but this fragment has no such file", x.name()))
			continue
		}
		if !x.stored() {
			continue
		}
		r := lists[x.part].Range
		at := model.Spot{Span: lists[x.part].Span, Range: model.Range{Space: r.Space, Off: r.Off + int64(8*x.slot), Len: 8}}
		switch {
		case n > 0 && gone:
			c.Wrong(rule.FileSizeWrong, at, "no "+x.name()+".tdb", filter.Text(n)+" bytes",
				model.Saying("%s.tdb is missing: the fragment's %s cannot be read", x.name(), x.Name))
		case n == 0 && x.part != fragment.Fixed && x.Has(x.part):
			c.Wrong(rule.TileCounts, at, "no "+x.name()+".tdb", "tiles as "+x.File+".tdb has them")
		}
	}
}

// checkCurrent reports a fragment that extends beyond the newest current domain.
func checkAgainstCurrent(c *model.Cursor, f *frag) {
	s := f.a.schemas.Current()
	if s == nil {
		return
	}
	for i := range s.Current.Ranges {
		if i >= len(f.meta.Domain) {
			return
		}
		low, high := f.meta.Domain[i].Ends()
		from, to := s.Current.Ranges[i].Ends()
		if low.Kind == from.Kind && (storage.Compare(low, from) < 0 || storage.Compare(high, to) > 0) {
			c.Wrong(rule.CurrentExceeded, f.meta.Domain[i].Self, low.String()+" to "+high.String(), from.String()+" to "+to.String())
		}
	}
}

// mostLoaded is the number of fragments up to which all of them become part of the tree at once. Beyond it, only those
// whose files do not fit.
const mostLoaded = 8

// reportSize reports a data file whose length differs from its footer.
func reportSize(c *model.Cursor, f dataFile, at *model.Span) {
	have, size := at.Range.Len, int64(min(f.size(), 1<<62))
	if have == size || f.f.sized {
		return
	}
	grade := model.Error
	if have > size && size > 0 {
		grade = model.Warning
	}
	c.Wrong(rule.FileSizeWrong, at, filter.Text(have)+" bytes", filter.Text(size)+" bytes", model.Graded(grade),
		model.Saying("%s", sizeSays(f.name()+".tdb", have, size, f.offsets(c.Context()))))
}

// sizeSays explains a data file whose length differs from its footer.
func sizeSays(file string, have, size int64, offsets []uint64) string {
	if size == 0 {
		return model.Words("the footer of the fragment gives 0 bytes for %s, but it has %s", file, model.Thousands(have))
	}
	if have > size {
		return model.Words("%s bytes follow the end of %s: TileDB never reads them", model.Thousands(have-size), file)
	}
	gone := 0
	for i := range offsets {
		end := uint64(size)
		if i+1 < len(offsets) {
			end = offsets[i+1]
		}
		if end > uint64(have) {
			gone++
		}
	}
	return model.Words("%s is truncated: %s of %s bytes, so %d of %d tiles are lost", file, model.Thousands(have), model.Thousands(size), gone, len(offsets))
}

// checkFile compares a data file with the footer and the list of its tile offsets.
func checkFile(c *model.Cursor, f dataFile, size int64) {
	reportSize(c, f, c.Span())
	last := int64(-1)
	for i, off := range f.offsets(c.Context()) {
		if size == 0 {
			break // dense fragments list zeros for fields without a file
		}
		if at := int64(min(off, 1<<62)); at <= last || at >= size || i == 0 && at != 0 {
			at := model.Place(nil)
			if payload := f.payload(c.Context(), fragment.PartLists[f.part]); payload != nil {
				at = model.Spot{Span: payload, Range: model.Range{Space: payload.Range.Space, Off: int64(8 + 8*i), Len: 8}}
			}
			c.Wrong(rule.TileOffsets, at, off, "increasing from 0, less than "+filter.Text(size),
				model.Saying("tile %d: %s", i, rule.TileOffsets.Title))
			break
		}
		last = int64(off)
	}
}

// namesSchema is the schema that the footer of a fragment names, without which it cannot be read further.
func namesSchema(ctx context.Context, f *frag, t *model.Tree) string {
	s := f.metaAt
	for _, name := range []string{fragment.FooterF.Name, fragment.SchemaNameF.Name} {
		if s != nil {
			s = s.Get(name)
		}
	}
	if s == nil {
		return ""
	}
	v, err := t.Value(ctx, s)
	if err != nil {
		return ""
	}
	return v.Text()
}
