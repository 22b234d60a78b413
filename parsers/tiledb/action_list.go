package tiledb

import (
	"context"
	"fmt"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// actions are all offered actions: on schemas and enumerations, cells, metadata.
var actions = append(schemaActions, []model.Action{{
	Name: "add-cell", Label: "Add a cell…",
	Doc: "Writes a new fragment with one cell. Attributes that are not given become null if they are nullable, and otherwise the fill value; " +
		"in a dense array they stay unchanged.",
	Params: []model.Param{{Name: "cell", Label: "Coordinates and values (name=value, separated by commas)"}},
	On:     onArray,
	Plan:   addCell,
}, {
	Name: "delete-cells", Removes: true, Label: "Delete cells…",
	Doc: "Deletes cells of a sparse array, as TileDB does: they stay in their fragments, but readers skip them. Needs TileDB 2.12 or later.",
	Params: []model.Param{
		{Name: "where", Label: "Which cells (name=value, with =, !=, <, <=, > or >=; separated by commas; all must match)"},
	},
	On: func(t *model.Tree, s *model.Span) bool {
		return onArray(t, s) && !wholeArray(t, s).schemas.Current().Dense()
	},
	Plan: deleteCells,
}, {
	Name: "consolidate", Label: "Consolidate",
	Doc: "Writes all cells as one new fragment and removes the older fragments. Earlier states of the array, and deleted cells, are lost. " +
		"In a dense array, cells between those that were written become fill values.",
	On:   onArray,
	Plan: consolidate,
}, {
	Name: "set-filters", Label: "Set filters…",
	Doc: "Writes a new schema with other filters, such as a compression, and all cells as one new fragment that uses them; the older fragments are " +
		"removed, as Consolidate does.",
	Params: []model.Param{
		{Name: "fields", Label: "Attributes and dimensions (names, separated by commas; none: all attributes)"},
		{Name: "filters", Label: "Filters in order (such as BYTESHUFFLE,ZSTD:5; NONE for none)", Default: "ZSTD"},
	},
	On:   onArray,
	Plan: setFilters,
}, {
	Name: "set-metadata", Label: "Set metadata…",
	Doc: "Writes a new file of metadata with one key, later than all others, as TileDB does. Older values stay in their files.",
	Params: []model.Param{
		{Name: "key", Label: "Key"},
		{Name: "value", Label: "Value (several numbers separated by spaces)"},
		{Name: "type", Label: "Datatype", Default: "STRING_UTF8"},
	},
	On:   onArray,
	Plan: setMetadata,
}, {
	Name: "delete-metadata", Removes: true, Label: "Delete metadata…",
	Doc:    "Writes a new file of metadata that deletes a key, as TileDB does.",
	Params: []model.Param{{Name: "key", Label: "Key"}},
	On:     onArray,
	Plan: func(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
		if args["key"] == "" {
			return nil, fmt.Errorf("which key?")
		}
		return wholeArray(t, s).metadataEdit(ctx, append(storage.AppendText(nil, args["key"]), 1))
	},
}, {
	Name: "rewrite-cell", Label: "Change the cell in its fragment…",
	Doc: "Rewrites the fragment of the cell with the new value, including all offsets, sizes and statistics, instead of adding a fragment. " +
		"Concurrent readers may see half of it, and the old value is lost from the history.",
	Params: []model.Param{{Name: "value", Label: "Value"}},
	On: func(t *model.Tree, s *model.Span) bool {
		d, ok := t.State.(*doc)
		if !ok || s == nil || !d.whole() || s.Shape != model.Leaf || s.Field.Codec == nil || s.Field.Fixed != "" {
			return false
		}
		f, _, _ := d.fileOf(s)
		return f != nil // for a version that cannot be written, the plan says why
	},
	Plan: rewriteCell,
}}...)

// wholeArray is the array that was opened as a folder, if a span is its root and cells can be added to it; otherwise nil.
func wholeArray(t *model.Tree, s *model.Span) *array {
	if a, _ := schemaAt(t, s); a != nil && s == t.Root {
		return a
	}
	return nil
}

func onArray(t *model.Tree, s *model.Span) bool { return wholeArray(t, s) != nil }

func rewriteCell(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	d := t.State.(*doc)
	v, err := model.ParseValue(s.Field.Codec.Kind(), args["value"])
	if err != nil {
		return nil, err
	}
	x, err := d.cellEdit(ctx, s, v)
	switch {
	case err != nil:
		return nil, err
	case x == nil:
		return nil, fmt.Errorf("not a cell")
	}
	return sameFragments(ctx, []cellEdit{*x})
}

// comparison is name, operator, value.
type comparison struct{ name, op, value string }

var comparisonText = model.Pattern(`^\s*([^=!<>]+?)\s*(=|!=|<=|>=|<|>)(.*)$`)

// comparisons parses a list of comparisons.
func comparisons(text string) (out []comparison, err error) {
	for _, part := range strings.Split(text, ",") {
		m := comparisonText().FindStringSubmatch(part)
		if m == nil {
			return nil, fmt.Errorf("%q is not name=value", part)
		}
		out = append(out, comparison{m[1], m[2], strings.TrimSpace(m[3])})
	}
	return out, nil
}

// named are the comparisons by name; each must be an equality.
func equations(text string) (map[string]string, error) {
	list, err := comparisons(text)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, c := range list {
		if c.op != "=" {
			return nil, fmt.Errorf("%s%s%s is not name=value", c.name, c.op, c.value)
		}
		out[c.name] = c.value
	}
	return out, nil
}

func addCell(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	a := wholeArray(t, s)
	add := a.adding()
	given, err := equations(args["cell"])
	if err != nil {
		return nil, err
	}
	at, err := coordinatesIn(add.s, given)
	if err != nil {
		return nil, err
	}
	n, err := add.draft()
	if err != nil {
		return nil, err
	}
	fields, changes := make([]fragment.Cells, len(n.Slots)), []changedCell{{at: at}}
	for slot := range n.Slots {
		s := &n.Slots[slot]
		switch text, asked := given[s.Name]; {
		case s.Dim != nil:
			b, _ := storage.CodecOf(s.Datatype).Encode(at[s.At])
			fields[slot].Add(s, fragment.Value{Data: b, Valid: 1})
		case s.Attr != nil && asked:
			v, err := typedValue(ctx, a, s, model.Typed{Text: text})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
			fields[slot].Add(s, v)
			changes = append(changes, changedCell{at, &cellEdit{slot: -1, added: s, with: v.Data, whole: true}})
			delete(given, s.Name)
		case s.Attr != nil:
			v := fillValue(ctx, a, s.Attr)
			if s.Nullable {
				v.Valid = 0
			}
			fields[slot].Add(s, v)
		}
	}
	for name := range given {
		return nil, fmt.Errorf("there is no field %q", name)
	}
	if add.s.Dense() {
		return add.dense(ctx, changes)
	}
	return add.columns(ctx, fields)
}

// coordinatesIn removes the coordinates from values given by name.
func coordinatesIn(s *schema.Schema, given map[string]string) (at []model.Value, err error) {
	for i := range s.Dims {
		d := &s.Dims[i]
		text, ok := given[d.Name.Text()]
		if !ok {
			return nil, fmt.Errorf("the coordinate %s is missing", d.Name.Text())
		}
		v, err := typedCoordinate(d, model.Typed{Text: text})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name.Text(), err)
		}
		at = append(at, v)
		delete(given, d.Name.Text())
	}
	return at, nil
}
