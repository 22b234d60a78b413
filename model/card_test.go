package model

import (
	"context"
	"testing"
)

// The types of a long list of tensors are those of its first ones, and that is said: the number would be taken for all.
func TestTypesOfManyTensors(t *testing.T) {
	list := func(n int64) []Table {
		return []Table{{Name: "tensors", Rows: n, Columns: Columns("name utf8, dtype utf8"), Read: func(_ context.Context, _, n int64) ([]Row, error) {
			rows := make([]Row, n)
			for i := range rows {
				rows[i] = Row{{Value: S("w")}, {Value: S("F16")}}
			}
			return rows, nil
		}}}
	}
	for n, want := range map[int64]string{3: "3 × F16", 2_000: "2,000 × F16", 20_008: "10,000 × F16 in the first 10,000"} {
		if got := typesOf(t.Context(), list(n)); got != want {
			t.Errorf("%d tensors are %q, want %q", n, got, want)
		}
	}
}
