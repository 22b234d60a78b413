package gguf

import (
	"bytes"
	"context"
	"errors"

	"spandrel/model"
)

// mostNamed is how many of the lost tensors are named.
const mostNamed = 16

// mostHead is how many bytes of a header are kept in memory.
const mostHead = 32 << 20

// salvage writes the tensors whose bytes all exist, with unchanged metadata: entries keep their bytes, except for the offsets.
func salvage(ctx context.Context, t *model.Tree) (*model.Salvaged, error) {
	f := model.StateOf[*file](t)
	switch {
	case f == nil || !f.read:
		return nil, errors.New("the header cannot be read completely, and nothing else says where the tensors are")
	case len(f.tensors) > 0 && f.tensors[0].at > 0 && f.ends != "":
		return nil, errors.New("the first tensor does not begin where the data do, and the last ends after the file: all offsets may be counted from another place")
	case len(f.tensors) == 0:
		return nil, errors.New("the file has no tensors")
	}
	x := salvaging{ctx: ctx, t: t, file: f}
	part := model.SalvagedPart{What: "tensors", Of: int64(len(f.tensors))}
	var lost []string
	for _, tensor := range f.tensors {
		switch {
		case tensor.values != nil && tensor.whole:
			if err := x.tensor(tensor); err != nil {
				return nil, err
			}
			part.Saved++
		default:
			lost = append(lost, tensor.name)
		}
	}
	part.Lost = model.Few(lost, mostNamed)
	parts := []model.SalvagedPart{part}
	if n, at := followers(ctx, t, f); n > 0 {
		parts = append(parts, model.SalvagedPart{What: "GGUF files", Saved: 1, Of: n + 1,
			Lost: model.Words("%s that follow in the same file, from 0x%x on", model.Count(n, "other GGUF files"), at)})
	}
	out, err := x.whole(part.Saved)
	if err != nil {
		return nil, err
	}
	return &model.Salvaged{Files: map[string]model.Source{t.Snapshot.Primary: out}, Parts: parts}, ctx.Err()
}

// mostFollowers is how many files are counted.
const mostFollowers = 1 << 10

// followers is how many other files follow the last tensor, each where the one before it ends, and where they begin.
func followers(ctx context.Context, t *model.Tree, f *file) (n, first int64) {
	c, err := t.Snapshot.Content(t.Snapshot.Primary)
	for first = f.mostEnd; err == nil && n < mostFollowers && f != nil && 0 < f.mostEnd && f.mostEnd < c.Len(); n++ {
		c = c.Splice(0, f.mostEnd, nil)
		if magic := make([]byte, 4); !readsAll(c, magic) || string(magic) != "GGUF" {
			break
		}
		f = headIn(ctx, t, t.Snapshot.Primary, c)
	}
	return n, first
}

// readsAll reads the beginning of a file.
func readsAll(c *model.Content, b []byte) bool {
	n, _ := c.ReadAt(b, 0)
	return n == len(b)
}

// salvaging is a new file of the intact tensors of another.
type salvaging struct {
	ctx           context.Context
	t             *model.Tree
	file          *file
	entries, data model.Joined
}

// tensor adds a tensor: its entry, with another offset, and its values.
func (x *salvaging) tensor(from *tensor) error {
	offset, err := x.file.fields.offset.Codec.Encode(model.I(x.data.Len()))
	if err != nil {
		return err
	}
	x.copy(&x.entries, from.entry.Range.Off, from.offset.Range.Off)
	x.entries.Add(model.Memory(offset))
	x.copy(&x.data, from.values.Range.Off, from.values.Range.End())
	x.data.Add(model.Memory(make([]byte, x.file.filled(x.data.Len())-x.data.Len())))
	return nil
}

// copy adds bytes of the damaged file.
func (x *salvaging) copy(to *model.Joined, from, end int64) {
	r := model.Range{Space: x.file.head.Range.Space, Off: from, Len: end - from}
	if end <= x.file.head.Range.End() && r.Len <= mostHead { // the check reads it in small pieces
		if b, err := x.t.Bytes(x.ctx, r); err == nil {
			to.Add(model.Memory(bytes.Clone(b)))
			return
		}
	}
	to.Add(x.t.Slice(x.ctx, r))
}

// whole is the file, with its header as it was but for the number of tensors.
func (x *salvaging) whole(tensors int64) (model.Source, error) {
	count, err := x.file.tensorCount.Codec.Encode(model.I(tensors))
	if err != nil {
		return nil, err
	}
	number, list := x.file.head.Get("tensor_count"), x.file.head.Get("tensors")
	out := &model.Joined{}
	out.Add(model.Memory([]byte("GGUF")))
	x.copy(out, 4, number.Range.Off)
	out.Add(model.Memory(count))
	x.copy(out, number.Range.End(), list.Range.Off)
	if tensors > 0 {
		out.Add(&x.entries)
	}
	out.Add(model.Memory(make([]byte, x.file.filled(out.Len())-out.Len())))
	if x.data.Len() > 0 {
		out.Add(&x.data)
	}
	return out, nil
}
