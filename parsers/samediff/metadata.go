package samediff

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
	"spandrel/parsers/samediff/manifest"
)

// meta is the metadata of a container or a graph.
type meta struct {
	entries []entry
	variant string // "" for a buffer, otherwise a form of text
	span    *model.Span
}

// opaque is the variant of metadata that cannot be read, or not to the end.
const opaque = "opaque"

// entry is one key and its value, and where they stand.
type entry struct {
	key, value string
	noValue    bool        // of a buffer: there is no such field
	at         model.Range // the entry
	keyAt      model.Range
	valueAt    model.Range
	span       *model.Span
}

func (m *meta) get(key string) (string, bool) {
	if m != nil {
		for _, e := range m.entries {
			if e.key == key {
				return e.value, true
			}
		}
	}
	return "", false
}

// flatMeta reads a MetadataSection (section 2.3).
func flatMeta(p *placed, b flat.Buffer) *meta {
	m := &meta{span: p.span}
	b.Tables(b.Root(), 0, func(_, t int64) {
		if t == 0 || len(m.entries) == manifest.MaxEntries {
			return
		}
		e := entry{}
		e.key, _ = b.Str(t, 0)
		value, ok := b.Str(t, 1)
		e.value, e.noValue = value, !ok
		e.span, e.at = p.at(t, 4)
		e.keyAt, e.valueAt = p.text(b.Ref(t, 0), len(e.key)), p.text(b.Ref(t, 1), len(e.value))
		m.entries = append(m.entries, e)
	})
	return m
}

// metadataMap returns the keys of a container, or of a graph.
func (d *doc) metadataMap(ctx context.Context, t *model.Tree) map[string]string {
	if d.con != nil && d.con.meta != nil || len(d.graphs) == 0 {
		return d.con.metadataMap()
	}
	m, _ := d.graphs[0].metadataMap(ctx, t)
	return m
}

func (k *container) metadataMap() map[string]string {
	m := map[string]string{}
	if k != nil && k.meta != nil {
		for _, e := range k.meta.entries {
			m[e.key] = e.value
		}
	}
	return m
}

// metadataMap returns the keys of a graph, and whether each has a value.
func (p *placed) metadataMap(ctx context.Context, t *model.Tree) (m map[string]string, whole bool) {
	m = map[string]string{}
	err := p.view(ctx, t, func(b flat.Buffer) error {
		keys, values := p.metadata(b)
		whole = len(keys) == len(values)
		for i := range min(len(keys), len(values)) {
			m[keys[i]] = values[i]
		}
		return nil
	})
	return m, whole && err == nil
}

// changed returns the entries with changes, those that are there already in their order.
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

// write returns entries in the form that the metadata has, those of a buffer sorted. Forms other than the buffer are written only
// when writing them unchanged gives what is there.
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
	return nil, fmt.Errorf("METADATA is in a form (%s) that would not keep its layout; normalise the container first", m.variant)
}

type textStyle func(k *container, e []entry) []byte

// textStyles are the ways to write a form of METADATA.
func textStyles(variant string) []textStyle {
	object := func(colon, comma string) textStyle {
		return func(_ *container, list []entry) []byte {
			var parts []string
			for _, e := range list {
				parts = append(parts, jsonText(e.key)+colon+jsonText(e.value))
			}
			return []byte("{" + strings.Join(parts, comma) + "}")
		}
	}
	pairs := func(w int, encode func(string) []byte) textStyle {
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

// jsonText quotes a text as plainly as JSON allows.
func jsonText(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}
