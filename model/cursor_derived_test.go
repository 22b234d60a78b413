package model

import (
	"context"
	"io"
	"testing"
)

var (
	tooLong  = &Rule{ID: "toy.long", Title: "the length is more than there is", Severity: Error}
	tooMany  = &Rule{ID: "toy.many", Title: "the count is more than there is", Severity: Error}
	lenField = &Field{Name: "length", Codec: U8, Rule: tooLong}
	cntField = &Field{Name: "count", Codec: U8, Rule: tooMany}
	anyText  = &Field{Name: "text", Codec: UTF8}
	anyList  = &Field{Name: "list"}
	anyByte  = &Field{Name: "byte", Codec: U8}
)

// findings lists rule and path of everything that a parse of bytes reports.
func findings(t *testing.T, b []byte, parse func(*Cursor)) (out []string, tree *Tree) {
	t.Helper()
	tree = parseBytes(t, &Format{Name: "toy", Parse: parse}, b)
	checkTiles(t, tree)
	found, _ := tree.Findings()
	for i := range found {
		out = append(out, found[i].Rule.ID+" "+found[i].Path())
	}
	return out, tree
}

func TestPrefixed(t *testing.T) {
	parse := func(c *Cursor) {
		c.Prefixed(lenField, anyText)
		c.Field(anyByte)
	}
	if found, tree := findings(t, []byte("\x03abcd"), parse); found != nil || len(tree.Links()) != 1 {
		t.Errorf("%v, %d links", found, len(tree.Links()))
	}
	if found, _ := findings(t, []byte("\x09abcd"), parse); len(found) != 1 || found[0] != "toy.long length" {
		t.Errorf("too long: %v", found)
	}
}

// An edit of what is measured or counted moves the number with it.
func TestPrefixedIsLinked(t *testing.T) {
	f := &Format{Name: "toy", Parse: func(c *Cursor) {
		c.CountedBy(c.Field(cntField), anyList, 1, func(c *Cursor, _ int64) {
			c.Struct(anyText.Named("entry"), func(c *Cursor) { c.Prefixed(lenField, anyText) })
		})
	}}
	d, err := OpenBytes(bg, "x", []byte("\x02\x01a\x02bc"), nil, f)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Plan(bg, "longer", Set{Path: "list[0]/text", Value: S("long")}, Splice{Range: Range{0, 6, 0}, With: Memory([]byte("\x00")), Into: "list", Elements: 1})
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(bg, p, nil)
	if got := d.bytes(t); string(got) != "\x03\x04long\x02bc\x00" {
		t.Errorf("%q", got)
	}
	if found, _ := d.Tree.Findings(); len(found) != 0 {
		t.Errorf("%v", found)
	}
}

func TestCounted(t *testing.T) {
	one := func(c *Cursor) {
		c.CountedBy(c.Field(cntField), anyList, 1, func(c *Cursor, _ int64) { c.Field(anyByte) })
	}
	if found, tree := findings(t, []byte{3, 7, 8, 9}, one); found != nil || tree.Root.Get("list").Count() != 3 {
		t.Errorf("%v", found)
	}
	if found, tree := findings(t, []byte{200, 7, 8, 9}, one); len(found) != 1 || found[0] != "toy.many count" || tree.Root.Get("list").Count() != 3 {
		t.Errorf("too many: %v, %d elements", found, tree.Root.Get("list").Count())
	}
	elements := func(c *Cursor) { c.CountedElements(cntField, anyList, anyByte) }
	if found, tree := findings(t, []byte{3, 7, 8, 9}, elements); found != nil || len(tree.Links()) != 1 {
		t.Errorf("%v", found)
	}
	if found, _ := findings(t, []byte{4, 7, 8, 9}, elements); len(found) != 1 {
		t.Errorf("one too many: %v", found)
	}
}

// A count is checked when someone reads the list, not before.
func TestCountOfLazyList(t *testing.T) {
	parse := func(c *Cursor) {
		n := c.Field(cntField)
		c.CountOf(n, c.Sequence(anyList, anyByte.Named("e"), c.Left(), func(c *Cursor) { c.Field(anyByte) })).As(tooMany)
	}
	tree := parseBytes(t, &Format{Name: "toy", Parse: parse}, []byte{2, 1, 2, 3})
	if f, _ := tree.Findings(); len(f) != 0 {
		t.Fatalf("before it was read: %v", f)
	}
	if err := tree.Open(bg, tree.Root.Get("list")); err != nil {
		t.Fatal(err)
	}
	f, _ := tree.Findings()
	if len(f) != 1 || f[0].Rule != tooMany || f[0].Expected != "3" || !f[0].Want.Equal(U(3)) {
		t.Errorf("%+v", f)
	}
}

// A link that cannot be judged says nothing, and is laid out all the same.
func TestWhen(t *testing.T) {
	for _, judge := range []bool{true, false} {
		found, tree := findings(t, []byte("\x02abc"), func(c *Cursor) {
			n := c.Field(cntField)
			c.LengthOf(n, c.Rest(anyText)).As(tooLong).When(judge)
		})
		if (len(found) == 1) != judge || len(tree.Links()) != 1 {
			t.Errorf("%v: %v", judge, found)
		}
	}
}

// Reading ahead leaves nothing behind, also where the bytes do not fit.
func TestTry(t *testing.T) {
	shape := func(c *Cursor) {
		c.Prefixed(lenField, anyText)
		c.Field(&Field{Name: "end", Codec: U8, Check: Is(U(0))})
	}
	for b, want := range map[string]struct {
		n  int64
		ok bool
	}{"\x02ab\x00": {4, true}, "\x02ab\x01": {4, false}, "\x05ab\x00": {1, false}, "\x02ab": {3, false}} {
		found, tree := findings(t, []byte(b), func(c *Cursor) {
			if n, ok := c.Try(shape); n != want.n || ok != want.ok || c.Pos() != 0 {
				t.Errorf("%q: %d bytes, %v, then at %d", b, n, ok, c.Pos())
			}
			c.Rest(anyText)
		})
		if found != nil || tree.Root.Count() != 1 || len(tree.Links()) != 0 {
			t.Errorf("%q left %v, %d spans, %d links", b, found, tree.Root.Count(), len(tree.Links()))
		}
	}
}

// A range can be read as a stream, from anywhere in it, and as content after the reading has been cancelled.
func TestReader(t *testing.T) {
	d := openToy(t, toyFile("one"))
	ctx, cancel := context.WithCancel(bg)
	r := Range{0, 1, 5}
	want := string(toyFile("one")[1:6])
	if b, err := io.ReadAll(d.Tree.Reader(ctx, r)); string(b) != want || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	part := make([]byte, 9)
	if n, err := d.Tree.Reader(ctx, r).ReadAt(part, 2); string(part[:n]) != want[2:] || err != io.EOF {
		t.Errorf("%q, %v", part[:n], err)
	}
	s := d.Tree.Slice(ctx, r)
	cancel()
	if _, err := d.Tree.Reader(ctx, r).Read(part); err == nil {
		t.Error("a cancelled reader reads on")
	}
	if b, err := readAll(s); string(b) != want || err != nil {
		t.Errorf("slice %q, %v", b, err)
	}
}

func TestColumns(t *testing.T) {
	got := Columns("name utf8, row of b u64, mean f32[], ok bool")
	want := []Column{{Name: "name", Type: "utf8", Kind: Text}, {Name: "row of b", Type: "u64", Kind: Uint}, {Name: "mean", Type: "f32[]", Kind: Float}, {Name: "ok", Type: "bool", Kind: Bool}}
	for i := range want {
		if len(got) != len(want) || got[i].Name != want[i].Name || got[i].Type != want[i].Type || got[i].Kind != want[i].Kind {
			t.Errorf("%d: %+v", i, got)
		}
	}
	read := RowsOf(3, func(_ context.Context, i int64) (Row, error) { return Row{{Value: I(i)}}, nil })
	if rows, err := read(bg, 1, 9); err != nil || len(rows) != 2 || rows[1][0].Value.Int() != 2 {
		t.Errorf("%v, %v", rows, err)
	}
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if rows, err := read(ctx, 0, 3); err == nil || len(rows) != 0 {
		t.Errorf("cancelled: %v", rows)
	}
}

// What a format remembers is asked for by its type.
func TestStateOf(t *testing.T) {
	tree := &Tree{State: 7}
	if StateOf[int](tree) != 7 || StateOf[string](tree) != "" || StateOf[*Rule](tree) != nil {
		t.Error("the state is lost or mistaken")
	}
}

// Padding is as long as what it fills up and the unit need it: an edit of either moves what follows.
func TestAligned(t *testing.T) {
	f := &Format{Name: "toy", Parse: func(c *Cursor) {
		unit := c.Field(&Field{Name: "unit", Codec: U32BE})
		text := c.Struct(&Field{Name: "body"}, func(c *Cursor) { c.Prefixed(lenField, anyText) })
		c.Aligned(&Field{Name: "pad", Codec: RawBytes, Check: Zeros}, max(1, unit.Int()), unit, text)
		c.Field(&Field{Name: "end", Codec: U16LE, Check: Is(U(7))})
	}}
	for _, x := range []struct {
		path string
		to   Value
		want string
	}{
		{"unit", U(8), "\x00\x00\x00\x08\x03abc\x00\x00\x00\x00\x07\x00"},
		{"body/text", S("abcd"), "\x00\x00\x00\x04\x04abcd\x00\x00\x00\x07\x00"},
		{"body/text", S(""), "\x00\x00\x00\x04\x00\x00\x00\x00\x07\x00"},
		{"unit", U(1), "\x00\x00\x00\x01\x03abc\x07\x00"},
	} {
		d, err := OpenBytes(bg, "a", []byte("\x00\x00\x00\x04\x03abc\x07\x00"), nil, f)
		if err != nil {
			t.Fatal(err)
		}
		d.set(t, x.path, x.to)
		if got := string(d.bytes(t)); got != x.want {
			t.Errorf("%s = %s: %q, want %q", x.path, x.to, got, x.want)
		}
		d.sound(t)
	}
}

// The values of an array are those of its elements, as many as are asked for and are there.
func TestValues(t *testing.T) {
	var got []Value
	findings(t, []byte("\x03\x01\x00\x02\x00\x03\x00"), func(c *Cursor) {
		_, a := c.CountedElements(cntField, anyList, &Field{Name: "n", Codec: U16LE})
		got = c.Values(a, 2)
	})
	if len(got) != 2 || got[0].Uint() != 1 || got[1].Uint() != 2 {
		t.Errorf("%v", got)
	}
}

// The codec of a number with the high byte first differs in that alone.
func TestBigEndian(t *testing.T) {
	for le, be := range map[Codec]Codec{U16LE: U16BE, I64LE: I64BE, F32LE: F32BE, BF16LE: BF16BE, U8: U8, Bool8: Bool8, UTF8: UTF8} {
		if BigEndian(le) != be {
			t.Errorf("%s", le.Type())
		}
	}
}
