package taridx

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// extract writes the payload of a row's member to a file of its own beside the index.
func extract(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	x := stateOf(t)
	r, err := x.readRow(ctx, s.Index())
	if err != nil {
		return nil, err
	}
	h, head, err := x.memberOf(r)
	if err != nil {
		return nil, err
	}
	at := h.at(int64(r.off)+tarfile.Block, head.Size)
	if head.Size < 0 || at.End() > h.entry.Size {
		return nil, fmt.Errorf("the payload of %s is truncated", head.Name)
	}
	name := args["file"]
	if name == "" {
		name = path.Base(head.Name)
	}
	if err := model.Clean(name); err != nil {
		return nil, err
	}
	if ext := path.Ext(name); ext == ".tar" || ext == ".taridx" {
		return nil, fmt.Errorf("%s: readers would treat it as part of the dataset", name)
	}
	if c, err := t.Snapshot.Content(name); err == nil && c != nil {
		return nil, fmt.Errorf("%s already exists", name)
	}
	return []model.Edit{model.FileEdit{File: name, Create: t.Slice(ctx, at)}}, nil
}

// maxPayload is the largest payload whose size fits into a tar header as octal text.
const maxPayload = 1<<33 - 1

// replacePayload replaces the content of a row's member. What follows in its shard moves, and the rows with it.
func replacePayload(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	x := editor{stateOf(t)}
	r, err := x.readRow(ctx, s.Index())
	if err != nil {
		return nil, err
	}
	with, err := content(t, args)
	if err != nil {
		return nil, err
	}
	h, head, err := x.memberOf(r)
	if err != nil {
		return nil, err
	}
	body := int64(r.off) + tarfile.Block
	old, now := tarfile.Padded(head.Size), tarfile.Padded(with.Len())
	switch {
	case !usable(head):
		return nil, fmt.Errorf("%s is not a file", head.Name)
	case head.Size < 0 || body+old > h.entry.Size:
		return nil, fmt.Errorf("the payload of %s is truncated", head.Name)
	case with.Len() > maxPayload:
		return nil, fmt.Errorf("%d bytes are too many for a member: the limit is %d", with.Len(), int64(maxPayload))
	}
	if err := x.free(ctx, h, r, body+old); err != nil {
		return nil, err
	}
	block := make([]byte, tarfile.Block)
	x.fold.read(h, int64(r.off), block)
	pad := model.Memory(make([]byte, now-with.Len()))
	rows, err := x.mapped(func(o *entryRow) {
		switch {
		case o.fid != r.fid:
		case o.off == r.off:
			o.size = uint64(with.Len())
		case o.off > r.off:
			o.off += uint64(now - old)
		}
	})
	return []model.Edit{inShard(h, int64(r.off), resized(block, with.Len())),
		model.Splice{Range: h.at(body, head.Size), With: with, Loose: true},
		model.Splice{Range: h.at(body+head.Size, old-head.Size), With: pad, Loose: true},
		rows}, err
}

// free is an error if the payload of a row's member, which ends at an offset, cannot be replaced: a preceding header states its size too, or
// other rows point into it.
func (x *index) free(ctx context.Context, h *shard, r entryRow, end int64) error {
	helper, at, err := x.helperOf(ctx, h, int64(r.off))
	if err != nil {
		return err
	}
	if at >= 0 && helper.Typ == 'x' {
		records := make([]byte, max(0, min(helper.Size, 1<<20)))
		if x.fold.read(h, at+tarfile.Block, records); record(records, "size") != "" {
			return errors.New("a PAX header before the member gives its size: replace it with the writer of the dataset")
		}
	}
	inside := int64(-1)
	err = x.each(ctx, func(i int64, o entryRow) {
		if o.fid == r.fid && o.off > r.off && o.off < uint64(end) && inside < 0 {
			inside = i
		}
	})
	if inside >= 0 {
		return fmt.Errorf("row %d points into the payload and would no longer be valid", inside)
	}
	return err
}

// content is what an action writes: a file of the folder, a text, or bytes in hexadecimal.
func content(t *model.Tree, args map[string]string) (model.Source, error) {
	given := 0
	for _, name := range []string{"from", "text", "hex"} {
		if args[name] != "" {
			given++
		}
	}
	switch {
	case given > 1:
		return nil, errors.New("give only one of a file, a text or bytes")
	case args["from"] != "":
		if err := model.Clean(args["from"]); err != nil {
			return nil, err
		}
		c, err := t.Snapshot.Content(args["from"])
		if err != nil {
			return nil, err
		}
		return c, nil
	case args["hex"] != "":
		b, err := hex.DecodeString(strings.Join(strings.Fields(args["hex"]), ""))
		return model.Memory(b), err
	}
	return model.Memory([]byte(args["text"])), nil
}
