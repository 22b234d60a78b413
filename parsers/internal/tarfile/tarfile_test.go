package tarfile

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// archive is a tar file as the standard library writes it.
func archive(t *testing.T, members map[string]string, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range names {
		h := &tar.Header{Name: name, Size: int64(len(members[name])), Mode: 0o644, Typeflag: tar.TypeReg}
		if strings.HasSuffix(name, "/") {
			h.Typeflag, h.Mode = tar.TypeDir, 0o755
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(members[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func at(b []byte) Reader {
	return func(off, n int64) []byte {
		off = min(off, int64(len(b)))
		return b[off:min(off+n, int64(len(b)))]
	}
}

func TestParse(t *testing.T) {
	b := archive(t, map[string]string{"a.txt": "hello", "dir/": ""}, "a.txt", "dir/")
	h := Parse(b[:Block])
	if h.Name != "a.txt" || h.Size != 5 || h.Typ != '0' || !h.SumOK || h.Full || h.Payload() != 5 || !IsHeader(b) || !Looks(b) {
		t.Errorf("%+v", h)
	}
	if d := Parse(b[2*Block : 3*Block]); d.Name != "dir/" || d.Payload() != 0 {
		t.Errorf("%+v", d)
	}
	for i := range Block { // the sum sees a change of any byte
		c := bytes.Clone(b[:Block])
		if c[i]++; Parse(c).SumOK && (i < 148 || i >= 156) {
			t.Errorf("a change at %d is not seen", i)
		}
	}
	full := bytes.Clone(b[:Block])
	copy(full, strings.Repeat("n", 100))
	if h := Parse(full); !h.Full || len(h.Name) != 100 {
		t.Errorf("%+v", h)
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]int64{
		"00000000017\x00": 15, "17 \x00": 15, "   17\x00": 15, "0000008\x00": -1, "x": -1,
		"\x80\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00": 1 << 33, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff": -1,
	} {
		if got := Number([]byte(text)); got != want {
			t.Errorf("%q is %d instead of %d", text, got, want)
		}
	}
}

// Numbers that are written read as they were; one that does not fit is refused, or written in binary where there is room.
func TestOctal(t *testing.T) {
	size12, size7, size8, time := Octal{12, false}, Octal{7, false}, Octal{8, false}, Octal{12, true}
	for _, n := range []uint64{0, 7, 0o7777777, 0o77777777777, 1 << 33, 1 << 40} {
		b, err := size12.Encode(model.U(n))
		if err != nil || len(b) != 12 {
			t.Fatalf("%d: %q, %v", n, b, err)
		}
		if v, size, err := size12.Decode(b); v.Uint() != n || size != 12 || err != nil {
			t.Errorf("%d is %v, %v", n, v, err)
		}
	}
	if b, err := size7.Encode(model.U(0o7777777)); err == nil {
		t.Errorf("a number too long is %q", b)
	}
	if _, _, err := size8.Decode([]byte("0644")); err == nil {
		t.Error("too few bytes are read")
	}
	for _, n := range []int64{0, -1, -34_560_000, 1 << 40, -1 << 50} {
		b, err := time.Encode(model.I(n))
		if v, _, e := time.Decode(b); err != nil || e != nil || v.Int() != n {
			t.Errorf("%d is %v as %q: %v %v", n, v, b, err, e)
		}
		if _, err := size12.Encode(model.I(n)); (err != nil) != (n < 0) {
			t.Errorf("a size of %d: %v", n, err)
		}
	}
	if _, _, err := size12.Decode([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe")); err == nil {
		t.Error("a negative size is read")
	}
}

func TestPieceAt(t *testing.T) {
	members := map[string]string{"a": strings.Repeat("a", 600), "b": "b"}
	whole := archive(t, members, "a", "b")
	two := int64(3 * Block) // where the second header is
	twice := append(bytes.Clone(whole), whole...)
	damaged := bytes.Clone(whole)
	damaged[two]++
	lost := bytes.Clone(whole)
	copy(lost, bytes.Repeat([]byte("?"), Block))
	for name, c := range map[string]struct {
		b     []byte
		off   int64
		piece Piece
		n     int64
	}{
		"a member":                        {whole, 0, Member, 3 * Block},
		"the last one":                    {whole, two, Member, 2 * Block},
		"the end":                         {whole, 5 * Block, End, int64(len(whole)) - 5*Block},
		"a header with another sum":       {damaged, two, Damaged, 2 * Block},
		"no header":                       {lost, 0, Lost, 3 * Block},
		"zeros with a member behind them": {twice, 5 * Block, Stop, int64(len(whole)) - 5*Block},
		"a header that is cut":            {whole[:two+100], two, Lost, Block},
	} {
		if piece, n := PieceAt(context.Background(), at(c.b), c.off, int64(len(c.b))); piece != c.piece || n != c.n {
			t.Errorf("%s: piece %d of %d bytes instead of %d of %d", name, piece, n, c.piece, c.n)
		}
	}
}

// A field that was damaged is solved for: a byte of it that cannot be by the checksum, another value by the other members, a name by who
// knows it. The checksum itself is what is wrong only where nothing else can be.
func TestSolve(t *testing.T) {
	whole := archive(t, map[string]string{"a.txt": strings.Repeat("a", 600), "b.txt": "b", "c.txt": "c"}, "a.txt", "b.txt", "c.txt")
	sound := Headers(context.Background(), at(whole), int64(len(whole)))[:2]
	last := whole[5*Block : 6*Block]
	if n := len(Headers(context.Background(), at(whole[:len(whole)-100]), int64(len(whole)-100))); n != 3 {
		t.Errorf("%d headers of an archive whose end is cut instead of 3", n)
	}
	named := func(name string) Witness {
		if name == "c.txt" {
			return Wholly
		}
		return Denied
	}
	if out := Solve(last, Known{Siblings: sound, Size: -1}); out != nil {
		t.Errorf("a header without a fault is corrected: %+v", out)
	}
	for _, p := range append(parts, sumPart) {
		for what, damage := range map[string]func(v []byte){
			"zeros":     func(v []byte) { clear(v) },
			"ones":      func(v []byte) { copy(v, bytes.Repeat([]byte{0xff}, len(v))) },
			"a byte":    func(v []byte) { v[len(v)/2] ^= 0x41 },
			"a digit":   func(v []byte) { v[0]++ },
			"backwards": func(v []byte) { slices.Reverse(v) },
		} {
			b := bytes.Clone(last)
			if damage(p.of(b)); bytes.Equal(b, last) || Parse(b).SumOK {
				continue
			}
			out := Solve(b, Known{Siblings: sound, length: 2 * Block, Size: 1, Named: named, Names: []string{"b.txt", "c.txt"}})
			if len(out) != 1 || !out[0].Proven || out[0].Field != p.field || !bytes.Equal(out[0].Is, p.of(last)) {
				t.Errorf("%s of %s: %+v", what, p.field.Name, out)
				continue
			}
			off, is := out[0].Change(b)
			if copy(b[off:], is); !bytes.Equal(b, last) {
				t.Errorf("%s of %s: the change makes another header", what, p.field.Name)
			}
		}
	}
	b := bytes.Clone(last)
	b[0]++
	for _, m := range Solve(b, Known{Siblings: sound, length: 2 * Block, Size: -1}) {
		if m.Proven {
			t.Errorf("a name of which no one knows is proven: %+v", m)
		}
	}
	b = bytes.Clone(last)
	b[0]++
	for _, m := range Solve(b, Known{Siblings: sound, length: 2 * Block, Size: 1, Named: func(string) Witness { return Partly }}) {
		if m.Proven {
			t.Errorf("of a name of which only part is known, this is proven: %+v", m)
		}
	}
	b = bytes.Clone(last)
	b[135] = ' ' // a size as others write it, with which another sum agrees
	sum := fmt.Appendf(nil, "%06o\x00 ", Parse(b).Sum)
	b[134], b[135] = '7', 0
	copy(sumPart.of(b), sum)
	for _, m := range Solve(b, Known{Siblings: sound, length: 2 * Block, Size: 1, Named: named}) {
		if m.Proven {
			t.Errorf("of a wrong size and a wrong sum one is proven: %+v", m)
		}
	}
	b = bytes.Clone(last)
	b[0]++
	b[100]++
	if out := Solve(b, Known{Siblings: sound, Size: 1, Named: named}); len(out) > 0 && out[0].Proven {
		t.Errorf("of two wrong fields one is proven: %+v", out)
	}
	for _, at := range [][2]int{{99, 344}, {102, 256}, {129, 400}, {270, 340}} { // bytes after texts, digits that are none
		b = bytes.Clone(last)
		b[at[0]], b[at[1]] = b[at[0]]^0x41, b[at[1]]^2
		out := Solve(b, Known{Siblings: sound, length: 2 * Block, Size: 1, Named: named})
		if len(out) != 1 || !out[0].Proven || len(out[0].Also) != 1 {
			t.Errorf("bytes %d: %+v", at, out)
			continue
		}
		for _, m := range append(out, out[0].Also...) {
			copy(b[m.At:], m.Is)
		}
		if !bytes.Equal(b, last) {
			t.Errorf("bytes %d: another header", at)
		}
	}
	b = bytes.Clone(last)
	clear(b[sumPart.at-4 : sumPart.at+sumPart.n])
	if out := Solve(b, Known{Siblings: sound, length: 2 * Block, Size: 1, Named: named}); len(out) > 0 && out[0].Proven {
		t.Errorf("a checksum that was wiped with the end of the time is proven: %+v", out)
	}
}

// A sum stays the same when digits change places, and when one grows by what another loses: neither the time of another member nor a size that agrees
// with it is proven.
func TestSolveDigits(t *testing.T) {
	whole := archive(t, map[string]string{"a.txt": strings.Repeat("a", 600), "b.txt": strings.Repeat("b", 512+83)}, "a.txt", "b.txt")
	other, head := bytes.Clone(whole[:Block]), bytes.Clone(whole[3*Block:4*Block])
	set := func(b []byte, at int, text string) {
		copy(b[at:], text)
		copy(sumPart.of(b), fmt.Sprintf("%06o\x00 ", Parse(b).Sum))
	}
	const size, mtime = 124, 136
	set(other, mtime, "14524770401\x00")
	set(head, mtime, "14524770410\x00")
	known := Known{Siblings: [][]byte{other}, Size: -1}.UpTo(at(whole), 3*Block, 3*Block)
	for name, damage := range map[string]func(b []byte){
		"a digit of the time":                           func(b []byte) { b[mtime+2] ^= 0x20 },
		"a digit of the size, and one of the time more": func(b []byte) { b[size+8] ^= 0x20; b[mtime+10]++ },
	} {
		b := bytes.Clone(head)
		damage(b)
		for _, m := range Solve(b, known) {
			if m.Proven {
				t.Errorf("%s: %s is proven to be %s", name, m.Field.Name, m.Says())
			}
		}
	}
}

// Sums are those of a loop over the bytes, signed and unsigned, at their largest too.
func TestSums(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		b := make([]byte, Block)
		for k := range b {
			if b[k] = byte(rnd.Uint32()); i == 0 {
				b[k] = 0xff
			}
		}
		var unsigned, signed int64
		for k, c := range b {
			if k >= 148 && k < 156 {
				c = ' '
			}
			unsigned, signed = unsigned+int64(c), signed+int64(int8(c))
		}
		for _, sum := range []int64{unsigned, signed, unsigned + 1} {
			copy(b[148:156], fmt.Sprintf("%06o\x00 ", max(0, sum)))
			if h := Parse(b); h.Sum != unsigned || h.SumOK != (sum >= 0 && (sum == unsigned || sum == signed)) {
				t.Fatalf("sum %d of %d and %d: %v, %d", sum, unsigned, signed, h.SumOK, h.Sum)
			}
		}
	}
}

// Bytes that are no number are no checksum, whatever the sum of the others.
func TestNoSum(t *testing.T) {
	b := bytes.Repeat([]byte{0xff}, Block)
	if b[0], b[1] = 127, 118; Parse(b).SumOK { // as signed numbers they add up to -1
		t.Errorf("%+v", Parse(b))
	}
}

// The headers in which a moved one is looked for may all lead to the same members: those are read once.
func TestMovedReadsOnce(t *testing.T) {
	const inner, after = 100, 1000
	block := func(name string, size int64) []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		if err := w.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o644, Format: tar.FormatUSTAR}); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()[:Block]
	}
	var b []byte
	for i := range inner {
		b = append(b, block("inside", int64((inner-i)*Block))...)
	}
	b = append(b, bytes.Repeat([]byte("?"), Block)...)
	for range after {
		b = append(b, block("after", 0)...)
	}
	b = append(b, bytes.Repeat([]byte("?"), Block)...) // they lead to no end
	reads, read := 0, at(b)
	by := Moved(t.Context(), func(off, n int64) []byte { reads++; return read(off, n) }, 0, inner*Block, int64(len(b)))
	if by != 0 || reads > 10*(inner+after) {
		t.Errorf("moved by %d, %d reads", by, reads)
	}
}
