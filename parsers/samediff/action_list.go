package samediff

import (
	"context"
	"slices"

	"spandrel/model"
)

// actions are the structural edits of section 5.
var actions = slices.Concat(graphActions, []model.Action{
	{Name: "set-metadata", Label: "Set metadata", Doc: "Writes a key of the metadata, or adds it.",
		Params: []model.Param{{Name: "key", Label: "Key"}, {Name: "value", Label: "Value"}}, On: onModel,
		Plan: func(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
			return changeMetadata(ctx, t, args["key"], new(args["value"]))
		}},
	{Name: "drop-metadata", Label: "Drop metadata", Doc: "Removes a key of the metadata.",
		Params: []model.Param{{Name: "key", Label: "Key"}}, On: onModel,
		Plan: func(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
			return changeMetadata(ctx, t, args["key"], nil)
		}},
	{Name: "rename-variable", Label: "Rename variable",
		Doc:    "Changes the name of a variable everywhere: in the graph, the lists, the training configuration and the manifest.",
		Params: []model.Param{{Name: "from", Label: "Name"}, {Name: "to", Label: "New name"}}, On: onModel, Plan: rename},
	{Name: "compress", Label: "Compress section", Doc: "Deflates the section, at a level from 0 to 9.",
		Params: []model.Param{{Name: "level", Label: "Level", Default: "6"}}, On: onSection(func(s *section) bool {
			return s.rec.code() == 0 &&
				s.rec.typ != header
		}), Plan: inSection(compress)},
	{Name: "store", Label: "Store section", Doc: "Inflates the section and stores it as it is.",
		On: onSection(func(s *section) bool { return s.rec.code() == 1 }), Plan: inSection(func(ctx context.Context, t *model.Tree, sec *section,
			_ map[string]string) ([]model.Edit, error) {
			return sec.store(ctx, t)
		})},
	{Name: "add-crc", Label: "Add CRC", Doc: "Adds a CRC-32 behind the section.",
		On: onSection(func(s *section) bool { return s.rec.sum == 0 }), Plan: inSection(func(ctx context.Context, t *model.Tree, sec *section,
			_ map[string]string) ([]model.Edit, error) {
			return sec.addCRC(ctx, t)
		})},
	{Name: "drop-crc", Label: "Drop CRC", Doc: "Removes the CRC behind the section.",
		On: onSection(func(s *section) bool { return s.rec.sum == 4 && s.rec.flags&0x80 != 0 }), Plan: inSection(func(_ context.Context,
			_ *model.Tree, sec *section, _ map[string]string) ([]model.Edit, error) {
			return []model.Edit{sec.flag(0x80, 0), model.Replace(sec.sum.Range, nil)}, nil
		})},
	{Name: "sort-sections", Label: "Sort sections", Doc: "Puts the sections in the order HEADER, METADATA, GRAPH, ARRAYS, SHARD_INFO.",
		On: func(t *model.Tree, s *model.Span) bool { k := main(t).con; return k != nil && len(k.sections) > 1 },
		Plan: func(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
			return main(t).con.reorder().Build(ctx, t)
		}},
	{Name: "compact", Label: "Compact",
		Doc: "Writes the graph anew with what is in use: without the root tables that edits left behind, padding and orphans.",
		On:  onCompact, Plan: compact},
	{Name: "convert-container", Label: "Convert to container",
		Doc: "Wraps the model in a new container file; the graph is taken over byte for byte, unless arrays of it are to be moved into a " +
			"section of their own.",
		Params: []model.Param{{Name: "name", Label: "File name", Default: ""},
			{Name: "arrays", Label: "Move arrays from this many bytes, or all", Default: ""}}, On: onWrap, Plan: wrap},
	{Name: "convert-normal", Label: "Normalise",
		Doc: "Rewrites a container in the layout of profile P1: 14-byte magic, big-endian, records R1.",
		On:  func(t *model.Tree, s *model.Span) bool { return main(t).con != nil }, Plan: normalise},
	{Name: "convert-shards", Label: "Split into shards",
		Doc:    "Writes the model as a set of containers: the graph, and its arrays spread over the others.",
		Params: []model.Param{{Name: "count", Label: "Files", Default: "2"}}, On: onSplit, Plan: split},
	{Name: "convert-merge", Label: "Merge shards", Doc: "Writes the shards of a set as one container.",
		Params: []model.Param{{Name: "name", Label: "File name", Default: ""}}, On: onMerge, Plan: mergeShards},
})

// onModel tells whether the document holds a graph.
func onModel(t *model.Tree, s *model.Span) bool {
	d := main(t)
	return d.con != nil || d.zip != nil || len(d.graphs) > 0
}
