package safetensors

import (
	"context"
	"fmt"

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
