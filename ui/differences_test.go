package ui

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/ui/bench"
	"spandrel/ui/doc"
	"spandrel/ui/show"
)

// Documents of every format are compared by their tables and fields: what rows show is listed as cells, everything else as fields, also
// in lists, and never as bytes.
func TestEveryFormatIsCompared(t *testing.T) {
	for _, c := range []struct{ a, b, want, not string }{
		{"npy/good/matrix.npy", "npy/good/vector.npy", "header/dim1", "0x"},
		{"samediff/good/plain.sdc", "samediff/good/list.sdc", "values › w", "records["},
		{"samediff/good/inline.fb", "samediff/good/keys.fb", `metadata["author"]`, "graph/"},
		{"safetensors/good/model.safetensors", "safetensors/good/empty.safetensors", "header_size", "0x"},
		{"idv/good/stored.idv", "idv/good/deflated.idv", "header/tocOffset", "]/data"},
		{"tar/good/gnu.tar", "tar/good/pax.tar", `members["c.txt"]`, "0x"},
		{"tiledb/good/sparse-v22", "tiledb/good/sparse-v23", "fragments/", "0x"},
		{"scdl/good/archive", "scdl/good/chunked", "backend", "0x"},
	} {
		b, d := sampleBench(t, c.a)
		b.files.show("../testdata/" + c.b)
		b.settle(t)
		d.find.Compare(b.current.Document, true)
		b.settle(t)
		var where []string
		for _, p := range d.find.Items {
			where = append(where, p.Cells[0].Text)
		}
		all := strings.Join(where, "\n")
		if !strings.Contains(all, c.want) || strings.Contains("\n"+all, "\n"+c.not) || strings.HasPrefix(c.not, "]") && strings.Contains(all, c.not) {
			t.Errorf("%s and %s: %d differences, among them\n%s", c.a, c.b, len(where), all[:min(len(all), 1500)])
		}
	}
}

// A difference can be taken over from the other document: a cell, a field, or bytes. It is an edit like any other, and the row goes.
func TestTakeThisValue(t *testing.T) {
	for _, byNames := range []bool{true, false} {
		b, d := newBench(t, toyFile(t, 20))
		other := toyFile(t, 20)
		raw, err := os.ReadFile(other)
		if err != nil {
			t.Fatal(err)
		}
		raw[8+8*3+4] = 77
		if err := os.WriteFile(other, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		b.files.show(other)
		b.settle(t)
		d.find.Compare(b.current.Document, byNames)
		b.settle(t)
		_, name := doc.NamesOf(d.Document, b.current.Document)
		if d.find.Count() != 1 || d.find.Menu(0, 0).Items[0].Label != "Use the value of "+name {
			t.Fatalf("by names %v: %d differences", byNames, d.find.Count())
		}
		d.find.Take(0)
		b.settle(t)
		s, err := d.Tree().Find(t.Context(), "rows[3]/size")
		if err != nil {
			t.Fatal(err)
		}
		if v, err := d.Tree().Value(t.Context(), s); err != nil || v.Uint() != 77 || d.find.Count() != 0 {
			t.Errorf("by names %v: it is %v, %v; %d differences are listed", byNames, v, err, d.find.Count())
		}
		d.Editor.Undo()
		b.settle(t)
		if d.Editor.Dirty {
			t.Error("it is more than one edit")
		}
	}
}

// A text with line breaks is edited in a line with all of it in sight, and what is typed there is taken for them.
func TestLineBreaksInALine(t *testing.T) {
	for text, typed := range map[string]string{"line\nbreak": `line\nbreak`, "a\\n\nb": `a\\n\nb`, `no\n break`: `no\n break`} {
		in, other := doc.InLine(text)
		if in != typed {
			t.Errorf("%q is typed %q", text, in)
		}
		if other {
			if back := doc.FromLine(in); back != text {
				t.Errorf("%q comes back as %q", text, back)
			}
		}
	}
}

// A value that is too long for a row, and no value when it is cut there, is said as far as it goes: no error stands in its place.
func TestLongNamesAreValues(t *testing.T) {
	name := strings.Repeat("n", 3000)
	head := `{"` + name + `":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`
	path := filepath.Join(t.TempDir(), "long.safetensors")
	raw := append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head+"\x00\x00\x00\x00"...)
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	b := emptyBench(t)
	d := b.open(t, path)
	s, err := d.Tree().Find(t.Context(), "header/entries[0]/name")
	if err != nil || s == nil {
		t.Fatal(s, err)
	}
	if text := show.ValueOf(t.Context(), d.Tree(), s); strings.Contains(text, "unexpected") || !strings.Contains(text, "nnnn") {
		t.Errorf("it says %.80q", text)
	}
}

// TestCompareArrays lists an element that differs by its index, and a text that is typed then is searched for.
func TestCompareArrays(t *testing.T) {
	b, d := sampleBench(t, "npy/good/matrix.npy")
	raw, err := os.ReadFile("../testdata/npy/good/matrix.npy")
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(raw[len(raw)-4:], math.Float32bits(0.1))
	other := filepath.Join(t.TempDir(), "other.npy")
	if err := os.WriteFile(other, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	b.files.show(other)
	b.settle(t)
	d.find.Compare(b.current.Document, true)
	b.settle(t)
	if d.find.Count() != 1 || d.find.Items[0].Cells[0].Text != "values[1, 2]" {
		t.Fatalf("%d differences: %v", d.find.Count(), d.find.Items)
	}
	if here, there := d.find.Items[0].Cells[2].Text, d.find.Items[0].Cells[3].Text; here != "2.5" || there != "0.1" {
		t.Errorf("%s and %s", here, there)
	}
	d.find.Entry.SetText("descr")
	d.find.Entry.OnSubmitted("descr")
	b.settle(t)
	if d.find.Count() != 1 || d.find.Items[0].At.Off == 0 {
		t.Errorf("%d hits of a text: %v", d.find.Count(), d.find.Items)
	}
}

// Of two open documents the other one is meant: nothing is asked. What is only stored otherwise is grey, below the differences in content; bytes are
// compared where they can be seen.
func TestCompareTheOtherOne(t *testing.T) {
	b, _ := sampleBench(t, "idv/good/deflated.idv")
	b.open(t, bench.CopySample(t, "idv/good/stored.idv"))
	d := b.current
	d.frame.choose(layoutData)
	b.menus.run("compare")
	b.settle(t)
	content, stored := 0, 0
	for _, x := range d.find.Items {
		if x.Cells[0].Dim {
			stored++
		} else if content++; stored > 0 {
			t.Fatalf("%s follows what is stored otherwise", x.Cells[0].Text)
		}
	}
	if b.Shell.Modal() || stored == 0 || d.frame.show&paneBytes != 0 {
		t.Errorf("asked %v, %d differences in content, %d in how it is stored", b.Shell.Modal(), content, stored)
	}
	b.menus.run("compare-bytes")
	b.settle(t)
	if d.find.Count() == 0 || d.frame.show&paneBytes == 0 {
		t.Errorf("%d differences, the bytes are shown: %v", d.find.Count(), d.frame.show&paneBytes != 0)
	}
}

// Where only the data is shown, the search finds what is in them, also in compressed blocks.
func TestSearchFindsData(t *testing.T) {
	b, d := sampleBench(t, "idv/good/deflated.idv")
	d.frame.choose(layoutData)
	b.menus.run("find")
	d.find.Entry.SetText("plain")
	d.find.Entry.OnSubmitted("")
	b.settle(t)
	if d.find.Count() != 1 {
		t.Errorf("%d hits", d.find.Count())
	}
}
