package samediff

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/samediff/manifest"
)

// actions are the structural edits of section 5.
var actions = []model.Action{
	{Name: "set-metadata", Label: "Set metadata", Doc: "Writes a key of the metadata, or adds it.",
		Params: []model.Param{{Name: "key", Label: "Key"}, {Name: "value", Label: "Value"}}, On: onModel,
		Plan: func(ctx bufContext, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
			return changeMetadata(ctx, t, args["key"], new(args["value"]))
		}},
	{Name: "drop-metadata", Label: "Drop metadata", Doc: "Removes a key of the metadata.",
		Params: []model.Param{{Name: "key", Label: "Key"}}, On: onModel,
		Plan: func(ctx bufContext, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
			return changeMetadata(ctx, t, args["key"], nil)
		}},
	{Name: "rename-variable", Label: "Rename variable", Doc: "Changes the name of a variable everywhere: in the graph, the lists, the training configuration and the manifest.",
		Params: []model.Param{{Name: "from", Label: "Name"}, {Name: "to", Label: "New name"}}, On: onModel, Plan: rename},
	{Name: "compress", Label: "Compress section", Doc: "Deflates the section, at a level from 0 to 9.",
		Params: []model.Param{{Name: "level", Label: "Level", Default: "6"}}, On: onSection(func(s *section) bool { return s.rec.code() == 0 && s.rec.typ != header }), Plan: inSection(compress)},
	{Name: "store", Label: "Store section", Doc: "Inflates the section and stores it as it is.",
		On: onSection(func(s *section) bool { return s.rec.code() == 1 }), Plan: inSection(func(ctx bufContext, t *model.Tree, sec *section, _ map[string]string) ([]model.Edit, error) {
			return sec.store(ctx, t)
		})},
	{Name: "add-crc", Label: "Add CRC", Doc: "Adds a CRC-32 behind the section.",
		On: onSection(func(s *section) bool { return s.rec.sum == 0 }), Plan: inSection(func(ctx bufContext, t *model.Tree, sec *section, _ map[string]string) ([]model.Edit, error) {
			return main(t).con.addCRC(ctx, t, sec)
		})},
	{Name: "drop-crc", Label: "Drop CRC", Doc: "Removes the CRC behind the section.",
		On: onSection(func(s *section) bool { return s.rec.sum == 4 && s.rec.flags&0x80 != 0 }), Plan: inSection(func(_ bufContext, _ *model.Tree, sec *section, _ map[string]string) ([]model.Edit, error) {
			return []model.Edit{sec.flag(0x80, 0), model.Replace(sec.sum.Range, nil)}, nil
		})},
	{Name: "sort-sections", Label: "Sort sections", Doc: "Puts the sections in the order HEADER, METADATA, GRAPH, ARRAYS, SHARD_INFO.",
		On: func(t *model.Tree, s *model.Span) bool { k := main(t).con; return k != nil && len(k.sections) > 1 },
		Plan: func(ctx bufContext, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
			return main(t).con.reorder().Build(ctx, t)
		}},
	{Name: "compact", Label: "Compact", Doc: "Writes the graph anew with what is in use: without the root tables that edits left behind, padding and orphans.",
		On: onCompact, Plan: compact},
	{Name: "convert-container", Label: "Convert to container", Doc: "Wraps the model in a new container file; the graph is taken over byte for byte, unless arrays of it are to be moved into a section of their own.",
		Params: []model.Param{{Name: "name", Label: "File name", Default: ""}, {Name: "arrays", Label: "Move arrays from this many bytes, or all", Default: ""}}, On: onWrap, Plan: wrap},
	{Name: "convert-normal", Label: "Normalise", Doc: "Rewrites a container in the layout of profile P1: 14-byte magic, big-endian, records R1.",
		On: func(t *model.Tree, s *model.Span) bool { return main(t).con != nil }, Plan: normalise},
	{Name: "convert-shards", Label: "Split into shards", Doc: "Writes the model as a set of containers: the graph, and its arrays spread over the others.",
		Params: []model.Param{{Name: "count", Label: "Files", Default: "2"}}, On: onSplit, Plan: split},
	{Name: "convert-merge", Label: "Merge shards", Doc: "Writes the shards of a set as one container.",
		Params: []model.Param{{Name: "name", Label: "File name", Default: ""}}, On: onMerge, Plan: mergeShards},
}

// main returns the main file of a document; an empty one when there is none.
func main(t *model.Tree) *doc {
	if st, ok := t.State.(*state); ok && len(st.docs) > 0 {
		return st.docs[0]
	}
	return &doc{st: &state{}}
}

// onModel tells whether the document holds a graph.
func onModel(t *model.Tree, s *model.Span) bool {
	d := main(t)
	return d.con != nil || d.zip != nil || len(d.graphs) > 0
}

// sectionOf returns the section that a span lies in.
func sectionOf(t *model.Tree, s *model.Span) *section {
	k := main(t).con
	if k == nil {
		return nil
	}
	for up := s; up != nil; up = up.Parent() {
		for _, sec := range k.sections {
			if sec.span == up {
				return sec
			}
		}
	}
	return nil
}

func onSection(ok func(*section) bool) func(t *model.Tree, s *model.Span) bool {
	return func(t *model.Tree, s *model.Span) bool {
		sec := sectionOf(t, s)
		return sec != nil && sec.flags.Span != nil && ok(sec)
	}
}

var errSDNoSection = errors.New("not inside a section")

// inSection makes the plan of an action from what it does to the section around the place where it is asked for.
func inSection(plan func(ctx bufContext, t *model.Tree, sec *section, args map[string]string) ([]model.Edit, error)) func(bufContext, *model.Tree, *model.Span, map[string]string) ([]model.Edit, error) {
	return func(ctx bufContext, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
		if sec := sectionOf(t, s); sec != nil {
			return plan(ctx, t, sec, args)
		}
		return nil, errSDNoSection
	}
}

// flag is the edit that takes bits out of the flags of a record and puts others in.
func (s *section) flag(out, in byte) model.Edit {
	return model.SetValue(s.flags.Span, model.U(uint64(s.rec.flags&^out|in)))
}

func compress(ctx bufContext, t *model.Tree, s *section, args map[string]string) ([]model.Edit, error) {
	level, err := strconv.Atoi(args["level"])
	if err != nil || level < 0 || level > 9 {
		return nil, fmt.Errorf("the level is a number from 0 to 9, not %q", args["level"])
	}
	plain, err := t.Bytes(ctx, s.data.Range)
	if err != nil {
		return nil, err
	}
	z, err := deflate("zlib", level, plain)
	if err != nil {
		return nil, err
	}
	if int64(len(z))*maxRatio < int64(len(plain)) {
		return nil, fmt.Errorf("%d bytes would shrink to %d: readers refuse a ratio above %d", len(plain), len(z), maxRatio)
	}
	return []model.Edit{model.Replace(s.data.Range, z), s.flag(0, 1)}, nil
}

// store inflates a section in place, whatever its ratio.
func (s *section) store(ctx bufContext, t *model.Tree) ([]model.Edit, error) {
	z, err := t.Bytes(ctx, s.data.Range)
	if err != nil {
		return nil, err
	}
	plain, err := unpack(framingOf(z), z)
	return []model.Edit{model.Splice{Range: s.data.Range, With: plain}, s.flag(15, 0)}, err
}

// addCRC sets the flag and puts the CRC behind the data.
func (k *container) addCRC(ctx bufContext, t *model.Tree, sec *section) ([]model.Edit, error) {
	h := model.CRC32.New()
	r := sec.data.Range
	if err := t.Stream(ctx, r, 1<<20, func(_ int64, b []byte) error { h.Write(b); return nil }); err != nil {
		return nil, err
	}
	sum := make([]byte, 4)
	k.order.PutUint32(sum, uint32(model.CRC32.Value(h).Uint()))
	return []model.Edit{sec.flag(0, 0x80),
		model.Splice{Range: model.Range{Space: r.Space, Off: r.End()}, With: model.Memory(sum), Into: sec.span.Path()}}, nil
}

// changeMetadata writes or drops a key: in METADATA where the document is a container, otherwise in the graph (section 5.2).
func changeMetadata(ctx bufContext, t *model.Tree, key string, value *string) ([]model.Edit, error) {
	if key == "" {
		return nil, fmt.Errorf("a key is needed")
	}
	d := main(t)
	if err := d.st.openAll(ctx, t); err != nil {
		return nil, err
	}
	change := map[string]*string{key: value}
	if d.con != nil {
		return d.con.setMetadata(ctx, t, change)
	}
	for _, g := range d.graphs {
		if g.nb != nil && g.nb.member != "" {
			if n := shardName(g.nb.member); n != nil && n.index > 0 {
				continue // the keys of a sharded archive are those of shard 0
			}
		}
		return g.setMetadata(ctx, t, change)
	}
	return nil, fmt.Errorf("there is no graph to hold metadata")
}

// setMetadata writes METADATA anew in the form that it has, or adds the section.
func (k *container) setMetadata(ctx bufContext, t *model.Tree, change map[string]*string) ([]model.Edit, error) {
	var sec *section
	at := 0
	for i, s := range k.sections {
		if s.rec.typ == metadata && sec == nil {
			sec = s
		}
		if s.rec.typ == header {
			at = i + 1
		}
	}
	if k.meta != nil && k.meta.variant == opaque {
		return nil, fmt.Errorf("METADATA cannot be read to its end")
	}
	values := k.metadataMap()
	if sec == nil {
		keys, texts := merge(values, change)
		if k.layout.code != "R1" || len(k.sections) == 0 {
			return nil, fmt.Errorf("METADATA can be added to records of layout R1 only")
		}
		recs := k.sections[0].span.Parent()
		off := recs.Range.Off
		if at > 0 {
			off = k.sections[at-1].span.Range.End()
		}
		rec := k.writeRecord(metadata, 0x80, flatMetadata(keys, texts))
		return []model.Edit{model.Splice{Range: model.Range{Space: recs.Range.Space, Off: off}, With: model.Memory(rec), Into: recs.Path(), Elements: 1}}, nil
	}
	r := k.meta.span.Range
	old, err := t.Bytes(ctx, r)
	if err != nil {
		return nil, err
	}
	b, err := k.meta.write(k, old, k.meta.changed(change, values))
	return []model.Edit{model.Replace(r, b)}, err
}

// changed returns the entries with changes, those that are there already in their order.
func (m *meta) changed(change map[string]*string, values map[string]string) (entries []entry) {
	keys, _ := merge(values, change)
	for _, e := range m.entries {
		if v, ok := values[e.key]; ok {
			entries = append(entries, entry{key: e.key, value: v})
			delete(values, e.key)
		}
	}
	for _, key := range keys {
		if v, ok := values[key]; ok {
			entries = append(entries, entry{key: key, value: v})
		}
	}
	return entries
}

// write returns entries in the form that the metadata has, those of a buffer sorted. Forms other than the buffer are written only
// when writing them unchanged gives what is there.
func (m *meta) write(k *container, old []byte, entries []entry) ([]byte, error) {
	if m.variant == "" {
		slices.SortStableFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
		var keys, texts []string
		for _, e := range entries {
			keys, texts = append(keys, e.key), append(texts, e.value)
		}
		return flatMetadata(keys, texts), nil
	}
	for _, style := range textStyles(m.variant) {
		if string(style(k, m.entries)) == string(old) {
			return style(k, entries), nil
		}
	}
	return nil, fmt.Errorf("METADATA is in a form (%s) that would not keep its layout; normalise the container first", m.variant)
}

type textStyle func(k *container, e []entry) []byte

// textStyles are the ways to write a form of METADATA.
func textStyles(variant string) []textStyle {
	object := func(colon, comma string) textStyle {
		return func(_ *container, list []entry) []byte {
			var parts []string
			for _, e := range list {
				parts = append(parts, jsonText(e.key)+colon+jsonText(e.value))
			}
			return []byte("{" + strings.Join(parts, comma) + "}")
		}
	}
	pairs := func(w int, encode func(string) []byte) textStyle {
		return func(k *container, list []entry) []byte {
			out := make([]byte, 4)
			k.order.PutUint32(out, uint32(len(list)))
			for _, e := range list {
				for _, text := range []string{e.key, e.value} {
					s, n := encode(text), make([]byte, w)
					if w == 2 {
						k.order.PutUint16(n, uint16(min(len(s), 0xffff)))
					} else {
						k.order.PutUint32(n, uint32(len(s)))
					}
					out = append(append(out, n...), s...)
				}
			}
			return out
		}
	}
	plain := func(s string) []byte { return []byte(s) }
	switch variant {
	case "json":
		return []textStyle{object(":", ","), object(": ", ", ")}
	case "u16 pairs":
		return []textStyle{pairs(2, manifest.ToModified), pairs(2, plain)}
	case "u32 pairs":
		return []textStyle{pairs(4, plain)}
	}
	return []textStyle{func(_ *container, list []entry) []byte {
		var b strings.Builder
		for _, e := range list {
			b.WriteString(e.key + "=" + e.value + "\n")
		}
		return []byte(b.String())
	}}
}

// jsonText quotes a text as plainly as JSON allows.
func jsonText(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}
