package samediff

import (
	"encoding/binary"
	"os"
	"testing"

	"spandrel/parsers/samediff/flat"
)

// TestGenerationByNames: a graph of today in which the name of an operation and the names of its outputs have each other's place is a damaged
// graph of today, and no sound one of 2018, when the names of outputs stood one slot further.
func TestGenerationByNames(t *testing.T) {
	b, err := os.ReadFile("../../testdata/samediff/good/inline.fb")
	if err != nil {
		t.Fatal(err)
	}
	g := flat.Buffer(b)
	nodes := 0
	g.Tables(g.Root(), flat.GraphNodes, func(_, table int64) {
		vtable := table - g.I32(table)
		at := b[vtable+4+2*15:]
		names, name := binary.LittleEndian.Uint16(at), binary.LittleEndian.Uint16(at[2:])
		binary.LittleEndian.PutUint16(at, name)
		binary.LittleEndian.PutUint16(at[2:], names)
		nodes++
	})
	d := openModel(t, "swapped.fb", b)
	defer d.Close()
	if p := main(d.Tree).graphs[0]; nodes == 0 || p.Gen != "S3" {
		t.Errorf("%d nodes, generation %s", nodes, p.Gen)
	}
}
