package safetensors

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"spandrel/model"
)

// One byte of a header is wrong: which, is told by that everything fits then, from the brackets to the places of all tensors.

const (
	mostHeader = 64 << 10 // of a header that is searched
	mostBefore = 160      // bytes in front of a problem that are
	mostEntry  = 512      // … and from it on
	mostRight  = 4        // answers that say something
)

// mostRead is how many bytes all searches in a file together parse; less where very many files are tried.
var mostRead int64 = 1 << 28

// wrongByte offers the byte of the header with which it is whole.
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
	var found []model.Edit
	var labels []string
	for i := to - 1; i >= from && len(found) <= mostRight; i-- {
		was := b[i]
		for c := byte(' '); c <= '~'; c++ {
			if b[i] = c; c != was && whole(b, size) {
				found = append(found, model.Replace(model.Range{Space: s.head.Range.Space, Off: s.head.Range.Off + i, Len: 1}, []byte{c}))
				labels = append(labels, fmt.Sprintf("write %q at 0x%x", c, s.head.Range.Off+i))
			}
		}
		if b[i] = was; ctx.Err() != nil || s.searched.Add(int64(len(b))*('~'-' ')) > mostRead {
			return nil
		}
	}
	if len(found) > mostRight {
		return nil
	}
	for i := range found {
		out = append(out, model.Fix{Label: labels[i], Safe: len(found) == 1, Edits: found[i : i+1]})
	}
	return out
}

// whole tells whether a header is one, and its tensors fill so many bytes of data without holes.
func whole(b []byte, size int64) bool {
	if !json.Valid(b) {
		return false
	}
	var entries map[string]map[string]json.RawMessage
	if json.Unmarshal(b, &entries) != nil {
		return false
	}
	type place struct{ from, to int64 }
	var places []place
	for name, e := range entries {
		if name == metadata {
			for _, v := range e {
				if !bytes.HasPrefix(v, []byte(`"`)) {
					return false
				}
			}
			continue
		}
		t, at := &tensor{}, []int64{}
		typ := ""
		if len(e) != 3 || json.Unmarshal(e["dtype"], &typ) != nil || json.Unmarshal(e["shape"], &t.shape) != nil || json.Unmarshal(e["data_offsets"], &at) != nil ||
			t.shape == nil || len(at) != 2 || slices.ContainsFunc(t.shape, func(n int64) bool { return n < 0 }) {
			return false
		}
		if n, known := t.bytesOf(dtypes[typ]); !known || n != at[1]-at[0] || at[0] < 0 {
			return false
		}
		places = append(places, place{at[0], at[1]})
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
