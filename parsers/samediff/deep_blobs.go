package samediff

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// index notes the arrays of an ARRAYS section (SDF-047).
func (s *set) index(k *checker, d *doc) {
	for e := range indexEntries(k.b) {
		if e.array != 0 {
			s.add(e.name, has{doc: d, where: "the ARRAYS section", span: k.placed.near(e.at)})
		}
	}
}

// appended checks an array of SDNB against its variable (SDF-063 to SDF-067, 070).
func (s *set) appended(k *checker, x *variable, a *arr, e *appended, inline bool) {
	entry := func(rule *model.Rule, found, want any) {
		k.p.Wrong(rule, e.span, found, want, of(x.name, rule))
	}
	if inline {
		k.report(inlineAndEntry, part{x.at, 4}, nil, nil, of(x.name, inlineAndEntry), model.About(nativeEntry{k.placed.nb, e, ""}))
	}
	if want, ok := wanted(x, a); ok && e.Length > 0 && want.bytes != e.Length {
		entry(entryLength, model.Words("%d bytes", e.Length), model.Words("%d bytes for %s %v", want.bytes, typeName(want.typ), want.dims))
	}
	switch {
	case e.Length > 0 && (x.array == 0 || !a.stub && !inline):
		k.report(noStub, part{x.at, 4}, nil, nil, saying("%s: the graph has no stub for it", x.name))
	case a.stub:
		k.stub(x, a, e)
	}
	if e.Length > 0 && e.Length < 1<<20 {
		entry(smallBlob, model.Words("%s bytes", model.Thousands(e.Length)), nil)
	}
	if x.array != 0 && a.byteOrder == 1 && e.Length > 0 {
		k.report(orderIgnored, k.where(a.at, flat.ArrOrder, 1), "f", "c", saying("%s: some readers ignore the ordering", x.name))
	}
}

// wanted is what the array of a variable should be, according to its FlatArray, otherwise the variable; ok is false if its length is unknown.
func wanted(x *variable, a *arr) (want data, ok bool) {
	want.typ, want.dims, ok = x.typ, x.shape, x.hasShape
	if x.array != 0 && a.dialect != "" {
		want.typ, want.dims, ok = a.typ, a.dims, true
	}
	count, _ := product(want.dims)
	want.bytes = sizeOf(want.typ, count)
	return want, ok && types[want.typ] != nil
}

// stub compares a stub with the manifest (SDF-065): its offset counts from the first array.
func (k *checker) stub(x *variable, a *arr, e *appended) {
	relative := e.Offset - k.placed.nb.first
	if e.Length == 0 || a.offset == relative && a.length == e.Length {
		return
	}
	off, hasOff := k.b.Opt(a.at, flat.ArrAppendedOffset, 8)
	witnessed := !k.placed.nb.doubt && (a.length == e.Length || a.countOK && sizeOf(a.typ, a.count) == e.Length)
	write := model.Fix{Label: "copy the values from the manifest to the graph",
		Safe: witnessed && a.offset != e.Offset} // the first readers counted from the start of the file
	if hasOff && off != relative || relative == 0 && !hasOff {
		write.Edits = slices.Concat(a.number(k.placed, k.b, flat.ArrAppendedOffset, relative),
			a.number(k.placed, k.b, flat.ArrAppendedLength, e.Length), a.number(k.placed, k.b, flat.ArrTotal, e.Length))
	}
	var fixes []model.Fix
	if nb := k.placed.nb; nb.doubt && e.offsetNode.Span != nil { // entries overlap: the manifest may be what is wrong
		fixes = append(fixes, model.Fix{Label: "copy the offset from the graph to the manifest", Edits: []model.Edit{model.SetValue(e.offsetNode.Span, model.I(nb.first+a.offset))}})
	}
	if write.Edits != nil {
		fixes = append(fixes, write)
	}
	k.report(stubDiffers, k.where(a.at, flat.ArrAppendedOffset, 8), model.Words("%d bytes at %d in the graph", a.length, a.offset),
		model.Words("%d bytes at %d in the manifest", e.Length, relative),
		of(x.name, stubDiffers), model.About(fixes))
}

// manifest looks for entries without a variable (SDF-062).
func (s *set) manifest(k *checker, entries map[string]*appended) {
	if !k.b.Sound(k.graph) {
		return // no variable of it is known
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		e := entries[name]
		if _, ok := k.byName[name]; !ok {
			k.p.Wrong(entryUnknown, e.span, brief(name), nil, of(name, entryUnknown), model.About(nativeEntry{k.placed.nb, e, k.renamed(e, entries)}))
		}
	}
}

// renamed is the name of the only variable without an entry whose values an entry without a variable may have, by their place and length; "" if there is none,
// or several.
func (k *checker) renamed(e *appended, entries map[string]*appended) (name string) {
	for i := range k.vars {
		x := &k.vars[i]
		if entries[x.name] != nil || x.array == 0 || e.Length == 0 {
			continue
		}
		a := k.placed.array(k.b, x.array)
		if !a.stub || a.length != e.Length || a.offset != e.Offset-k.placed.nb.first {
			continue
		}
		if name != "" {
			return ""
		}
		name = x.name
	}
	return name
}

// blobs scans the elements of arrays outside buffers, and reports arrays without a variable (SDF-047, 184, 185, 189).
func (s *set) blobs() {
	list, all := s.scannable()
	err := scanAll(s.ctx, s.p, all, func(ctx context.Context, r model.Range, f func([]byte)) error {
		return s.t.Stream(ctx, r, 1<<20, func(_ int64, v []byte) error { f(v); return nil })
	})
	if err != nil {
		return
	}
	for i, b := range list {
		kind, known := s.kind[b.name]
		all[i].report(s.p, b.span, b.span.Range, b.name, known && kind == varVariable)
	}
	if s.graphs == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(s.have)) {
		for _, h := range s.have[name] {
			if _, known := s.kind[name]; h.where == "the ARRAYS section" && !known {
				s.p.Wrong(arrayUnknown, h.span, brief(name), nil, of(name, arrayUnknown))
			}
		}
	}
}

// scannable are the arrays outside buffers whose elements can be read.
func (s *set) scannable() (list []*blobArray, all []*scanned) {
	for _, d := range s.st.docs {
		for _, b := range d.blobs() {
			typ := types[b.typ]
			if b.bad || b.span == nil || b.len == 0 || typ == nil || b.len%typ.width != 0 {
				continue
			}
			list = append(list, b)
			all = append(all, &scanned{scanner{typ: b.typ, width: typ.width, float: typ.float}, []model.Range{b.span.Range}})
		}
	}
	return list, all
}

// blobs returns the arrays outside buffers.
func (d *doc) blobs() (all []*blobArray) {
	for _, nb := range d.nbs {
		all = append(all, nb.blobs...)
	}
	if d.con != nil {
		for _, sec := range append(d.con.sections[:len(d.con.sections):len(d.con.sections)], d.con.rump) {
			if sec != nil && sec.arrays != nil {
				all = append(all, sec.arrays.blobs...)
			}
		}
	}
	return all
}

// external checks an array in a file of its own (SDF-111 to SDF-113).
func (s *set) external(k *checker, d *doc, x *variable, a *arr) {
	at := k.where(a.at, flat.ArrFiles, 4)
	for _, f := range a.files {
		if err := model.Clean(f); err != nil {
			k.report(externalName, at, f, "a name inside "+baseName(d.file)+"_external", saying("%s: %v", x.name, err))
			return
		}
	}
	o := d.outsideOf(x.name, a)
	if o == nil {
		k.report(externalMissing, k.where(a.at, flat.ArrExternal, 1), strings.Join(a.outsideNames(x.name), ", "), nil,
			saying("%s: none of its files is in %s_external", x.name, baseName(d.file)))
		return
	}
	s.add(x.name, has{doc: d, where: "a file"})
	_, err := k.placed.outsideData(k.ctx, k.t, x.name, a)
	var size sizeWord
	if errors.As(err, &size) {
		k.p.Wrong(externalSize, o.file, model.Words("%d bytes", size.have), model.Words("%d bytes", size.want), of(x.name, externalSize))
	} else if err != nil {
		k.p.Wrong(externalSize, o.file, err, nil, of(x.name, externalSize))
	}
}
