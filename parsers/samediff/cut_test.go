package samediff

import (
	"bytes"
	"context"
	"os"
	"testing"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// TestCutIsNotRepaired cuts models at many places: no repair that is made without asking may hide that something is missing.
func TestCutIsNotRepaired(t *testing.T) {
	ctx := context.Background()
	files := map[string][]byte{"c.fb": fb(inline()), "c.sdnb": nbSmall(), "c.sdz": zipOf(t, 0, nbSmall()),
		"c.sdc": box(headOf(3), metaOf("name", "tiny"), recordOf(2, fb(inline())))}
	for name, b := range files {
		n := len(b)
		for _, at := range []int{n / 3, n / 2, n * 2 / 3, n * 9 / 10, n * 99 / 100, n - 12, n - 5, n - 1} {
			d := openModel(t, name, b[:at])
			errorsOf(t, d)
			found, _ := d.Tree.Findings()
			errors := 0
			for i := range found {
				if found[i].Grade() != model.Error {
					continue
				}
				errors++
				if fix := d.Tree.Safe(&found[i], d.Tree.Fixes(ctx, &found[i])); fix != nil {
					t.Errorf("%s cut at %d of %d: %s: %q is called safe", name, at, n, found[i].Text(), fix.Label)
				}
			}
			if errors == 0 && at < n-8 {
				t.Errorf("%s cut at %d of %d has no error", name, at, n)
			}
		}
	}
}

// TestLostFront zeroes the front of models: the tables of variables, and what else is behind it, are still shown.
func TestLostFront(t *testing.T) {
	ctx := context.Background()
	bare, nb := fb(inline()), nbSmall()
	for name, b := range map[string][]byte{"z.fb": bare, "z.sdnb": nb} {
		n := 40
		if name == "z.fb" {
			n = int(flat.Buffer(bare).Root()) + 4 // the root table leads nowhere then
		}
		b = append(make([]byte, n), b[n:]...)
		d := openModel(t, name, b)
		errorsOf(t, d)
		rows := int64(0)
		for _, x := range d.Tree.Tables(ctx) {
			if x.Name == "variables" {
				rows = x.Rows
				if list, err := x.Read(ctx, 0, rows); err != nil || int64(len(list)) != rows {
					t.Errorf("%s: %d of %d rows: %v", name, len(list), rows, err)
				}
			}
		}
		if rows == 0 {
			t.Errorf("%s: no variable is shown", name)
		}
	}
}

// TestExtents says how long a cut graph was, and that zeros behind a container are no sections.
func TestExtents(t *testing.T) {
	ctx := context.Background()
	b := fb(inline())
	list := extents(ctx, openModel(t, "c.fb", b[:len(b)*2/3]).Tree)
	if len(list) != 1 || list[0].Size <= int64(len(b)*2/3) || list[0].Size > int64(len(b)) {
		t.Errorf("%v, of %d bytes", list, len(b))
	}
	if list := extents(ctx, openModel(t, "c.fb", b).Tree); len(list) != 0 {
		t.Errorf("a whole graph: %v", list)
	}
	con := box(headOf(2), recordOf(2, b))
	d := openModel(t, "p.sdc", append(bytes.Clone(con), make([]byte, 100)...))
	if n := len(main(d.Tree).con.recs); n != 2 {
		t.Errorf("%d sections", n)
	}
	if list := extents(ctx, d.Tree); len(list) != 1 || list[0].Size != int64(len(con)) {
		t.Errorf("%v, of %d bytes", list, len(con))
	}
}

// TestDamagedModelContainer reads a ModelContainer that is cut as one, not as a graph.
func TestDamagedModelContainer(t *testing.T) {
	b, err := os.ReadFile("../../testdata/samediff/good/container.fb")
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{len(b) - 9, len(b) / 2, len(b) / 4} {
		if f := main(openModel(t, "c.fb", b[:at]).Tree).family; f != familyModel {
			t.Errorf("cut at %d it is taken for %s", at, familyNames[f])
		}
	}
}
