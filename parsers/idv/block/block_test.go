package block

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// codecs are a codec of every kind, and vectors of each.
func codecs() (out []*Codec) {
	for name, kind := range LoadNames {
		if kind < Vector {
			out = append(out, &Codec{Name: name, Kind: kind})
		}
	}
	out = append(out, &Codec{Name: "Key2", Kind: Key, Item: &Codec{Name: "UInt16", Kind: U2}, Count: 9})
	for _, item := range out {
		for _, size := range []int64{0, 3} {
			out = append(out, &Codec{Name: "VBuffer", Kind: Vector, Item: item, Size: size, Dims: []int32{int32(size)}})
		}
	}
	return out
}

// rows are values of a codec: empty ones, and for vectors dense and sparse ones of them.
func rows(c *Codec) (out []Raw) {
	if c.Kind != Vector {
		texts := []string{"", "one", "zwei 🐌", "x"}
		for i := range 20 {
			v := c.Empty()
			if c.Base() == Text {
				v.B = []byte(texts[i%4])
			} else if i%3 == 1 {
				v.B[max(0, len(v.B)-3)] = 1
			}
			out = append(out, v)
		}
		return out
	}
	items := rows(c.Item)
	out = append(out, Raw{List: &List{Len: 3, Items: items[:3]}}, Raw{List: &List{Len: 3, Index: []int64{1}, Items: items[1:2]}}, Raw{List: &List{Len: 3, Index: []int64{}}})
	if c.Size == 0 {
		out = append(out, Raw{List: &List{}}, Raw{List: &List{Len: 5, Items: items[3:8]}})
	}
	return out
}

// Values that are encoded are read again, encode to the same bytes, and have nothing wrong.
func TestEncode(t *testing.T) {
	for _, c := range codecs() {
		values := rows(c)
		n := int64(len(values))
		b, err := Encode(c, values)
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		k := Read(c, b, n)
		if !k.Whole || !Fits(c, b, n) {
			t.Errorf("%s: a block that was encoded is not whole: %x", c, b)
		}
		again, err := k.Raws(0, n)
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		if out, _ := Encode(c, again); !bytes.Equal(out, b) {
			t.Errorf("%s: %x becomes %x", c, b, out)
		}
		if out, err := k.Put(map[int64]Raw{1: again[0]}); err != nil || !Fits(c, out, n) {
			t.Errorf("%s: %v after a value was put", c, err)
		}
	}
}

// Damaged blocks are read to their end, tiled by their parts, and never crash.
func TestHostile(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, c := range codecs() {
		whole, _ := Encode(c, rows(c))
		n := int64(len(rows(c)))
		for range 400 {
			b := bytes.Clone(whole)
			for range 1 + rnd.IntN(3) {
				switch at := rnd.IntN(len(b)); rnd.IntN(3) {
				case 0:
					b[at] = byte(rnd.IntN(256))
				case 1:
					b[at] ^= 1
				default:
					if at+4 <= len(b) {
						binary.LittleEndian.PutUint32(b[at:], uint32(rnd.IntN(8)-1))
					}
				}
			}
			b = b[:len(b)-rnd.IntN(1+len(b)/4)]
			k := Read(c, b, n+int64(rnd.IntN(3)-1))
			at := int64(0)
			for _, p := range k.Parts() {
				if p.Off != at || p.N <= 0 {
					t.Fatalf("%s: a part at %d behind %d in %x", c, p.Off, at, b)
				}
				at = p.End()
			}
			if at != int64(len(b)) {
				t.Fatalf("%s: parts end at %d of %d in %x", c, at, len(b), b)
			}
			k.Check(Options{Legacy: true}, func(i Issue) {
				if i.At < 0 || i.At > int64(len(b)) {
					t.Fatalf("%s: an issue at %d of %d in %x", c, i.At, len(b), b)
				}
			})
			for i := range n + 2 {
				k.Cell(i)
			}
			if all, err := k.Raws(0, k.Held()); err == nil {
				Encode(c, all)
			}
			Guess(b, n)
		}
	}
}

func TestTimes(t *testing.T) {
	for _, ticks := range []int64{0, 1, 635112000000000000, MaxTicks} {
		if n, err := ParseDate(Date(ticks)); err != nil || n != ticks {
			t.Errorf("%s is %d, want %d: %v", Date(ticks), n, ticks, err)
		}
	}
	for _, ticks := range []int64{0, 1, -1, 864e9, -937840050000, 1<<63 - 1} {
		if n, err := ParseDuration(Duration(ticks)); err != nil || n != ticks {
			t.Errorf("%s is %d, want %d: %v", Duration(ticks), n, ticks, err)
		}
	}
	for _, s := range []string{"", "2013-13-01", "10000-01-01", "yesterday"} {
		if _, err := ParseDate(s); err == nil {
			t.Errorf("%q is a date", s)
		}
	}
	c := &Codec{Kind: DateZone}
	v, err := c.Parse("2013-08-05T12:30:00-05:30", false, nil, Raw{})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := Encode(c, []Raw{v})
	if s := Read(c, b, 1).Cell(0).Value.Text(); s != "2013-08-05T12:30:00-05:30" {
		t.Errorf("%s", s)
	}
}

func TestParse(t *testing.T) {
	key := &Codec{Kind: Key, Item: &Codec{Kind: U1}, Count: 3}
	texts := &Codec{Kind: Vector, Item: &Codec{Kind: Text}, Size: 3}
	for _, x := range []struct {
		c    *Codec
		s    string
		want string // of the cell; "" where it is refused
	}{
		{key, "red", "2"}, {key, "3", "3"}, {key, "4", ""}, {key, "missing", "0"}, {&Codec{Kind: Bool}, "true", "true"}, {&Codec{Kind: Bool}, "perhaps", ""},
		{&Codec{Kind: R4}, "missing", "NaN"}, {&Codec{Kind: I1}, "200", ""}, {texts, `["a, b", "", c]`, "[a, b, , c]"}, {texts, `{1: "x"}`, "{1: x}"}, {texts, "[a]", ""},
		{texts, `{1: "} of 2"} of 3`, "{1: } of 2}"}, {texts, `{1: "x"} of 2`, ""}, {texts, `{0: "} of 2"}`, "{0: } of 2}"},
		{&Codec{Kind: Vector, Item: &Codec{Kind: R4}}, "[1, 2.5]", "[1, 2.5]"}, {&Codec{Kind: Vector, Item: &Codec{Kind: R4}}, "1, 2", ""},
	} {
		v, err := x.c.Parse(x.s, false, Names{"blue", "red", "green"}, Raw{})
		if err != nil {
			if x.want != "" {
				t.Errorf("%s: %q: %v", x.c, x.s, err)
			}
			continue
		}
		b, err := Encode(x.c, []Raw{v})
		if err != nil {
			t.Fatal(err)
		}
		cell := Read(x.c, b, 1).Cell(0)
		if got := cell.String(); got != x.want {
			t.Errorf("%s: %q is %q, want %q", x.c, x.s, got, x.want)
		}
	}
}

// What .NET refuses has an issue: minutes beside a missing time, and a length of vectors that only what follows tells to be wrong.
func TestRefused(t *testing.T) {
	zone := &Codec{Kind: DateZone}
	b, err := Encode(zone, []Raw{{B: []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}})
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint16(b, 1)
	binary.LittleEndian.PutUint64(b[2:], 1<<63)
	open := &Codec{Kind: Vector, Item: &Codec{Kind: R4}}
	values := Raw{List: &List{Len: 2, Items: []Raw{{B: []byte{0, 0, 0, 1}}, {B: []byte{0, 0, 0, 2}}}}}
	v, err := Encode(open, []Raw{values, {List: &List{Len: 1, Items: values.List.Items[:1]}}})
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(v[4:], 1<<31-1)
	for _, x := range []struct {
		c    *Codec
		b    []byte
		n    int64
		want Problem
	}{{zone, b, 1, ZoneRange}, {open, v, 2, VectorSize}} {
		found := map[Problem]bool{}
		Read(x.c, x.b, x.n).Check(Options{}, func(i Issue) { found[i.Problem] = true })
		if !found[x.want] {
			t.Errorf("%s: found %v, want problem %d", x.c, found, x.want)
		}
	}
}

// Half a character at the end of a block's text is none for .NET, which waits for the rest of it; one in the middle is.
func TestHalfAtEnd(t *testing.T) {
	c := &Codec{Name: "TextSpan", Kind: Text}
	for text, wrong := range map[string]bool{"ab\xf3": true, "ab\xe2\x82": true, "ab\xf3c": false, "ab\xff": false, "ab€": false} {
		b, err := Encode(c, []Raw{{B: []byte(text)}})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		Read(c, b, 1).Check(Options{}, func(i Issue) { found = found || i.Problem == TextEnd })
		if found != wrong {
			t.Errorf("%q: a text of another length than its bound: %v", text, found)
		}
	}
}

// Ends of texts that count bytes of UTF-8 can be counted again in UTF-16 units; ends that are right, or are inside a character, are not.
func TestInUnits(t *testing.T) {
	c := &Codec{Name: "TextSpan", Kind: Text}
	right, err := Encode(c, []Raw{{B: []byte("Zürich")}, {B: []byte("a😀")}, {Missing: true}, {B: []byte("b")}})
	if err != nil {
		t.Fatal(err)
	}
	k := Read(c, right, 4)
	wrong := bytes.Clone(right)
	for i, n := range []uint32{7, 12, 12 | 1<<31, 13} {
		binary.LittleEndian.PutUint32(wrong[k.txt.boundAt+4*int64(i):], n)
	}
	if got := Read(c, wrong, 4).InUnits(); !bytes.Equal(got, right) || k.InUnits() != nil {
		t.Errorf("% x, not % x", got, right)
	}
	if binary.LittleEndian.PutUint32(wrong[k.txt.boundAt:], 2); Read(c, wrong, 4).InUnits() != nil {
		t.Error("an end inside a character is taken for one in bytes")
	}
}
