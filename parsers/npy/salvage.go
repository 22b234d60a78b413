package npy

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
	"spandrel/parsers/internal/zipfile"
)

// salvage keeps the intact members of an archive, byte for byte; of an array the intact rows: its slices along the slowest
// dimension, which is the last one in Fortran order.
func salvage(ctx context.Context, t *model.Tree) (*model.Salvaged, error) {
	f, name := model.StateOf[*file](t), t.Snapshot.Primary
	if f == nil {
		return nil, errors.New("nothing in it could be read")
	}
	if f.zip != nil {
		out, part, _ := zipfile.Salvage(ctx, t.Peek(ctx, t.Root.Range.Space), t.Root.Range.Len)
		switch {
		case out != nil:
			return &model.Salvaged{Files: map[string]model.Source{name: out}, Parts: []model.SalvagedPart{part}}, ctx.Err()
		case slices.ContainsFunc(f.zip.Members, func(m *zipfile.Member) bool { return m.Encrypted() || m.Method != zip.Store && m.Method != zip.Deflate }):
			return nil, errors.New("no array of the archive can be checked: only unencrypted members that are stored or deflated can be decoded; unpack it with another program")
		}
		return nil, errors.New("no array of the archive is intact")
	}
	a := f.array
	switch {
	case a.Ends > 0:
		return nil, errors.New("the header does not have the length that header_len says: repair the file instead")
	case a.Err != nil:
		return nil, fmt.Errorf("only the header gives the element type, and it cannot be read: %w", a.Err)
	case a.Item == 0:
		return nil, errors.New("how long an element is, its type does not say")
	case a.Bytes != a.Count*a.Item && !feeds(ctx, t, a):
		return nil, errors.New("the header does not end with a line feed, so nothing says where the elements begin")
	case len(a.Shape) == 0 || a.Count == 0:
		return nil, errors.New("the array has no rows")
	}
	axis, what := 0, "rows"
	if a.Fortran && len(a.Shape) > 1 {
		axis, what = len(a.Shape)-1, "columns"
	}
	of, each := a.Shape[axis], a.Count/a.Shape[axis]
	n := min(of, a.Bytes/a.Item/each)
	part := model.SalvagedPart{What: what, Saved: n, Of: of}
	if n == 0 {
		return nil, fmt.Errorf("none of %s is intact", model.Count(of, what))
	}
	if n < of {
		part.Lost = fmt.Sprintf("%s from %s on, which are truncated", what, model.Thousands(n))
	}
	c, err := t.Snapshot.Content(name)
	if err != nil {
		return nil, err
	}
	head := make([]byte, a.Head.Data)
	if _, err := c.ReadAt(head, 0); err != nil {
		return nil, err
	}
	end := a.Head.Data + n*each*a.Item
	c = c.Splice(end, c.Len()-end, model.Memory(nil)).Splice(0, a.Head.Data, model.Memory(a.Resized(head, axis, n)))
	return &model.Salvaged{Files: map[string]model.Source{name: c}, Parts: []model.SalvagedPart{part}}, nil
}

// feeds tells whether the last byte of the header is the line feed that every writer ends it with.
func feeds(ctx context.Context, t *model.Tree, a *npyfile.Array) bool {
	b, err := t.Bytes(ctx, model.Range{Space: t.Root.Range.Space, Off: a.Head.Data - 1, Len: 1})
	return err == nil && b[0] == '\n'
}
