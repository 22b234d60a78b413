package model

import (
	"context"
	"errors"
	"testing"
)

var reported = &Rule{ID: "toy.reported", Title: "something is wrong", Severity: Warning}

// What is said of a place comes from the place: the value of a field, the range of some bytes, the frame when nothing is named.
func TestWrong(t *testing.T) {
	count := &Field{Name: "count", Codec: U8}
	tree := parseBytes(t, &Format{Parse: func(c *Cursor) {
		n := c.Field(count)
		c.Wrong(reported, n, nil, U(2))
		c.Wrong(reported, n, nil, 2, Doubtful, Graded(Note), Saying("%d is odd", 7))
		c.Wrong(reported, c.Range(1, 2), []byte{8, 9}, "no bytes", Beside(n, c.Range(2, 1)))
		c.Wrong(reported, nil, errors.New("late"), nil, Saying("100%%"), About(42))
		c.Wrong(reported, Spot{n.Span, c.Range(2, 1)}, S("bad \xff"), nil)
	}}, []byte{7, 8, 9})
	found, _ := tree.Findings()
	if len(found) != 5 {
		t.Fatalf("%d findings", len(found))
	}
	first, second, third, fourth, fifth := &found[0], &found[1], &found[2], &found[3], &found[4]
	if first.Path() != "count" || first.Found != "7" || first.Expected != "2" || first.Grade() != Warning || first.Text() != reported.Title {
		t.Errorf("%+v", first)
	}
	if fixes := tree.Fixes(bg, first); len(fixes) != 1 || !fixes[0].Safe || fixes[0].Label != "set count to 2" {
		t.Errorf("a wanted value offers %+v", fixes)
	}
	if fixes := tree.Fixes(bg, second); len(fixes) != 0 || second.Grade() != Note || second.Text() != "7 is odd" || second.Expected != "2" {
		t.Errorf("%+v offers %+v", second, fixes)
	}
	if third.Where() != (Range{0, 1, 2}) || third.Span != tree.Root || third.Found != "08 09" || len(third.Related) != 2 || third.Related[0] != (Range{0, 0, 1}) {
		t.Errorf("%+v", third)
	}
	if fourth.Found != "late" || fourth.Text() != "100%" || fourth.About != 42 || fourth.Span != tree.Root {
		t.Errorf("%+v", fourth)
	}
	if fifth.Path() != "count" || fifth.Where() != (Range{0, 2, 1}) {
		t.Errorf("%+v", fifth)
	}
}

// Who watches hears of what is wrong with the bytes, and not of what only newer readers mind.
func TestWatched(t *testing.T) {
	count := &Field{Name: "count", Codec: U8}
	f := &Format{Parse: func(c *Cursor) {
		n := c.Field(count)
		c.Wrong(reported, n, nil, nil)
		c.Wrong(reported, n, nil, nil, ForNewer)
	}}
	heard := 0
	snap := parseBytes(t, f, []byte{7}).Snapshot
	tree := ParseWatched(bg, snap, f, func(_ Severity, n int) { heard += n })
	if found, _ := tree.Findings(); heard != 1 || len(found) != 2 {
		t.Errorf("heard of %d of %d findings", heard, len(found))
	}
}

// A format offers repairs by rule, beside the value that follows; what does not fit is not offered, and what loses something is
// never safe.
func TestFixes(t *testing.T) {
	count := &Field{Name: "count", Codec: U8}
	f := &Format{Name: "toy", Repairs: map[*Rule]Repairer{reported: func(_ context.Context, _ *Tree, f *Finding) []Fix {
		return []Fix{{Label: "drop it", Safe: true, Loses: "1 count"}, {Label: f.About.(string)}}
	}}}
	f.Parse = func(c *Cursor) {
		n := c.Field(count)
		c.Wrong(reported, n, nil, U(300), About("ask"))
		c.Wrong(reported, n, nil, U(3), Doubtful, About("ask"))
	}
	tree := parseBytes(t, f, []byte{7})
	found, _ := tree.Findings()
	labels := func(f *Finding) (out string) {
		fixes := tree.Fixes(bg, f)
		for _, x := range fixes {
			out += x.Label + ";"
		}
		if s := tree.Safe(f, fixes); s != nil {
			t.Errorf("%q is safe", s.Label)
		}
		return out
	}
	if got := labels(&found[0]); got != "drop it;ask;" {
		t.Errorf("offered %q", got)
	}
	if got := labels(&found[1]); got != "set count to 3;drop it;ask;" {
		t.Errorf("offered %q", got)
	}
}
