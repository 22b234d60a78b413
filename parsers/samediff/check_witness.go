package samediff

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// magics are the bytes by which the families with a signature are known.
var magics = []model.Magic{{Bytes: containerMagic[:12]}, {Bytes: "SDNB"}, {Bytes: "PK\x03\x04"}}

// leastOf is how long the header of a family is.
var leastOf = map[string]int64{familyNative: 32, familyContained: int64(len(containerMagic)) + 4}

// extents says how long the main file should be: an SDNB file ends with its manifest, a container with its last section.
func extents(_ context.Context, t *model.Tree) (out []model.Extent) {
	d := main(t)
	if n := t.Root.Range.Len; n > 0 && n < leastOf[d.family] {
		return []model.Extent{{Size: leastOf[d.family], Least: true, Says: "the header alone is as long"}}
	}
	if len(d.nbs) > 0 && d.family == familyNative {
		nb := d.nbs[0]
		if size, ok := nb.told(); ok {
			out = append(out, model.Extent{Size: size, By: nb.header[3].Span, Says: "the place of the manifest in the header says"})
		}
	}
	if d.family == familyBare && len(d.graphs) > 0 {
		if size, ok := d.graphs[0].Cut(); ok {
			out = append(out, model.Extent{Size: size, Says: "what the graph leads to says"})
		}
	}
	if k := d.con; k != nil && k.cutAt > 0 {
		out = append(out, model.Extent{Size: k.cutAt, By: k.cutBy, Says: "the length of its last section says"})
	} else if k != nil && k.state == atEnd && len(k.recs) > 0 {
		out = append(out, model.Extent{Size: k.recs[len(k.recs)-1].end(), Says: "the lengths of its sections say"})
	}
	return out
}

// maxQuantities is of how many arrays the lengths are compared.
const maxQuantities = 256

// quantities are the numbers that several places of a model state: its sections, and the lengths and places of arrays outside the graph.
func quantities(ctx context.Context, t *model.Tree) (out []model.Quantity) {
	d := main(t)
	if k := d.con; k != nil && k.header != nil {
		if field := k.header.field(1); field != nil {
			if v, err := t.Value(ctx, field); err == nil {
				out = append(out, model.Quantity{Name: "sections", Witnesses: []model.Witness{
					{Text: "the HEADER", Value: model.I(v.Int()), Field: field},
					{Text: "the file", Value: model.I(int64(len(k.recs))), Weak: k.state != atEnd}}})
			}
		}
	}
	for _, nb := range d.nbs {
		out = append(out, nb.quantities(ctx, t)...)
	}
	return out
}

// quantities are the number of entries of a manifest, and the length of each array.
func (nb *native) quantities(ctx context.Context, t *model.Tree) (out []model.Quantity) {
	m, g := nb.manifest, nb.graph
	if m == nil || m.Err != nil || g == nil {
		return nil
	}
	out = append(out, model.Quantity{Name: "arrays in the manifest", Witnesses: []model.Witness{
		{Text: "the manifest's own count", Value: model.I(m.Declared), Field: nb.count.Span},
		{Text: "its entries", Value: model.I(int64(len(m.Entries)))}}})
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
			if n := a.sizeOf(a.count); a.countOK && n >= 0 {
				q.Witnesses = append(q.Witnesses, model.Witness{Text: "its shape and type", Value: model.I(n)})
			}
			out = append(out, q)
		}
		return nil
	})
	return out
}
