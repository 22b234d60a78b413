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
		rule := map[int]string{-4: "IDV-056", 4: "IDV-057"}[more]
		if _, all := rulesOf(t, d); !all[rule] || len(all) != 2 {
			t.Errorf("%+d bytes: %v", more, all)
		}
	}
}
