package safetensors

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"spandrel/model"
)

// One byte of a header is wrong: it is found because everything fits then, from the brackets to the places of all tensors.

const (
	mostHeader = 64 << 10 // of a header that is searched
	mostBefore = 160      // bytes before a problem that are tried
	mostEntry  = 512      // … and from it on
	mostRight  = 4        // answers that say something
)

// mostRead is how many bytes all searches in a file parse together; less if very many files are tried.
var mostRead int64 = 1 << 28

// wrongByte offers the byte of the header with which it is valid.
func wrongByte(ctx context.Context, t *model.Tree, f *model.Finding) (out []model.Fix) {
	s := model.StateOf[*file](t)
	if s == nil || s.head == nil || s.head.Range.Len > mostHeader {
		return nil
	}
	b, err := t.Bytes(ctx, s.head.Range)
	if err != nil {
		return nil
	}
	at := f.Where()
	from := max(0, at.Off-s.head.Range.Off-mostBefore)
	to := min(int64(len(b)), at.End()-s.head.Range.Off, from+mostBefore+mostEntry)
	size := t.Root.Range.End() - s.head.Range.End()
	for i := to - 1; i >= from && len(out) <= mostRight; i-- {
		was := b[i]
		for c := byte(' '); c <= '~'; c++ {
			if b[i] = c; c != was && whole(b, size) {
				at := model.Range{Space: s.head.Range.Space, Off: s.head.Range.Off + i, Len: 1}
				out = append(out, model.Fix{Label: fmt.Sprintf("write %q at 0x%x", c, at.Off), Edits: []model.Edit{model.Replace(at, []byte{c})}})
			}
		}
		if b[i] = was; ctx.Err() != nil || s.searched.Add(int64(len(b))*('~'-' ')) > mostRead {
			return nil
		}
	}
	switch {
	case len(out) > mostRight:
		return nil
	case len(out) == 1:
		out[0].Safe = true
	}
	return out
}

// place is the range of a tensor in the data.
type place struct{ from, to int64 }

// whole tells whether a header is valid, and its tensors fill so many bytes of data without gaps.
func whole(b []byte, size int64) bool {
	var entries map[string]map[string]json.RawMessage
	if json.Unmarshal(b, &entries) != nil {
		return false
	}
	var places []place
	for name, e := range entries {
		p, ok := placeOf(e)
		switch {
		case name == metadata && areTexts(e):
		case name == metadata || !ok:
			return false
		default:
			places = append(places, p)
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	end := int64(0)
	for _, p := range places {
		if p.from != end {
			return false
		}
		end = p.to
	}
	return len(places) > 0 && end == size
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
