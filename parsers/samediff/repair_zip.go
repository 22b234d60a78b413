package samediff

import (
	"context"

	"spandrel/model"
	"spandrel/parsers/internal/zipfile"
	"spandrel/parsers/samediff/flat"
)

// renamed offers a name for a member.
func renamed(m *zipfile.Member, name string) []model.Fix {
	if m.Entry["name"].Span == nil {
		return nil
	}
	return []model.Fix{{Label: "rename to " + name, Edits: m.Rename(name)}}
}

// without offers to remove members from the archive, if others remain.
func (z *archive) without(label, loses string, gone ...*zipfile.Member) []model.Fix {
	edits, ok := z.Remove(gone...)
	if !ok {
		return nil
	}
	return []model.Fix{{Label: label, Loses: loses, Edits: edits}}
}

// stored offers to store a compressed member.
func stored(m *zipfile.Member) []model.Fix {
	if !m.Storable() || m.Size > flat.MaxSize {
		return nil
	}
	fix := model.Fix{Label: "store the member uncompressed", Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		return m.Store(ctx, t, flat.MaxSize)
	}}
	if by := m.Compression(); by != "" { // its checksum is compared with what it unpacks to
		fix.Safe, fix.Once = true, true
		fix.Says = model.Words("The archive was packed again: %s is compressed with %s, which no reader of models knows.", brief(m.Name), by)
	}
	return []model.Fix{fix}
}
