package tiledb

import (
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// brokenFiles are files that break one rule each, by that rule; brokenArrays are the folders.
func brokenFiles() map[string][]byte {
	out := brokenSpecs()
	maps.Copy(out, brokenMore())
	return out
}

// brokenSpecs are those that a changed byte, or a field of a sampleSpec, makes.
func brokenSpecs() map[string][]byte {
	with := func(v uint32, f func(*sampleSpec)) []byte { s := sampleOf(v); s.attrs = 1; f(s); return sampleFile(s) }
	v23 := func(f func(*sampleSpec)) []byte { return with(23, f) }
	raw := func(f func([]byte) []byte) []byte { return f(sampleFile(sampleOf(23))) }
	filter := func(b ...byte) func(*byteWriter) {
		return func(w *byteWriter) { w.put(uint32(65536), uint32(1), b) }
	}
	two := func(w *byteWriter) { w.pipe(1, 1) }
	label := func(dim uint32, rel byte, order byte, name string) []byte {
		var w byteWriter
		w.put(dim).text(name).put(rel, uint64(11), "__labels/l0").text("label").put(order, byte(3), uint32(1), byte(0))
		return w.Bytes()
	}
	current := func(low, high int32) []byte {
		var w byteWriter
		return w.put(uint32(0), byte(0), byte(0), low, high).Bytes()
	}
	const enumFile = "__0123456789abcdef0123456789abcdef_0"
	return map[string][]byte{
		"TDB-003": sampleFile(sampleOf(23))[:40],
		"TDB-004": raw(func(b []byte) []byte { b[0] = 99; return b }),
		"TDB-005": raw(func(b []byte) []byte { b[0] = 22; return b }),
		"TDB-006": raw(func(b []byte) []byte { b[5]++; return b }),
		"TDB-007": raw(func(b []byte) []byte { b[4]--; return b }),
		"TDB-008": raw(func(b []byte) []byte { return append(b, 1, 2, 3) }),
		"TDB-009": raw(func(b []byte) []byte { b[4] += 3; return append(b, 1, 2, 3) }),
		"TDB-010": raw(func(b []byte) []byte { b[12]++; return b }),
		"TDB-183": raw(func(b []byte) []byte { b[36] = 2; return b }),
		"TDB-011": raw(func(b []byte) []byte { b[20] = 6; return b }),
		"TDB-013": raw(func(b []byte) []byte { b[29] = 1; return b }),
		"TDB-014": raw(func(b []byte) []byte { b[30] = 17; return b }),
		"TDB-016": raw(func(b []byte) []byte { b[64] = 255; return b }),
		"TDB-018": raw(func(b []byte) []byte { b[72] = 9; return b }),
		"TDB-020": raw(func(b []byte) []byte { b[80]++; return b }),
		"TDB-021": raw(func(b []byte) []byte { b[len(b)-1]++; return b }),
		"TDB-030": v23(func(s *sampleSpec) { s.filters = filter(17, 0, 0, 0, 0) }),
		"TDB-031": v23(func(s *sampleSpec) { s.filters = filter(11, 0, 0, 0, 0) }),
		"TDB-032": v23(func(s *sampleSpec) { s.filters = filter(1, 9, 0, 0, 0, 1, 1, 0, 0, 0) }),
		"TDB-033": v23(func(s *sampleSpec) { s.filters = filter(1, 5, 0, 0, 0, 2, 1, 0, 0, 0) }),
		"TDB-034": v23(func(s *sampleSpec) { s.filters = filter(1, 5, 0, 0, 0, 1, 10, 0, 0, 0) }),
		"TDB-035": with(10, func(s *sampleSpec) { s.filters = filter(16, 0, 0, 0, 0) }),
		"TDB-036": v23(func(s *sampleSpec) { s.filters = filter(7, 4, 0, 0, 0, 1, 0, 0, 0) }),
		"TDB-037": v23(func(s *sampleSpec) { s.attrType = 2; s.filters = filter(7, 4, 0, 0, 0, 0, 1, 0, 0) }),
		"TDB-038": v23(func(s *sampleSpec) { s.attrType = 2; s.filters = filter(6, 6, 0, 0, 0, 6, 1, 0, 0, 0, 17) }),
		"TDB-039": v23(func(s *sampleSpec) { s.filters = filter(6, 6, 0, 0, 0, 6, 1, 0, 0, 0, 99) }),
		"TDB-040": v23(func(s *sampleSpec) { s.filters = filter(14, 5, 0, 0, 0, 7, 255, 255, 255, 255) }),
		"TDB-041": v23(func(s *sampleSpec) {
			s.attrType, s.attrNum, s.fill = 11, storage.VariableCells, []byte{0}
			s.filters = func(w *byteWriter) { w.pipe(1, 4) }
		}),
		"TDB-042": v23(func(s *sampleSpec) { s.filters = filter(append([]byte{15, 24, 0, 0, 0}, make([]byte, 24)...)...) }),
		"TDB-043": v23(func(s *sampleSpec) { s.filters = filter(append([]byte{18, 12, 0, 0, 0}, make([]byte, 12)...)...) }),
		"TDB-045": v23(func(s *sampleSpec) {
			s.filters = filter(append([]byte{18, 12, 0, 0, 0}, 0, 0, 0, 0, 1, 1, 1, 0, 3, 0, 1, 1)...)
		}),
		"TDB-046": v23(func(s *sampleSpec) { s.filters = func(w *byteWriter) { w.put(uint32(65536), uint32(0xFFFFFFFF)) } }),
		"TDB-049": v23(func(s *sampleSpec) { s.filters = two }),
		"TDB-050": sampleTile(23, sampleOf(23).payload()[:len(sampleOf(23).payload())-3]),
		"TDB-051": v23(func(s *sampleSpec) { s.tail = []byte("tail") }),
		"TDB-052": v23(func(s *sampleSpec) { s.version = 24 }),
		"TDB-053": v23(func(s *sampleSpec) { s.dups = 2; s.sparse = true }),
		"TDB-054": v23(func(s *sampleSpec) { s.dups = 1 }),
		"TDB-056": v23(func(s *sampleSpec) { s.tileOrder = 4 }),
		"TDB-057": v23(func(s *sampleSpec) { s.cellOrder = 7 }),
		"TDB-058": v23(func(s *sampleSpec) { s.cellOrder = 3 }),
		"TDB-059": v23(func(s *sampleSpec) { s.cellOrder = 4 }),
		"TDB-061": v23(func(s *sampleSpec) { s.capacity = 0; s.sparse = true }),
		"TDB-062": v23(func(s *sampleSpec) { s.capacity = 1 << 50 }),
		"TDB-064": v23(func(s *sampleSpec) { s.attrs = 0 }),
		"TDB-065": v23(func(s *sampleSpec) { s.nlabels = 1 << 30 }),
		"TDB-066": v23(func(s *sampleSpec) { s.attrs = 2; s.names = []string{"a", "a"} }),
		"TDB-067": v23(func(s *sampleSpec) { s.attrs = 2; s.names = []string{"a", "\xff"} }),
		"TDB-068": v23(func(s *sampleSpec) { s.attrs = 2; s.names = []string{"a", "__b"} }),
		"TDB-069": v23(func(s *sampleSpec) { s.attrs = 2; s.names = []string{"a", ""} }),
		"TDB-070": v23(func(s *sampleSpec) { s.attrs = 2; s.names = []string{"a", "__coords"} }),
		"TDB-080": v23(func(s *sampleSpec) { s.dimType = 14 }),
		"TDB-081": v23(func(s *sampleSpec) { s.dimType = 2 }),
		"TDB-083": v23(func(s *sampleSpec) { s.dimNum = 2 }),
		"TDB-085": v23(func(s *sampleSpec) { s.low, s.high = 10, 1 }),
		"TDB-087": v23(func(s *sampleSpec) { s.low, s.high = -1<<31, 1<<31-1 }),
		"TDB-091": v23(func(s *sampleSpec) { s.extent = 0 }),
		"TDB-092": v23(func(s *sampleSpec) { s.extent = 11 }),
		"TDB-095": with(4, func(s *sampleSpec) { s.dimType = 14 }),
		"TDB-100": v23(func(s *sampleSpec) { s.attrType = 44 }),
		"TDB-101": v23(func(s *sampleSpec) { s.attrNum = 0 }),
		"TDB-102": v23(func(s *sampleSpec) { s.attrType = 17; s.fill = []byte{0} }),
		"TDB-103": v23(func(s *sampleSpec) { s.fill = nil }),
		"TDB-104": v23(func(s *sampleSpec) { s.attrNum = 7 }),
		"TDB-105": v23(func(s *sampleSpec) { s.attrNum = storage.VariableCells; s.fill = []byte{1, 2, 3} }),
		"TDB-106": v23(func(s *sampleSpec) { s.nullable = 2 }),
		"TDB-107": v23(func(s *sampleSpec) { s.fillOK = 2 }),
		"TDB-108": v23(func(s *sampleSpec) { s.order = 3 }),
		"TDB-109": v23(func(s *sampleSpec) { s.order = 1; s.nullable = 1 }),
		"TDB-110": v23(func(s *sampleSpec) { s.order = 1; s.attrNum = 2; s.fill = make([]byte, 8) }),
		"TDB-111": v23(func(s *sampleSpec) { s.enum = "none" }),
		"TDB-112": v23(func(s *sampleSpec) {
			s.enum, s.attrType, s.enums = "e", 2, [][2]string{{"e", enumFile}}
		}),
		"TDB-120": v23(func(s *sampleSpec) { s.nlabels, s.labels = 1, label(9, 1, 1, "l") }),
		"TDB-121": v23(func(s *sampleSpec) { s.nlabels, s.labels = 1, label(0, 1, 0, "l") }),
		"TDB-122": v23(func(s *sampleSpec) { s.nlabels, s.labels = 1, label(0, 1, 1, "") }),
		"TDB-124": v23(func(s *sampleSpec) { s.nlabels, s.labels = 1, label(0, 0, 1, "l") }),
		"TDB-130": v23(func(s *sampleSpec) { s.enum, s.enums = "e", [][2]string{{"e", "a/b"}} }),
		"TDB-139": v23(func(s *sampleSpec) { s.enums = [][2]string{{"e", enumFile}} }),
		"TDB-145": v23(func(s *sampleSpec) { s.current = []byte{1, 0, 0, 0, 1} }),
		"TDB-146": v23(func(s *sampleSpec) { s.current = []byte{0, 0, 0, 0, 2} }),
		"TDB-147": v23(func(s *sampleSpec) { s.current = []byte{0, 0, 0, 0, 0, 1} }),
		"TDB-148": v23(func(s *sampleSpec) { s.current = current(9, 2) }),
		"TDB-150": v23(func(s *sampleSpec) { s.current = current(0, 11) }),
		"TDB-132": sampleEnum(enumFile[:35]+"1", "", nil, 0),
		"TDB-133": sampleEnum(enumFile, "", nil, 1),
		"TDB-136": sampleEnum(enumFile, "redgreen", []uint64{0, 9}, 0),
		"TDB-137": sampleEnum(enumFile, "redred", []uint64{0, 3}, 0),
	}
}

// sampleEnum is an enumeration file of texts.
func sampleEnum(file, data string, starts []uint64, version uint32) []byte {
	var w byteWriter
	w.put(version).text("e").text(file).put(byte(11), uint32(storage.VariableCells), byte(0), uint64(len(data)), data, uint64(8*len(starts)),
		starts)
	return sampleTile(23, w.Bytes())
}

// Texts of an enumeration are UTF-8, as those of cells are: Python reads neither otherwise.
func TestTDBEnumerationTexts(t *testing.T) {
	const enumFile = "__0123456789abcdef0123456789abcdef_0"
	var w byteWriter
	w.put(uint32(0)).text("e").text(enumFile).put(byte(12), uint32(storage.VariableCells), byte(0), uint64(6), "rot\xffgr", uint64(16), []uint64{0, 3})
	if rules := rulesOf(t, bytesOf(t, enumFile, sampleTile(23, w.Bytes()))); len(rules) != 1 || !rules["TDB-188"] {
		t.Error(rules)
	}
}

// broken opens the broken files and arrays, with all that is in them, by the rule that they break.
func broken() suite.Damaged {
	out := suite.Damaged{}
	read := func(t testing.TB, d *model.Document) *model.Document {
		rulesOf(t, d)
		return d
	}
	for rule, b := range brokenFiles() {
		name := sampleName
		if n := rule[4:]; n == "095" || n == "003" {
			name = schema.OldSchema
		} else if n >= "132" && n <= "138" {
			name = "__0123456789abcdef0123456789abcdef_0"
		}
		out[rule] = func(t testing.TB) *model.Document { return read(t, bytesOf(t, name, b)) }
	}
	for rule, files := range brokenArrays() {
		out[rule] = func(t testing.TB) *model.Document { return read(t, open(t, writeFiles(t, t.TempDir(), files))) }
	}
	return out
}

// together are the rules that cannot be broken alone.
var together = map[string]string{
	"TDB-045": "TDB-043", "TDB-052": "TDB-004", "TDB-160": "TDB-161", "TDB-165": "TDB-166", "TDB-189": "TDB-167",
}

// What is broken breaks its rule and no other.
func TestTDBRules(t *testing.T) {
	for rule, open := range broken() {
		rules := rulesOf(t, open(t))
		if want := together[rule]; !rules[rule] || len(rules) > 2 || len(rules) == 2 && !rules[want] {
			t.Errorf("the sample of %s breaks %v", rule, slices.Sorted(maps.Keys(rules)))
		}
	}
}

// What is said of it, where, and which repairs are offered, is in testdata/tiledb/rules.txt. Every rule is broken.
func TestTDBTranscript(t *testing.T) { suite.Transcript(t, Format, broken()) }

func TestTDBRepairs(t *testing.T) { suite.Repairs(t, broken()) }

// A dimension whose datatype alone was changed says so, and what follows is still read.
func TestTDBOtherDatatype(t *testing.T) {
	for datatype, want := range map[byte]string{1: "TDB-084", 7: "TDB-084", 2: "TDB-081", 4: "TDB-080", 11: "TDB-081", 44: "TDB-080",
		18: "TDB-084"} {
		s := sampleOf(23)
		s.dimType = datatype
		d := bytesOf(t, sampleName, sampleFile(s))
		if rules := rulesOf(t, d); !rules[want] || rules["TDB-065"] || rules["TDB-050"] {
			t.Errorf("%s: %v", storage.TypeName(datatype), rules)
		}
		if n := readTable(t, d, "attributes").Rows; n != 2 {
			t.Errorf("%s: %d attributes", storage.TypeName(datatype), n)
		}
	}
}

// Hostile files end, quickly, and say what is wrong; no number of theirs is believed.
func TestTDBHostile(t *testing.T) {
	good := sampleFile(sampleOf(23))
	le := binary.LittleEndian
	patch := func(f func(b []byte)) []byte { b := append([]byte(nil), good...); f(b); return b }
	for name, b := range map[string][]byte{
		"chunk of 4 GB":     patch(func(b []byte) { le.PutUint32(b[60:], 0xFFFFFFFF); le.PutUint64(b[12:], 0xFFFFFFFF) }),
		"2^64 chunks":       patch(func(b []byte) { le.PutUint64(b[52:], 1<<64-1) }),
		"2^32 filters":      patch(func(b []byte) { le.PutUint32(b[38:], 0xFFFFFFFF) }),
		"data of 4 GB":      patch(func(b []byte) { le.PutUint32(b[64:], 0xFFFFFFFF) }),
		"metadata of 4 GB":  patch(func(b []byte) { le.PutUint32(b[68:], 0xFFFFFFFF) }),
		"parts of 4 GB":     patch(func(b []byte) { le.PutUint32(b[80:], 0xFFFFFFFF) }),
		"2^32 parts":        patch(func(b []byte) { le.PutUint32(b[76:], 0xFFFFFFFF) }),
		"persisted of 2^63": patch(func(b []byte) { le.PutUint64(b[4:], 1<<63) }),
		"twice":             append(append([]byte(nil), good...), good...),
		"names of 4 GB":     sampleTile(23, patchAt(sampleOf(23).payload(), 74, 0xFFFFFFFF)),
	} {
		if rules := rulesOf(t, bytesOf(t, sampleName, b)); len(rules) == 0 {
			t.Errorf("%s: nothing is wrong", name)
		}
	}
}

func patchAt(b []byte, at int, v uint32) []byte {
	binary.LittleEndian.PutUint32(b[at:], v)
	return b
}

// A rename in a schema changes what depends on it and nothing else; undo gives the same bytes again.
func TestTDBEdit(t *testing.T) {
	ctx := t.Context()
	good := sampleFile(sampleOf(23))
	d := bytesOf(t, sampleName, good)
	plan, err := d.Plan(ctx, "rename", model.Set{Path: "payload/attributes[1]/name", Value: model.S("a longer name")})
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(ctx, plan, nil)
	if rules := rulesOf(t, d); len(rules) > 0 {
		t.Errorf("after the edit: %v", rules)
	}
	c, err := d.Tree.Snapshot.Content(d.Tree.Snapshot.Primary)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, c.Len())
	c.ReadAt(b, 0)
	s := sampleOf(23)
	s.names[1] = "a longer name"
	payload, _, err := filter.Coding{Filters: []filter.Filter{{Type: 1, Compressor: 1, Level: 1}}, Tile: filter.TileType{Datatype: filter.Char, CellSize: 1, FormatVersion: 23}}.Unfilter(ctx, b[52:], 1<<20)
	if err != nil || string(payload) != string(s.payload()) {
		t.Errorf("%v: %q", err, payload)
	}
	if got := binary.LittleEndian.Uint64(b[4:]); got != uint64(len(b)-52) {
		t.Errorf("persisted size %d of %d bytes", got, len(b))
	}
	d.Undo(ctx)
	if c, _ = d.Tree.Snapshot.Content(d.Tree.Snapshot.Primary); c.Len() != int64(len(good)) {
		t.Errorf("%d bytes after undo", c.Len())
	}
}
