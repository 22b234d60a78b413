package model

import (
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestRows opens and closes random branches and compares every row, both ways, with a walk over the tree.
func TestRows(t *testing.T) {
	tree := parseBytes(t, toy, toyFile("one", "two", "three"))
	checkTiles(t, tree) // opens every lazy span
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		rows, open := NewRows(tree), map[string]bool{}
		for range 40 {
			row := rnd.Int64N(rows.Len())
			at, _ := rows.At(row)
			if at.Open {
				rows.Close(row)
				for p := range open { // what was open below is forgotten
					if p == at.Span.Path() || strings.HasPrefix(p, at.Span.Path()+"/") || strings.HasPrefix(p, at.Span.Path()+"[") {
						delete(open, p)
					}
				}
			} else if at.Span.Count() > 0 {
				rows.Open(row)
				open[at.Span.Path()] = true
			}
		}
		var want []string
		var walk func(s *Span, depth int)
		walk = func(s *Span, depth int) {
			for i := range s.Count() {
				k := s.Child(i)
				want = append(want, k.Path())
				if open[k.Path()] {
					walk(k, depth+1)
				}
			}
		}
		walk(tree.Root, 0)
		if rows.Len() != int64(len(want)) {
			t.Fatalf("%d rows, want %d", rows.Len(), len(want))
		}
		for i, path := range want {
			at, ok := rows.At(int64(i))
			if !ok || at.Span.Path() != path || at.Open != open[path] {
				t.Fatalf("row %d is %s, want %s", i, at.Span.Path(), path)
			}
			if back, ok := rows.RowOf(at.Span); !ok || back != int64(i) {
				t.Fatalf("%s is row %d, want %d", path, back, i)
			}
		}
	}
}

func TestRowsOfABillion(t *testing.T) {
	const n = 1 << 30
	f := &Format{Parse: func(c *Cursor) { c.Array(toyRows, toyRow, c.Left()/6) }}
	tree := Parse(bg, &Snapshot{Primary: "x", edited: map[string]*Content{"x": NewContent(fill{0, n * 6})}}, f)
	rows := NewRows(tree)
	if rows.Open(0) != n {
		t.Fatal("not all rows were added")
	}
	last := tree.At(0, n*6-1)
	if row := rows.Reveal(last); row != rows.Len()-1 {
		t.Errorf("the last field is row %d of %d", row, rows.Len())
	}
	moved := rows.Moved(bg, tree)
	if moved.Len() != rows.Len() {
		t.Errorf("%d rows after parsing again, want %d", moved.Len(), rows.Len())
	}
}

func TestSearch(t *testing.T) {
	b := []byte(strings.Repeat("-", 3*searchStep))
	copy(b[searchStep-3:], "Needle")
	copy(b[2*searchStep+10:], "needle")
	tree := parseBytes(t, &Format{Parse: func(*Cursor) {}}, b)
	hex, err := HexQuery("4e ?? 65 64 6c 65")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		q    Query
		from int64
		back bool
		want int64
	}{
		{TextQuery("needle", false), 0, false, 2*searchStep + 10},
		{TextQuery("needle", true), 0, false, searchStep - 3},
		{TextQuery("NEEDLE", true), searchStep, false, 2*searchStep + 10},
		{TextQuery("needle", true), 3 * searchStep, true, 2*searchStep + 10},
		{TextQuery("needle", true), 2*searchStep + 10, true, searchStep - 3},
		{hex, 0, false, searchStep - 3},
		{TextQuery("absent", false), 0, false, -1},
		{TextQuery("Needle", false), searchStep - 3, true, -1},
	} {
		got, err := tree.Search(bg, 0, c.q, c.from, c.back, nil)
		if c.want < 0 && err != io.EOF || c.want >= 0 && (err != nil || got.Off != c.want) {
			t.Errorf("%q from %d back %v: 0x%x, %v, want 0x%x", c.q.pattern, c.from, c.back, got.Off, err, c.want)
		}
	}
}

// Elements of a sequence are made when someone asks for them: a span found by its offset is not the object that a row holds.
func TestRowsRevealInsideSequence(t *testing.T) {
	size, data, word := &Field{Name: "size", Codec: U8}, &Field{Name: "data"}, &Field{Name: "word", Codec: U16LE}
	f := &Format{Name: "seq", Parse: func(c *Cursor) {
		c.Sequence(&Field{Name: "items"}, &Field{Name: "item"}, c.Left(), func(c *Cursor) {
			n := c.Field(size)
			c.Frame(data, n.Int(), func(c *Cursor) {
				for c.More() {
					c.Field(word)
				}
			})
		})
	}}
	var b []byte
	for range 1000 {
		b = append(b, 4, 1, 2, 3, 4)
	}
	d, err := OpenBytes(t.Context(), "x", b, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	rows := NewRows(d.Tree)
	for _, off := range []int64{4*5 + 3, 4 * 5, 999*5 + 2, 4*5 + 1} {
		s, err := d.Tree.AtOpen(t.Context(), 0, off)
		if err != nil {
			t.Fatal(err)
		}
		for range 300 { // others push the element out of what the sequence keeps
			d.Tree.At(0, (off*7+13)%int64(len(b)))
			off += 5
		}
		r, ok := rows.At(rows.Reveal(s))
		if !ok || r.Span.Path() != s.Path() {
			t.Errorf("%s is not revealed: %v", s.Path(), ok)
		}
	}
}
