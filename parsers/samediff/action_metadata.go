package samediff

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/samediff/manifest"
)

// changeMetadata writes or removes a key: in METADATA for a container, otherwise in the graph (section 5.2).
func changeMetadata(ctx context.Context, t *model.Tree, key string, value *string) ([]model.Edit, error) {
	if key == "" {
		return nil, fmt.Errorf("a key is needed")
	}
	d := main(t)
	if err := d.st.openAll(ctx, t); err != nil {
		return nil, err
	}
	found, _ := t.Findings()
	if err := refuse(found, illegible); err != nil { // what cannot be read would not be written again
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
	return nil, fmt.Errorf("there is no graph for the metadata")
}

// setMetadata rewrites METADATA in its present form, or adds the section.
func (k *container) setMetadata(ctx context.Context, t *model.Tree, change map[string]*string) ([]model.Edit, error) {
	has := slices.ContainsFunc(k.sections, func(s *section) bool { return s.rec.typ == metadata })
	if has && k.meta == nil || k.meta != nil && k.meta.variant == opaque {
		return nil, fmt.Errorf("METADATA cannot be read completely")
	}
	values := k.metadataMap()
	switch {
	case has:
		return k.replaced(ctx, t, k.meta.changed(change, values))
	case k.layout.code != "R1" || len(k.sections) == 0:
		return nil, fmt.Errorf("METADATA can be added to records of layout R1 only")
	}
	recs := k.sections[0].span.Parent()
	at := model.Range{Space: recs.Range.Space, Off: recs.Range.Off}
	for _, s := range k.sections {
		if s.rec.typ == header {
			at.Off = s.span.Range.End()
		}
	}
	rec := k.writeRecord(metadata, 0x80, flatMetadata(merge(values, change)))
	return []model.Edit{model.Splice{Range: at, With: rec, Into: recs.Path(), Elements: 1}}, nil
}

// replaced rewrites METADATA with other entries, in its present form.
func (k *container) replaced(ctx context.Context, t *model.Tree, entries []entry) ([]model.Edit, error) {
	r := k.meta.span.Range
	old, err := t.Bytes(ctx, r)
	if err != nil {
		return nil, err
	}
	b, err := k.meta.write(k, old, entries)
	return []model.Edit{model.Replace(r, b)}, err
}

// changed returns the entries with changes, existing ones in their order.
func (m *meta) changed(change map[string]*string, values map[string]string) (entries []entry) {
	keys, _ := merge(values, change)
	for _, e := range m.entries {
		if v, ok := values[e.key]; ok {
			entries = append(entries, entry{key: e.key, value: v})
			delete(values, e.key)
		}
	}
	for _, key := range keys {
		if v, ok := values[key]; ok {
			entries = append(entries, entry{key: key, value: v})
		}
	}
	return entries
}

// write returns entries in the form of the metadata, in a buffer sorted. Forms other than the buffer are written only
// if writing them unchanged reproduces the present bytes.
func (m *meta) write(k *container, old []byte, entries []entry) ([]byte, error) {
	if m.variant == "" {
		slices.SortStableFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
		var keys, texts []string
		for _, e := range entries {
			keys, texts = append(keys, e.key), append(texts, e.value)
		}
		return flatMetadata(keys, texts), nil
	}
	for _, style := range textStyles(m.variant) {
		if string(style(k, m.entries)) == string(old) {
			return style(k, entries), nil
		}
	}
	return nil, fmt.Errorf("METADATA has a form (%s) whose layout cannot be kept; normalise the container first", m.variant)
}

type textStyle func(k *container, e []entry) []byte

// textStyles are the ways to write a form of METADATA.
func textStyles(variant string) []textStyle {
	plain := func(s string) []byte { return []byte(s) }
	switch variant {
	case "json":
		return []textStyle{object(":", ","), object(": ", ", ")}
	case "u16 pairs":
		return []textStyle{pairs(2, manifest.ToModified), pairs(2, plain)}
	case "u32 pairs":
		return []textStyle{pairs(4, plain)}
	}
	return []textStyle{func(_ *container, list []entry) []byte {
		var b strings.Builder
		for _, e := range list {
			b.WriteString(e.key + "=" + e.value + "\n")
		}
		return []byte(b.String())
	}}
}

// object writes an object of JSON.
func object(colon, comma string) textStyle {
	return func(_ *container, list []entry) []byte {
		var parts []string
		for _, e := range list {
			parts = append(parts, jsonText(e.key)+colon+jsonText(e.value))
		}
		return []byte("{" + strings.Join(parts, comma) + "}")
	}
}

// pairs writes a count, and texts preceded by their lengths in w bytes.
func pairs(w int, encode func(string) []byte) textStyle {
	return func(k *container, list []entry) []byte {
		out := make([]byte, 4)
		k.order.PutUint32(out, uint32(len(list)))
		for _, e := range list {
			for _, text := range []string{e.key, e.value} {
				s, n := encode(text), make([]byte, w)
				if w == 2 {
					k.order.PutUint16(n, uint16(min(len(s), 0xffff)))
				} else {
					k.order.PutUint32(n, uint32(len(s)))
				}
				out = append(append(out, n...), s...)
			}
		}
		return out
	}
}

// jsonText quotes a text as plainly as JSON allows.
func jsonText(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}
