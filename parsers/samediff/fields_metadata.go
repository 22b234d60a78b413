package samediff

import (
	"context"
	"maps"
	"slices"

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

// opaque is the variant of metadata that cannot be read, or not completely.
const opaque = "opaque"

// entry is a key and its value, with their places.
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
	for _, t := range b.Tables(b.Root(), 0) {
		if t == 0 || len(m.entries) == manifest.MaxEntries {
			continue
		}
		e := entry{}
		e.key, _ = b.Str(t, 0)
		value, ok := b.Str(t, 1)
		e.value, e.noValue = value, !ok
		e.span, e.at = p.at(t, 4)
		e.keyAt, e.valueAt = p.text(b.Ref(t, 0), len(e.key)), p.text(b.Ref(t, 1), len(e.value))
		m.entries = append(m.entries, e)
	}
	return m
}

// metadataMap returns the keys of METADATA.
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

// merge applies changes to metadata and returns it in order.
func merge(m map[string]string, values map[string]*string) (keys, texts []string) {
	for k, v := range values {
		if v == nil {
			delete(m, k)
		} else {
			m[k] = *v
		}
	}
	keys = slices.Sorted(maps.Keys(m))
	for _, k := range keys {
		texts = append(texts, m[k])
	}
	return keys, texts
}
