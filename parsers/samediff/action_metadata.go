package samediff

import (
	"context"
	"fmt"

	"spandrel/model"
)

// changeMetadata writes or drops a key: in METADATA where the document is a container, otherwise in the graph (section 5.2).
func changeMetadata(ctx context.Context, t *model.Tree, key string, value *string) ([]model.Edit, error) {
	if key == "" {
		return nil, fmt.Errorf("a key is needed")
	}
	d := main(t)
	if err := d.st.openAll(ctx, t); err != nil {
		return nil, err
	}
	change := map[string]*string{key: value}
	if d.con != nil {
		return d.con.setMetadata(ctx, t, change)
	}
	for _, g := range d.graphs {
		if g.nb != nil && g.nb.member != "" {
			if n := shardName(g.nb.member); n != nil && n.index > 0 {
				continue // the keys of a sharded archive are those of shard 0
			}
		}
		return g.setMetadata(ctx, t, change)
	}
	return nil, fmt.Errorf("there is no graph to hold metadata")
}

// setMetadata writes METADATA anew in the form that it has, or adds the section.
func (k *container) setMetadata(ctx context.Context, t *model.Tree, change map[string]*string) ([]model.Edit, error) {
	var sec *section
	at := 0
	for i, s := range k.sections {
		if s.rec.typ == metadata && sec == nil {
			sec = s
		}
		if s.rec.typ == header {
			at = i + 1
		}
	}
	if k.meta != nil && k.meta.variant == opaque {
		return nil, fmt.Errorf("METADATA cannot be read to its end")
	}
	values := k.metadataMap()
	if sec == nil {
		keys, texts := merge(values, change)
		if k.layout.code != "R1" || len(k.sections) == 0 {
			return nil, fmt.Errorf("METADATA can be added to records of layout R1 only")
		}
		recs := k.sections[0].span.Parent()
		off := recs.Range.Off
		if at > 0 {
			off = k.sections[at-1].span.Range.End()
		}
		rec := k.writeRecord(metadata, 0x80, flatMetadata(keys, texts))
		return []model.Edit{model.Splice{Range: model.Range{Space: recs.Range.Space, Off: off}, With: model.Memory(rec), Into: recs.Path(), Elements: 1}}, nil
	}
	r := k.meta.span.Range
	old, err := t.Bytes(ctx, r)
	if err != nil {
		return nil, err
	}
	b, err := k.meta.write(k, old, k.meta.changed(change, values))
	return []model.Edit{model.Replace(r, b)}, err
}
