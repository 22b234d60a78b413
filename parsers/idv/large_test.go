package idv

import (
	"encoding/base64"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// largeFile is a file of so many bytes: numbers and texts in blocks of 8,192 rows, all alike.
func largeFile(size int64, deflate bool) fileSpec {
	const rpb = 8192
	r := rand.New(rand.NewPCG(1, 2))
	var numbers []byte
	var texts []any
	for range rpb {
		numbers = binary.LittleEndian.AppendUint32(numbers, r.Uint32())
		texts = append(texts, base64.StdEncoding.EncodeToString(binary.LittleEndian.AppendUint64(nil, r.Uint64())))
	}
	text := typeSpec{load: "TextSpan"}
	blocks := [][]byte{numbers, text.encode(texts)}
	each := int64(len(numbers) + len(blocks[1]))
	if deflate {
		each = int64(len(zip1(blocks[0])) + len(zip1(blocks[1])))
	}
	n := int(size / each)
	f := fileSpec{rpb: rpb, deflate: deflate, rows: int64(rpb * n),
		cols: []columnSpec{{name: "number", typ: typeSpec{load: "Int32"}}, {name: "text", typ: text}}}
	for range n {
		for c := range f.cols {
			f.cols[c].raw = append(f.cols[c].raw, blocks[c])
		}
	}
	return f
}

// A cell of a large file is edited as one of a small file is: in the time and the memory of its block. What both cost is printed.
func TestIDVEditLarge(t *testing.T) {
	for _, name := range []string{"idv-stored", "idv-deflated"} {
		dir, size := suite.Large(t, name)
		path := filepath.Join(dir, "large.idv")
		spec := largeFile(size, name == "idv-deflated")
		if err := os.WriteFile(path, spec.encode(), 0o600); err != nil {
			t.Fatal(err)
		}
		row := spec.rows / 3
		for _, typed := range []model.Typed{{Row: row, Column: 0, Text: "-7"}, {Row: row, Column: 1, Text: "a longer text than any other in the file"}} {
			suite.Cost(t, name+": "+typed.Text, func() error {
				d, err := model.Open(t.Context(), path, formats, nil)
				if err != nil {
					return err
				}
				defer d.Close()
				return suite.SetAndSave(t, d, d.Tree.Tables(t.Context())[0], typed)
			})
			d, err := model.Open(t.Context(), path, formats, nil)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := d.Tree.Tables(t.Context())[0].Read(t.Context(), typed.Row, 1)
			if err != nil || len(rows) != 1 || rows[0][typed.Column].String() != typed.Text {
				t.Errorf("%s: row %d is %v, %v", name, typed.Row, rows, err)
			}
			d.Close()
		}
	}
}
