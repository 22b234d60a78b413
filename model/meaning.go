package model

import (
	"context"
	"fmt"
)

// Meaning is a node of the logical view, as opposed to the byte view: a column, an attribute, a sample, a gene. It leads to the
// same spans as the tree of bytes.
type Meaning struct {
	Label, Text string
	Icon        Icon
	Span        *Span // what it is
	At          Range // instead of a span: the bytes that say it; none: a group
	Kids        []Meaning
	// More reads what is below it when someone looks, instead of Kids. Nil: there is nothing more.
	More func(ctx context.Context) ([]Meaning, error)
	// Open means that it is expanded from the start.
	Open bool
}

// pageOfMeanings is the largest number of siblings; more are grouped in pages of that many.
const pageOfMeanings = 500

// Paged lists n nodes, of which node makes one; many are grouped in nodes named "what 0 to 499".
func Paged(what string, n int64, node func(ctx context.Context, i int64) Meaning) func(context.Context) ([]Meaning, error) {
	page := func(ctx context.Context, first, n int64) (out []Meaning, err error) {
		for i := first; i < first+n && ctx.Err() == nil; i++ {
			out = append(out, node(ctx, i))
		}
		return out, ctx.Err()
	}
	return func(ctx context.Context) ([]Meaning, error) { return paged(ctx, what, 0, n, page) }
}

// paged lists n nodes that are read a page at a time.
func paged(ctx context.Context, what string, first, n int64, page func(ctx context.Context, first, n int64) ([]Meaning, error)) ([]Meaning, error) {
	if n <= pageOfMeanings {
		return page(ctx, first, n)
	}
	step := int64(pageOfMeanings)
	for (n-1)/step >= pageOfMeanings {
		step *= pageOfMeanings
	}
	var out []Meaning
	for at := int64(0); at < n; at += step {
		from, k := first+at, min(step, n-at)
		out = append(out, Meaning{Label: fmt.Sprintf("%s %s to %s", what, Thousands(from), Thousands(from+k-1)),
			More: func(ctx context.Context) ([]Meaning, error) { return paged(ctx, what, from, k, page) }})
	}
	return out, nil
}

// Meanings lists the rows of a table as nodes; node makes the one of row i.
func (t *Table) Meanings(what string, node func(i int64, r Row) Meaning) func(context.Context) ([]Meaning, error) {
	page := func(ctx context.Context, first, n int64) (out []Meaning, err error) {
		for n > 0 {
			rows, err := t.Read(ctx, first, t.Page(n))
			if err != nil || len(rows) == 0 {
				return out, err
			}
			for _, r := range rows {
				out = append(out, node(first, r))
				first, n = first+1, n-1
			}
		}
		return out, nil
	}
	return func(ctx context.Context) ([]Meaning, error) { return paged(ctx, what, 0, t.Rows, page) }
}
