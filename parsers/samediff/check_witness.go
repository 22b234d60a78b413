package samediff

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// magics are the bytes that identify the families with a signature.
var magics = []model.Magic{{Bytes: containerMagic[:12]}, {Bytes: "SDNB"}, {Bytes: "PK\x03\x04"}}

// leastOf is the length of a family's header.
var leastOf = map[string]int64{familyNative: 32, familyContained: int64(len(containerMagic)) + 4}

// extents says how long the main file should be: an SDNB file ends with its manifest, a container with its last section.
func extents(ctx context.Context, t *model.Tree) (out []model.Extent) {
	d := main(t)
	if n := t.Root.Range.Len; n > 0 && n < leastOf[d.family] {
		return []model.Extent{{Size: leastOf[d.family], Least: true, Says: "it is shorter than its header"}}
	}
	if len(d.nbs) > 0 && d.family == familyNative {
		nb := d.nbs[0]
		if size, ok := nb.told(); ok && !nb.whole() {
			out = append(out, model.Extent{Size: size, By: nb.header[3].Span, Ends: nb.early(ctx, t, size), Says: "the manifest offset in the header gives its length"})
		}
	}
	if (d.family == familyBare || d.family == familyModel) && len(d.graphs) > 0 {
		out = append(out, graphExtent(ctx, t, d.graphs[0])...)
	}
	if d.con != nil {
		out = append(out, d.con.extent(t)...)
	}
	if d.zip != nil {
		if e, ok := d.zip.Extent(t.Peek(ctx, t.Root.Range.Space), t.Root.Range.Len); ok {
			out = append(out, e)
		}
	}
	return out
}

// mostLeft is how many bytes after the last referenced one may be a part of the graph that is not understood.
const mostLeft = 64

// graphExtent says how long a bare graph should be: as far as its offsets lead, in words of 4 bytes.
func graphExtent(ctx context.Context, t *model.Tree, g *placed) []model.Extent {
	size, used := t.Root.Range.Len, g.End()
	if g.Grave() {
		if by, ok := shiftOf(ctx, t, g); ok {
			return []model.Extent{{Size: size - by, Guess: true, Says: "the distances between its parts do not match its offsets"}}
		}
	}
	cut, torn, ok := g.Cut()
	if ok {
		return []model.Extent{{Size: cut, Least: true, Says: "offsets in the graph lead past its end"}}
	}
	words := (used + 3) &^ 3
	sound, padded := !g.Grave() && !g.Leaves(), false
	if b, err := t.Bytes(ctx, model.Range{Space: t.Root.Range.Space, Off: words, Len: min(max(0, size-words), maxPadding)}); err == nil {
		padded = sound && model.AllZero(b)
	}
	switch {
	case 2*used < size && !padded && !(sound && 4*used >= size): // its offsets lead nowhere
		return nil
	case size%4 != 0 && size-words >= 3 && size-words < mostLeft && !padded: // the rest of the last word has no known meaning
		words = (size + 3) &^ 3
		fallthrough
	case words > size:
		return []model.Extent{{Size: words, Least: !torn, Guess: torn, Says: "a graph consists of words of 4 bytes"}}
	case size > g.Extent && !sound:
		return nil // offsets that lead further may be lost
	case size > g.Extent:
		if b, err := t.Bytes(ctx, model.Range{Space: t.Root.Range.Space, Off: words, Len: g.Extent - words}); err == nil && model.AllZero(b) {
			words = g.Extent
		}
		return []model.Extent{{Size: words, Says: "the graph ends there"}}
	}
	return nil
}

// shiftOf returns by how many bytes a part of the graph is displaced; negative: too early.
func shiftOf(ctx context.Context, t *model.Tree, p *placed) (by int64, ok bool) {
	p.view(ctx, t, func(b flat.Buffer) error {
		by, ok = p.Shift(b)
		return nil
	})
	return by, ok
}

// manySections is more than a container has: there are few kinds, with one of each.
const manySections = 64

// extent says how long a container should be, according to its sections and their count.
func (k *container) extent(t *model.Tree) []model.Extent {
	size, last := t.Root.Range.Len, int64(0)
	if n := len(k.recs); n > 0 {
		last = k.recs[n-1].end()
	}
	counts := model.Words("the HEADER counts %d sections, and the last ends there", k.count)
	switch {
	case k.whole > 0:
		name := sectionNames[k.torn]
		return []model.Extent{{Size: k.whole, Ends: true, Says: "the length of " + name + " and the bytes after it give its length", Else: "the length of " + name + " is wrong"}}
	case k.count > 0 && int64(len(k.recs)) == k.count && last < size:
		return []model.Extent{{Size: last, Says: counts}}
	case k.cutAt > 0 && plausible(k.cutAt, size) && k.count > int64(len(k.recs))+1 && k.count < manySections:
		return []model.Extent{{Size: k.cutAt + k.layout.head, By: k.cutBy, Least: true, Says: model.Words("the HEADER counts %d sections, but it ends inside section %d", k.count, len(k.recs)+1)}}
	case k.cutAt > 0 && plausible(k.cutAt, size) && (k.count == 0 || int64(len(k.recs)) <= k.count): // if there are more sections than the header counts, the last is not a section
		return []model.Extent{{Size: k.cutAt, By: k.cutBy, Says: "the length of its last section gives its length"}}
	case k.count > int64(len(k.recs)) && k.count < manySections && len(k.recs) > 0 && (k.state == shortHead || k.state == atEnd && last == size):
		return []model.Extent{{Size: size + 1, Least: true, Says: model.Words("the HEADER counts %d sections, but there are %d", k.count, len(k.recs))}}
	case len(k.recs) == 0 && (k.state == atEnd || k.state == shortHead):
		return []model.Extent{{Size: size + 1, Least: true, Says: "it ends before its first section"}}
	case k.state == atEnd && len(k.recs) > 0:
		return []model.Extent{{Size: last, Says: "the lengths of its sections give its length"}}
	}
	return nil
}

// maxQuantities is how many arrays are compared by length.
const maxQuantities = 256

// quantities are the numbers that several places of a model state: the lengths of arrays outside the graph.
func quantities(ctx context.Context, t *model.Tree) (out []model.Quantity) {
	for _, nb := range main(t).nbs {
		out = append(out, nb.quantities(ctx, t)...)
	}
	return out
}

// quantities are the lengths of the arrays in a manifest.
func (nb *native) quantities(ctx context.Context, t *model.Tree) (out []model.Quantity) {
	m, g := nb.manifest, nb.graph
	if m == nil || m.Err != nil || g == nil {
		return nil
	}
	g.view(ctx, t, func(b flat.Buffer) error {
		v := g.open(b)
		for _, e := range nb.entries[:min(len(nb.entries), maxQuantities)] {
			i, ok := v.byName[e.Name]
			if !ok || e.Length == 0 || v.vars[i].array == 0 {
				continue
			}
			a := g.array(b, v.vars[i].array)
			q := model.Quantity{Name: fmt.Sprintf("bytes of the array %s", brief(e.Name)), Witnesses: []model.Witness{
				{Text: "the manifest", Value: model.I(e.Length), Field: e.lengthNode.Span}}}
			if a.stub {
				q.Witnesses = append(q.Witnesses, model.Witness{Text: "the graph", Value: model.I(a.length),
					Field: g.leaf(a.at, flat.ArrAppendedLength)},
					model.Witness{Text: "the graph's total", Value: model.I(b.Num(a.at, flat.ArrTotal, 8)), Field: g.leaf(a.at, flat.ArrTotal)})
			}
			if n := sizeOf(a.typ, a.count); a.countOK && n >= 0 {
				q.Witnesses = append(q.Witnesses, model.Witness{Text: "its shape and type", Value: model.I(n)})
			}
			out = append(out, q)
		}
		return nil
	})
	return out
}
