package samediff

import (
	"cmp"
	"context"
	"slices"

	"spandrel/model"
	"spandrel/parsers/internal/zipfile"
)

// actions are the structural edits of section 5.
var actions = slices.Concat(graphActions, []model.Action{
	{Name: "set-metadata", Label: "Set metadata", Doc: "Writes a key of the metadata, or adds it.",
		Params: []model.Param{{Name: "key", Label: "Key"}, {Name: "value", Label: "Value"}}, On: onModel,
		Plan: func(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
			return changeMetadata(ctx, t, args["key"], new(args["value"]))
		}},
	{Name: "drop-metadata", Removes: true, Label: "Remove metadata", Doc: "Removes a key of the metadata.",
		Params: []model.Param{{Name: "key", Label: "Key"}}, On: onModel,
		Plan: func(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
			return changeMetadata(ctx, t, args["key"], nil)
		}},
	{Name: "rename-variable", Label: "Rename variable",
		Doc:    "Changes the name of a variable everywhere: in the graph, the lists, the training configuration and the manifest.",
		Params: []model.Param{{Name: "from", Label: "Name"}, {Name: "to", Label: "New name"}}, On: onModel, Plan: rename},
	{Name: "compress", Label: "Compress section", Doc: "Deflates the section, at a level from 0 to 9.",
		Params: []model.Param{{Name: "level", Label: "Level", Default: "6"}}, On: onSection(func(s *section) bool { return s.rec.code() == 0 && s.rec.typ != header }), Plan: inSection((*section).compress)},
	{Name: "store", Label: "Store section", Doc: "Inflates the section and stores it uncompressed.",
		On:   onSection(func(s *section) bool { return s.rec.code() == 1 }),
		Plan: inSection(func(s *section, _ map[string]string) planned { return s.store })},
	{Name: "add-crc", Label: "Add CRC", Doc: "Adds a CRC-32 after the section.",
		On:   onSection(func(s *section) bool { return s.rec.sum == 0 }),
		Plan: inSection(func(s *section, _ map[string]string) planned { return s.addCRC })},
	{Name: "drop-crc", Label: "Remove CRC", Doc: "Removes the CRC after the section.",
		On:   onSection(func(s *section) bool { return s.rec.sum == 4 && s.rec.flags&0x80 != 0 }),
		Plan: inSection(func(s *section, _ map[string]string) planned { return s.dropCRC })},
	{Name: "sort-sections", Label: "Sort sections", Doc: "Puts the sections in the order HEADER, METADATA, GRAPH, ARRAYS, SHARD_INFO.",
		On: func(t *model.Tree, s *model.Span) bool { k := main(t).con; return k != nil && len(k.sections) > 1 },
		Plan: func(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
			return main(t).con.reorder().Build(ctx, t)
		}},
	{Name: "compact", Label: "Compact",
		Doc: "Rewrites the graph without unused data: root tables left behind by edits, padding and orphans.",
		On:  onCompact, Plan: compact},
	conversion(".sdc", (*whole).container, model.Action{Name: "convert-container", Label: "Convert to container",
		Doc: "Writes the model, of one file or of a set of shards, as a new container file; " +
			"the graph is copied byte for byte, unless its arrays are moved to a section of their own.",
		Params: []model.Param{{Name: "arrays", Label: "Move arrays from this many bytes, or all"}}}),
	conversion(".fb", (*whole).bareFile, model.Action{Name: "convert-fb", Label: "Convert to FlatBuffers graph",
		Doc: "Writes the model, of one file or of a set of shards, as a new .fb file: a graph with " +
			"its arrays in it, which every release of ND4J reads; at most 2 GiB."}),
	conversion(".sdnb", (*whole).nativeFile, model.Action{Name: "convert-sdnb", Label: "Convert to SDNB",
		Doc: "Writes the model, of one file or of a set of shards, as a new .sdnb file: the graph, " +
			"followed by arrays of 1 MiB and more, and their manifest."}),
	conversion(".sdz", (*whole).zipFile, model.Action{Name: "convert-sdz", Label: "Convert to SDZ",
		Doc: "Writes the model, of one file or of a set of shards, as a new .sdz archive that contains it as SDNB."}),
	{Name: "convert-normal", Label: "Normalise",
		Doc: "Rewrites a container in the layout of profile P1: 14-byte magic, big-endian, records R1.",
		On:  func(t *model.Tree, s *model.Span) bool { return main(t).con != nil }, Plan: normalise},
	{Name: "convert-shards", Label: "Split into shards",
		Doc:    "Writes the model as a set of containers: the graph, and its arrays split over the others.",
		Params: []model.Param{{Name: "count", Label: "Files", Default: "2"}}, On: onSplit, Plan: split},
	{Name: "convert-merge", Label: "Merge shards", Doc: "Writes the shards of a set as one container.",
		Params: []model.Param{{Name: "name", Label: "File name", Default: ""}}, On: onMerge, Plan: converting(".sdc", (*whole).container)},
})

// onMerge tells whether the document is a set of shards.
func onMerge(t *model.Tree, s *model.Span) bool {
	d := main(t)
	g, count := d.structure()
	return g != nil && count > 1 || weightName(d.file) || d.zip != nil && slices.ContainsFunc(d.zip.Members,
		func(m *zipfile.Member) bool { // deflated ones are not read yet
			n := shardName(m.Name)
			return n != nil && n.index == 0 && n.count > 1
		})
}

// conversion completes the action that writes the model as a new file of another kind, or of the same kind for a set of shards.
func conversion(ext string, write writer, a model.Action) model.Action {
	a.Params = append([]model.Param{{Name: "name", Label: "File name"}}, a.Params...)
	a.Plan = converting(ext, write)
	a.On = func(t *model.Tree, s *model.Span) bool {
		return onModel(t, s) && (extensions[main(t).family] != ext || onMerge(t, s))
	}
	return a
}

// writer writes a model as a file; args are those of the action.
type writer func(w *whole, args map[string]string) (model.Source, error)

// converting plans a conversion.
func converting(ext string, write writer) func(context.Context, *model.Tree, *model.Span, map[string]string) ([]model.Edit, error) {
	return func(ctx context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
		w, err := readWhole(ctx, t)
		if err != nil {
			return nil, err
		}
		file, err := write(w, args)
		name := cmp.Or(args["name"], baseName(main(t).file)+ext)
		return []model.Edit{model.FileEdit{File: name, Create: file, Warnings: w.left}}, err
	}
}

// onModel tells whether the document holds a graph.
func onModel(t *model.Tree, s *model.Span) bool {
	d := main(t)
	return d.con != nil || d.zip != nil || len(d.graphs) > 0
}
