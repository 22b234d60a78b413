package taridx

import (
	"cmp"
	"context"

	"github.com/cespare/xxhash/v2"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// maxRewrite is how many rows are kept in memory at once: 32 bytes each.
const maxRewrite = 1 << 25

// The rows (section 5).
var (
	rowsField = &model.Field{Name: "rows", Doc: "one row per tar header, in scan order", Ref: "5"}
	restField = &model.Field{Name: "remainder", Codec: model.RawBytes, Unused: true, Doc: "bytes that are not a whole row"}
	row       = model.NewRecord(
		&model.Field{Name: "fid", Codec: model.U16LE, Doc: "position of the shard among those of the fold", Ref: "5, 7", Note: note(nameOfShard)},
		&model.Field{Name: "offset", Codec: model.U64LE, Doc: "of the member's tar header in the shard", Ref: "5", Show: model.ShowHex,
			Target: target, Note: note(nameOfMember)},
		&model.Field{Name: "size", Codec: model.U64LE, Doc: "payload bytes, from offset + 512", Ref: "5", Show: model.ShowSize},
		&model.Field{Name: "extid", Codec: model.U16LE, Doc: "extension name", Ref: "5", Note: note(func(x *index, r entryRow) string { return x.extName(r.ext) }),
			Choices: func(_ context.Context, t *model.Tree, _ *model.Span) []string {
				if x := stateOf(t); x != nil {
					return x.exts
				}
				return nil
			}},
		&model.Field{Name: "crashid", Codec: model.U32LE, Doc: "0, or the number of a collision stem", Ref: "5", Note: note(collidedStem)},
		&model.Field{Name: "keyhash", Codec: model.U64LE, Doc: "XXH64 of the stem, seed 0", Ref: "5, 6.2", Show: model.ShowHex, Note: note((*index).stem)})
)

// row's fields by number.
const (
	fid = iota
	offset
	size
	extID
	crashID
	keyHash
)

// of returns the index of a tree and the row that a span of its fields belongs to.
func of(t *model.Tree, s *model.Span) (x *index, r entryRow, ok bool) {
	x, row := stateOf(t), s.Parent()
	if x == nil || row == nil || row.Index() < 0 {
		return x, r, false
	}
	b, ok := t.Cached(row.Range)
	if !ok || len(b) < rowSize {
		return x, r, false
	}
	return x, decode(b), true
}

// target is the tar header that a row points at.
func target(t *model.Tree, s *model.Span) (model.Range, bool) {
	x, r, ok := of(t, s)
	if !ok || x.fold.of(r.fid) == nil || r.off > 1<<62 {
		return model.Range{}, false
	}
	h := x.fold.of(r.fid)
	at := h.at(int64(r.off), tarfile.Block)
	return at, at.End() <= h.entry.Size
}

// note returns a remark about the row that contains a field.
func note(tell func(x *index, r entryRow) string) func(context.Context, *model.Tree, *model.Span) string {
	return func(_ context.Context, t *model.Tree, s *model.Span) string {
		if x, r, ok := of(t, s); ok {
			return tell(x, r)
		}
		return ""
	}
}

// nameOfShard is the name of the shard that a row points into, nameOfMember that of the member, if they exist.
func nameOfShard(x *index, r entryRow) string {
	if h := x.fold.of(r.fid); h != nil {
		return h.name
	}
	return ""
}

func nameOfMember(x *index, r entryRow) string {
	if h, ok := x.fold.member(r.fid, r.off); ok && h.SumOK {
		return h.Name
	}
	return ""
}

// collidedStem is the collision stem of a row, or "".
func collidedStem(x *index, r entryRow) string {
	if r.crash > 0 && int64(r.crash) <= int64(len(x.stems)) {
		return x.stems[r.crash-1]
	}
	return ""
}

// stem returns the stem of a row: from the collision table, or from the member's name.
func (x *index) stem(r entryRow) string { return cmp.Or(collidedStem(x, r), x.memberStem(r)) }

// memberStem returns the stem of the member that a row points at, if it has the row's hash.
func (x *index) memberStem(r entryRow) string {
	if stem, _ := nameParts(nameOfMember(x, r)); xxhash.Sum64String(stem) == r.hash {
		return stem
	}
	return ""
}
