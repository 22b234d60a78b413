package samediff

import (
	"context"

	"spandrel/model"
	"spandrel/parsers/internal/zipfile"
	"spandrel/parsers/samediff/flat"
)

// fixes offers what helps a member.
func (x memberAt) fixes(f *model.Finding) []model.Fix {
	switch f.Rule {
	case memberDeflated, memberMethod:
		return x.store()
	case archiveLimits:
		if x.m != nil {
			return x.store()
		}
		return x.remove("remove the members that are not models", model.Words("%d files", len(x.gone)), x.gone)
	case memberTwice:
		return append(x.rename(), x.remove("remove the second one", "the second "+brief(x.m.Name), x.gone)...)
	case modelAndShards:
		return append(x.remove("remove the model, keep the shards", "the whole model", x.gone),
			x.remove("remove the shards", "the shards", x.other)...)
	}
	return x.rename()
}

// rename offers a name for a member.
func (x memberAt) rename() []model.Fix {
	if x.name == "" || x.m.Entry["name"].Span == nil {
		return nil
	}
	return []model.Fix{{Label: "rename to " + x.name, Edits: x.m.Rename(x.name)}}
}

// remove offers to remove members from the archive, if others remain.
func (x memberAt) remove(label, loses string, gone []*zipfile.Member) []model.Fix {
	edits, ok := x.z.Remove(gone...)
	if !ok {
		return nil
	}
	return []model.Fix{{Label: label, Loses: loses, Edits: edits}}
}

// store offers to store a compressed member.
func (x memberAt) store() []model.Fix {
	if x.m == nil || !x.m.Storable() || x.m.Size > flat.MaxSize {
		return nil
	}
	fix := model.Fix{Label: "store the member uncompressed", Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		return x.m.Store(ctx, t, flat.MaxSize)
	}}
	if by := x.m.Compression(); by != "" { // its checksum is compared with what it unpacks to
		fix.Safe, fix.Once = true, true
		fix.Says = model.Words("The archive was packed again: %s is compressed with %s, which no reader of models knows.", brief(x.m.Name), by)
	}
	return []model.Fix{fix}
}
