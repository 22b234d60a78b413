package samediff

import (
	"encoding/binary"
	"os"
	"testing"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// TestGenerationByNames: a graph of today in which the name of an operation and the names of its outputs have each other's place is a damaged
// graph of today, and no sound one of 2018, when the names of outputs stood one slot further.
func TestGenerationByNames(t *testing.T) {
	b, err := os.ReadFile("../../testdata/samediff/good/inline.fb")
	if err != nil {
		t.Fatal(err)
	}
	g := flat.Buffer(b)
	nodes := 0
	for _, table := range g.Tables(g.Root(), flat.GraphNodes) {
		vtable := table - g.I32(table)
		at := b[vtable+4+2*15:]
		names, name := binary.LittleEndian.Uint16(at), binary.LittleEndian.Uint16(at[2:])
		binary.LittleEndian.PutUint16(at, name)
		binary.LittleEndian.PutUint16(at[2:], names)
		nodes++
	}
	d := openModel(t, "swapped.fb", b)
	defer d.Close()
	if p := main(d.Tree).graphs[0]; nodes == 0 || p.Gen != "S3" {
		t.Errorf("%d nodes, generation %s", nodes, p.Gen)
	}
}

// TestOldGraphs: what writers of 2017 to 2019 left as it is, is named and neither an error nor repaired; what no variable is, is an error
// in graphs of 2018 as well.
func TestOldGraphs(t *testing.T) {
	empty := changedVariable(1, func(v tableSpec) {
		v[2] = e(9)
		v[4] = tableSpec{0: []int64{0, types[9].bit | 8, 1, 99}, 2: e(6), 3: e(1)}
	})
	typed := func(input int32) []byte {
		variable := func(id int32, name string) tableSpec {
			return tableSpec{0: tableSpec{0: id}, 1: name, 2: e(5), 5: int32(-1)}
		}
		return fb(tableSpec{1: []tableSpec{variable(1, "a"), variable(2, "b")}, 2: []tableSpec{{0: int32(2), 1: "b", 6: []tableSpec{{0: input}},
			8: []int32{}, 16: []string{"b"}, 17: "neg"}}})
	}
	for _, x := range []struct {
		name, gen string
		file      []byte
		rule      string
		grade     model.Severity
	}{
		{"0", "S0", graphOf2017(0), "SDF-138", model.Warning},
		{"-1", "S0", graphOf2017(1), "SDF-138", model.Warning},
		{"outside", "S0", graphOf2017(400), "SDF-126", model.Error},
		{"empty", "S3", empty, "SDF-180", model.Note},
		{"sound", "S2c", typed(1), "", 0},
		{"input", "S2c", typed(77), "SDF-143", model.Error},
	} {
		d := openModel(t, x.name+".fb", x.file)
		if gen := main(d.Tree).graphs[0].Gen; gen != x.gen {
			t.Errorf("%s: generation %s, not %s", x.name, gen, x.gen)
		}
		found := false
		if err := d.Deep(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		all, _ := d.Tree.Findings()
		for i := range all {
			f := &all[i]
			found = found || f.Rule.ID == x.rule && f.Grade() == x.grade
			if f.Grade() <= model.Warning && f.Rule.ID != x.rule || x.grade != model.Error && len(d.Tree.Fixes(t.Context(), f)) > 0 {
				t.Errorf("%s: %s, which has repairs or should not be", x.name, f.Text())
			}
		}
		if !found && x.rule != "" {
			t.Errorf("%s is not found in %s", x.rule, x.name)
		}
	}
}

// graphOf2017 is a graph of 2017 in which the offset to the dimensions of an operation leads so far behind its end.
func graphOf2017(beyond int64) []byte {
	b := flat.Buffer(fb(tableSpec{0: int32(1), 1: []tableSpec{{0: int32(-1), 1: "ones", 2: []int32{2}, 4: int32(-1)}},
		2: []tableSpec{{0: int32(1), 1: "sum", 4: []int32{1}, 9: []int32{}, 11: int32(0)}}}))
	nodes, _, _ := b.Vec(b.Root(), flat.GraphNodes, 4)
	at := b.Slot(b.Follow(nodes), 9)
	binary.LittleEndian.PutUint32(b[at:], uint32(b.Len()+beyond-at))
	return b
}
