package tiledb

import (
	"context"
	"encoding/binary"
	"fmt"
	"path"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// Actions write new files beside the old ones, as TileDB does when a schema evolves (7.3): what fragments depend on stays.
var schemaActions = []model.Action{{
	Name: "evolve-schema", Label: "Save as a new evolved schema…",
	Doc: "Writes the schema as a new file of the array, later than all others, with attributes added or dropped. Fragments keep " +
		"their schema; cells of new attributes say the fill value.",
	Params: []model.Param{
		{Name: "add", Label: "Attributes to add (name:TYPE, with :var, :nullable or :enum=NAME behind it; separated by commas)"},
		{Name: "drop", Label: "Attributes to drop (names, separated by commas)"},
		{Name: "drop-enumerations", Label: "Enumerations to drop that no attribute uses (names, separated by commas)"},
		{Name: "grow", Label: "Current domain to grow (dimension=low:high, separated by commas)"},
	},
	On:   func(t *model.Tree, s *model.Span) bool { _, sc := schemaAt(t, s); return sc != nil },
	Plan: evolve,
}, {
	Name: "add-enumeration", Label: "Add an enumeration…",
	Doc: "Writes an enumeration as a new file, and a new schema that has it. Attributes that are added afterwards may name it.",
	Params: []model.Param{
		{Name: "name", Label: "Name"},
		{Name: "type", Label: "Datatype of the values", Default: "STRING_ASCII"},
		{Name: "values", Label: "Values (separated by commas)"},
		{Name: "ordered", Label: "The values are in an order", Default: "no", Choices: []string{"no", "yes"}},
	},
	On: func(t *model.Tree, s *model.Span) bool {
		_, sc := schemaAt(t, s)
		return sc != nil && sc.Layout >= 20
	},
	Plan: addEnumeration,
}, {
	Name: "extend-enumeration", Label: "Add values to the enumeration…",
	Doc:    "Writes the enumeration with more values as a new file, and a new schema that names it. Stored indexes keep their meaning.",
	Params: []model.Param{{Name: "values", Label: "Values to add (separated by commas)"}},
	On:     func(t *model.Tree, s *model.Span) bool { a, _ := enumAt(t, s); return a != nil },
	Plan:   extend,
}}

// schemaAt returns the schema that a span is part of, or at the root the current one of the array; nil when it cannot evolve:
// schemas of files opened without their array, and those that are only read.
func schemaAt(t *model.Tree, s *model.Span) (*array, *schema.Schema) {
	d, ok := t.State.(*doc)
	if !ok || s == nil {
		return nil, nil
	}
	if a := d.array(""); s == t.Root && d.whole() {
		if sc := a.schemas.Current(); sc != nil && sc.Evolves() {
			return a, sc
		}
		return nil, nil
	}
	name := t.FileName(s.Range)
	kind, dir := d.kindOf(name)
	a := d.array(dir)
	base := path.Base(name)
	if sc := a.schemas.Kept(base); kind == kindSchema && sc != nil && sc.Evolves() {
		if d.t.Snapshot.Primary == "" || dir != "" || base == schema.OldSchema || strings.Contains(name, "/") {
			return a, sc
		}
	}
	return nil, nil
}

// payload returns the bytes of a schema.
func schemaPayload(ctx context.Context, a *array, s *schema.Schema) ([]byte, error) {
	space := s.VersionAt.Range.Space
	n, err := a.d.t.Size(ctx, space)
	if err != nil {
		return nil, err
	}
	return a.d.t.Bytes(ctx, model.Range{Space: space, Len: n})
}

// enumAt returns the enumeration that a span is part of: in its file, or as an entry of the current schema's map.
func enumAt(t *model.Tree, s *model.Span) (*array, string) {
	d, ok := t.State.(*doc)
	if !ok || s == nil || t.Snapshot.Primary != "" {
		return nil, ""
	}
	name := t.FileName(s.Range)
	kind, dir := d.kindOf(name)
	a := d.array(dir)
	current := a.schemas.Current()
	if current == nil || !current.Evolves() || current.Layout < 20 {
		return nil, ""
	}
	for _, e := range current.Enums {
		file := e.File.Text()
		if kind == kindEnumeration && path.Base(name) == file ||
			kind == kindSchema && path.Base(name) == current.File && s.Range.Space == e.Self.Range.Space && e.Self.Range.Contains(s.Range) {
			return a, file
		}
	}
	return nil, ""
}

func extend(ctx context.Context, t *model.Tree, at *model.Span, args map[string]string) ([]model.Edit, error) {
	a, file := enumAt(t, at)
	if a == nil {
		return nil, fmt.Errorf("not an enumeration of the current schema")
	}
	e := a.schemas.EnumerationFile(ctx, file)
	if e == nil {
		return nil, fmt.Errorf("the values of the enumeration cannot be read")
	}
	if err := a.evolvable(); err != nil {
		return nil, err
	}
	data, err := t.Bytes(ctx, e.Data.Range)
	if err != nil {
		return nil, err
	}
	starts := append([]int64(nil), e.Starts[:e.Count()]...)
	seen := map[string]bool{}
	for i := range e.Count() {
		seen[string(data[e.Starts[i]:e.Starts[i+1]])] = true
	}
	starts, data, err = appendValues(starts, data, seen, e.Datatype, e.Num, args["values"])
	if err != nil {
		return nil, err
	}
	return extended(ctx, a, file, e, data, starts)
}

// appendValues adds values of an enumeration that are given as text. seen are those that there are already.
func appendValues(starts []int64, data []byte, seen map[string]bool, datatype uint8, num uint32, text string) ([]int64, []byte, error) {
	list := names(text)
	if len(list) == 0 {
		return nil, nil, fmt.Errorf("no values to add")
	}
	for _, text := range list {
		b := []byte(text)
		if storage.IsNumber(datatype) {
			v, err := model.ParseValue(storage.CodecOf(datatype).Kind(), text)
			if err != nil {
				return nil, nil, err
			}
			if b, err = storage.CodecOf(datatype).Encode(v); err != nil {
				return nil, nil, err
			}
		}
		if n := int64(filter.SizeOf(datatype)) * int64(num); num != storage.VariableCells && int64(len(b)) != n {
			return nil, nil, fmt.Errorf("%q has %d bytes, values have %d", text, len(b), n)
		}
		if seen[string(b)] {
			return nil, nil, fmt.Errorf("%q is a value already", text)
		}
		seen[string(b)] = true
		starts, data = append(starts, int64(len(data))), append(data, b...)
	}
	return starts, data, nil
}

// extended writes an enumeration's new values to a new file, and a schema that names it.
func extended(ctx context.Context, a *array, old string, e *schema.Enumeration, data []byte, starts []int64) ([]model.Edit, error) {
	s := a.schemas.Current()
	file, create, err := enumerationEdit(ctx, a, s, e.Name.Text(), e.Datatype, e.Num, e.Ordered, data, starts)
	if err != nil {
		return nil, err
	}
	var list []schema.Splice
	for _, ref := range s.Enums {
		if ref.File.Text() == old {
			r := ref.File.Range
			list = append(list, schema.Splice{Off: r.Off - 4, N: r.Len + 4, With: storage.AppendText(nil, file)})
		}
	}
	schema, err := evolved(ctx, a, s, list)
	return []model.Edit{create, schema}, err
}

// enumerationEdit is the edit that writes the file of an enumeration, under a name of its own.
func enumerationEdit(ctx context.Context, a *array, s *schema.Schema, name string, datatype uint8, num uint32, ordered bool, data []byte,
	starts []int64) (file string, e model.Edit, err error) {
	id, err := randomHex()
	if err != nil {
		return "", e, err
	}
	file = "__" + id + "_0"
	key, err := a.d.writingKey(s.Crypt)
	if err != nil {
		return "", e, err
	}
	tile, err := storage.WriteTile(ctx, s.Version, schema.AppendEnumeration(name, file, datatype, num, ordered, data, starts), key)
	return file, model.FileEdit{File: a.path("__schema", "__enumerations", file), Create: model.Memory(tile)}, err
}

func addEnumeration(ctx context.Context, t *model.Tree, at *model.Span, args map[string]string) ([]model.Edit, error) {
	a, s := schemaAt(t, at)
	if s == nil || s.Layout < 20 {
		return nil, fmt.Errorf("not a schema that can have enumerations")
	}
	if err := a.evolvable(); err != nil {
		return nil, err
	}
	name := args["name"]
	for _, e := range s.Enums {
		if e.Name.Text() == name {
			return nil, fmt.Errorf("there is an enumeration %q already", name)
		}
	}
	if name == "" {
		return nil, fmt.Errorf("an enumeration needs a name")
	}
	datatype, ok := schema.DatatypeNamed(args["type"])
	if !ok {
		return nil, fmt.Errorf("%q is not a datatype", args["type"])
	}
	num := uint32(1)
	if filter.IsString(datatype) {
		num = storage.VariableCells
	}
	starts, data, err := appendValues(nil, nil, map[string]bool{}, datatype, num, args["values"])
	if err != nil {
		return nil, err
	}
	file, create, err := enumerationEdit(ctx, a, s, name, datatype, num, args["ordered"] == "yes", data, starts)
	if err != nil {
		return nil, err
	}
	end := s.EnumCount.Range.End()
	if n := len(s.Enums); n > 0 {
		end = s.Enums[n-1].Self.Range.End()
	}
	schema, err := evolved(ctx, a, s, []schema.Splice{
		{Off: s.EnumCount.Range.Off, N: 4, With: binary.LittleEndian.AppendUint32(nil, uint32(len(s.Enums)+1))},
		{Off: end, N: 0, With: storage.AppendText(storage.AppendText(nil, name), file)},
	})
	return []model.Edit{create, schema}, err
}
