package idv

import (
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// turnsFile is a deflated file of three columns, without its tables and its directory. Each swap exchanges a block with the next one in the file.
func turnsFile(t *testing.T, swaps ...int) (cut, whole []byte) {
	t.Helper()
	f := fileSpec{rpb: 50, rows: 50 * 20, deflate: true}
	for j, load := range []string{"Int32", "Int64", "TextSpan"} {
		c := columnSpec{name: load, typ: typeSpec{load: load}}
		for i := range 50 * 20 {
			if j == 2 {
				c.values = append(c.values, strings.Repeat("x", i%7)+string(rune('a'+i%26)))
			} else {
				c.values = append(c.values, 1000*j+i)
			}
		}
		f.cols = append(f.cols, c)
	}
	whole = f.encode()
	s := stateOf(open(t, "x.idv", whole).Tree).all()[0]
	b := slices.Clone(whole)
	list := slices.Clone(s.blocks)
	for _, i := range swaps {
		list[i], list[i+1] = list[i+1], list[i]
	}
	at := int64(headerSize)
	for _, e := range list {
		at += int64(copy(b[at:], whole[e.off:e.end()]))
		binary.LittleEndian.PutUint64(b[s.cols[e.col].lookup+16*int64(e.k):], uint64(at-int64(e.n)))
	}
	return b[:at], b
}

// Without its directory, rows are saved and shown up to where the columns no longer take turns: what follows would be rows of values of different rows.
func TestTurns(t *testing.T) {
	for _, k := range []struct {
		swaps []int
		rows  int64
	}{{nil, 1000}, {[]int{16}, 250}, {[]int{17, 18, 19}, 250}} {
		cut, whole := turnsFile(t, k.swaps...)
		was := rowsIn(t, whole)
		saved, err := model.Salvage(t.Context(), open(t, "x.idv", cut).Tree)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, saved.Files["x.idv"].Len())
		saved.Files["x.idv"].ReadAt(b, 0)
		for what, is := range map[string]map[string][]string{"saved": rowsIn(t, b), "shown": rowsIn(t, cut)} {
			for j, name := range []string{"Int32", "Int64", "TextSpan"} {
				if col := is["Column"+string(rune('0'+j))]; int64(len(col)) != k.rows || !slices.Equal(col, was[name][:k.rows]) {
					t.Errorf("swaps %v: %s: %d rows of %s, want the first %d", k.swaps, what, len(col), name, k.rows)
				}
			}
		}
		if rows := saved.Parts[1]; rows.Says == "" || (rows.Lost != "") != (k.swaps != nil) || (len(saved.Doubts) > 0) != (k.swaps != nil) {
			t.Errorf("swaps %v: %s; %s", k.swaps, rows, saved.Verdict())
		}
	}
}

// Damage directly after the values of a block is an error, because ML.NET refuses the block; that its stream does not end is none.
func TestDamageAfterValues(t *testing.T) {
	b, err := os.ReadFile("../../testdata/idv/bad/043-time.idv")
	if err != nil {
		t.Fatal(err)
	}
	if errors, _ := rulesOf(t, open(t, "a.idv", b)); len(errors) > 0 {
		t.Errorf("as it is: %v", errors)
	}
	b[265] = 0x80 // the next deflate block
	if errors, _ := rulesOf(t, open(t, "a.idv", b)); !errors["IDV-056"] {
		t.Errorf("damaged after the values: %v", errors)
	}
}
