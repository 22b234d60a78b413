package safetensors

import (
	"cmp"
	"encoding/json"
	"slices"
)

// place is the range of a tensor in the data.
type place struct{ from, to int64 }

// whole tells whether a header is valid, and its tensors fill so many bytes of data without gaps.
func whole(b []byte, size int64) bool {
	n, ok := extent(b)
	return ok && n == size
}

// extent is how many bytes of data the tensors of a header fill; ok is false unless it is valid, and they leave no gaps.
func extent(b []byte) (end int64, ok bool) {
	var entries map[string]map[string]json.RawMessage
	if json.Unmarshal(b, &entries) != nil {
		return 0, false
	}
	var places []place
	for name, e := range entries {
		p, ok := placeOf(e)
		switch {
		case name == metadata && areTexts(e):
		case name == metadata || !ok:
			return 0, false
		default:
			places = append(places, p)
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	for _, p := range places {
		if p.from != end {
			return 0, false
		}
		end = p.to
	}
	return end, len(places) > 0
}

// areTexts tells whether all members of an entry are strings.
func areTexts(entry map[string]json.RawMessage) bool {
	for _, v := range entry {
		if v[0] != '"' {
			return false
		}
	}
	return true
}

// placeOf is the range that a header entry gives for its tensor; ok is false unless its length matches the type and shape.
func placeOf(entry map[string]json.RawMessage) (p place, ok bool) {
	t, typ, at := &tensor{}, "", []int64{}
	if len(entry) != 3 || json.Unmarshal(entry["dtype"], &typ) != nil || json.Unmarshal(entry["shape"], &t.shape) != nil ||
		json.Unmarshal(entry["data_offsets"], &at) != nil || t.shape == nil || len(at) != 2 || slices.ContainsFunc(t.shape, func(n int64) bool { return n < 0 }) {
		return p, false
	}
	n, known := t.bytesOf(dtypes[typ])
	return place{at[0], at[1]}, known && n == at[1]-at[0] && at[0] >= 0
}
