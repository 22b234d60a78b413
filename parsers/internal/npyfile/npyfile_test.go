package npyfile

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"spandrel/model"
)

// file is an NPY file of a version with a header.
func file(major byte, header string) []byte {
	b := append([]byte(Magic), major, 0)
	if major == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(b, header...)
}

// What numpy reads is read with its type, order and shape; whitespace and the order of the keys are free.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		major   byte
		header  string
		descr   string
		fortran bool
		shape   []int64
		count   int64
	}{
		{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   \n", "<f4", false, []int64{3, 4}, 12},
		{1, "{'shape': (5,), 'descr': '<U5', 'fortran_order': False}\n", "<U5", false, []int64{5}, 5},
		{2, "{\"descr\": \"|u1\", 'fortran_order': True, 'shape': ()}\n", "|u1", true, nil, 1},
		{3, "{'descr': '>i8', 'fortran_order': False, 'shape': (0, 7)}\n", ">i8", false, []int64{0, 7}, 0},
		{1, "{'descr': [('a', '<f4'), ('b', 'S3')], 'fortran_order': False, 'shape': (2,)}\n", "", false, []int64{2}, 2},
		{1, "{'descr': '<f8', 'fortran_order': False, 'shape': (23L, 2201L), }\n", "<f8", false, []int64{23, 2201}, 23 * 2201},
		{2, "{u'descr': u'<f8', 'fortran_order': False, 'shape': (1_0, 0x2)} # a comment\n", "<f8", false, []int64{10, 2}, 20},
		{1, "{'shape': (9,), 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}\n", "<f4", false, []int64{3}, 3},
		{3, "{'descr': [('a\\'b', '<f4')], 'fortran_order': False, 'shape': ()}\n", "", false, nil, 1},
		{1, "{'descr': ('<f4', (2,)), 'fortran_order': False, 'shape': (1,)}\n", "", false, []int64{1}, 1},
	} {
		h, err := Parse(file(c.major, c.header))
		if err != nil || h.Descr != c.descr || h.Fortran != c.fortran || !slices.Equal(h.Shape, c.shape) || h.Count != c.count {
			t.Errorf("%s: %+v, %v", c.header, h, err)
		}
		if want := int64(len(file(c.major, c.header))); err == nil && h.Data != want {
			t.Errorf("%s: the data starts at %d, not at %d", c.header, h.Data, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	good := "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}\n"
	for name, b := range map[string][]byte{
		"no magic":             []byte("NUMPY" + good),
		"version 4":            file(4, good),
		"a cut header":         file(1, good)[:30],
		"a missing key":        file(1, "{'descr': '<f4', 'shape': (3,)}\n"),
		"another key":          file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'x': 1}\n"),
		"a negative size":      file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}\n"),
		"no truth value":       file(1, "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}\n"),
		"a long number of 3.0": file(3, "{'descr': '<f4', 'fortran_order': False, 'shape': (3L,)}\n"),
		"a number with a 0":    file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (03,)}\n"),
		"a type of 9 bytes":    file(1, "{'descr': '<f9', 'fortran_order': False, 'shape': (3,)}\n"),
		"a kind there is none": file(1, "{'descr': '<z4', 'fortran_order': False, 'shape': (3,)}\n"),
		"no name of a type":    file(1, "{'descr': '_b1', 'fortran_order': False, 'shape': (3,)}\n"),
		"an unknown name":      file(1, "{'descr': 'OM8[D]', 'fortran_order': False, 'shape': (3,)}\n"),
		"a unit there is none": file(1, "{'descr': '<M8[q]', 'fortran_order': False, 'shape': (3,)}\n"),
		"an unknown letter":    file(1, "{'descr': '<x', 'fortran_order': False, 'shape': (3,)}\n"),
		"a field of no type":   file(1, "{'descr': [('a', '<x8'), ('b', '<f4')], 'fortran_order': False, 'shape': (3,)}\n"),
		"a field of one word":  file(1, "{'descr': [('a'), ('b', '<f4')], 'fortran_order': False, 'shape': (3,)}\n"),
		"fields and no comma":  file(1, "{'descr': [('a', '<f4') ('b', '<f4')], 'fortran_order': False, 'shape': (3,)}\n"),
		"one name twice":       file(1, "{'descr': [('a', '<f4'), ('a', '<f4')], 'fortran_order': False, 'shape': (3,)}\n"),
		"a name and a title":   file(1, "{'descr': [(('a', 'b'), '<f4'), ('a', '<f4')], 'fortran_order': False, 'shape': (3,)}\n"),
		"a NUL in a name":      file(1, "{'descr': [('a\x00', '<f4'), ('b', '<f4')], 'fortran_order': False, 'shape': (3,)}\n"),
		"two byte orders":      file(1, "{'descr': '||u1', 'fortran_order': False, 'shape': (3,)}\n"),
		"no UTF-8":             file(3, "{'descr': [('\xb5', '<f4')], 'fortran_order': False, 'shape': (3,)}\n"),
		"too many":             file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}\n"),
	} {
		if h, err := Parse(b); err == nil {
			t.Errorf("%s is read: %+v", name, h)
		}
	}
	for n := range file(1, good) {
		if _, err := Parse(file(1, good)[:n]); err == nil {
			t.Errorf("the first %d bytes are a whole head", n)
		}
	}
}

func TestText(t *testing.T) {
	b := Text("日本x")
	h, err := Parse(b)
	if err != nil || h.Descr != "<U3" || len(h.Shape) != 0 || h.Data%64 != 0 || int64(len(b)) != h.Data+12 {
		t.Fatalf("%+v %v, %d bytes", h, err, len(b))
	}
	if v, _, err := (Ucs4{12, binary.LittleEndian}).Decode(b[h.Data:]); err != nil || v.String() != "日本x" {
		t.Error(v, err)
	}
}

// Text is filled up with NULs, and what does not fit is refused.
func TestUcs4(t *testing.T) {
	u := Ucs4{8, binary.LittleEndian}
	b, err := u.Encode(model.S("a"))
	if err != nil || string(b) != "a\x00\x00\x00\x00\x00\x00\x00" {
		t.Errorf("% x %v", b, err)
	}
	if _, err := u.Encode(model.S("abc")); err == nil {
		t.Error("three characters fit into two")
	}
}

func TestCodecOf(t *testing.T) {
	for descr, size := range map[string]int{"<i8": 8, ">f4": 4, "|b1": 1, "|u1": 1, "<f2": 2, "<U5": 20} {
		if c := CodecOf(descr); c == nil || c.Size() != size {
			t.Errorf("%s: %v", descr, c)
		}
	}
	for _, descr := range []string{"|O", "", "x", "<i3", "<U-1", "<U99999999999999"} {
		if c := CodecOf(descr); c != nil {
			t.Errorf("%q is decoded as %s", descr, c.Type())
		}
	}
}

// TestCorrectHeader flips bits of each byte of the head of a file: what cannot be read then is set right, or has several ways.
func TestCorrectHeader(t *testing.T) {
	whole := Text("hello")
	corrected := 0
	for at := range len(whole) - 20 {
		for _, bit := range []int{at % 8, 2} {
			b := bytes.Clone(whole)
			b[at] ^= 1 << bit
			fixes := CorrectHeader(t.Context(), 0, model.BytesContent(b))
			if h, err := Parse(b); err == nil && CodecOf(h.Descr) != nil && b[h.Data-1] == '\n' {
				if fixes != nil {
					t.Fatalf("byte %d, bit %d: the head can be read, and is set right", at, bit)
				}
				continue
			}
			if fixes == nil {
				continue
			}
			e := fixes[0].Edits[0].(model.Splice)
			if _, err := e.With.ReadAt(b[e.Range.Off:e.Range.End()], 0); err != nil {
				t.Fatal(err)
			}
			if corrected++; !bytes.Equal(b, whole) {
				t.Fatalf("byte %d, bit %d: another head", at, bit)
			}
		}
	}
	if corrected < 220 {
		t.Errorf("%d of %d are set right", corrected, 2*(len(whole)-20))
	}
}

// TestCorrectSeveral damages several bytes of a head: if something is offered as safe, it is the original, which is found for most.
func TestCorrectSeveral(t *testing.T) {
	whole, r := Text("hello"), rand.New(rand.NewPCG(1, 2))
	corrected := 0
	for range 100 {
		b := bytes.Clone(whole)
		for range 2 + r.IntN(3) {
			b[r.IntN(bytes.IndexByte(whole, '}'))] ^= 1 << r.IntN(8)
		}
		for _, fix := range CorrectHeader(t.Context(), 0, model.BytesContent(b)) {
			is := bytes.Clone(b)
			for _, e := range fix.Edits {
				s := e.(model.Splice)
				s.With.ReadAt(is[s.Range.Off:s.Range.End()], 0)
			}
			order := bytes.LastIndexByte(whole, 'U') - 1
			is[order] = whole[order] // of characters in the machine's order all are right
			switch same := bytes.Equal(is, whole); {
			case same:
				corrected++
			case fix.Safe:
				t.Errorf("%q is corrected to %q", b[:80], is[:80])
			}
		}
	}
	if corrected < 70 {
		t.Errorf("%d of 100 are corrected", corrected)
	}
}

// TestRefill takes blanks and the line feed from the end of a head, as editors and filters do: they are put back.
func TestRefill(t *testing.T) {
	whole := Text("hello")
	h, err := Parse(whole)
	if err != nil {
		t.Fatal(err)
	}
	end := int64(bytes.IndexByte(whole, '}') + 1)
	for _, cut := range [][2]int64{{h.Data - 1, h.Data}, {end, h.Data - 1}, {end, h.Data}, {end + 3, end + 4}} {
		b := slices.Concat(whole[:cut[0]], whole[cut[1]:])
		fixes := CorrectHeader(t.Context(), 0, model.BytesContent(b))
		if len(fixes) != 1 || !fixes[0].Safe {
			t.Errorf("without the bytes at %d to %d: %v", cut[0], cut[1], fixes)
			continue
		}
		e := fixes[0].Edits[0].(model.Splice)
		in := make([]byte, e.With.Len())
		e.With.ReadAt(in, 0)
		if got := slices.Concat(b[:e.Range.Off], in, b[e.Range.Off:]); !bytes.Equal(got, whole) {
			t.Errorf("without the bytes at %d to %d: %q", cut[0], cut[1], got[:h.Data])
		}
	}
}

// The bytes of an element are known of all types but those that hold Python objects.
func TestItem(t *testing.T) {
	for descr, want := range map[string]int64{
		"'<f4'": 4, "'|S7'": 7, "'>U2'": 8, "'<c16'": 16, "'<M8[ns]'": 8, "'|V12'": 12, "'|O'": 0, "'float32'": 4, "'<f16'": 16,
		"[('a', '<f4'), ('b', '|S3')]": 7, "[('a', '<f4', (2, 3)), (('title', 'b'), '<i2'), ('', '|V2')]": 28, "[('a', [('x', '|u1'), ('y', '<i8')], (2,))]": 18,
		"[('a', '|O')]": 0, "('<f4', (2,))": 8, "[('a', '<f4', 3)]": 12, "[('a', '<f4', (9999999999, 9999999999))]": 0,
	} {
		h, err := Parse(file(1, "{'descr': "+descr+", 'fortran_order': False, 'shape': (1,)}\n"))
		if err != nil || h.Item != want {
			t.Errorf("%s has %d bytes, not %d: %v", descr, want, h.Item, err)
		}
	}
}

// TestResized: another number in the shape takes the place of padding, so that the data stay where they are.
func TestResized(t *testing.T) {
	text := "{'descr': '<f4', 'fortran_order': False, 'shape': (9, 64), }    \n"
	head := append([]byte(Magic+"\x01\x00"), byte(len(text)), 0)
	head = append(head, text...)
	h, err := Parse(head)
	if err != nil {
		t.Fatal(err)
	}
	is := h.Resized(head, 0, 1234)
	if got, err := Parse(is); err != nil || len(is) != len(head) || got.Shape[0] != 1234 || got.Data != h.Data || is[len(is)-1] != '\n' {
		t.Errorf("%q: %v", is, err)
	}
	if is := h.Resized(head, 0, 1_234_567); is != nil {
		t.Errorf("there is not enough padding for %q", is)
	}
}
