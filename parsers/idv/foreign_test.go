package idv

import (
	"bytes"
	"slices"
	"testing"

	"spandrel/model"
)

// withHeaderOf is a file with the header of another one.
func withHeaderOf(file, other []byte) []byte {
	return slices.Concat(other[:headerSize], file[headerSize:])
}

// ofBlocks is a file of two columns and so many blocks of two rows.
func ofBlocks(n int, names ...string) []byte {
	f := fileSpec{rpb: 2, rows: int64(2 * n)}
	for _, name := range names {
		c := columnSpec{name: name, typ: typeSpec{load: "Int32"}}
		for k := range n {
			c.raw = append(c.raw, le(8, uint64(k)<<33|uint64(k)))
		}
		f.cols = append(f.cols, c)
	}
	return f.encode()
}

// A header of another table is recognised: the file is read and saved by its directory, and its header can be rebuilt from that. A single wrong
// number, lost and inserted bytes are none.
func TestForeignHeader(t *testing.T) {
	b := ofBlocks(5, "a", "b")
	for _, other := range [][]byte{ofBlocks(9, "x", "y", "z"), ofBlocks(9, "a", "b"), ofBlocks(3, "a"), ofBlocks(4, "a", "b")} {
		damaged := withHeaderOf(b, other)
		d := open(t, "x.idv", damaged)
		if errors, _ := rulesOf(t, d); !errors["IDV-127"] || len(errors) > 1 {
			t.Errorf("found %v", errors)
		}
		if got, want := rowsIn(t, damaged), rowsIn(t, b); len(got) != 2 || !equal(want["a"], got["a"]) || !equal(want["b"], got["b"]) {
			t.Errorf("rows %v, want %v", got, want)
		}
		s, err := model.Salvage(t.Context(), d.Tree)
		if err != nil || s.Contents() != "2 of 2 columns, 10 of 10 rows" {
			t.Errorf("salvaged %v, %v", s, err)
		}
		fix := foreignRepairs(repairing{contents: stateOf(d.Tree).all()[0].in(t.Context(), d.Tree)})[0]
		if plan, err := d.Plan(t.Context(), fix.Label, fix.Edits...); err != nil {
			t.Error(err)
		} else if d.Apply(t.Context(), plan, nil); !bytes.Equal(content(t, d), b) {
			t.Error("the rebuilt header is another one")
		}
	}
	tail := bytes.Clone(b)
	tail[tailAt]++
	for name, damaged := range map[string][]byte{"tail": tail, "lost": slices.Delete(bytes.Clone(b), 270, 280), "inserted": slices.Insert(bytes.Clone(b), 270, 1, 2, 3)} {
		d := open(t, "x.idv", damaged)
		if _, all := rulesOf(t, d); all["IDV-127"] {
			t.Errorf("%s: the header is called that of another file", name)
		}
	}
}
