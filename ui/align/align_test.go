package align

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"spandrel/model"
)

// runsOf compares two runs of bytes, and checks that what is not said to differ does not.
func runsOf(t *testing.T, a, b []byte) (list []model.Changed) {
	t.Helper()
	var sides []SideBytes
	for i, raw := range [][]byte{a, b} {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i))
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := model.Open(t.Context(), path, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		sides = append(sides, SideOf(d.Tree, model.Range{Space: d.Tree.Root.Range.Space, Len: int64(len(raw))}))
	}
	w := Aligner{A: sides[0], B: sides[1]}
	if err := w.Runs(t.Context(), func(_, _ int64) {}, func(c model.Changed) bool { list = append(list, c); return true }); err != nil {
		t.Fatal(err)
	}
	i, j := int64(0), int64(0)
	for _, c := range append(slices.Clone(list), model.Changed{Off: int64(len(a)), OldOff: int64(len(b))}) {
		if c.Off-i != c.OldOff-j || !bytes.Equal(a[i:c.Off], b[j:c.OldOff]) {
			t.Fatalf("not alike in front of %+v", c)
		}
		i, j = c.Off+c.New, c.OldOff+c.Old
	}
	return list
}

// One byte that was inserted or deleted is one difference, whatever follows: numbers, texts, zeros, the end.
func TestInsertedBytesAreOneDifference(t *testing.T) {
	noise := make([]byte, 300_000)
	for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < len(noise); i++ {
		noise[i] = byte(r.Uint32())
	}
	records := make([]byte, 0, 80_000)
	for i := range 10_000 {
		records = append(records, byte(i), byte(i>>8), 0, 0, byte(7*i), 0, 0, 0)
	}
	insert := func(b []byte, at int, what string) []byte { return slices.Concat(b[:at], []byte(what), b[at:]) }
	change := func(b []byte, at int, what string) []byte {
		b = slices.Clone(b)
		copy(b[at:], what)
		return b
	}
	for name, raw := range map[string][]byte{"noise": noise, "records": records} {
		far := len(raw) - 20
		for what, c := range map[string]struct {
			b    []byte
			want []model.Changed
		}{
			"nothing":        {raw, nil},
			"one inserted":   {insert(raw, 1001, "\xee"), []model.Changed{{Off: 1001, OldOff: 1001, Old: 1}}},
			"one changed":    {change(raw, 1001, "\xee"), []model.Changed{{Off: 1001, New: 1, OldOff: 1001, Old: 1}}},
			"at the start":   {insert(raw, 0, "\xee\xef"), []model.Changed{{Old: 2}}},
			"near the end":   {insert(raw, far, "\xee"), []model.Changed{{Off: int64(far), OldOff: int64(far), Old: 1}}},
			"at the end":     {insert(raw, len(raw), "\xee"), []model.Changed{{Off: int64(len(raw)), OldOff: int64(len(raw)), Old: 1}}},
			"and changed":    {change(insert(raw, 1001, "\xee\xff"), 50_000, "\xee"), []model.Changed{{Off: 1001, OldOff: 1001, Old: 2}, {Off: 49_998, New: 1, OldOff: 50_000, Old: 1}}},
			"a long one":     {insert(raw, 5001, string(bytes.Repeat([]byte("\xee\xef\xed"), 10_000))), []model.Changed{{Off: 5001, OldOff: 5001, Old: 30_000}}},
			"all but a part": {raw[40_000:60_000], []model.Changed{{New: 40_000}, {Off: 60_000, New: int64(len(raw)) - 60_000, OldOff: 20_000}}},
		} {
			if got := runsOf(t, raw, c.b); !slices.Equal(got, c.want) {
				t.Errorf("%s, %s: %+v, want %+v", name, what, got[:min(len(got), 5)], c.want)
			}
			var back []model.Changed
			for _, x := range runsOf(t, c.b, raw) {
				back = append(back, model.Changed{Off: x.OldOff, New: x.Old, OldOff: x.Off, Old: x.New})
			}
			if !slices.Equal(back, c.want) {
				t.Errorf("%s, %s, the other way round: %+v, want %+v", name, what, back[:min(len(back), 5)], c.want)
			}
		}
	}
	all := runsOf(t, noise, records)
	if len(all) == 0 {
		t.Error("noise is like records")
	}
}
