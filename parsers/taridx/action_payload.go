package taridx

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
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
	return payloads{x, []payload{{entryRow: r, row: s.Index(), with: with}}}.edits(ctx)
}

// payload is new content for the member of a row.
type payload struct {
	entryRow
	row   int64
	with  model.Source
	shard *shard
	head  tarfile.Head
	moved int64 // by how much what follows moves, with all changes before
}

// payloads are those that an edit replaces, in the order of the shards.
type payloads struct {
	x    editor
	list []payload
}

// edits replaces the content of the members. What follows in their shards moves, and the rows with it.
func (y payloads) edits(ctx context.Context) (edits []model.Edit, err error) {
	slices.SortStableFunc(y.list, func(a, b payload) int { return inShards(a.entryRow, b.entryRow) })
	if err := y.find(); err != nil {
		return nil, err
	}
	if err := y.free(ctx); err != nil {
		return nil, err
	}
	for _, p := range y.list {
		block := make([]byte, tarfile.Block)
		y.x.fold.read(p.shard, int64(p.off), block)
		body, n := p.body(), p.with.Len()
		pad := model.Memory(make([]byte, tarfile.Padded(n)-n))
		edits = append(edits, inShard(p.shard, int64(p.off), resized(block, n)),
			model.Splice{Range: p.shard.at(body, p.head.Size), With: p.with, Loose: true},
			model.Splice{Range: p.shard.at(body+p.head.Size, p.end()-body-p.head.Size), With: pad, Loose: true})
	}
	rows, err := y.x.mapped(func(o *entryRow) {
		k := y.before(*o)
		if k < len(y.list) && inShards(y.list[k].entryRow, *o) == 0 {
			o.size = uint64(y.list[k].with.Len())
		}
		if k > 0 && y.list[k-1].fid == o.fid {
			o.off += uint64(y.list[k-1].moved)
		}
	})
	return append(edits, rows), err
}

// find finds the members, and how far what follows them moves.
func (y payloads) find() error {
	for i := range y.list {
		p := &y.list[i]
		if err := p.find(y.x); err != nil {
			return fmt.Errorf("row %d: %w", p.row, err)
		}
		p.moved = tarfile.Padded(p.with.Len()) - tarfile.Padded(p.head.Size)
		if i == 0 || y.list[i-1].fid != p.fid {
			continue
		}
		if p.moved += y.list[i-1].moved; y.list[i-1].off == p.off {
			return fmt.Errorf("rows %d and %d refer to the same member: give the payload for one of them", y.list[i-1].row, p.row)
		}
	}
	return nil
}

// body is where the payload begins, and end where it ends with its padding.
func (p *payload) body() int64 { return int64(p.off) + tarfile.Block }
func (p *payload) end() int64  { return p.body() + tarfile.Padded(p.head.Size) }

// before is how many payloads are before a row, in the order of the shards.
func (y payloads) before(r entryRow) int {
	k, _ := slices.BinarySearchFunc(y.list, r, func(p payload, r entryRow) int { return inShards(p.entryRow, r) })
	return k
}

// find finds the member; an error says why its content cannot be replaced.
func (p *payload) find(x editor) (err error) {
	p.shard, p.head, err = x.memberOf(p.entryRow)
	switch {
	case err != nil:
	case !usable(p.head):
		err = fmt.Errorf("%s is not a file", p.head.Name)
	case p.head.Size < 0 || p.end() > p.shard.entry.Size:
		err = fmt.Errorf("the payload of %s is truncated", p.head.Name)
	case p.with.Len() > maxPayload:
		err = fmt.Errorf("%d bytes are too many for a member: the limit is %d", p.with.Len(), int64(maxPayload))
	}
	return err
}

// free is an error if a member cannot be replaced: a preceding header states its size too, or other rows point into it.
func (y payloads) free(ctx context.Context) error {
	for rest := y.list; len(rest) > 0; {
		n := payloads{y.x, rest}.before(entryRow{fid: rest[0].fid, off: math.MaxUint64})
		if err := (payloads{y.x, rest[:n]}).sizedOnce(ctx); err != nil {
			return err
		}
		rest = rest[n:]
	}
	inside := int64(-1)
	err := y.x.each(ctx, func(i int64, o entryRow) {
		if k := y.before(o); k > 0 && y.list[k-1].fid == o.fid && o.off < uint64(y.list[k-1].end()) && inside < 0 {
			inside = i
		}
	})
	if inside >= 0 {
		return fmt.Errorf("row %d points into the payload and would no longer be valid", inside)
	}
	return err
}

// sizedOnce is an error if a PAX header states the size of a member, too. The payloads are those of one shard.
func (y payloads) sizedOnce(ctx context.Context) error {
	left := y.list
	w := y.x.fold.walk(ctx, left[0].shard)
	for at := range w.members {
		if len(left) == 0 || at > int64(left[0].off) {
			break
		}
		if at == int64(left[0].off) {
			if y.statesSize(w) {
				return fmt.Errorf("row %d: a PAX header before the member gives its size: replace it with the writer of the dataset", left[0].row)
			}
			left = left[1:]
		}
	}
	if len(left) > 0 && ctx.Err() == nil {
		return fmt.Errorf("the member at 0x%x of %s is not on the member chain of its shard", left[0].off, left[0].shard.name)
	}
	return ctx.Err()
}

// statesSize tells whether a PAX header before the member that a walk has reached says how long it is.
func (y payloads) statesSize(w *walk) bool {
	records := make([]byte, max(0, min(w.helper.Size, 1<<20)))
	y.x.fold.read(w.h, w.helperAt+tarfile.Block, records)
	return w.helperAt >= 0 && w.helper.Typ == 'x' && record(records, "size") != ""
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
