package cause

import (
	"bytes"
	"fmt"
	"slices"
)

// Two numbers with each other's value.

// wanted tells whether something suggests these bytes for a suspect.
func (c *clues) wanted(s *suspect, raw []byte) bool {
	v, _, err := s.span.Field.Codec.Decode(raw)
	return err == nil && slices.ContainsFunc(c.wants[spotOf(s.span)], func(w want) bool { return w.value.Equal(v) })
}

// withoutHalves drops swaps that do no more than one of their two numbers alone: the other one was right.
func withoutHalves(all []*trial) []*trial {
	return slices.DeleteFunc(slices.Clone(all), func(t *trial) bool {
		return t.op == swapValues && slices.ContainsFunc(all, func(o *trial) bool {
			return o.field != nil && o.res.order(t.res) <= 0 && slices.ContainsFunc(t.patches, func(p patch) bool {
				return p.file == o.field.file && p.off == o.field.off && bytes.Equal(p.with, o.raw)
			})
		})
	})
}

// swaps tries every two numbers of one frame with each other's bytes.
func (c *clues) swaps() (out []*trial) {
	if c.worth.omits("two numbers swapped") {
		return nil
	}
	for i, a := range c.list[:min(len(c.list), 64)] {
		for _, b := range c.list[i+1 : min(len(c.list), 64)] {
			if a.span.Parent() != b.span.Parent() || len(a.raw) != len(b.raw) || bytes.Equal(a.raw, b.raw) {
				continue
			}
			k := near
			if c.wanted(a, b.raw) && c.wanted(b, a.raw) {
				k = derived
			}
			out = append(out, &trial{kind: k, by: "two numbers swapped", op: swapValues, at: Place{a.file, a.off, int64(len(a.raw)), a.path, a.span},
				patches: []patch{{a.file, a.off, int64(len(a.raw)), b.raw}, {b.file, b.off, int64(len(b.raw)), a.raw}},
				text:    fmt.Sprintf("%s and %s have swapped values.", a.path, b.span.Name()),
				label:   fmt.Sprintf("swap %s and %s", a.span.Name(), b.span.Name())})
		}
	}
	return out
}
