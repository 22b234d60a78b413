package npy

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/parsers/internal/suite"
)

// array writes an NPY file as numpy does: the header filled up to a multiple of 64.
func array(header string, data []byte) []byte {
	header += strings.Repeat(" ", (64-(10+len(header)+1)%64)%64) + "\n"
	b := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	return append(append(b, header...), data...)
}

func dict(descr, order, shape string) string {
	return fmt.Sprintf("{'descr': %s, 'fortran_order': %s, 'shape': %s, }", descr, order, shape)
}

func floats(n int) (b []byte) {
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(i)/2))
	}
	return b
}

// doubles are so many numbers of 64 bits.
func doubles(n int) (b []byte) {
	for i := range n {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(math.Sin(float64(i+1))))
	}
	return b
}

// turned has every four bytes in reverse.
func turned(b []byte) []byte {
	for word := range slices.Chunk(b, 4) {
		slices.Reverse(word)
	}
	return b
}

// archived is an archive of members, stored or deflated.
func archived(method uint16, members ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: members[i], Method: method})
		if err == nil {
			_, err = f.Write([]byte(members[i+1]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// samples are the files of testdata/npy by their names there.
func samples() map[string][]byte {
	good := array(dict("'<f4'", "False", "(2, 3)"), floats(6))
	ids := array(dict("'>i4'", "False", "(4,)"), []byte{0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0xff, 0xff, 0xff, 0xff})
	wide := bytes.Clone(good)
	wide[6] = 9
	wrong := archived(zip.Store, "a.npy", string(good), "b.npy", string(ids))
	wrong[len("PK..")+26+len("a.npy")+len(good)-1] ^= 1
	stored := archived(zip.Store, "a.npy", string(good), "b.npy", string(ids))
	with := func(at int, b ...byte) []byte {
		out := bytes.Clone(stored)
		copy(out[at:], b)
		return out
	}
	magic := bytes.Clone(stored)
	magic[bytes.LastIndexByte(magic, 0x93)]++
	return map[string][]byte{
		"bad/006-long-header.npy":        array(dict("'<f4'", "False", "(2, 3)")+strings.Repeat(" ", 10_000), floats(6)),
		"bad/007-no-line-feed.npy":       bytes.Replace(good, []byte(" \n"), []byte("  "), 1),
		"bad/011-no-member.npz":          with(bytes.LastIndex(stored, []byte("PK\x03\x04")), 'X'),
		"bad/012-differs.npz":            with(30, 'c'),
		"good/matrix.npy":                good,
		"good/columns.npy":               array(dict("'<f8'", "True", "(2, 2)"), make([]byte, 32)),
		"good/scalar.npy":                array(dict("'|b1'", "False", "()"), []byte{1}),
		"good/vector.npy":                ids,
		"good/python2.npy":               array(dict("'<f4'", "False", "(2L, 3L)"), floats(6)),
		"bad/003-cut-complex.npy":        array(dict("'<c16'", "False", "(3,)"), make([]byte, 40)),
		"good/arrays.npz":                archived(zip.Deflate, "weights.npy", string(good), "ids.npy", string(ids)),
		"good/stored.npz":                archived(zip.Store, "weights.npy", string(good), "ids.npy", string(ids)),
		"bad/001-magic.npy":              append([]byte("not"), good...),
		"bad/002-comma.npy":              array("{'descr': '<f4' 'fortran_order': False, 'shape': (2, 3), }", floats(6)),
		"bad/002-version.npy":            wide,
		"bad/003-cut.npy":                good[:len(good)-9],
		"bad/004-behind.npy":             append(bytes.Clone(good), "tail"...),
		"bad/005-structured-objects.npy": array(dict("[('a', '<i4'), ('a name of a field that is so long that what is found is cut in front of the next one', '<i8'), ('o', '|O')]", "False", "(1,)"), []byte("\x80\x04K\x01.")),
		"bad/005-objects.npy":            array(dict("'|O'", "False", "(1,)"), []byte("\x80\x04K\x01.")),
		"bad/008-no-stop.npy":            array(dict("'|O'", "False", "(3,)"), []byte("\x80\x04]\x94(K\x01K\x02K")),
		"good/structured.npy": array(dict("[('x', '<f4'), ('at', [('y', '<i2'), ('z', '>i2', (2,))]), ('name', '|S3')]", "False", "(2,)"),
			append(append(floats(1), 1, 0, 0, 2, 0, 3, 'a', 0, 0), append(floats(1), 4, 0, 0, 5, 0, 6, 'b', 'c', 'd')...)),
		"good/complex.npy":         array(dict("'<c8'", "False", "(2, 1)"), floats(4)),
		"good/dates.npy":           array(dict("'<M8[D]'", "False", "(3,)"), []byte{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80}),
		"good/texts.npy":           array(dict("'>U2'", "False", "(2,)"), []byte("\x00\x00\x00\xe4\x00\x00\x00b\x00\x00\x00c\x00\x00\x00\x00")),
		"bad/009-header-len.npy":   append(append(bytes.Clone(good[:8]), 117, 0), good[10:]...),
		"bad/009-longer-text.npy":  bytes.Replace(good, []byte("(2, 3)"), []byte("(3, 2, 1)"), 1),
		"bad/009-in-archive.npz":   archived(zip.Deflate, "a.npy", strings.Replace(string(good), "(2, 3)", "(3, 2, 1)", 1)),
		"bad/002-shorter-text.npy": bytes.Replace(good, []byte("(2, 3)"), []byte("(6,)"), 1),
		"bad/010-no-directory.npz": archived(zip.Store, "a.npy", string(good))[:60+len(good)],
		"bad/013-in-front.npz":     append([]byte("PK??"), archived(zip.Store, "a.npy", string(good))...),
		"bad/013-own-end.npz":      append(bytes.Clone(stored), stored[bytes.Index(stored, []byte("PK\x01\x02")):]...),
		"bad/013-two.npz":          append(archived(zip.Store, "a.npy", string(good)), archived(zip.Store, "a.npy", string(ids))...),
		"bad/014-checksum.npz":     wrong,
		"bad/014-magic.npz":        magic,
		"bad/other-order.npy":      array(dict("'<f4'", "False", "(64,)"), turned(floats(64))),
		"bad/016-other-type.npy":   array(dict("'<f4'", "False", "(64,)"), doubles(64)),
		"bad/018-pitch.npy":        array(dict("'<f4'", "False", "(20, 3)"), padded(20, 3)),
		"bad/017-joined.npy":       append(bytes.Replace(good, []byte("(2, 3)"), []byte("(4, 3)"), 1), good...),
		"bad/015-no-array.npz":     archived(zip.Deflate, "a.npy", string(good), "notes.txt", "hello"),
	}
}

// padded are rows of numbers with a zero after each, up to as many bytes as they have without.
func padded(rows, cols int) (b []byte) {
	for range rows {
		b = append(b, append(floats(cols + 1)[4:], 0, 0, 0, 0)...)
	}
	return b[:4*rows*cols]
}

func TestNPYSamples(t *testing.T) { suite.Samples(t, "npy", samples()) }

// What each rule says of a file that breaks it is written down.
func TestTranscript(t *testing.T) { suite.Transcript(t, Format, suite.BadSamples(t, Format)) }

// set opens a file, writes a value into a field, and returns the file, which must have no error.
func set(t *testing.T, name string, b []byte, path string, v model.Value) []byte {
	t.Helper()
	ctx := context.Background()
	d, err := model.OpenBytes(ctx, name, b, []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s, err := d.Tree.Find(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Plan(ctx, "set", model.SetValue(s, v))
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(ctx, p, nil)
	if err := d.Deep(ctx, nil); err != nil {
		t.Fatal(err)
	}
	found, _ := d.Tree.Findings()
	for i := range found {
		if found[i].Grade() == model.Error {
			t.Errorf("%s: %s", found[i].Path(), found[i].Text())
		}
	}
	return suite.Bytes(t, d)
}

// An element of an archive is changed: the member is deflated again, and sizes, checksums and offsets follow, as Go's reader sees.
func TestEditMember(t *testing.T) {
	for _, name := range []string{"good/arrays.npz", "good/stored.npz"} {
		b := set(t, "x.npz", samples()[name], "entry[0]/content/data[5]", model.F(-8))
		r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		f, err := r.Open("weights.npy")
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if _, err := got.ReadFrom(f); err != nil {
			t.Fatal(err)
		}
		want := floats(6)
		binary.LittleEndian.PutUint32(want[20:], math.Float32bits(-8))
		if !bytes.HasSuffix(got.Bytes(), want) {
			t.Errorf("%s: % x", name, got.Bytes())
		}
	}
}

// A type of another length moves the data, and the length of the header follows.
func TestEditHeader(t *testing.T) {
	b := set(t, "x.npy", samples()["good/matrix.npy"], "header/descr", model.S("<i4"))
	if !bytes.Equal(b, array(dict("'<i4'", "False", "(2, 3)"), floats(6))) {
		t.Errorf("%q", b)
	}
}

// Of a member that is packed in a way that we do not unpack nothing is known: it is told, and no problem.
func TestUnknownMethod(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.CreateRaw(&zip.FileHeader{Name: "a.npy", Method: 12, CompressedSize64: 5, UncompressedSize64: 128, CRC32: 1})
	if err != nil {
		t.Fatal(err)
	}
	f.Write([]byte("BZh91"))
	w.Close()
	d, err := model.OpenBytes(t.Context(), "a.npz", b.Bytes(), nil, Format)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.Deep(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	found, _ := d.Tree.Findings()
	if len(found) != 1 || found[0].Rule != model.RuleCap {
		t.Errorf("%v", found)
	}
}

// The arrays of an archive are listed with their types and shapes, and each is a table that can be sliced, stored or deflated.
func TestArchiveTables(t *testing.T) {
	for _, name := range []string{"good/arrays.npz", "good/stored.npz"} {
		d, err := model.OpenBytes(t.Context(), "x.npz", samples()[name], []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		list := d.Tree.Tables(t.Context())
		if len(list) != 3 {
			t.Fatalf("%s: %d tables", name, len(list))
		}
		rows, err := list[0].Read(t.Context(), 0, 9)
		if err != nil || rows[0][1].String() != "<f4" || rows[0][2].String() != "2, 3" || rows[1][2].String() != "4" {
			t.Errorf("%s: %v %v", name, rows, err)
		}
		s, err := list[1].Slice("[1, 1:]")
		if err != nil {
			t.Fatal(err)
		}
		if rows, err = s.Read(t.Context(), 0, 9); err != nil || len(rows) != 2 || rows[1][0].String() != "2.5" {
			t.Errorf("%s: %v %v", name, rows, err)
		}
	}
}

// A file that ends exactly where another shape would is not only said to be truncated, or to have bytes too many: few lengths are like that.
func TestAnotherShape(t *testing.T) {
	part := make([]byte, 1024) // numbers below 1, which make sense as twice as wide ones
	for i := range 256 {
		binary.LittleEndian.PutUint32(part[4*i:], math.Float32bits(float32(i*37%256)/257+0.001))
	}
	if said := firstSaid(t, array(dict("'<f8'", "False", "(256,)"), part)); !strings.Contains(said, "or its type is wrong") || !strings.HasSuffix(said, "it would with <f4.") {
		t.Error(said)
	}
	for shape, want := range map[string]string{
		"(17, 16)": "or its shape is wrong: it ends exactly where it would if dimension 0 were 16.",
		"(15, 16)": "or its shape is wrong: it ends exactly where it would if dimension 0 were 16.",
		"(956,)":   "or its shape is wrong: it ends exactly where it would if dimension 0 were 256.",
		"(16, 17)": "or its shape is wrong: it ends exactly where it would if dimension 1 were 16.",
		"(257,)":   "", // every fourth length is one of whole numbers
	} {
		if said := firstSaid(t, array(dict("'<f4'", "False", shape), floats(256))); !strings.HasSuffix(said, want) || want == "" && strings.Contains(said, "shape is wrong") {
			t.Errorf("%s: %s", shape, said)
		}
	}
}

// TestReturnsRemoved: carriage returns that a transfer as text removed show in large arrays, if their bytes can be any; otherwise the array is truncated.
func TestReturnsRemoved(t *testing.T) {
	const n = 1 << 21
	r := rand.New(rand.NewPCG(1, 9))
	any, halves := make([]byte, n), make([]byte, n)
	for i := range any {
		any[i], halves[i] = byte(r.Uint32()), byte(r.Uint32())
		if i%2 == 1 {
			halves[i] = 0x30 + byte(r.Uint32N(12)) // of numbers around 1
		}
	}
	for _, x := range []struct {
		dtype  string
		b      []byte
		spoilt bool
	}{
		{"'|u1'", bytes.ReplaceAll(any, []byte("\r\n"), []byte("\n")), true},
		{"'|u1'", any[:n-30], false},
		{"'<f2'", halves[:n-30], false},
	} {
		count := n
		if x.dtype == "'<f2'" {
			count = n / 2
		}
		said := firstSaid(t, array(dict(x.dtype, "False", fmt.Sprintf("(%d,)", count)), x.b))
		if strings.Contains(said, "transferred as text") != x.spoilt || strings.Contains(said, "truncated") == x.spoilt {
			t.Errorf("%s, %v: %s", x.dtype, x.spoilt, said)
		}
	}
}

// firstSaid is the first sentence about an array.
func firstSaid(t *testing.T, b []byte) string {
	t.Helper()
	d, err := model.OpenBytes(t.Context(), "a.npy", b, []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true, Warnings: true, Tree: d.Tree})
	if err != nil || len(g.Causes) == 0 {
		t.Fatal(err, g.Causes)
	}
	return g.Causes[0].Text
}

// TestPiecesExchanged has the first piece of an array in the place of a later one: that the file begins there is sure, and nothing says in which order
// the values belong.
func TestPiecesExchanged(t *testing.T) {
	whole := array(dict("'<f4'", "False", "(2000,)"), floats(2000))
	const piece = 1024
	b := slices.Concat(whole[3*piece:4*piece], whole[piece:3*piece], whole[:piece], whole[4*piece:])
	d, err := model.OpenBytes(t.Context(), "a.npy", b, []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range g.Causes {
		if c.Grade == cause.Proven {
			t.Errorf("proven: %s", c.Text)
		}
	}
	if len(g.Causes) == 0 {
		t.Error("nothing is told")
	}
}
