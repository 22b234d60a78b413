package idv

import (
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// TestIDVSurplus checks that a block that inflates to more than stated is not copied to a larger buffer for its surplus, and that
// the room for one is small beside a small block.
func TestIDVSurplus(t *testing.T) {
	for _, want := range []int64{40, 1 << 20} {
		sh := &shape{compression: 1, declared: want}
		b, how := sh.decode(t.Context(), zip1(make([]byte, 2*want)), nil)
		if !how.More || int64(len(b)) <= want {
			t.Fatalf("%d bytes of %d: the surplus is not seen", len(b), want)
		}
		if most := want + min(want+64, 2*surplus); int64(cap(b)) > most {
			t.Errorf("a buffer of %d bytes for %d, want at most %d", cap(b), want, most)
		}
	}
}

// TestIDVBudget opens blocks that are larger than the memory for decoded blocks: only their beginning is held, which is said once,
// what can be known of the rest is checked, and they cannot be edited.
func TestIDVBudget(t *testing.T) {
	const budget, rows = 64 << 10, 64 << 10
	old := model.DecodedBudget()
	model.SetCacheBudget(budget)
	defer model.SetCacheBudget(old)
	for _, deflate := range []bool{false, true} {
		f := one(typeSpec{load: "Int32"}, make([]byte, 4*rows), rows)
		f.deflate = deflate
		d := open(t, "large.idv", f.encode())
		suite.ReadAll(t.Context(), t, d, d.Tree)
		found, _ := d.Tree.Findings()
		if len(found) != 1 || found[0].Rule != model.RuleCap || !strings.Contains(found[0].Message, "SPANDREL_DECODED_MIB") {
			t.Fatalf("deflate %v: %v", deflate, found)
		}
		for _, sp := range d.Tree.Spaces() {
			if n, err := d.Tree.Size(t.Context(), sp.ID); sp.Derived() && (n != budget || err != nil) {
				t.Errorf("deflate %v: %d bytes are held, %v", deflate, n, err)
			}
		}
		at := "blocks[0]/decoded/values[0]"
		if _, err := d.Plan(t.Context(), "edit", model.Set{Path: at, Value: model.I(1)}); err == nil {
			t.Errorf("deflate %v: half a block can be edited", deflate)
		}
	}
	for _, more := range []int{-4, 4} { // the lookup table says less or more than there is
		f := one(typeSpec{load: "Int32"}, make([]byte, 4*rows+more), rows)
		f.deflate = true
		d := open(t, "large.idv", f.encode())
		s := stateOf(d.Tree).all()[0]
		d, err := model.OpenBytes(t.Context(), "large.idv", func() []byte {
			b := content(t, d)
			copy(b[s.entryAt(s.blocks[0])+12:], le(4, 4*rows))
			return b
		}(), formats, nil)
		if err != nil {
			t.Fatal(err)
		}
		rule := map[int]string{-4: "IDV-056", 4: "IDV-104"}[more]
		if _, all := rulesOf(t, d); !all[rule] || len(all) != 2 {
			t.Errorf("%+d bytes: %v", more, all)
		}
	}
}

// TestIDVShared checks that columns that share a block are shown with values of their own as long as these could be in the file once each: not
// dozens of times what a small block inflates to.
func TestIDVShared(t *testing.T) {
	mixed := make([]byte, 1<<12)
	for i := range mixed {
		mixed[i] = byte(i * i >> 3)
	}
	for _, c := range []struct {
		body []byte
		want int
	}{{make([]byte, 4<<20), 1}, {mixed, 40}} {
		z, n := zip1(c.body), uint64(len(c.body))
		at := uint64(256 + len(z))
		var directory []byte
		for range 40 {
			directory = append(directory, listed("c", octet, 1, n, at, 0)...)
		}
		d := open(t, "shared.idv", streamed(n, 40, append(z, shelf(256, len(z), len(c.body))...), directory))
		suite.ReadAll(t.Context(), t, d, d.Tree)
		derived := 0
		for _, sp := range d.Tree.Spaces() {
			if sp.Derived() {
				derived++
			}
		}
		if derived != c.want {
			t.Errorf("a block of %d bytes that inflates to %d is shown %d times, want %d", len(z), n, derived, c.want)
		}
		for _, tab := range d.Tree.Tables(t.Context()) {
			if tab.Columns[0].Name != "c" || tab.Columns[1].Name != "c #2" || tab.Columns[39].Name != "c #40" {
				t.Errorf("columns %q, %q … %q", tab.Columns[0].Name, tab.Columns[1].Name, tab.Columns[39].Name)
			}
		}
	}
}

// TestIDVSalvageSaysMore checks that salvage says when it did not look at all of a file without a directory.
func TestIDVSalvageSaysMore(t *testing.T) {
	block := zip1(make([]byte, 16<<20))
	for _, n := range []int{2, 6} {
		b := make([]byte, 256)
		for range n {
			b = append(b, block...)
		}
		d := open(t, "cut.idv", b)
		saved, err := Format.Salvage(t.Context(), d.Tree)
		if err != nil {
			t.Fatal(err)
		}
		if rows := saved.Parts[1].Lost; strings.Contains(rows, "after the first 64 MiB") != (n > 4) {
			t.Errorf("%d blocks of 16 MiB: rows lost: %q", n, rows)
		}
	}
}
