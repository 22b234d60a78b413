package samediff

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"spandrel/model"
	"spandrel/parsers/internal/zipfile"
	"spandrel/parsers/samediff/manifest"
)

// leastBlob is the size from which on SDNB stores an array after the graph (section 1.4.2).
const leastBlob = 1 << 20

// bareFile writes the model as a graph with its arrays in it.
func (w *whole) bareFile(map[string]string) (model.Source, error) {
	w.orphans()
	as := model.Range{Space: w.g.span.Range.Space, Off: w.g.span.Range.Off, Len: w.g.Extent}
	if !w.g.Late() { // arrays are stored as in .fb, and metadata cannot be stored
		keys, _ := merge(w.meta, nil)
		w.leave("metadata is left out, because graphs from before 2019 cannot store it: %s", keys)
		return w.t.Slice(w.ctx, as), nil
	}
	graph, changed, err := w.rewrite(true, w.meta, nil)
	if err == nil && !changed && w.g.Root.Name == "FlatGraph" {
		return w.t.Slice(w.ctx, as), nil
	}
	return graph, err
}

// nativeFile writes the model as SDNB. A whole SDNB file inside something else is copied byte for byte.
func (w *whole) nativeFile(map[string]string) (model.Source, error) {
	if gen := w.g.Gen; gen != "" && gen != "S3" && gen != "S4" {
		return nil, fmt.Errorf("the graph is of generation %s, from before 2019: readers of this kind of file confuse its operations with others", gen)
	}
	w.orphans()
	var texts []string
	for _, a := range w.arrays {
		if a.typ == dtypeUTF8 {
			texts = append(texts, brief(a.name))
		}
	}
	w.leave("ND4J does not read strings from SDNB, and would load the model without the values of %s", texts)
	w.meta["nd4j.format.type"], w.meta["nd4j.format.version"] = "APPENDED_BLOB", "1"
	if r, ok := w.sdnb(); ok {
		return w.t.Slice(w.ctx, r), nil
	}
	behind := slices.DeleteFunc(slices.Clone(w.arrays), func(a *data) bool {
		kind, ok := w.kinds[a.name]
		return !ok || types[a.typ] == nil || a.bytes < leastBlob || kind != varVariable && kind != varConstant
	})
	graph, _, err := w.rewrite(false, w.meta, places(behind, 1))
	if err != nil {
		return nil, err
	}
	return nativeOf(w.ctx, w.t, graph, behind), nil
}

// sdnb is the place of the model if it is stored completely as SDNB.
func (w *whole) sdnb() (r model.Range, ok bool) {
	nb := w.g.nb
	old, _ := w.g.metadataMap(w.ctx, w.t)
	if nb == nil || w.set || nb.mspan.Span == nil || nb.moved || !maps.Equal(w.meta, old) ||
		slices.ContainsFunc(w.arrays, func(a *data) bool { return !w.owned(a) && (a.where != "blob" || a.in != w.g.doc) }) {
		return r, false
	}
	return model.Range{Space: w.g.span.Range.Space, Off: nb.base, Len: nb.mspan.Range.End() - nb.base}, true
}

// orphans notes the arrays without a variable: only a container can store them.
func (w *whole) orphans() {
	var names []string
	for _, a := range w.arrays {
		if _, ok := w.kinds[a.name]; !ok {
			names = append(names, brief(a.name))
		}
	}
	w.leave("arrays without a variable are left out: %s", names)
}

// zipFile writes the model as the only member of an archive.
func (w *whole) zipFile(args map[string]string) (model.Source, error) {
	nb, err := w.nativeFile(args)
	if err != nil {
		return nil, err
	}
	return zipfile.Stored(w.ctx, "model", nb)
}

// nativeOf puts an SDNB file together: header, graph, arrays, manifest.
func nativeOf(ctx context.Context, t *model.Tree, graph model.Source, behind []*data) model.Source {
	const front = 32
	var list []manifest.Entry
	content := joined(graph)
	for _, a := range behind {
		src := a.source(ctx, t, false)
		list = append(list, manifest.Entry{Name: a.name, Offset: front + content.Add(src), Length: src.Len()})
	}
	m := manifest.Write(list)
	return joined(model.Memory(nativeHeader(front+content.Len(), int64(len(m)))), content, model.Memory(m))
}
