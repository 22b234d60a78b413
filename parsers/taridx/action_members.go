package taridx

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// onRow tells whether an action applies to a row.
func onRow(t *model.Tree, s *model.Span) bool {
	return stateOf(t) != nil && s.Parent() != nil && s.Parent().Field == rowsField
}

// renameSample renames all members of a row's sample, in their shards and in the index together.
func renameSample(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	x, stem := stateOf(t), args["name"]
	if stem == "" || strings.ContainsAny(stem, "./\\") || strings.ContainsFunc(stem, space) {
		return nil, fmt.Errorf("%q: a sample's name is not empty and holds no dot, slash or white space", stem)
	}
	r, err := x.readRow(ctx, s.Index())
	if err != nil {
		return nil, err
	}
	if r.crash > 0 || slices.Contains(x.stemHash, r.hash) {
		return nil, errors.New("other samples have the hash of this one: rename it with the writer of the dataset")
	}
	hash := xxhash.Sum64String(stem)
	var edits []model.Edit
	var fault error
	if err := x.each(ctx, func(i int64, o entryRow) {
		switch {
		case fault != nil:
		case o.hash == hash:
			fault = fmt.Errorf("there is a sample %s already, or one of its hash", stem)
		case o.key() == r.key():
			var more []model.Edit
			if head, ok := x.fold.member(o.fid, o.off); !ok || head.Typ != 'x' { // a PAX header goes with the member behind it
				more, fault = x.renameMember(ctx, o, stem)
			}
			edits = append(append(edits, more...), model.SetValue(x.rows.Child(i).Child(keyHash), model.U(hash)))
		}
	}); err != nil {
		return nil, err
	}
	return edits, fault
}

// renameMember gives the member of a row another stem, in its header and in the PAX header in front of it.
func (x *index) renameMember(ctx context.Context, r entryRow, stem string) ([]model.Edit, error) {
	h, old := x.fold.of(r.fid), x.memberStem(r)
	if h == nil || old == "" {
		return nil, fmt.Errorf("the member at 0x%x is not here, or is another one", r.off)
	}
	var helper tarfile.Head
	before := int64(-1)
	if _, err := x.fold.scan(ctx, h, func(off int64, head tarfile.Head) error {
		if off == int64(r.off) {
			return errFound
		}
		before, helper = off, head
		return nil
	}); !errors.Is(err, errFound) {
		return nil, fmt.Errorf("the member at 0x%x of %s is not on the chain of its shard", r.off, h.name)
	}
	edits, err := x.renameHeader(h, int64(r.off), old, stem)
	if err != nil || before < 0 || strings.IndexByte("xL", helper.Typ) < 0 {
		return edits, err
	}
	if helper.Typ == 'L' {
		return nil, errors.New("the name stands in a GNU header in front of the member, which is left alone")
	}
	records := make([]byte, helper.Size)
	if n := x.fold.read(h, before+tarfile.Block, records); int64(n) < helper.Size {
		return nil, errors.New("the PAX header in front of the member is cut")
	}
	full := paxPath(records)
	if full == "" {
		return edits, nil
	}
	dir, rest := path.Split(full)
	now := withPath(records, dir+stem+strings.TrimPrefix(rest, stemOf(rest)))
	if tarfile.Padded(int64(len(now))) != tarfile.Padded(helper.Size) {
		return nil, errors.New("the new name does not fit in the PAX header in front of the member")
	}
	head := make([]byte, tarfile.Block)
	x.fold.read(h, before, head)
	if at, rest := path.Split(helper.Name); stemOf(rest) == old {
		if head, err = renamed(head, at+stem+strings.TrimPrefix(rest, old)); err != nil {
			return nil, err
		}
	}
	block := append(resized(head, int64(len(now))), now...)
	block = append(block, make([]byte, tarfile.Block+tarfile.Padded(helper.Size)-int64(len(block)))...)
	return append(edits, x.inShard(h, before, block)), nil
}

var errFound = errors.New("found")

func stemOf(name string) string { stem, _ := nameParts(name); return stem }

// renameHeader writes another stem into a member's own header.
func (x *index) renameHeader(h *shard, off int64, old, stem string) ([]model.Edit, error) {
	head := make([]byte, tarfile.Block)
	if x.fold.read(h, off, head) < tarfile.Block {
		return nil, errors.New("the member's header is cut")
	}
	dir, rest := path.Split(tarfile.Parse(head).Name)
	b, err := renamed(head, dir+stem+strings.TrimPrefix(rest, old))
	if err != nil {
		return nil, err
	}
	return []model.Edit{x.inShard(h, off, b)}, nil
}

// inShard puts bytes in place of as many of a shard.
func (x *index) inShard(h *shard, off int64, b []byte) model.Edit {
	return model.Splice{Range: model.Range{Space: h.span.Range.Space, Off: off, Len: int64(len(b))}, With: model.Memory(b), Loose: true}
}
