package tiledb

import (
	"context"
	"fmt"
	"path"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// Actions write new files beside the old ones, as TileDB does in schema evolution (7.3): what fragments depend on stays.
var schemaActions = []model.Action{{
	Name: "evolve-schema", Removes: true, Label: "Save as a new evolved schema…",
	Doc: "Writes the schema as a new file of the array, later than all others, with attributes added or dropped. Fragments keep " +
		"their schema; cells of new attributes read as the fill value.",
	Params: []model.Param{
		{Name: "add", Label: "Attributes to add (name:TYPE, followed by :var, :nullable or :enum=NAME; separated by commas)"},
		{Name: "drop", Label: "Attributes to drop (names, separated by commas)"},
		{Name: "drop-enumerations", Label: "Enumerations to drop that no attribute uses (names, separated by commas)"},
		{Name: "grow", Label: "Current domain to grow (dimension=low:high, separated by commas)"},
	},
	On:   func(t *model.Tree, s *model.Span) bool { _, sc := schemaAt(t, s); return sc != nil },
	Plan: evolve,
}, {
	Name: "add-enumeration", Label: "Add an enumeration…",
	Doc: "Writes an enumeration as a new file, and a new schema that includes it. Attributes added later can use it.",
	Params: []model.Param{
		{Name: "name", Label: "Name"},
		{Name: "type", Label: "Datatype of the values", Default: "STRING_ASCII"},
		{Name: "values", Label: "Values (separated by commas)"},
		{Name: "ordered", Label: "The values are ordered", Default: "no", Choices: []string{"no", "yes"}},
	},
	On: func(t *model.Tree, s *model.Span) bool {
		_, sc := schemaAt(t, s)
		return sc != nil && sc.Layout >= 20
	},
	Plan: addEnumeration,
}, {
	Name: "extend-enumeration", Label: "Add values to the enumeration…",
	Doc:    "Writes the enumeration with more values as a new file, and a new schema that uses it. Stored indexes keep their meaning.",
	Params: []model.Param{{Name: "values", Label: "Values to add (separated by commas)"}},
	On:     func(t *model.Tree, s *model.Span) bool { a, _ := enumAt(t, s); return a != nil },
	Plan:   extend,
}}

// schemaAt returns the schema that contains a span, or at the root the current one of the array; nil if it cannot evolve:
// schemas of files opened without their array, and read-only ones.
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

// enumAt returns the enumeration that contains a span: in its file, or as an entry of the current schema's map.
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
	made := &schema.NewEnumeration{Name: e.Name.Text(), Datatype: e.Datatype, Num: e.Num, Ordered: e.Ordered}
	for i := range e.Count() {
		made.Values = append(made.Values, string(data[e.Starts[i]:e.Starts[i+1]]))
	}
	if err := addValues(made, args["values"]); err != nil {
		return nil, err
	}
	s := a.schemas.Current()
	create, name, err := a.enumerationEdit(ctx, s, made)
	if err != nil {
		return nil, err
	}
	var list []schema.Splice
	for _, ref := range s.Enums {
		if ref.File.Text() == file {
			r := ref.File.Range
			list = append(list, schema.Splice{Off: r.Off - 4, N: r.Len + 4, With: storage.AppendText(nil, name)})
		}
	}
	names, err := evolved(ctx, a, s, list)
	return []model.Edit{create, names}, err
}

// addValues adds the values of a list of texts to an enumeration.
func addValues(e *schema.NewEnumeration, list string) error {
	texts := names(list)
	if len(texts) == 0 {
		return fmt.Errorf("no values to add")
	}
	for _, text := range texts {
		if err := e.Add(text); err != nil {
			return err
		}
	}
	return nil
}

// enumerationEdit is the edit that writes an enumeration to a new file, and that file's name.
func (a *array) enumerationEdit(ctx context.Context, s *schema.Schema, e *schema.NewEnumeration) (edit model.Edit, file string, err error) {
	file = "__" + randomHex() + "_0"
	edit, err = a.tileFile(ctx, s, s.Version, e.Write(file), "__schema", "__enumerations", file)
	return edit, file, err
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
	if s.HasEnumeration(name) {
		return nil, fmt.Errorf("enumeration %q already exists", name)
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
	made := &schema.NewEnumeration{Name: name, Datatype: datatype, Num: num, Ordered: args["ordered"] == "yes"}
	if err := addValues(made, args["values"]); err != nil {
		return nil, err
	}
	create, file, err := a.enumerationEdit(ctx, s, made)
	if err != nil {
		return nil, err
	}
	end := s.EnumCount.Range.End()
	if n := len(s.Enums); n > 0 {
		end = s.Enums[n-1].Self.Range.End()
	}
	schema, err := evolved(ctx, a, s, []schema.Splice{
		schema.Count(s.EnumCount, uint32(len(s.Enums)+1)),
		{Off: end, With: storage.AppendText(storage.AppendText(nil, name), file)},
	})
	return []model.Edit{create, schema}, err
}
