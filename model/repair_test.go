package model

import (
	"errors"
	"testing"
)

// Repairs of errors come first; warnings of a file that keeps errors are left alone; what failed is tried again when another
// fix was made.
func TestRepairOrder(t *testing.T) {
	severe, mild := &Rule{ID: "severe", Severity: Error}, &Rule{ID: "mild", Severity: Warning}
	safe := func(label string) []Fix { return []Fix{{Label: label, Safe: true}} }
	tree := func(found ...Finding) *Tree {
		tr := &Tree{Root: &Span{Field: &Field{}}, perRule: map[*Rule]int{}}
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
	both := tree(Finding{Rule: mild, Fixes: safe("small")}, Finding{Rule: severe, Fixes: safe("great")})
	var run Repair
	if got := label(run.Next(bg, both)); got != "great" {
		t.Fatalf("first %q", got)
	}
	run.Done(errors.New("not now"))
	if got := label(run.Next(bg, both)); got != "" || run.Failed() == nil {
		t.Fatalf("%q beside an error that stays, %v", got, run.Failed())
	}
	left := tree(Finding{Rule: mild, Fixes: safe("small")})
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
