package tiledb

import (
	"context"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// repairs by rule. What a finding's field should be is its wanted value; here is what takes more than that. Counts and lengths follow
// by their links.
var repairs = map[*model.Rule]model.Repairer{
	behindTile: dropBytes, insideTile: dropBytes, behindSchema: dropBytes, behindEnum: dropBytes,
	tileSizeWrong: setTileSize, chunkCount: filterAgain, spareMetadata: setChunkLength, partLengths: setChunkLength,
	statisticsDiffer: solveByte, partUndecoded: setChunkLength, zlibDamaged: setChunkLength,
	digestDiffers: filterAgain, unknownFilter: filterAgain, chunkBeyond: filterAgain,
	schemaEncrypts: removeFilter, filterIdle: removeFilter, dictionaryMisplaced: removeFilter, sameCompressor: removeFilter,
	stringFilterLate: moveFilterFirst, stringInherits: moveFilterFirst, realDoubleDelta: giveFilters,
	floatDeltas: setOthers, domainWhole: setOthers, extentOverflow: setOthers,
	domainEmpty: setOthers, currentRange: setOthers, currentOutside: setOthers,
	noExtent: addExtent, stringExtent: dropExtent,
	noFill: writeFill, fillSize: writeFill, fillValues: writeFill,
	uncommitted: commitAgain, schemaMissing: renameSchema, footerLength: buildMetadata, headerCut: buildMetadata,
	memberMoved: addressInside, enumFileMissing: dropEntry, commitLineBad: setBlockSize,
}

func setOthers(_ context.Context, _ *model.Tree, f *model.Finding) []model.Fix {
	s, ok := f.About.(manySettings)
	var x model.Fix
	for _, e := range s.list {
		if e.at.Span == nil {
			return nil
		}
		x.Label = model.SetTo(e.at.Span, e.v).Label
		x.Edits = append(x.Edits, model.SetValue(e.at.Span, e.v))
	}
	if s.label != "" {
		x.Label = s.label
	}
	return offer(ok, x)
}

// offer is a repair where the finding has what it needs.
func offer(ok bool, x model.Fix) []model.Fix {
	if !ok || len(x.Edits) == 0 {
		return nil
	}
	return []model.Fix{x}
}

// dropBytes deletes the bytes at fault.
func dropBytes(_ context.Context, _ *model.Tree, f *model.Finding) []model.Fix {
	return offer(true, model.Fix{Label: "drop the bytes", Edits: []model.Edit{model.Replace(f.Where(), nil)}})
}

func removeFilter(_ context.Context, _ *model.Tree, f *model.Finding) []model.Fix {
	p, ok := f.About.(inPipe)
	if !ok {
		return nil
	}
	return offer(ok, model.Fix{Label: "remove the filter", Edits: []model.Edit{model.Replace(p.pipe.at[p.i].self.Range, nil)}})
}

// moveFilterFirst puts a filter in front of the others.
func moveFilterFirst(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	p, ok := f.About.(inPipe)
	if !ok {
		return nil
	}
	b, err := t.Bytes(ctx, p.pipe.at[p.i].self.Range)
	return offer(err == nil, model.Fix{Label: "move the filter to the front",
		Edits: []model.Edit{insert(p.pipe.filters, p.pipe.at[0].self.Range.Off, b, 1), model.Replace(p.pipe.at[p.i].self.Range, nil)}})
}

// giveFilters gives a dimension without filters what TileDB gives coordinates by default.
func giveFilters(_ context.Context, _ *model.Tree, f *model.Finding) []model.Fix {
	d, ok := f.About.(*dim)
	if !ok || d.filters.count.Span == nil { // before version 5 dimensions have none
		return nil
	}
	b := appendPipe(nil, []filter.Filter{{Type: filter.Zstd, Compressor: filter.Zstd, Level: -1}}, versionNewest)[8:]
	p := &d.filters
	return offer(ok, model.Fix{Label: "give the dimension ZSTD",
		Edits: []model.Edit{model.SetValue(p.count.Span, model.U(1)), insert(p.Node, p.count.Range.End(), b, 0)}})
}

// insert is the edit that puts bytes at an offset of a frame, as so many elements of its list.
func insert(into model.Node, off int64, with []byte, elements int64) model.Edit {
	e := model.Replace(model.Range{Space: into.Range.Space, Off: off}, with)
	e.Into, e.Elements = into.Path(), elements
	return e
}

// addExtent makes one tile of the whole domain.
func addExtent(_ context.Context, _ *model.Tree, f *model.Finding) []model.Fix {
	d, ok := f.About.(*dim)
	if !ok {
		return nil
	}
	var width model.Value
	switch {
	case filter.IsFloat(d.datatype):
		width = model.F(d.high.Value.Float() - d.low.Value.Float())
	case filter.IsSigned(d.datatype):
		width = model.I(d.high.Int() - d.low.Int() + 1)
	default:
		width = model.U(d.high.Uint() - d.low.Uint() + 1)
	}
	b, err := codecOf(d.datatype).Encode(width)
	return offer(err == nil, model.Fix{Label: "one tile of the whole domain",
		Edits: []model.Edit{model.SetValue(d.null.Span, model.U(0)), insert(d.self, d.null.Range.End(), b, 0)}})
}

func dropExtent(_ context.Context, _ *model.Tree, f *model.Finding) []model.Fix {
	d, ok := f.About.(*dim)
	if !ok {
		return nil
	}
	return offer(ok, model.Fix{Label: "drop the extent",
		Edits: []model.Edit{model.SetValue(d.null.Span, model.U(1)), model.Replace(d.extent.Range, nil)}})
}

// writeFill writes the fill value that TileDB gives attributes of the datatype.
func writeFill(_ context.Context, _ *model.Tree, f *model.Finding) []model.Fix {
	a, ok := f.About.(*attr)
	if !ok {
		return nil
	}
	e := model.Replace(a.fill.Range, fillOf(a.datatype, a.values()))
	e.Into = a.fill.Path()
	return offer(ok, model.Fix{Label: "write the default fill value", Edits: []model.Edit{e}})
}

// dropEntry takes an enumeration out of the map, and out of the attributes that name it.
func dropEntry(_ context.Context, _ *model.Tree, f *model.Finding) []model.Fix {
	e, ok := f.About.(entryOf)
	if !ok {
		return nil
	}
	x := model.Fix{Label: "take the enumeration out of the schema", Edits: []model.Edit{model.Replace(e.entry.self.Range, nil)}}
	for i := range e.schema.attrs {
		if e.schema.attrs[i].enum.Text() == e.entry.name.Text() {
			x.Edits = append(x.Edits, model.SetValue(e.schema.attrs[i].enum.Span, model.S("")))
			x.Loses = "what cells of " + e.schema.attrs[i].name.Text() + " mean, should the file turn up again"
		}
	}
	return offer(ok, x)
}

// addressInside has a group look for a member in its own folder, wherever that is.
func addressInside(_ context.Context, _ *model.Tree, f *model.Finding) []model.Fix {
	m, ok := f.About.(*movedTo)
	if !ok {
		return nil
	}
	return []model.Fix{{Label: model.Words("set the address of the member to %s inside the group", m.to),
		Edits: []model.Edit{model.SetValue(m.uri.Span, model.S(m.to)), model.SetValue(m.relative.Span, model.U(1))}}}
}
