package samediff

import (
	"context"
	"fmt"
	"math"
	"slices"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
	"spandrel/parsers/samediff/manifest"
)

// fixes offers to point the header at the manifest, or to write one from the graph.
func (m manifestAt) fixes(f *model.Finding) []model.Fix {
	nb := m.nb
	if m.at < 0 && len(m.put) > 0 {
		label := model.Words("correct the %d damaged bytes of the manifest: all others are what Java writes for these arrays", m.wrong)
		return []model.Fix{{Label: label,
			Safe:  m.sound,
			Edits: []model.Edit{model.Splice{Range: nb.mspan.Range, With: model.Memory(m.put)}}}}
	}
	if m.at < 0 {
		return []model.Fix{{Label: "rebuild the manifest from the graph",
			Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
				return nb.rebuild(ctx, t, m.end)
			}}}
	}
	return []model.Fix{{Label: fmt.Sprintf("point the header to the manifest at 0x%x", m.at), Safe: m.sound && !nb.doubt, Impossible: f.Rule == saveInterrupted, // a finished file has numbers there
		Edits: []model.Edit{model.SetValue(nb.header[2].Span, model.I(m.at)), model.SetValue(nb.header[3].Span, model.I(m.length))}}}
}

// rebuild writes a manifest of the arrays that the graph has stubs for. Their offsets count from the first of them: it follows the
// graph unless something else tells, otherwise the last ends where the manifest starts (section 1.4.3).
func (nb *native) rebuild(ctx context.Context, t *model.Tree, off int64) (edits []model.Edit, err error) {
	if nb.graph == nil {
		return nil, fmt.Errorf("there is no graph to tell from")
	}
	var list []manifest.Entry
	end := int64(0)
	err = nb.graph.view(ctx, t, func(b flat.Buffer) error {
		for x, a := range nb.graph.open(b).stubs() {
			if a.offset >= 0 && a.length >= 0 && a.length <= off {
				list = append(list, manifest.Entry{Name: x.name, Offset: a.offset, Length: a.length})
				end = max(end, a.offset+a.length)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	base := off - end
	if nb.manifest == nil { // the bytes after the graph show that the header is wrong
		base = nb.first
	}
	if len(list) == 0 || base < 32 || base+end > off {
		return nil, fmt.Errorf("the graph does not locate enough arrays")
	}
	for i := range list {
		list[i].Offset += base
	}
	if nb.manifest != nil {
		return []model.Edit{model.Replace(nb.mspan.Range, manifest.Write(list))}, nil
	}
	return nb.append(base+end, off, list), nil
}

// append writes a manifest in place of the bytes from at to end, and points the header at it.
func (nb *native) append(at, end int64, list []manifest.Entry) []model.Edit {
	b := manifest.Write(list)
	r := model.Range{Space: nb.header[0].Range.Space, Off: nb.base + at, Len: end - at}
	return []model.Edit{model.Splice{Range: r, With: model.Memory(b), Loose: true},
		model.SetValue(nb.header[2].Span, model.I(at)), model.SetValue(nb.header[3].Span, model.I(int64(len(b))))}
}

// fixes offers to rename the entry to what its variable is called, and to remove the entry from the manifest, and its bytes: what follows moves, and stubs are updated.
func (x nativeEntry) fixes(*model.Finding) []model.Fix {
	nb, gone := x.nb, x.e
	m := nb.manifest
	if nb.doubt || !nb.readable() || m == nil || m.Err != nil {
		return nil
	}
	loses := ""
	if gone.Length > 0 {
		loses = model.Words("the %d bytes of %s", gone.Length, brief(gone.Name))
	}
	var out []model.Fix
	if x.is != "" {
		out = append(out, model.Fix{Label: "rename the entry to " + brief(x.is), Once: true,
			Says: fmt.Sprintf("The array %s of the manifest is that of the variable %s, by its place: one of the two was renamed.", brief(gone.Name), brief(x.is)),
			Build: func(context.Context, *model.Tree) ([]model.Edit, error) {
				list := slices.Clone(m.Entries)
				for i := range list {
					if list[i].Name == gone.Name {
						list[i].Name = x.is
					}
				}
				return []model.Edit{model.Replace(nb.mspan.Range, manifest.Write(list))}, nil
			}})
	}
	return append(out, model.Fix{Label: "remove the entry", Loses: loses, Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		list, edits := nb.relaid(map[string]*data{gone.Name: nil})
		stubs, err := nb.restub(ctx, t, list)
		return append(append(edits, model.Replace(nb.mspan.Range, manifest.Write(list))), stubs...), err
	}})
}

// restub sets the offsets of the arrays in a list according to the graph.
func (nb *native) restub(ctx context.Context, t *model.Tree, list []manifest.Entry) (edits []model.Edit, err error) {
	g, first := nb.graph, firstOf(list, math.MaxInt64)
	return edits, g.view(ctx, t, func(b flat.Buffer) error {
		v := g.open(b)
		for _, e := range list {
			i, ok := v.byName[e.Name]
			if !ok || e.Length == 0 {
				continue
			}
			if a := g.array(b, v.vars[i].array); a.stub {
				edits = append(edits, a.number(g, b, flat.ArrAppendedOffset, e.Offset-first)...)
			}
		}
		return nil
	})
}
