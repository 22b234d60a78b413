package safetensors

import (
	"maps"
	"slices"

	"spandrel/parsers/internal/jsontext"
)

// Shards of different saves in one checkpoint.

// mostMeta is how many metadata values of a shard are kept.
const mostMeta = 64

// noteText takes a text of a tensor, or of the metadata, from a header.
func (h *shard) noteText(t *stored, tok jsontext.Token) {
	if t.name == metadata && len(h.meta) < mostMeta {
		h.meta[tok.Key] = tok.Text
	} else if tok.Key == "dtype" {
		t.dtype = tok.Text
	}
}

// otherSave is the only shard that has another metadata value than all others, at least two, the key of that value, and that of the
// others; nil if there is none.
func (x *index) otherSave() (odd *shard, key, others string) {
	values := map[string]map[string][]*shard{} // by key and value
	for _, h := range x.shards {
		for k, v := range h.meta {
			if values[k] == nil {
				values[k] = map[string][]*shard{}
			}
			values[k][v] = append(values[k][v], h)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(values)) {
		if odd, others = minority(values[k]); odd != nil && len(values[k][others]) == len(x.shards)-1 {
			return odd, k, others
		}
	}
	return nil, "", ""
}

// minority is the only shard of one of two values, and the other value, which several have; nil if there is none.
func minority(shards map[string][]*shard) (odd *shard, others string) {
	for value, in := range shards {
		if len(in) == 1 {
			odd = in[0]
		} else {
			others = value
		}
	}
	if len(shards) != 2 || others == "" {
		return nil, ""
	}
	return odd, others
}

// unlisted are the tensors of a shard named in the index that the index does not list.
func (x *index) unlisted(h *shard) (out []*mapped) {
	for _, t := range h.tensors {
		if x.weights[t.name] == nil && h.named {
			out = append(out, &mapped{tensor: t.name})
		}
	}
	return out
}
