package gguf

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"spandrel/model"
)

// mostNamed is how many of the tensors that are lost are named.
const mostNamed = 16

// mostHead is how many bytes of a header are kept in memory at once.
const mostHead = 32 << 20

// salvage writes the tensors whose bytes are all there, under the metadata as it is: the entries keep their bytes, but for the offsets.
func salvage(ctx context.Context, t *model.Tree) (*model.Salvaged, error) {
	f := model.StateOf[*file](t)
	switch {
	case f == nil || !f.read:
		return nil, errors.New("the header cannot be read to its end, and nothing else says where the tensors are")
	case len(f.tensors) == 0:
		return nil, errors.New("the file has no tensors")
	}
	head, body := &model.Joined{}, &model.Joined{}
	add := func(to *model.Joined, from, end int64) {
		r := model.Range{Space: f.head.Range.Space, Off: from, Len: end - from}
		if end <= f.head.Range.End() && r.Len <= mostHead { // it is read in small pieces when it is checked
			if b, err := t.Bytes(ctx, r); err == nil {
				to.Add(model.Memory(bytes.Clone(b)))
				return
			}
		}
		to.Add(t.Slice(ctx, r))
	}
	part := model.SalvagedPart{What: "tensors", Of: int64(len(f.tensors))}
	entries := &model.Joined{}
	var lost []string
	for _, x := range f.tensors {
		if x.values == nil || !x.whole {
			if part.Of-part.Saved > 0 && len(lost) < mostNamed {
				lost = append(lost, x.name)
			}
			continue
		}
		part.Saved++
		offset, err := f.fields.offset.Codec.Encode(model.I(body.Len()))
		if err != nil {
			return nil, err
		}
		add(entries, x.entry.Range.Off, x.offset.Range.Off)
		entries.Add(model.Memory(offset))
		add(body, x.values.Range.Off, x.values.Range.End())
		body.Add(model.Memory(make([]byte, f.filled(body.Len())-body.Len())))
	}
	if more := part.Of - part.Saved - int64(len(lost)); more > 0 {
		lost = append(lost, model.Thousands(more)+" more")
	}
	part.Lost = strings.Join(lost, ", ")
	count, err := f.tensorCount.Codec.Encode(model.I(part.Saved))
	if err != nil {
		return nil, err
	}
	number, list := f.head.Get("tensor_count"), f.head.Get("tensors")
	head.Add(model.Memory([]byte("GGUF")))
	add(head, 4, number.Range.Off)
	head.Add(model.Memory(count))
	add(head, number.Range.End(), list.Range.Off)
	if entries.Len() > 0 {
		head.Add(entries)
	}
	head.Add(model.Memory(make([]byte, f.filled(head.Len())-head.Len())))
	if body.Len() > 0 {
		head.Add(body)
	}
	return &model.Salvaged{Files: map[string]model.Source{t.Snapshot.Primary: head}, Parts: []model.SalvagedPart{part}}, ctx.Err()
}
