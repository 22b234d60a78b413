package cause

import (
	"bytes"
	"fmt"
	"slices"

	"spandrel/model"
)

// Numbers of one frame that are wrong together: two with each other's value, or all of them in the other byte order.

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
				text:    fmt.Sprintf("%s and %s have swapped values.", a.said, b.span.Name()),
				label:   fmt.Sprintf("swap %s and %s", a.span.Name(), b.span.Name())})
		}
	}
	return out
}

// turnedNumbers is the part of the search that turned makes.
const turnedNumbers = "numbers in the other byte order"

// turned tries all numbers of a frame in the other byte order, as a writer on another machine stores them.
func (c *clues) turned() (out []*trial) {
	if c.worth.omits(turnedNumbers) {
		return nil
	}
	of := map[*model.Span]*trial{}
	for _, s := range c.list[:min(len(c.list), 64)] {
		turned := exchanged(s.raw, len(s.raw))
		if frame := s.span.Parent(); s.value.IsNumber() && !bytes.Equal(turned, s.raw) {
			t := of[frame]
			if t == nil {
				t = &trial{kind: near, by: turnedNumbers, op: setValues, at: Place{s.file, s.off, int64(len(s.raw)), s.path, s.span}, fix: &model.Fix{Once: true}}
				of[frame], out = t, append(out, t)
			}
			t.patches = append(t.patches, patch{s.file, s.off, int64(len(s.raw)), turned})
			if s.off < t.at.Off {
				t.at = Place{s.file, s.off, int64(len(s.raw)), s.path, s.span}
			}
		}
	}
	out = slices.DeleteFunc(out, func(t *trial) bool { return len(t.patches) < 2 })
	for _, t := range out {
		in := "the file"
		if frame := t.at.Span.Parent(); frame != c.tree.Root {
			in = frame.Path()
		}
		t.text = fmt.Sprintf("The %d numbers from %s on are in the other byte order.", len(t.patches), t.at.Path)
		t.label = fmt.Sprintf("reverse the bytes of %d numbers of %s", len(t.patches), in)
	}
	return out
}
