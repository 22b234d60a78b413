package tiledb

import (
	"context"

	"spandrel/model"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
)

// repairs by rule. The right value of a finding's field is its wanted value; these repairs need more than that. Counts and lengths are updated
// through their links.
var repairs = map[*model.Rule]model.Repairer{
	rule.BehindTile: dropBytes, rule.InsideTile: dropBytes, rule.BehindSchema: dropBytes, rule.BehindEnum: dropBytes,
	rule.TileSizeWrong: setTileSize, rule.ChunkCount: filterAgain, rule.SpareMetadata: setChunkLength, rule.PartLengths: setChunkLength,
	rule.PartUndecoded: setChunkLength, rule.ZlibDamaged: setChunkLength,
	rule.DigestDiffers: filterAgain, rule.UnknownFilter: filterAgain, rule.ChunkBeyond: filterAgain,
	rule.NoSchema: putBack, rule.Uncommitted: commitAgain, rule.SchemaMissing: renameSchema, rule.FooterLength: buildMetadata, rule.HeaderCut: buildMetadata,
	rule.MemberMoved: addressInside, rule.EnumFileMissing: dropEntry, rule.CommitLineBad: setBlockSize, rule.MergedDamaged: dropMerged, rule.TwoArrays: keepApart,
}

// offer is a repair if the finding has what it needs.
func offer(ok bool, x model.Fix) []model.Fix {
	if !ok || len(x.Edits) == 0 {
		return nil
	}
	return []model.Fix{x}
}

// dropBytes deletes the wrong bytes.
func dropBytes(_ context.Context, _ *model.Tree, f *model.Finding) []model.Fix {
	return offer(true, model.Fix{Label: "remove the bytes", Edits: []model.Edit{model.Replace(f.Where(), nil)}})
}

// dropEntry removes an enumeration from the map, and from the attributes that name it.
var dropEntry = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, e schema.EntryOf) []model.Fix {
	x := model.Fix{Label: "remove the enumeration from the schema", Edits: []model.Edit{model.Replace(e.Entry.Self.Range, nil)}}
	for i := range e.Schema.Attrs {
		if e.Schema.Attrs[i].Enum.Text() == e.Entry.Name.Text() {
			x.Edits = append(x.Edits, model.SetValue(e.Schema.Attrs[i].Enum.Span, model.S("")))
			x.Loses = "what cells of " + e.Schema.Attrs[i].Name.Text() + " mean, in case the file is found again"
		}
	}
	return offer(true, x)
})

// addressInside makes a group look for a member in its own folder, wherever that is.
var addressInside = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, m *movedTo) []model.Fix {
	return []model.Fix{{Label: model.Words("set the address of the member to %s inside the group", m.to),
		Edits: []model.Edit{model.SetValue(m.uri.Span, model.S(m.to)), model.SetValue(m.relative.Span, model.U(1))}}}
})
