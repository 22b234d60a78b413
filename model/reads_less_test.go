package model

import (
	"context"
	"testing"
)

// TestReadsLess: a table that is gone was renamed only if a new one has as many rows that can be read.
func TestReadsLess(t *testing.T) {
	type rows map[string][2]int64 // of a table: those that can be read, and those that cannot
	tree := func(x rows) *Tree {
		out := &Tree{Format: &Format{Tables: func(context.Context, *Tree) (tables []Table) {
			for name, n := range x {
				tables = append(tables, Table{Name: name, Rows: n[0] + n[1], Read: func(_ context.Context, first, many int64) (out []Row, err error) {
					for i := first; i < first+many; i++ {
						cell := Cell{}
						if i >= n[0] {
							cell.Trouble = "damaged"
						}
						out = append(out, Row{cell})
					}
					return out, nil
				}})
			}
			return tables
		}}}
		return out
	}
	for _, x := range []struct {
		was, is rows
		less    bool
	}{
		{rows{"a": {3, 1}}, rows{"a": {3, 1}}, false},
		{rows{"a": {3, 1}}, rows{"a": {3, 0}}, false},
		{rows{"a": {3, 1}}, rows{"a": {2, 2}}, true},
		{rows{"a": {3, 1}}, rows{"a": {0, 0}}, true},
		{rows{"a": {0, 4}}, rows{}, false},
		{rows{"a": {3, 0}}, rows{"b": {3, 0}}, false},             // renamed
		{rows{"a": {3, 0}}, rows{"b": {2, 0}}, true},              // not all of it
		{rows{"a": {3, 0}, "b": {5, 0}}, rows{"b": {5, 0}}, true}, // b was there before
		{rows{"a": {3, 0}, "b": {5, 1}}, rows{"b": {5, 1}, "c": {3, 0}}, false},
	} {
		if less, err := ReadsLess(t.Context(), tree(x.was), tree(x.is)); err != nil || x.less != (less != "") {
			t.Errorf("%v then %v: %q, %v", x.was, x.is, less, err)
		}
	}
}
