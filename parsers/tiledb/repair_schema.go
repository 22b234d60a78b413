package tiledb

import (
	"cmp"
	"context"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// repairs by rule. The right value of a finding's field is its wanted value; these repairs need more than that. Counts and lengths are updated
// through their links.
var repairs = map[*model.Rule]model.Repairer{
	rule.BehindTile: dropBytes, rule.InsideTile: dropBytes, rule.BehindSchema: dropBytes, rule.BehindEnum: dropBytes,
	rule.TileSizeWrong: setTileSize, rule.ChunkCount: filterAgain, rule.SpareMetadata: setChunkLength, rule.PartLengths: setChunkLength,
	rule.PartUndecoded: setChunkLength, rule.ZlibDamaged: setChunkLength,
	rule.DigestDiffers: filterAgain, rule.UnknownFilter: filterAgain, rule.ChunkBeyond: filterAgain,
	rule.SchemaEncrypts: removeFilter, rule.FilterIdle: removeFilter, rule.DictionaryMisplaced: removeFilter, rule.SameCompressor: removeFilter,
	rule.StringFilterLate: moveFilterFirst, rule.StringInherits: moveFilterFirst, rule.RealDoubleDelta: giveFilters,
	rule.FloatDeltas: setOthers, rule.DomainWhole: setOthers, rule.ExtentOverflow: setOthers,
	rule.DomainEmpty: setOthers, rule.CurrentRange: setOthers, rule.CurrentOutside: setOthers,
	rule.NoExtent: addExtent, rule.StringExtent: dropExtent,
	rule.NoFill: writeFill, rule.FillSize: writeFill, rule.FillValues: writeFill,
	rule.Uncommitted: commitAgain, rule.SchemaMissing: renameSchema, rule.FooterLength: buildMetadata, rule.HeaderCut: buildMetadata,
	rule.MemberMoved: addressInside, rule.EnumFileMissing: dropEntry, rule.CommitLineBad: setBlockSize,
}

var setOthers = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, s storage.ManySettings) []model.Fix {
	var x model.Fix
	for _, e := range s.List {
		if e.At.Span == nil {
			return nil
		}
		x.Label = cmp.Or(s.Label, model.SetTo(e.At.Span, e.V).Label)
		x.Edits = append(x.Edits, model.SetValue(e.At.Span, e.V))
	}
	return offer(true, x)
})

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

var removeFilter = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, p storage.InPipeline) []model.Fix {
	return offer(true, model.Fix{Label: "remove the filter", Edits: []model.Edit{model.Replace(p.Pipe.At[p.I].Self.Range, nil)}})
})

// moveFilterFirst moves a filter before the others.
var moveFilterFirst = model.Knowing(func(ctx context.Context, t *model.Tree, _ *model.Finding, p storage.InPipeline) []model.Fix {
	b, err := t.Bytes(ctx, p.Pipe.At[p.I].Self.Range)
	return offer(err == nil, model.Fix{Label: "move the filter to the front",
		Edits: []model.Edit{insert(p.Pipe.Filters, p.Pipe.At[0].Self.Range.Off, b, 1), model.Replace(p.Pipe.At[p.I].Self.Range, nil)}})
})

// giveFilters gives a dimension without filters TileDB's default ones for coordinates.
var giveFilters = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, d *schema.Dimension) []model.Fix {
	p := &d.Filters
	if p.Count.Span == nil { // before version 5, dimensions have no filters
		return nil
	}
	b := storage.AppendPipeline(nil, []filter.Filter{{Type: filter.Zstd, Compressor: filter.Zstd, Level: -1}}, storage.VersionNewest)[8:]
	return []model.Fix{{Label: "use ZSTD for the dimension",
		Edits: []model.Edit{model.SetValue(p.Count.Span, model.U(1)), insert(p.Node, p.Count.Range.End(), b, 0)}}}
})

// insert is the edit that inserts bytes at an offset of a frame, as so many elements of its list.
func insert(into model.Node, off int64, with []byte, elements int64) model.Edit {
	e := model.Replace(model.Range{Space: into.Range.Space, Off: off}, with)
	e.Into, e.Elements = into.Path(), elements
	return e
}

// addExtent makes the whole domain one tile.
var addExtent = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, d *schema.Dimension) []model.Fix {
	var width model.Value
	switch {
	case filter.IsFloat(d.Datatype):
		width = model.F(d.High.Value.Float() - d.Low.Value.Float())
	case filter.IsSigned(d.Datatype):
		width = model.I(d.High.Int() - d.Low.Int() + 1)
	default:
		width = model.U(d.High.Uint() - d.Low.Uint() + 1)
	}
	b, err := storage.CodecOf(d.Datatype).Encode(width)
	return offer(err == nil, model.Fix{Label: "one tile of the whole domain",
		Edits: []model.Edit{model.SetValue(d.Null.Span, model.U(0)), insert(d.Self, d.Null.Range.End(), b, 0)}})
})

var dropExtent = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, d *schema.Dimension) []model.Fix {
	return offer(true, model.Fix{Label: "remove the extent",
		Edits: []model.Edit{model.SetValue(d.Null.Span, model.U(1)), model.Replace(d.Extent.Range, nil)}})
})

// writeFill writes TileDB's default fill value for the attribute's datatype.
var writeFill = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, a *schema.Attribute) []model.Fix {
	e := model.Replace(a.Fill.Range, storage.FillOf(a.Datatype, a.Values()))
	e.Into = a.Fill.Path()
	return offer(true, model.Fix{Label: "write the default fill value", Edits: []model.Edit{e}})
})

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
