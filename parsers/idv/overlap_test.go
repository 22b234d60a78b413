package idv

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// numbersFile is a file of columns of numbers that are not compressed, in blocks of so many rows.
func numbersFile(rpb, groups int, loads ...string) []byte {
	f := fileSpec{rpb: rpb, rows: int64(rpb * groups)}
	for j, load := range loads {
		c := columnSpec{name: load, typ: typeSpec{load: load}}
		for i := range rpb * groups {
			c.values = append(c.values, 1000*j+i)
		}
		f.cols = append(f.cols, c)
	}
	return f.encode()
}

// One bit of the offset of a block puts it across others: that is an error, its gap gives the offset, and salvage does not save the rows.
func TestMisplacedBlock(t *testing.T) {
	sound := numbersFile(100, 40, "Int32", "Int64")
	s := stateOf(open(t, "x.idv", sound).Tree).all()[0]
	at := s.cols[0].lookup + 16
	b := slices.Clone(sound)
	b[at+1] ^= 0x10
	if errors, _ := rulesOf(t, open(t, "x.idv", b)); !errors[blockMisplaced.ID] {
		t.Errorf("errors: %v", errors)
	}
	if !restored(t, b, sound) {
		t.Error("it is not put back")
	}
	saved, err := model.Salvage(t.Context(), open(t, "x.idv", b).Tree)
	if err != nil {
		t.Fatal(err)
	}
	if rows := saved.Parts[1]; rows.Saved != 3900 || !strings.HasPrefix(rows.Lost, "rows 100 to 199,") {
		t.Errorf("saved: %s", rows)
	}
}

// A block at the very place of another is an error if its own bytes are left over, and none otherwise.
func TestMisplacedOnAnother(t *testing.T) {
	sound := numbersFile(64, 40, "Int32")
	s := stateOf(open(t, "x.idv", sound).Tree).all()[0]
	b := slices.Clone(sound)
	b[s.cols[0].lookup+16+1] ^= 0x10
	if errors, _ := rulesOf(t, open(t, "x.idv", b)); !errors[blockMisplaced.ID] {
		t.Errorf("errors: %v", errors)
	}
	if !restored(t, b, sound) {
		t.Error("it is not put back")
	}
}

// Where nothing tells which of two blocks is at a wrong place, the rows of both are left out.
func TestClashWithoutGap(t *testing.T) {
	b := numbersFile(100, 40, "Int32", "Int64")
	s := stateOf(open(t, "x.idv", b).Tree).all()[0]
	at := s.cols[0].lookup + 16
	binary.LittleEndian.PutUint64(b[at:], binary.LittleEndian.Uint64(b[at:])+40)
	errors, _ := rulesOf(t, open(t, "x.idv", b))
	saved, err := model.Salvage(t.Context(), open(t, "x.idv", bytes.Clone(b)).Tree)
	if err != nil {
		t.Fatal(err)
	}
	if rows := saved.Parts[1]; !errors[blockOverlap.ID] || rows.Saved != 3900 {
		t.Errorf("errors %v, saved %s", errors, rows)
	}
}
