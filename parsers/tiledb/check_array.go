package tiledb

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// checkArray checks what the files of an array say about each other (4.6, 4.7).
func checkArray(c *model.Cursor, a *array) {
	if len(a.schemas.order) == 0 {
		want := "__schema/<name> or " + oldSchema
		for _, f := range a.fragList[:min(len(a.fragList), mostLoaded)] {
			if f.load(c.Context()); f.stamp.version > 0 && f.stamp.version < 10 {
				want = oldSchema
			} else if name := namesSchema(c.Context(), f, c.Tree()); name != "" {
				want = "__schema/" + name
			}
		}
		c.Wrong(noSchema, nil, "none", want)
		return
	}
	stamps, named := map[uint64]string{}, map[string]bool{}
	unread := false // a schema that cannot be read may name any enumeration
	for _, name := range a.schemas.order {
		span := a.schemas.files[name]
		if s := stampOf(name); s.ok {
			if other, ok := stamps[s.to]; ok {
				c.Wrong(sameTimes, span, name, "another timestamp than "+other)
			}
			stamps[s.to] = name
		}
		s := a.schemas.kept(name)
		if s == nil || !s.complete {
			unread = true
		}
		if s == nil {
			continue
		}
		for _, e := range s.enums {
			named[e.file.Text()] = true
			checkEnumEntry(c, a, s, e)
		}
		for _, l := range s.labels {
			checkLabelArray(c, a, s, l)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(a.schemas.enumFiles)) {
		if !named[file] && !unread {
			c.Wrong(enumFileUnused, a.schemas.enumFiles[file], file, "a schema that names it")
		}
	}
	if s := a.schemas.current(); s != nil && s.version > versionReleased && s.version <= versionNewest {
		c.Wrong(payloadVersion, s.versionAt, s.version, "at most "+filter.Text(versionReleased)+", for TileDB up to 2.30", model.Graded(model.Note), model.ForNewer,
			model.Saying("format version %d needs TileDB 2.31 or later: 2.30 and earlier refuse the array", s.version))
	}
}

// checkEnumEntry compares an entry of the enumeration map with the file it names, and the attributes that use it.
func checkEnumEntry(c *model.Cursor, a *array, s *schemaInfo, e enumRef) {
	file := e.file.Text()
	if a.schemas.enumFiles[file] == nil {
		c.Wrong(enumFileMissing, e.file, file, "a file of __schema/__enumerations", model.About(entryOf{s, e}))
		return
	}
	got := a.schemas.enumerationFile(c.Context(), file)
	if got == nil {
		return
	}
	if name := got.name.Text(); name != e.name.Text() {
		c.Wrong(enumNameDiffers, got.name, name, model.S(e.name.Text()), model.Doubtful)
	}
	for i := range s.attrs {
		at := &s.attrs[i]
		if at.enum.Text() != e.name.Text() || !filter.IsInteger(at.datatype) {
			continue
		}
		if _, most := limitsOf(at.datatype); most.Uint() <= uint64(got.count()) {
			c.Wrong(enumTooLong, at.typ, typeName(at.datatype), "a type that counts beyond "+filter.Text(got.count()))
		}
	}
}

// checkLabel compares a label with the array that holds it.
func checkLabelArray(c *model.Cursor, a *array, s *schemaInfo, l label) {
	uri := path.Clean(l.uri.Text())
	if l.relative.Uint() == 0 || l.uri.Text() == "" || strings.HasPrefix(uri, "..") {
		return
	}
	if objectAt(a.d.t.Snapshot, a.path(uri)) != 2 {
		c.Wrong(labelArray, l.uri, uri, "an array inside the array")
		return
	}
	held := a.d.array(a.path(uri)).schemas.current()
	if held == nil || l.dim.Uint() >= uint64(len(s.dims)) {
		return // not read, or another rule's
	}
	if len(held.dims) != 1 || held.dims[0].datatype != s.dims[l.dim.Uint()].datatype {
		c.Wrong(labelArray, l.uri, filter.Text(len(held.dims))+" dimensions", "one of type "+typeName(s.dims[l.dim.Uint()].datatype))
		return
	}
	for i := range held.attrs {
		if h := &held.attrs[i]; h.name.Text() == l.attr.Text() {
			if uint64(h.datatype) != l.typ.Uint() || h.num.Uint() != l.num.Uint() || h.order.Uint() != l.order.Uint() {
				c.Wrong(labelArray, l.attr, l.attr.Text(), "an attribute of the label's type, order and value count")
			}
			return
		}
	}
	c.Wrong(labelArray, l.attr, l.attr.Text(), "an attribute of "+uri)
}

// checkMeta checks the metadata of a fragment against its name, its schema and themselves.
func checkFragment(c *model.Cursor, f *frag) {
	m := f.meta
	if v := f.stamp.version; v > 0 && m.versionAt.Span != nil && uint64(v) != m.versionAt.Uint() {
		c.Wrong(versionsDiffer, m.versionAt, m.versionAt.Value, "the version of the name, "+filter.Text(v))
	}
	for i := range m.domain {
		r, d := &m.domain[i], &m.schema.dims[i]
		low, high := r.ends()
		switch {
		case compare(low, high) > 0:
			c.Wrong(fragmentDomain, r.self, low.String()+" to "+high.String(), "low <= high")
		case d.low.Span != nil && (compare(low, d.low.Value) < 0 || compare(high, d.high.Value) > 0):
			c.Wrong(fragmentDomain, r.self, low.String()+" to "+high.String(), d.low.Value.String()+" to "+d.high.Value.String())
		}
	}
	if !m.dense && m.tiles > 0 && m.lastAt.Span != nil && (m.last == 0 || m.last > m.schema.capacity.Uint()) {
		c.Wrong(tileCells, m.lastAt, m.last, "1 to "+filter.Text(m.schema.capacity.Uint()))
	}
	if f.group != nil {
		checkStored(c, f)
	}
	checkAgainstCurrent(c, f)
}

// checkStored tells which data files are missing: those that the footer knows, and those that the schema asks for.
func checkStored(c *model.Cursor, f *frag) {
	m := f.meta
	lists := [3]model.Node{m.sizes, m.varSizes, m.validSizes}
	for slot := range f.slots {
		s := &f.slots[slot]
		for part, suffix := range partNames {
			if slot >= len(m.size[part]) {
				continue
			}
			if m.size[part][slot] > 0 && f.files[s.file+suffix] == nil && !stores(m.footer, s, part) {
				c.Wrong(fileSizeWrong, m.sizeAt(part, slot), nil, model.U(0),
					model.Saying("the footer gives %s%s.tdb a length, and a fragment like this has no such file", s.file, suffix))
				continue
			}
			if m.size[fileFixed][slot] == 0 {
				continue
			}
			r := lists[part].Range
			at := model.Spot{Span: lists[part].Span, Range: model.Range{Space: r.Space, Off: r.Off + int64(8*slot), Len: 8}}
			switch n := m.size[part][slot]; {
			case n > 0 && f.files[s.file+suffix] == nil:
				c.Wrong(fileSizeWrong, at, "no "+s.file+suffix+".tdb", filter.Text(n)+" bytes",
					model.Saying("%s%s.tdb is missing: the fragment's %s cannot be read", s.file, suffix, s.name))
			case n == 0 && (part == fileVar && s.variable() || part == fileValid && s.nullable):
				c.Wrong(tileCounts, at, "no "+s.file+suffix+".tdb", "tiles as "+s.file+".tdb has them")
			}
		}
	}
}

// stores tells whether a fragment may have a file for a part of a field.
func stores(f *footer, s *fileSlot, part int) bool {
	switch {
	case part == fileVar && !s.variable(), part == fileValid && !s.nullable:
		return false
	}
	return !(s.coords && f.version >= 5) && !(s.dim != nil && f.dense)
}

// checkCurrent tells whether the fragment reaches beyond the newest current domain.
func checkAgainstCurrent(c *model.Cursor, f *frag) {
	s := f.a.schemas.current()
	if s == nil {
		return
	}
	for i := range s.current.ranges {
		if i >= len(f.meta.domain) {
			return
		}
		low, high := f.meta.domain[i].ends()
		from, to := s.current.ranges[i].ends()
		if low.Kind == from.Kind && (compare(low, from) < 0 || compare(high, to) > 0) {
			c.Wrong(currentExceeded, f.meta.domain[i].self, low.String()+" to "+high.String(), from.String()+" to "+to.String())
		}
	}
}

// mostLoaded is how many fragments an array may have for all of them to become part of the tree at once. Of more, only those do whose
// files do not fit.
const mostLoaded = 8

// reportSize says when a data file is not as long as its footer says.
func reportSize(c *model.Cursor, f *frag, file *model.Span, part, slot int) {
	have, size := file.Range.Len, int64(min(f.meta.size[part][slot], 1<<62))
	if have == size || f.sized {
		return
	}
	grade := model.Error
	if have > size && size > 0 {
		grade = model.Warning
	}
	offsets := f.list(c.Context(), partLists[part], slot)
	c.Wrong(fileSizeWrong, file, filter.Text(have)+" bytes", filter.Text(size)+" bytes", model.Graded(grade),
		model.Saying("%s", sizeSays(f.slots[slot].file+partNames[part]+".tdb", have, size, offsets)))
}

// sizeSays says what it means that a data file has another size than its footer says.
func sizeSays(file string, have, size int64, offsets []uint64) string {
	if size == 0 {
		return model.Words("the footer of the fragment gives %s no bytes, and it has %s", file, model.Thousands(have))
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
	return model.Words("%s is cut: %s of %s bytes, so %d of %d tiles are gone", file, model.Thousands(have), model.Thousands(size), gone, len(offsets))
}

// checkFile compares a data file with what the footer and the list of its tile offsets say about it.
func checkFile(c *model.Cursor, f *dataFile, size int64) {
	offsets := f.in.list(c.Context(), partLists[f.part], f.slot)
	reportSize(c, f.in, c.Span(), f.part, f.slot)
	last := int64(-1)
	for i, off := range offsets {
		if size == 0 {
			break // dense fragments list zeros for fields without file
		}
		if at := int64(min(off, 1<<62)); at <= last || at >= size || i == 0 && at != 0 {
			at := model.Place(nil)
			if payload := f.in.listPayload(c.Context(), partLists[f.part], f.slot); payload != nil {
				at = model.Spot{Span: payload, Range: model.Range{Space: payload.Range.Space, Off: int64(8 + 8*i), Len: 8}}
			}
			c.Wrong(tileOffsets, at, off, "ascending from 0, less than "+filter.Text(size),
				model.Saying("tile %d: %s", i, tileOffsets.Title))
			break
		}
		last = int64(off)
	}
}

// namesSchema is the schema that the footer of a fragment names, which is not read on without it.
func namesSchema(ctx context.Context, f *frag, t *model.Tree) string {
	s := f.metaAt
	for _, name := range []string{footerF.Name, fSchema.Name} {
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
