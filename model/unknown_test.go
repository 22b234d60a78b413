package model

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// Of bytes behind a limit of the program nothing is known: no finding comes from them but one note, no link is judged, and they are not
// written back.
func TestUnchecked(t *testing.T) {
	was := DecodedBudget()
	t.Cleanup(func() { SetCacheBudget(was) })
	SetCacheBudget(1 << 10)
	const size = 1 << 20
	zeros := &Transform{Name: "zeros",
		Decode: func(_ context.Context, in []byte, limit int64) ([]byte, error) {
			out := make([]byte, min(limit, size))
			if limit < size {
				return out, errors.New("there is more")
			}
			return out, nil
		},
		Encode: func(_ context.Context, out []byte) ([]byte, error) { return out[:3], nil }}
	for _, declared := range []int64{size, -1} {
		f := &Format{Name: "toy", Parse: func(c *Cursor) {
			raw := c.FieldN(anyText, 3)
			in := c.Derive(anyList, Derived{Transform: zeros, From: raw, Size: declared, Body: func(c *Cursor) {
				c.Wrong(tooLong, c.Span(), c.Left(), size)
				c.FieldN(anyText, size)
			}, Fail: func(error) Finding { return Wrong(tooMany, c.Span(), nil, nil) }})
			c.LengthOf(c.Field(anyByte), in).When(declared >= 0)
		}}
		d, err := OpenBytes(bg, "x", []byte("abc\x09"), nil, f)
		if err != nil {
			t.Fatal(err)
		}
		in := d.Tree.Root.Child(2)
		if in.Range.Space == 0 {
			in = d.Tree.Root.Child(1)
		}
		if err := d.Tree.Open(bg, in); err != nil {
			t.Fatal(err)
		}
		found, _ := d.Tree.Findings()
		if len(found) > 0 && found[0].Rule == RuleLink && declared >= 0 {
			found = found[1:] // of the field, which was compared before anything was decoded
		}
		if len(found) != 1 || found[0].Rule != RuleCap || found[0].Grade() != Note || !strings.Contains(found[0].Text(), RaiseLimit) {
			t.Errorf("declared %d: %+v", declared, found)
		}
		for r, want := range map[Range]bool{{in.Range.Space, 0, 1}: true, {0, 1, 1}: true, {0, 3, 1}: false} {
			if d.Tree.Unknown(r) != want {
				t.Errorf("%v: unknown is %v", r, !want)
			}
		}
		if _, err := d.Plan(bg, "edit", Replace(Range{in.Range.Space, 0, 1}, []byte{1})); err == nil || !IsUnchecked(err) {
			t.Errorf("declared %d: an edit loses what was not decoded: %v", declared, err)
		}
	}
}

// After an interruption no link is judged: a target may be unread. The next check does it.
func TestLinkAfterInterruption(t *testing.T) {
	d, err := OpenBytes(bg, "x", []byte("abc\x09"), nil, &Format{Name: "toy", Parse: func(c *Cursor) { c.FieldN(anyText, 3); c.Field(anyByte) }})
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{Kind: LengthLink, Field: d.Tree.Root.Child(1), Targets: []*Span{d.Tree.Root.Child(0)}, Unit: 1}
	ended, end := context.WithCancel(bg)
	end()
	for i, ctx := range []context.Context{ended, bg, bg} {
		l.check(ctx, d.Tree)
		if found, _ := d.Tree.Findings(); len(found) != min(i, 1) {
			t.Errorf("check %d: %v", i, found)
		}
	}
}

// What a reading that was interrupted declares of a derived space is not kept: its next reading is the one that counts.
func TestDerivedAfterInterruption(t *testing.T) {
	copied := &Transform{Name: "copy", Decode: func(_ context.Context, in []byte, _ int64) ([]byte, error) { return in, nil }}
	f := &Format{Name: "toy", Parse: func(c *Cursor) {
		c.Frame(&Field{Name: "frame"}, 4, func(c *Cursor) {
			raw, n := c.FieldN(anyText, 3), int64(3)
			if c.Context().Err() != nil {
				n = -1
			}
			size := c.Field(anyByte)
			c.LengthOf(size, c.Derive(&Field{Name: "payload"}, Derived{Transform: copied, From: raw, Size: n, Body: func(c *Cursor) { c.Rest(anyText) }}))
		})
	}}
	d, err := OpenBytes(bg, "x", []byte("abc\x03"), nil, f)
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(bg)
	end()
	for _, ctx := range []context.Context{ended, bg} {
		d.Tree.Open(ctx, d.Tree.Root.Child(0))
	}
	d.Tree.checkLinks(bg)
	if found, _ := d.Tree.Findings(); len(found) > 0 || d.Tree.Root.Child(0).Count() != 3 {
		t.Errorf("%d children, %v", d.Tree.Root.Child(0).Count(), found)
	}
}

// TestUnknownAmongMany: whether a range is known is asked for every member of an archive, so the answer does not list all spaces.
func TestUnknownAmongMany(t *testing.T) {
	tree := &Tree{}
	for range 3 {
		tree.addSpace(&Space{File: "a"})
	}
	if n := testing.AllocsPerRun(10, func() { tree.Unknown(Range{}) }); n > 0 {
		t.Errorf("%.0f allocations", n)
	}
}
