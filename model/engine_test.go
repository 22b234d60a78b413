package model

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// The toy format of these tests: magic, version, a count of names, names with u16 lengths, an offset to a deflated block with
// its length and CRC-32 (over the encoded bytes), and rows of 6 bytes up to the end.
var (
	toyMagic = &Field{Name: "magic", Codec: TextOf(4, 0), Check: func(v Value) string {
		if v.Text() != "TOY!" {
			return "TOY!"
		}
		return ""
	}}
	toyCount  = &Field{Name: "count", Codec: U16LE}
	toyOffset = &Field{Name: "offset", Codec: U32LE}
	toyLength = &Field{Name: "length", Codec: U32LE}
	toyCRC    = &Field{Name: "crc", Codec: U32LE}
	toyNames  = &Field{Name: "names"}
	toyLen    = &Field{Name: "len", Codec: U16LE}
	toyText   = &Field{Name: "text", Codec: UTF8}
	toyRows   = &Field{Name: "rows"}
	toyRow    = NewRecord(&Field{Name: "a", Codec: U16LE}, &Field{Name: "b", Codec: I32LE})
	toyData   = &Field{Name: "data", Codec: RawBytes}
	toyBody   = &Field{Name: "body"}
	toyWord   = &Field{Name: "word", Codec: U32LE}
	toyWords  = &Field{Name: "words"}
	toy       = &Format{Name: "toy", Parse: toyParse}
)

var inflate = &Transform{Name: "deflate",
	Decode: func(_ context.Context, in []byte, limit int64) ([]byte, error) {
		return io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(in)), limit))
	},
	Encode: func(_ context.Context, out []byte) ([]byte, error) { return deflate(out), nil },
}

func deflate(b []byte) []byte {
	var z bytes.Buffer
	w, _ := flate.NewWriter(&z, 6)
	w.Write(b)
	w.Close()
	return z.Bytes()
}

func toyParse(c *Cursor) {
	c.Field(toyMagic)
	n := c.Field(toyCount)
	off, length, crc := c.Field(toyOffset), c.Field(toyLength), c.Field(toyCRC)
	names := c.List(toyNames, func(c *Cursor) {
		for range n.Uint() {
			c.Struct(toyText, func(c *Cursor) {
				l := c.Field(toyLen)
				c.LengthOf(l, c.FieldN(toyText, l.Int()))
			})
		}
	})
	c.CountOf(n, names)
	c.At(off.Int(), func(c *Cursor) {
		data := c.FieldN(toyData, length.Int())
		c.OffsetOf(off, data)
		c.LengthOf(length, data)
		c.ChecksumOf(crc, CRC32, data)
		c.Derive(toyBody, Derived{Transform: inflate, From: data, Size: -1, Body: func(c *Cursor) {
			c.Elements(toyWords, toyWord, c.Left()/4)
		}})
	})
	rows := c.Left()
	if o := off.Int(); o >= c.Pos() && o-c.Pos() < rows {
		rows = o - c.Pos()
	}
	c.Array(toyRows, toyRow, rows/6)
}

func toyFile(names ...string) []byte {
	var head, words []byte
	for i := range 40 {
		words = binary.LittleEndian.AppendUint32(words, uint32(i*i))
	}
	for _, n := range names {
		head = binary.LittleEndian.AppendUint16(head, uint16(len(n)))
		head = append(head, n...)
	}
	rows := bytes.Repeat([]byte{1, 0, 2, 0, 0, 0}, 10)
	z := deflate(words)
	h := CRC32.New()
	h.Write(z)
	b := append([]byte("TOY!"), byte(len(names)), 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(18+len(head)+len(rows)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(z)))
	b = binary.LittleEndian.AppendUint32(b, uint32(CRC32.Value(h).Uint()))
	return append(append(append(b, head...), rows...), z...)
}

func parseBytes(t testing.TB, f *Format, b []byte) *Tree {
	t.Helper()
	d, err := OpenBytes(context.Background(), "x", b, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	return d.Tree
}

// checkTiles opens everything and fails unless the leaves of each space cover it exactly once.
func checkTiles(t testing.TB, tree *Tree) {
	t.Helper()
	at := map[SpaceID]int64{}
	var walk func(s *Span)
	walk = func(s *Span) {
		if err := tree.Open(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		for i := range s.Count() {
			k := s.Child(i)
			if k.Parent() != s {
				t.Fatalf("%s: wrong parent", k.Path())
			}
			walk(k)
		}
		if r := s.Range; s.Shape == Leaf && r.Len > 0 {
			if at[r.Space] != r.Off {
				t.Fatalf("%s starts at 0x%x, the one before ends at 0x%x", s.Path(), r.Off, at[r.Space])
			}
			at[r.Space] = r.End()
		}
	}
	walk(tree.Root)
	for _, s := range tree.Spaces() {
		size, err := tree.Size(context.Background(), s.ID)
		if err == nil && at[s.ID] != size {
			t.Fatalf("space %d is covered to 0x%x of 0x%x", s.ID, at[s.ID], size)
		}
	}
}

func TestParseToy(t *testing.T) {
	ctx := context.Background()
	tree := parseBytes(t, toy, toyFile("one", "two", "three"))
	checkTiles(t, tree)
	if f, _ := tree.Findings(); len(f) > 0 {
		t.Fatalf("%+v", f[0])
	}
	for path, want := range map[string]string{"names[2]/text": "three", "rows[9]/b": "2", "body/words[39]": "1521", "count": "3"} {
		s, err := tree.Find(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		if s.Path() != path {
			t.Errorf("path %s of %s", s.Path(), path)
		}
		if v, _ := tree.Value(ctx, s); v.String() != want {
			t.Errorf("%s = %s, want %s", path, v, want)
		}
		if got := tree.At(s.Range.Space, s.Range.Off); got.Path() != path {
			t.Errorf("At(%s) = %s", path, got.Path())
		}
	}
	if err := tree.CheckSums(ctx); err != nil {
		t.Fatal(err)
	}
	if f, _ := tree.Findings(); len(f) > 0 {
		t.Fatalf("checksum: %+v", f[0])
	}
}

func TestDamage(t *testing.T) {
	good := toyFile("one", "two", "three")
	rules := func(b []byte) string {
		tree := parseBytes(t, toy, b)
		checkTiles(t, tree)
		tree.CheckSums(context.Background())
		var ids []string
		f, _ := tree.Findings()
		for _, d := range f {
			ids = append(ids, d.Rule.ID+"@"+d.Path())
		}
		return strings.Join(ids, " ")
	}
	patch := func(off int, b byte) []byte {
		c := bytes.Clone(good)
		c[off] = b
		return c
	}
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"magic", patch(0, 'X'), "model.value@magic"},
		{"checksum", patch(14, good[14]^1), "model.checksum@crc"},
		{"offset outside", patch(9, 0x7f), "model.link@"},
		{"empty", nil, "model.truncated@"},
		{"cut in a name", good[:25], "model.truncated@names[1]"},
	} {
		if got := rules(c.b); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range len(good) {
		rules(good[:i])
	}
	for range 3000 {
		b := bytes.Clone(good)
		for range 1 + rnd.IntN(4) {
			b[rnd.IntN(len(b))] = byte(rnd.Uint32())
		}
		if got := rules(b); strings.Contains(got, "internal") {
			t.Fatalf("%x: %s", b, got)
		}
	}
}

func TestSequence(t *testing.T) {
	f := &Format{Name: "seq", Parse: func(c *Cursor) {
		c.Sequence(toyNames, toyText, c.Left(), func(c *Cursor) {
			n := c.Field(toyLen)
			if n.Uint() == 0xffff {
				c.End()
			}
			c.FieldN(toyText, n.Int())
		})
	}}
	var b []byte
	for i := range 100_000 {
		s := fmt.Sprint(i)
		b = append(binary.LittleEndian.AppendUint16(b, uint16(len(s))), s...)
	}
	tree := parseBytes(t, f, append(b, 0xff, 0xff, 7))
	s, err := tree.Find(context.Background(), "names[77777]/text")
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := tree.Value(context.Background(), s); v.Text() != "77777" {
		t.Errorf("got %s", v)
	}
	names := tree.Root.Child(0)
	if names.elements() != 100_000 || names.Child(100_000).State != Gap {
		t.Errorf("%d elements, then %v", names.elements(), names.Child(100_000).State)
	}
}

// An element that breaks a rule says so though no one looked at it, once, however often the sequence is read.
func TestSequenceReports(t *testing.T) {
	odd := &Rule{ID: "odd", Severity: Warning}
	checked := &Field{Name: "mark", Codec: U8, Rule: odd, Check: func(v Value) string {
		if v.Uint() == 9 {
			return "not 9"
		}
		return ""
	}}
	f := &Format{Name: "seq", Parse: func(c *Cursor) {
		c.Sequence(toyNames, toyText, c.Left(), func(c *Cursor) {
			c.Field(checked)
			if v := c.Field(toyLen); v.Uint() == 7 {
				c.Report(Finding{Rule: odd, Span: v.Span, Found: "7"})
			}
		})
	}}
	b := make([]byte, 3*10_000)
	b[3*5000], b[3*8000+1] = 9, 7
	tree := parseBytes(t, f, b)
	for range 2 {
		if err := tree.Walk(context.Background(), tree.Root, 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	found, _ := tree.Findings()
	if len(found) != 2 || found[0].Path() != "names[5000]/mark" || found[1].Path() != "names[8000]/len" {
		t.Errorf("%d findings: %v", len(found), found)
	}
}

// TestLazyArray checks that an array costs nothing before it is looked at.
func TestLazyArray(t *testing.T) {
	const n = 1 << 30
	c := NewContent(fill{0, n * 6})
	f := &Format{Parse: func(c *Cursor) { c.Array(toyRows, toyRow, c.Left()/6) }}
	allocs := testing.AllocsPerRun(1, func() {
		tree := Parse(context.Background(), &Snapshot{Primary: "x", edited: map[string]*Content{"x": c}}, f)
		if s := tree.At(0, n*6-1); s.Path() != fmt.Sprintf("rows[%d]/b", n-1) {
			t.Errorf("last byte is %s", s.Path())
		}
	})
	if allocs > 100 {
		t.Errorf("%v allocations", allocs)
	}
}

func TestDump(t *testing.T) {
	tree := parseBytes(t, toy, toyFile("one"))
	var b bytes.Buffer
	if err := tree.Dump(context.Background(), &b, tree.Root, DumpOptions{JSON: true, Depth: -1, Elements: -1, All: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"kind":"span","path":"names[0]/text","file":"x","space":"file","offset":20,"length":3,"type":"utf8","value":"one","state":"ok","children":0}`,
		`{"kind":"span","path":"body/words[2]","file":"x","space":"data","offset":8,"length":4,"type":"u32","endian":"le","value":4,"state":"ok","children":0}`,
	} {
		if !strings.Contains(b.String(), want+"\n") {
			t.Errorf("no line %s in\n%s", want, b.String())
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	tree := parseBytes(t, toy, toyFile("one"))
	n := 0
	err := tree.Stream(ctx, tree.Root.Range, 1, func(int64, []byte) error { n++; time.Sleep(time.Millisecond); return nil })
	if err == nil || n > 20 {
		t.Errorf("%d steps after cancel: %v", n, err)
	}
}

// TestResync checks that one wrong length does not swallow the rest: records are found again by their tag and check byte.
func TestResync(t *testing.T) {
	tag, length := &Field{Name: "tag", Codec: TextOf(2, 0)}, &Field{Name: "length", Codec: U8}
	record := func(n int) []byte { return append([]byte{'R', ':', byte(n), byte(n) ^ 0xff}, make([]byte, n)...) }
	plausible := func(b []byte) int {
		for i := 0; i+4 <= len(b); i++ {
			if b[i] == 'R' && b[i+1] == ':' && b[i+2]^b[i+3] == 0xff {
				return i
			}
		}
		return -1
	}
	f := &Format{Parse: func(c *Cursor) {
		c.List(toyNames, func(c *Cursor) {
			for c.More() {
				if plausible(c.Peek(4)) != 0 && !c.Resync(plausible) {
					return
				}
				c.Struct(toyText, func(c *Cursor) {
					c.Field(tag)
					n := c.Field(length)
					c.Field(&Field{Name: "check", Codec: U8})
					c.FieldN(toyData, n.Int())
				})
			}
		})
	}}
	var b []byte
	for i := range 20 {
		b = append(b, record(i)...)
	}
	at := len(b)
	b = append(b, record(9)...)
	b[at+2] = 200 // the check byte gives it away
	b = append(b, record(3)...)
	tree := parseBytes(t, f, b)
	checkTiles(t, tree)
	names := tree.Root.Child(0)
	if names.elements() != 21 || names.Child(20).State != Bad || names.Child(20).Range.Len != 13 {
		t.Errorf("%d records, then %v of %d bytes", names.elements(), names.Child(20).State, names.Child(20).Range.Len)
	}
	if s, err := tree.Find(bg, "names[20]/length"); err != nil {
		t.Error(err)
	} else if v, _ := tree.Value(bg, s); v.Uint() != 3 {
		t.Errorf("the record behind the damage says %s", v)
	}
}
