package idv

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"slices"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// archive is a model archive with two streams, one of them behind its length, and an entry that is none.
func archive(t testing.TB) []byte {
	schema := sample(false)
	schema.rows = 0
	plain := schema.encode()
	return zipped(t, member{`TransformerChain\Model.key`, []byte("ML MODEL")}, member{"Schema", plain},
		member{`DataLoaderModel\Transform_001\Schema.idv`, append(le(4, uint64(len(plain))), plain...)},
		member{`DataLoaderModel\Transform_000\DefaultMap.idv`, sample(true).encode()})
}

// member is a file in an archive.
type member struct {
	name string
	b    []byte
}

// zipped is an archive of members.
func zipped(t testing.TB, members ...member) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, m := range members {
		w, err := z.Create(m.name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(m.b)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// transposed is a transposed file of one scalar column and one vector column.
func transposed() []byte {
	single := typeSpec{load: "Single"}
	vec := func(n int32) typeSpec { return typeSpec{load: "VBuffer", item: &single, dims: []int32{n}} }
	schema := fileSpec{rpb: 1, cols: []columnSpec{{name: "x", typ: single}, {name: "v", typ: vec(2)}}}
	dense := func(items ...any) any { return vecSpec{n: len(items), items: items} }
	x := fileSpec{rpb: 1, rows: 1, cols: []columnSpec{{name: "x", typ: vec(3), values: []any{dense(1.0, 2.0, 3.0)}}}}
	v := fileSpec{rpb: 1, rows: 2, cols: []columnSpec{{name: "v", typ: vec(3), values: []any{dense(1.0, 2.0, 3.0), dense(4.0, 5.0, 6.0)}}}}
	out := make([]byte, 256)
	var table []byte
	for _, f := range []fileSpec{schema, x, v} {
		b := f.encode()
		table = append(append(table, le(8, uint64(len(out)))...), le(8, uint64(len(b)))...)
		out = append(out, b...)
	}
	at := len(out)
	out = append(append(out, table...), "VDDESOPX"...)
	head := append([]byte("XPOSEDDV"), le(8, 0x0001000100010001)...)
	head = append(append(append(head, le(8, 0x0001000100010001)...), le(8, uint64(at))...), le(8, uint64(at+len(table)))...)
	copy(out, append(append(head, le(8, 3)...), le(4, 2)...))
	return out
}

// TestIDVArchive opens streams inside an archive, edits them, and has archive/zip and the strict reader accept the result.
func TestIDVArchive(t *testing.T) {
	b := archive(t)
	d := open(t, "model.zip", b)
	if errors, _ := rulesOf(t, d); len(errors) > 0 {
		t.Fatalf("%v", errors)
	}
	suite.Tiles(t, d.Tree)
	tables := format().Tables(context.Background(), d.Tree)
	if len(tables) != 3 || tables[2].Rows != 8 || tables[2].Name != `DataLoaderModel\Transform_000\DefaultMap.idv` {
		t.Fatalf("%d tables", len(tables))
	}
	edits := []model.Edit{
		model.Set{Path: "entry[1]/content/toc[0]/name/text", Value: model.S("longer name")},
		model.Set{Path: "entry[2]/content/stream/toc[1]/name/text", Value: model.S("another")},
		model.Set{Path: "entry[3]/content/toc[2]/name/text", Value: model.S("third one")},
	}
	plan, err := d.Plan(context.Background(), "rename", edits...)
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(context.Background(), plan, nil)
	if errors, _ := rulesOf(t, d); len(errors) > 0 {
		t.Fatalf("after the edit: %v", errors)
	}
	out := content(t, d)
	z, err := zip.NewReader(bytes.NewReader(out), int64(len(out)))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "longer name", "another", "third one"} {
		r, err := z.File[i].Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		switch i {
		case 0:
			continue
		case 2:
			if n := int(le(4, 0)[0]) + int(b[0]) | int(b[1])<<8 | int(b[2])<<16; n != len(b)-4 {
				t.Errorf("the prefix says %d of %d bytes", n, len(b)-4)
			}
			b = b[4:]
		}
		p, err := readStrict(b)
		if err != nil {
			t.Fatal(err)
		}
		if p.cols[i-1].name != want {
			t.Errorf("column %s, want %s", p.cols[i-1].name, want)
		}
	}
}

// TestIDVTransposed opens a transposed file, edits a stream of it, and checks what its rules find.
func TestIDVTransposed(t *testing.T) {
	b := transposed()
	d := open(t, "x.tdv", b)
	if _, all := rulesOf(t, d); len(all) > 0 {
		t.Fatalf("%v", all)
	}
	suite.Tiles(t, d.Tree)
	plan, err := d.Plan(context.Background(), "rename", model.Set{Path: "stream[0]/toc[0]/name/text", Value: model.S("a longer name")})
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(context.Background(), plan, nil)
	if errors, _ := rulesOf(t, d); len(errors) > 0 {
		t.Fatalf("after the edit: %v", errors)
	}
	for i := range len(b) {
		d, err := model.OpenBytes(context.Background(), "x.tdv", b[:i], nil, format())
		if err != nil {
			t.Fatal(err)
		}
		rulesOf(t, d)
	}
}

// badBoxes makes samples of the rules about what holds streams (110 to 126).
func badBoxes() map[string][]byte {
	plain := transposed()
	change := func(damage func(b []byte)) []byte {
		b := bytes.Clone(plain)
		damage(b)
		return b
	}
	single := typeSpec{load: "Single"}
	rows := fileSpec{rpb: 1, rows: 1, cols: []columnSpec{{name: "x", typ: single, values: []any{1.0}}}}.encode()
	return map[string][]byte{
		"110-prefix.idv":    append(le(4, uint64(len(rows)+5)), rows...),
		"110-prefix.zip":    zipOf("OptionalColumn/Schema.idv", append(le(4, uint64(len(rows)-5)), rows...)),
		"111-rows.zip":      zipOf("DataLoaderModel/Loader/Schema.idv", rows),
		"120-version.tdv":   change(func(b []byte) { b[8] = 2 }),
		"121-columns.tdv":   change(func(b []byte) { b[51] = 0xff }),
		"122-tail.tdv":      change(func(b []byte) { b[len(b)-1] = 'Y' }),
		"123-outside.tdv":   change(func(b []byte) { b[len(b)-17] = 0x7f }),
		"124-columns.tdv":   change(func(b []byte) { b[40], b[48] = 9, 1 }),
		"125-rows.tdv":      change(func(b []byte) { b[40] = 4 }),
		"126-no-stream.tdv": change(func(b []byte) { clear(b[len(b)-24 : len(b)-8]) }),
	}
}

// zipOf is an archive of one entry.
func zipOf(name string, content []byte) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err == nil {
		_, err = w.Write(content)
	}
	if err != nil || z.Close() != nil {
		panic(err)
	}
	return out.Bytes()
}

// What a part of a model keeps that is no stream is checked too: a damaged byte of it is an error, and is put right where a sum tells how.
func TestIDVArchiveOtherParts(t *testing.T) {
	b := archive(t)
	d := open(t, "model.zip", b)
	part, err := d.Tree.Find(context.Background(), "entry[0]/data")
	if err != nil {
		t.Fatal(err)
	}
	b[part.Range.Off+part.Range.Len/2] ^= 0x10
	errors, _ := rulesOf(t, open(t, "model.zip", b))
	if len(errors) == 0 {
		t.Error("a damaged part of a model is called clean")
	}
}

// A model is read as one whatever it is called; called as data are, ML.NET's loader of data refuses it.
func TestModelNamedData(t *testing.T) {
	for name, want := range map[string]bool{"model.zip": false, "model.mlnet": false, "model.idv": true, "model.IDV": true} {
		d, err := model.OpenBytes(context.Background(), name, archive(t), []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		found, _ := d.Tree.Findings()
		if is := slices.ContainsFunc(found, func(f model.Finding) bool { return f.Rule == namedData }); is != want || d.Format == nil {
			t.Errorf("%s: %v, want %v", name, is, want)
		}
	}
}
