package samediff

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"testing"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
	"spandrel/parsers/samediff/manifest"
)

// TestSalvage damages models and reads what is salvaged of them: it has no error, and the arrays that are left are those of the original.
func TestSalvage(t *testing.T) {
	nb, con, bare := nbSmall(), box(headOf(3), recordOf(2, fb(inline())), metaOf("a", "b")), fb(inline())
	zero := func(b []byte, from, n int) []byte {
		b = bytes.Clone(b)
		copy(b[from:from+n], make([]byte, n))
		return b
	}
	killed := bytes.Clone(nb)
	for i := range 16 {
		killed[8+i] = 0xff
	}
	at := int(binary.BigEndian.Uint64(nb[8:]))
	d := openModel(t, "x.sdnb", nb)
	if err := main(d.Tree).st.openAll(t.Context(), d.Tree); err != nil {
		t.Fatal(err)
	}
	e, err := main(d.Tree).graphs[0].setFields(t.Context(), d.Tree, map[int]any{flat.GraphLoss: []string{"b"}})
	if err != nil {
		t.Fatal(err)
	}
	apply(t, d, e...)
	loss := bytesOf(t, d, "x.sdnb")
	for _, x := range []struct {
		name string
		b    []byte
		want string // elements of w, or none
	}{
		{"whole.sdnb", nb, "[1 -2 0.5 3]"},
		{"killed.sdnb", killed, "[1 -2 0.5 3]"},
		{"no-manifest.sdnb", nb[:at], "[1 -2 0.5 3]"},
		{"cut.sdnb", nb[:at-4], "[1 -2 0.5 3]"},                                       // the array b lost its end
		{"cut-loss.sdnb", loss[:binary.BigEndian.Uint64(loss[8:])-4], "[1 -2 0.5 3]"}, // … and is a loss
		{"zeros.sdnb", zero(nb, at, 40), "[1 -2 0.5 3]"},
		{"whole.fb", bare, "[1 -2 0.5 3]"},
		{"root.fb", zero(bare, 0, 4), "[1 -2 0.5 3]"},
		{"container.sdc", con, "[1 -2 0.5 3]"},
		{"cut.sdc", con[:len(con)-20], "[1 -2 0.5 3]"},
		{"cut-graph.sdc", box(headOf(2), recordOf(2, bare))[:len(box(headOf(2), recordOf(2, bare)))-3], "[1 -2 0.5 3]"},
		{"first-writer.sdnb", fromStart(nb)[:at], "[1 -2 0.5 3]"},
	} {
		d := openModel(t, x.name, x.b)
		out, err := Format.Salvage(context.Background(), d.Tree)
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		for name, src := range out.Files {
			b, _ := io.ReadAll(io.NewSectionReader(src, 0, src.Len()))
			again := openModel(t, name, b)
			for _, bad := range errorsOf(t, again) {
				t.Errorf("%s: %s", x.name, bad)
			}
			if got := fmt.Sprint(elements(t, again, "w")); got != x.want {
				t.Errorf("%s: w = %s, %v", x.name, got, out.Parts)
			}
		}
	}
}

// fromStart makes the stubs of an SDNB file count from its start, as those of the first writers do.
func fromStart(nb []byte) []byte {
	nb = bytes.Clone(nb)
	g := flat.Buffer(nb[32:])
	first := int64(binary.BigEndian.Uint64(nb[8:]))
	for _, e := range manifest.Read(nb[first:]).Entries {
		first = min(first, e.Offset)
	}
	for _, t := range g.Tables(g.Root(), flat.GraphVariables) {
		if a := g.Ref(t, flat.VarArray); a != 0 {
			if p := g.Slot(a, flat.ArrAppendedOffset); p != 0 {
				binary.LittleEndian.PutUint64(g[p:], uint64(g.I64(p)+first))
			}
		}
	}
	return nb
}

// TestSalvageDamaged: values that do not match their checksum are kept, and not called sound.
func TestSalvageDamaged(t *testing.T) {
	b, err := os.ReadFile("../../testdata/samediff/good/arrays.sdc")
	if err != nil {
		t.Fatal(err)
	}
	d := openModel(t, "d.sdc", b)
	for _, tab := range d.Tree.Tables(context.Background()) {
		if tab.Name == "w" {
			rows, err := tab.Read(context.Background(), 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			b[rows[0][len(rows[0])-1].Range.Off] ^= 4
		}
	}
	d = openModel(t, "d.sdc", b)
	s, err := model.Salvage(context.Background(), d.Tree)
	if err != nil {
		t.Fatal(err)
	}
	if s.Valid() {
		t.Errorf("%s; %s", s.Contents(), s.Verdict())
	}
}

// TestSalvageDamagedMember: of a model that does not match its checksum in an archive every variable is kept, beside whatever else is in the archive,
// and the result is not called valid.
func TestSalvageDamagedMember(t *testing.T) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, b := range map[string][]byte{"folder/model": nbSmall(), "notes.txt": []byte("notes")} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		w.Write(b)
	}
	z.Close()
	b := out.Bytes()
	b[bytes.Index(b, []byte("\x00\x00\x80\x3f\x00\x00\x00\xc0"))] ^= 4 // of an array
	d := openModel(t, "m.sdz", b)
	if err := d.Deep(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	s, err := model.Salvage(t.Context(), d.Tree)
	if err != nil || s.Valid() || !s.Whole() || s.Parts[0].What != "variables" {
		t.Errorf("%v, %v", s, err)
	}
}

// TestSalvageNothing says so where nothing is left.
func TestSalvageNothing(t *testing.T) {
	d := openModel(t, "n.sdnb", append([]byte("SDNB"), make([]byte, 400)...))
	if out, err := Format.Salvage(context.Background(), d.Tree); err == nil {
		t.Errorf("%v", out.Parts)
	}
}

// A container that is cut anywhere is saved with its whole arrays and no error, or refused: never as a valid model of nothing.
func TestSalvageCutContainer(t *testing.T) {
	b, err := os.ReadFile("../../testdata/samediff/good/arrays.sdc")
	if err != nil {
		t.Fatal(err)
	}
	saved := 0
	for n := 1; n < len(b); n += 7 {
		d := openModel(t, "c.sdc", b[:n])
		s, err := model.Salvage(context.Background(), d.Tree)
		if err != nil {
			continue
		}
		saved++
		if arrays := s.Parts[len(s.Parts)-1]; !s.Valid() || arrays.Saved == 0 {
			t.Errorf("%d bytes: %s; %s", n, s.Contents(), s.Verdict())
		}
	}
	if saved == 0 {
		t.Error("nothing was saved")
	}
}

// TestSalvageShared lets two arrays share bytes: which of them they are is not known, so neither is saved as if it were.
func TestSalvageShared(t *testing.T) {
	nb := nbSmall()
	m := manifest.Read(nb[binary.BigEndian.Uint64(nb[8:]):])
	if m.Err != nil || len(m.Entries) < 2 {
		t.Fatal(m.Err)
	}
	first, second := m.Entries[0], m.Entries[1]
	b := bytes.Replace(nb, binary.BigEndian.AppendUint64(nil, uint64(second.Offset)), binary.BigEndian.AppendUint64(nil, uint64(first.Offset+4)), 1)
	d := openModel(t, "shared.sdnb", b)
	out, err := Format.Salvage(t.Context(), d.Tree)
	if err == nil {
		for _, p := range out.Parts {
			if p.What == "arrays" && p.Saved > 0 {
				t.Errorf("%d of %d arrays are saved", p.Saved, p.Of)
			}
		}
	}
}
