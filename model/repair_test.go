package model

import (
	"context"
	"errors"
	"testing"
)

// Repairs of errors come first; warnings of a file that keeps errors are left alone; what failed is tried again when another
// fix was made.
func TestRepairOrder(t *testing.T) {
	severe, mild := &Rule{ID: "severe", Severity: Error}, &Rule{ID: "mild", Severity: Warning}
	offer := func(label string) Repairer {
		return func(context.Context, *Tree, *Finding) []Fix { return []Fix{{Label: label, Safe: true}} }
	}
	f := &Format{Repairs: map[*Rule]Repairer{severe: offer("great"), mild: offer("small")}}
	tree := func(found ...Finding) *Tree {
		tr := &Tree{Format: f, Root: &Span{Field: &Field{}}, perRule: map[*Rule]int{}}
		for _, d := range found {
			tr.Report(d)
		}
		return tr
	}
	label := func(f *Fix) string {
		if f == nil {
			return ""
		}
		return f.Label
	}
	both := tree(Finding{Rule: mild}, Finding{Rule: severe})
	var run Repair
	if got := label(run.Next(bg, both)); got != "great" {
		t.Fatalf("first %q", got)
	}
	run.Done(errors.New("not now"))
	if got := label(run.Next(bg, both)); got != "" || run.Failed() == nil {
		t.Fatalf("%q beside an error that stays, %v", got, run.Failed())
	}
	left := tree(Finding{Rule: mild})
	if got := label(run.Next(bg, left)); got != "small" {
		t.Fatalf("then %q", got)
	}
	run.Done(nil)
	if got := label(run.Next(bg, both)); got != "great" {
		t.Fatalf("again %q", got)
	}
	run.Done(nil)
	if got := label(run.Next(bg, both)); got != "" || run.Made != 2 || run.Failed() != nil {
		t.Fatalf("at the end %q, %d made, %v", got, run.Made, run.Failed())
	}
	asked := Repair{Rule: "mild"}
	if got := label(asked.Next(bg, both)); got != "small" {
		t.Fatalf("asked for, %q", got)
	}
}

// A repair of an element names its list.
func TestSetToNamesElements(t *testing.T) {
	list := &Span{Field: &Field{Name: "data"}}
	element := &Span{Field: &Field{Name: "value"}, parent: list}
	element.number(3)
	inner := &Span{Field: &Field{Name: "data"}, parent: element}
	inner.number(1)
	first := &Span{Field: &Field{Name: "first"}, parent: &Span{Field: &Field{Name: "table"}, parent: inner}}
	for s, want := range map[*Span]string{list: "set data to 7", element: "set data[3] to 7", inner: "set data[3][1] to 7", first: "set data[3][1]/table/first to 7"} {
		if got := SetTo(s, U(7)).Label; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
