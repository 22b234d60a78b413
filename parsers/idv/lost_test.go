package idv

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// rowsIn returns the cells of the rows of a stream by the names of their columns; "" where one cannot be read.
func rowsIn(t *testing.T, b []byte) map[string][]string {
	t.Helper()
	d, err := model.OpenBytes(context.Background(), "a.idv", b, []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	out := map[string][]string{}
	for _, tab := range d.Tree.Tables(context.Background()) {
		rows, err := tab.Read(context.Background(), 0, tab.Rows)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			for i, c := range row {
				text := c.Value.String()
				if c.Trouble != "" {
					text = ""
				}
				out[tab.Columns[i].Name] = append(out[tab.Columns[i].Name], text)
			}
		}
	}
	return out
}

// TestRowsOfDamaged reads rows of a file that lost bytes: in the middle of a block, in front, at its end, and the directory.
func TestRowsOfDamaged(t *testing.T) {
	b, err := os.ReadFile("../../testdata/idv/good/deflated.idv")
	if err != nil {
		t.Fatal(err)
	}
	want := rowsIn(t, b)
	for _, k := range []struct {
		name  string
		is    []byte
		least int // columns that are read whole
		names bool
	}{
		{"8 bytes missing in the first block", append(append([]byte{}, b[:260]...), b[268:]...), len(want) - 1, true},
		{"without the header", b[headerSize:], len(want), true},
		{"cut in the directory", b[:len(b)-30], len(want), false},
		{"zeros over the end of the directory", append(append([]byte{}, b[:len(b)-30]...), make([]byte, 30)...), len(want), false},
	} {
		got, whole := rowsIn(t, k.is), 0
		for name, cells := range want {
			for other, is := range got {
				if (other == name || !k.names) && equal(cells, is) {
					whole++
					break
				}
			}
		}
		if whole < k.least {
			t.Errorf("%s: %d columns are whole, want %d of %d", k.name, whole, k.least, len(want))
		}
	}
}

// TestRowsOfShifted reads rows of a file with blocks that are not deflated and three bytes too many: in front of all they are known to be, and
// elsewhere no cell shows the bytes of another.
func TestRowsOfShifted(t *testing.T) {
	b, err := os.ReadFile("../../testdata/idv/good/prefixed.idv")
	if err != nil {
		t.Fatal(err)
	}
	want := rowsIn(t, b)
	for _, at := range []int{0, 4 + headerSize + 40, 4 + headerSize + 300, 4 + headerSize + 600} {
		got := rowsIn(t, slices.Insert(bytes.Clone(b), at, 1, 2, 3))
		for name, cells := range want {
			for i, is := range got[name] {
				if is != cells[i] && (is != "" || at == 0) {
					t.Errorf("3 bytes at %d: %q of row %d, which is %q, is read as %q", at, name, i, cells[i], is)
				}
			}
		}
		if len(got) != len(want) {
			t.Errorf("3 bytes at %d: %d of %d columns", at, len(got), len(want))
		}
	}
}

func equal(a, b []string) bool {
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// TestDirectoryOfVectors finds a directory that has columns of vectors of any length by its end.
func TestDirectoryOfVectors(t *testing.T) {
	for _, name := range []string{"deflated", "stored"} {
		b, err := os.ReadFile("../../testdata/idv/good/" + name + ".idv")
		if err != nil {
			t.Fatal(err)
		}
		d, err := model.OpenBytes(context.Background(), "a.idv", b, []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := stateOf(d.Tree).all()[0]
		for _, n := range []int64{0, s.columnCount} {
			any := &directory{base: s.base, columnCount: n}
			if toc, ok := any.searchTOC(s.in(context.Background(), d.Tree).peek, s.tail); !ok || toc != s.toc {
				t.Errorf("%s: the directory of %d columns is found at %d, want %d", name, n, toc, s.toc)
			}
		}
		d.Close()
	}
}

// Of a stream that lost more bytes inside than its directory is long, all rows but those of the blocks that they hit are saved, and the others named.
func TestSalvageShifted(t *testing.T) {
	f := fileSpec{rpb: 50, rows: 50 * 40, deflate: true}
	for c, name := range []string{"a", "b"} {
		col := columnSpec{name: name, typ: typeSpec{load: "Int32"}}
		for k := range 40 {
			var raw []byte
			for i := range 50 {
				raw = append(raw, le(4, uint64(uint32(k*50+i)*2654435761>>c))...)
			}
			col.raw = append(col.raw, raw)
		}
		f.cols = append(f.cols, col)
	}
	b := f.encode()
	d := open(t, "x.idv", slices.Delete(bytes.Clone(b), 5000, 5800))
	s, err := model.Salvage(t.Context(), d.Tree)
	if err != nil {
		t.Fatal(err)
	}
	saved := make([]byte, s.Files["x.idv"].Len())
	s.Files["x.idv"].ReadAt(saved, 0)
	is, was := rowsIn(t, saved), rowsIn(t, b)
	columns, rows := s.Parts[0], s.Parts[1]
	if !columns.Whole() || rows.Saved < 1750 || rows.Saved > 1950 || !strings.Contains(rows.Lost, "rows ") || !s.Aligned {
		t.Errorf("saved %s, %s, aligned: %v", columns, rows, s.Aligned)
	}
	lost := int(rows.Of - rows.Saved)
	at := 0
	for at < len(is["a"]) && is["a"][at] == was["a"][at] {
		at++
	}
	for _, name := range []string{"a", "b"} {
		if !slices.Equal(is[name], slices.Delete(slices.Clone(was[name]), at, at+lost)) {
			t.Errorf("other values of %s", name)
		}
	}
	if want := "rows " + model.Thousands(int64(at)) + " to " + model.Thousands(int64(at+lost-1)); !strings.HasPrefix(rows.Lost, want) {
		t.Errorf("lost: %s, want %s", rows.Lost, want)
	}
}
