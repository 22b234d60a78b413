package parsers

import (
	"context"
	"encoding/binary"
	"fmt"
	"sort"
	"strings"
	"time"

	"spandrel/model"
)

// Actions write new files beside the old ones, as TileDB does when a schema evolves (7.3): what fragments depend on stays.
var tdbActions = []model.Action{{
	Name: "evolve-schema", Label: "Save as a new evolved schema…",
	Doc: "Writes the schema as a new file of the array, later than all others, with attributes added or dropped. Fragments keep " +
		"their schema; cells of new attributes say the fill value.",
	Params: []model.Param{
		{Name: "add", Label: "Attributes to add (name:TYPE, name:TYPE:var, name:TYPE:nullable; separated by commas)"},
		{Name: "drop", Label: "Attributes to drop (names, separated by commas)"},
	},
	On:   func(t *model.Tree, s *model.Span) bool { _, sc := tdbSchemaAt(t, s); return sc != nil },
	Plan: tdbEvolve,
}, {
	Name: "extend-enumeration", Label: "Add values to the enumeration…",
	Doc:    "Writes the enumeration with more values as a new file, and a new schema that names it. Stored indexes keep their meaning.",
	Params: []model.Param{{Name: "values", Label: "Values to add (separated by commas)"}},
	On:     func(t *model.Tree, s *model.Span) bool { _, _, e := tdbEnumAt(t, s); return e != nil },
	Plan:   tdbExtend,
}}

// tdbSchemaAt returns the schema that a span is part of, or the current one of the array; nil when it cannot evolve: schemas
// of files opened without their array, and those that are only read.
func tdbSchemaAt(t *model.Tree, s *model.Span) (*tdbArray, *tdbSchema) {
	d, ok := t.State.(*tdbDoc)
	if !ok || s == nil {
		return nil, nil
	}
	name := t.FileName(s.Range)
	kind, dir := d.kindOf(name)
	a := d.array(dir)
	base := name[strings.LastIndex(name, "/")+1:]
	if sc := a.schemas[base]; kind == tdbKindSchema && sc != nil && sc.complete && sc.version >= 1 && sc.version <= tdbNewest && sc.versionAt.Span != nil {
		if d.t.Snapshot.Primary == "" || dir != "" || base == tdbOldSchema || strings.Contains(name, "/") {
			return a, sc
		}
	}
	return nil, nil
}

// payload returns the bytes of a schema.
func (a *tdbArray) payload(ctx context.Context, s *tdbSchema) ([]byte, error) {
	space := s.versionAt.Range.Space
	n, err := a.d.t.Size(ctx, space)
	if err != nil {
		return nil, err
	}
	return a.d.t.Bytes(ctx, model.Range{Space: space, Len: n})
}

func tdbEvolve(ctx context.Context, t *model.Tree, at *model.Span, args map[string]string) ([]model.Edit, error) {
	a, s := tdbSchemaAt(t, at)
	if s == nil {
		return nil, fmt.Errorf("not a schema that can evolve")
	}
	b, err := a.payload(ctx, s)
	if err != nil {
		return nil, err
	}
	drop := map[string]bool{}
	for _, name := range tdbNames(args["drop"]) {
		drop[name] = true
	}
	have := map[string]bool{}
	for _, d := range s.dims {
		have[d.name.Text()] = true
	}
	var list []tdbSplice
	count := uint32(len(s.attrs))
	end := s.attrCount.Range.End()
	for i := range s.attrs {
		x := &s.attrs[i]
		end = x.self.Range.End()
		if name := x.name.Text(); drop[name] {
			delete(drop, name)
			list = append(list, tdbSplice{x.self.Range.Off, x.self.Range.Len, nil})
			count--
		} else {
			have[name] = true
		}
	}
	for name := range drop {
		return nil, fmt.Errorf("there is no attribute %q", name)
	}
	var added []byte
	for _, text := range tdbNames(args["add"]) {
		n, err := tdbParseAttr(text, s)
		if err != nil {
			return nil, err
		}
		if have[n.name] {
			return nil, fmt.Errorf("there is a field %q already", n.name)
		}
		have[n.name] = true
		added = tdbAppendAttr(added, n, s.layout)
		count++
	}
	if count == 0 && s.dense() {
		return nil, fmt.Errorf("a dense array needs an attribute")
	}
	list = append(list, tdbSplice{end, 0, added}, tdbSplice{s.attrCount.Range.Off, 4, binary.LittleEndian.AppendUint32(nil, count)})
	sort.SliceStable(list, func(i, j int) bool { return list[i].off < list[j].off })
	e, err := a.newSchema(s.version, tdbApply(b, list), s.crypt, uint64(time.Now().UnixMilli()))
	return []model.Edit{e}, err
}

func tdbNames(list string) (out []string) {
	for _, n := range strings.Split(list, ",") {
		if n = strings.TrimSpace(n); n != "" {
			out = append(out, n)
		}
	}
	return out
}

// tdbParseAttr reads name:TYPE with any of :var and :nullable behind it.
func tdbParseAttr(text string, s *tdbSchema) (n tdbNewAttr, err error) {
	parts := strings.Split(text, ":")
	if len(parts) < 2 || parts[0] == "" {
		return n, fmt.Errorf("%q is not name:TYPE", text)
	}
	n = tdbNewAttr{name: parts[0], num: 1, datatype: 255}
	for v, name := range tdbDatatypes {
		if strings.EqualFold(name, parts[1]) {
			n.datatype = uint8(v)
		}
	}
	if n.datatype == 255 {
		return n, fmt.Errorf("%q is not a datatype", parts[1])
	}
	for _, o := range parts[2:] {
		switch {
		case o == "var":
			n.num = tdbVariable
		case o == "nullable" && s.layout >= 7:
			n.nullable = true
		default:
			return n, fmt.Errorf("%q is not an option of an attribute of version %d", o, s.layout)
		}
	}
	if strings.HasPrefix(n.name, "__") {
		return n, fmt.Errorf("names that start with __ are reserved")
	}
	if n.datatype == tdbAny && n.num != tdbVariable {
		return n, fmt.Errorf("attributes of type ANY are variable")
	}
	return n, nil
}

// tdbEnumAt returns the enumeration that a span is part of: in its file, or as an entry of the current schema.
func tdbEnumAt(t *model.Tree, s *model.Span) (*tdbArray, string, *tdbEnumeration) {
	d, ok := t.State.(*tdbDoc)
	if !ok || s == nil || t.Snapshot.Primary != "" {
		return nil, "", nil
	}
	name := t.FileName(s.Range)
	kind, dir := d.kindOf(name)
	a := d.array(dir)
	base := name[strings.LastIndex(name, "/")+1:]
	current := a.current()
	if kind != tdbKindEnumeration || current == nil || current.layout < 20 {
		return nil, "", nil
	}
	for _, e := range current.enums {
		if e.file.Text() == base {
			return a, base, a.enums[base]
		}
	}
	return nil, "", nil
}

func tdbExtend(ctx context.Context, t *model.Tree, at *model.Span, args map[string]string) ([]model.Edit, error) {
	a, file, e := tdbEnumAt(t, at)
	if e == nil {
		return nil, fmt.Errorf("not an enumeration of the current schema")
	}
	data, err := t.Bytes(ctx, e.data.Range)
	if err != nil {
		return nil, err
	}
	starts := append([]int64(nil), e.starts[:e.count()]...)
	seen := map[string]bool{}
	for i := range e.count() {
		seen[string(data[e.starts[i]:e.starts[i+1]])] = true
	}
	for _, text := range tdbNames(args["values"]) {
		b := []byte(text)
		if tdbIsNumber(e.datatype) {
			v, err := model.ParseValue(tdbCodec(e.datatype).Kind(), text)
			if err != nil {
				return nil, err
			}
			if b, err = tdbCodec(e.datatype).Encode(v); err != nil {
				return nil, err
			}
		}
		if n := int64(tdbDatatypeSize(e.datatype)) * int64(e.num); e.num != tdbVariable && int64(len(b)) != n {
			return nil, fmt.Errorf("%q has %d bytes, values have %d", text, len(b), n)
		}
		if seen[string(b)] {
			return nil, fmt.Errorf("%q is a value already", text)
		}
		seen[string(b)] = true
		starts, data = append(starts, int64(len(data))), append(data, b...)
	}
	if int64(len(starts)) == e.count() {
		return nil, fmt.Errorf("no values to add")
	}
	return a.extended(ctx, file, e, data, starts)
}

// extended writes an enumeration's new values to a new file, and a schema that names it.
func (a *tdbArray) extended(ctx context.Context, old string, e *tdbEnumeration, data []byte, starts []int64) ([]model.Edit, error) {
	s := a.current()
	id, err := tdbRandomHex()
	if err != nil {
		return nil, err
	}
	file := "__" + id + "_0"
	key, err := a.d.writingKey(s.crypt)
	if err != nil {
		return nil, err
	}
	tile, err := tdbWriteTile(s.version, tdbAppendEnumeration(e.name.Text(), file, e.datatype, e.num, e.ordered, data, starts), key)
	if err != nil {
		return nil, err
	}
	b, err := a.payload(ctx, s)
	if err != nil {
		return nil, err
	}
	var list []tdbSplice
	for _, ref := range s.enums {
		if ref.file.Text() == old {
			r := ref.file.Range
			list = append(list, tdbSplice{r.Off - 4, r.Len + 4, append(binary.LittleEndian.AppendUint32(nil, uint32(len(file))), file...)})
		}
	}
	schema, err := a.newSchema(s.version, tdbApply(b, list), s.crypt, uint64(time.Now().UnixMilli()))
	return []model.Edit{{File: a.path("__schema", "__enumerations", file), Create: model.Memory(tile)}, schema}, err
}
