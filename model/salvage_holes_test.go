package model

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
)

func always(string, []byte, []byte, int64) (Confidence, string) { return 90, "" }

// A salvage moves zeros off the sectors that they fill in the damaged document. They are in doubt wherever it got them from, in each part that was saved,
// and in no other.
func TestSalvagedHole(t *testing.T) {
	const part = 1100
	rules := NewRules("PRT")
	bad := rules.Error(1, "a part is bad", "it is", "1")
	file := func(parts string, from, to int) []byte {
		var b []byte
		for i := range len(parts) {
			b = append(b, bytes.Repeat([]byte(parts[i:i+1]), part)...)
		}
		clear(b[from:to])
		return b
	}
	for name, x := range map[string]struct {
		parts    string // x: bad
		from, to int
		want     string
	}{
		"none":                {"xabc", 0, 0, ""},
		"in a saved part":     {"xabc", 2560, 3072, "512 bytes at 0xa00 are zero and fill whole disk sectors: the data there may be lost (b)"},
		"in two saved parts":  {"xabc", 1536, 2560, "1,024 bytes at 0x600 are zero and fill whole disk sectors: the data there may be lost (a, b)"},
		"in a lost part":      {"axbc", 1536, 2048, ""},
		"in a lost part, too": {"axbc", 1536, 2560, "1,024 bytes at 0x600 are zero and fill whole disk sectors: the data there may be lost (b)"},
	} {
		b := file(x.parts, x.from, x.to)
		good := func(i int) bool { return x.parts[i] != 'x' }
		for how, make := range map[string]func(t *Tree) Source{
			"ranges": func(t *Tree) Source {
				out := &Joined{}
				for i := range x.parts {
					if good(i) {
						out.Add(t.Slice(bg, Range{t.Root.Range.Space, int64(i) * part, part}))
					}
				}
				return out
			},
			"cut": func(t *Tree) Source {
				c, _ := t.Snapshot.Content("f")
				for i := len(x.parts) - 1; i >= 0; i-- {
					if !good(i) {
						c = c.Splice(int64(i)*part, part, nil)
					}
				}
				return c
			},
			"copies": func(*Tree) Source {
				out := bytes.Clone(b)
				for i := len(x.parts) - 1; i >= 0; i-- {
					if !good(i) {
						out = slices.Delete(out, i*part, (i+1)*part)
					}
				}
				return Memory(out)
			},
		} {
			f := &Format{Name: "prt", Title: "Parts", Rules: rules,
				Detect: always,
				Parse: func(c *Cursor) { // of the salvaged document the names are wrong
					for i := range int(c.Size() / part) {
						is := string(c.Peek(1))
						if n := c.FieldN(&Field{Name: x.parts[i : i+1], Codec: RawBytes}, part); is == "x" {
							c.Wrong(bad, n, nil, nil)
						}
					}
				},
				Salvage: func(_ context.Context, t *Tree) (*Salvaged, error) {
					return &Salvaged{Files: map[string]Source{"f": make(t)}, Parts: []SalvagedPart{{What: "parts", Saved: 3, Of: 4}}}, nil
				}}
			d, err := OpenBytes(bg, "f", b, []*Format{f}, nil)
			if err != nil {
				t.Fatal(err)
			}
			s, err := Salvage(bg, d.Tree)
			var want []string
			if x.want != "" {
				want = []string{x.want}
			}
			if err != nil || !slices.Equal(s.Doubts, want) || s.Valid() != (want == nil) {
				t.Errorf("%s, by %s: %v, %v", name, how, s, err)
			}
		}
	}
}

// If encoded bytes do not decode, none of their zeros are saved.
func TestUndecodedHoleIsLost(t *testing.T) {
	zeros := bytes.Repeat([]byte{1}, 2400)
	clear(zeros[1024:1536])
	fails := &Transform{Name: "never", Decode: func(context.Context, []byte, int64) ([]byte, error) { return nil, errors.New("damaged") }}
	tree := func(decode *Transform) *Tree {
		f := &Format{Name: "enc", Detect: always, Parse: func(c *Cursor) {
			c.Derive(&Field{Name: "content"}, Derived{Transform: decode, From: c.Rest(&Field{Name: "raw", Codec: RawBytes}), Size: c.Size(),
				Body: func(c *Cursor) { c.Rest(&Field{Name: "values", Codec: RawBytes}) }})
		}}
		d, err := OpenBytes(bg, "f", zeros, []*Format{f}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return d.Tree
	}
	copied := &Salvaged{Files: map[string]Source{"f": Memory(zeros)}}
	if said, err := copied.holes(bg, tree(Identity)); err != nil || len(said) != 1 {
		t.Errorf("stored: %q, %v", said, err)
	}
	if said, err := copied.holes(bg, tree(fails)); err != nil || len(said) != 0 {
		t.Errorf("not decoded: %q, %v", said, err)
	}
}
