package idv

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// wounds overwrite one number of a stream, by name.
func wounds(s *stream) map[string][2]int64 { // where, and how many bytes
	c := s.cols[0]
	out := map[string][2]int64{
		"block offset": {c.lookup, 8}, "block length": {c.lookup + 8, 4}, "inflated length": {c.lookup + 12, 4},
		"table": {c.lookupAt, 8}, "tail": {tailAt, 8}, "directory": {directoryAt, 8}, "columns": {columnsAt, 4}, "end mark": {s.tail, 8},
		"compression": {c.compressionAt, 1}, "compatible": {16, 8},
	}
	for _, c := range s.cols {
		if len(c.entries) > 0 {
			m := c.entries[len(c.entries)-1]
			out["metadata offset"], out["metadata length"], out["metadata kind"] = [2]int64{m.offAt, 8}, [2]int64{m.lenAt, 1}, [2]int64{m.compressionAt, 1}
			if len(c.entries) > 1 {
				out["metadata count"] = [2]int64{c.meta, 1}
			}
		}
	}
	return out
}

// Where a block is, how long it is, where a directory is and how much it holds is found in the rest of the file when the number that
// says it is overwritten: the diagnosis brings the file back.
func TestPlaces(t *testing.T) {
	for _, deflated := range []bool{false, true} {
		sound := sample(deflated).encode()
		s := stateOf(open(t, "x.idv", sound).Tree).all()[0]
		for name, at := range wounds(s) {
			b := slices.Clone(sound)
			field := b[at[0] : at[0]+at[1]]
			switch name {
			case "columns", "metadata count":
				field[0]--
			case "compression", "metadata kind":
				field[0] = 9
			case "compatible":
				binary.LittleEndian.PutUint64(field, versionBase+1)
			case "end mark":
				clear(field)
			case "tail":
				field[0]--
			default:
				for i := range field {
					field[i] ^= 0x15
				}
				field[len(field)-1] &= 0x7f
			}
			if !restored(t, b, sound) {
				t.Errorf("deflated %v: the diagnosis does not restore the %s", deflated, name)
			}
		}
		b := slices.Clone(sound)
		clear(b[:headerSize])
		if !restored(t, b, sound) {
			t.Errorf("deflated %v: the diagnosis does not restore a header that was never written: % x", deflated, sound[:52])
		}
	}
}

// restored tells whether a safe repair of a finding gives the sound bytes, or the repair of a cause.
func restored(t *testing.T, b, sound []byte) bool {
	d := open(t, "x.idv", b)
	rulesOf(t, d)
	found, _ := d.Tree.Findings()
	for i := range found {
		fixes := d.Tree.Fixes(t.Context(), &found[i])
		x := d.Tree.Safe(&found[i], fixes)
		if x == nil {
			continue
		}
		edits, err := x.Make(t.Context(), d.Tree)
		if err != nil {
			continue
		}
		plan, err := d.Plan(t.Context(), x.Label, edits...)
		if err != nil {
			continue
		}
		e := open(t, "x.idv", b)
		e.Apply(t.Context(), plan, nil)
		if bytes.Equal(content(t, e), sound) {
			return true
		}
	}
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Warnings: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range g.Causes {
		for _, x := range c.Repairs {
			to, err := x.To.Content("x.idv")
			if err != nil {
				t.Fatal(err)
			}
			is := make([]byte, to.Len())
			if to.ReadAt(is, 0); bytes.Equal(is, sound) {
				return true
			}
		}
	}
	return false
}

// What ML.NET refuses is an error: rows per block that differ where the compression differs too, and a block of vectors that says it has
// more positions than it has.
func TestRefused(t *testing.T) {
	f := sample(true)
	b := f.encode()
	s := stateOf(open(t, "x.idv", b).Tree).all()[0]
	b[s.cols[1].compressionAt] = 0
	b[s.cols[1].rpbAt]++
	if errors, _ := rulesOf(t, open(t, "x.idv", b)); !errors[blockRowsDiffer.ID] {
		t.Errorf("rows per block: %v", errors)
	}
	item := typeSpec{load: "Single"}
	f = one(typeSpec{load: "VBuffer", item: &item, dims: []int32{2}}, nil, 2)
	f.cols[0].raw = [][]byte{slices.Concat(le(4, 2), le(4, 2), le(4, 1<<32-1), le(4, 1<<32-1), le(4, 3), make([]byte, 16))}
	if errors, _ := rulesOf(t, open(t, "x.idv", f.encode())); !errors[indexCount.ID] {
		t.Errorf("positions: %v", errors)
	}
}

// In a file of ML.NET up to 0.5 numbers and times can be missing: the least there is.
func TestLegacyMissing(t *testing.T) {
	f := legacySample()
	for _, load := range []string{"SByte", "Int16", "Int64", "TimeSpan"} {
		f.cols = append(f.cols, columnSpec{name: load, typ: typeSpec{load: load}, values: []any{1, 2, 3}})
	}
	for _, j := range []int{2, 4, 5, 6, 7, 8} {
		d := open(t, "x.idv", f.encode())
		count := func() (n int) {
			rulesOf(t, d)
			found, _ := d.Tree.Findings()
			for i := range found {
				if found[i].Rule == legacyMissing {
					n++
				}
			}
			return n
		}
		before := count()
		edits, err := d.Tree.Tables(t.Context())[0].Set(t.Context(), []model.Typed{{Row: 0, Column: j, Missing: true}})
		do(t, d, edits, err)
		if count() <= before {
			t.Errorf("column %s has no missing value", f.cols[j].name)
		}
	}
}

// A trial ends at the first thing that is wrong, also at bytes that are no text: in a hole of many there is one at nearly every place.
func TestTrialEnds(t *testing.T) {
	b := append([]byte{4, 'a', 0xff, 'b', 'c'}, make([]byte, 60)...)
	d := &directory{size: int64(len(b)), bound: int64(len(b))}
	r := d.trial(func(off, n int64) []byte { return b[off : off+n] }, 0)
	if r.try(func() { r.text(metaKind, metadataCut, nil) }) {
		t.Error("what is no text is taken")
	}
	b[2] = 'x'
	r = d.trial(func(off, n int64) []byte { return b[off : off+n] }, 0)
	if !r.try(func() { r.text(metaKind, metadataCut, nil) }) || r.pos != 5 {
		t.Error("a text is not taken")
	}
}
