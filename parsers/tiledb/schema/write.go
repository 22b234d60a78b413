package schema

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/storage"
)

// NewAttribute describes an attribute to add.
type NewAttribute struct {
	Name     string
	Datatype uint8
	Num      uint32
	Nullable bool
	enum     string
	Filters  []filter.Filter
}

// AppendAttribute serializes an attribute in the layout of a version, with default fill.
func AppendAttribute(b []byte, a NewAttribute, version uint32) []byte {
	le := binary.LittleEndian
	b = storage.AppendText(b, a.Name)
	b = storage.AppendPipeline(le.AppendUint32(append(b, a.Datatype), a.Num), a.Filters, version)
	if version >= 6 {
		fill := storage.FillOf(a.Datatype, a.Num)
		b = append(le.AppendUint64(b, uint64(len(fill))), fill...)
	}
	if version >= 7 {
		b = append(b, storage.Flag(a.Nullable), 0)
	}
	if version >= 17 {
		b = append(b, 0)
	}
	if version >= 20 {
		b = storage.AppendText(b, a.enum)
	}
	return b
}

// NewEnumeration is an enumeration to be written.
type NewEnumeration struct {
	Name     string
	Datatype uint8
	Num      uint32
	Ordered  bool
	Values   []string // their bytes
}

// Write serializes the enumeration for a file of that name. Offsets are written only for values of variable size.
func (e *NewEnumeration) Write(file string) []byte {
	le := binary.LittleEndian
	b := storage.AppendText(storage.AppendText(le.AppendUint32(nil, 0), e.Name), file)
	b = le.AppendUint32(append(b, e.Datatype), e.Num)
	data := strings.Join(e.Values, "")
	b = append(le.AppendUint64(append(b, storage.Flag(e.Ordered)), uint64(len(data))), data...)
	if e.Num != storage.VariableCells {
		return b
	}
	b, at := le.AppendUint64(b, uint64(8*len(e.Values))), 0
	for _, v := range e.Values {
		b, at = le.AppendUint64(b, uint64(at)), at+len(v)
	}
	return b
}

// Add adds a new value given as text.
func (e *NewEnumeration) Add(text string) error {
	b := []byte(text)
	if storage.IsNumber(e.Datatype) {
		v, err := model.ParseValue(storage.CodecOf(e.Datatype).Kind(), text)
		if err != nil {
			return err
		}
		if b, err = storage.CodecOf(e.Datatype).Encode(v); err != nil {
			return err
		}
	}
	if n := int64(filter.SizeOf(e.Datatype)) * int64(e.Num); e.Num != storage.VariableCells && int64(len(b)) != n {
		return fmt.Errorf("%q has %d bytes, values have %d", text, len(b), n)
	}
	if slices.Contains(e.Values, string(b)) {
		return fmt.Errorf("%q is already a value", text)
	}
	e.Values = append(e.Values, string(b))
	return nil
}

// AppendRange serializes a range as in current domains (3.7).
func (d *Dimension) AppendRange(b []byte, low, high model.Value) ([]byte, error) {
	x, err := storage.CodecOf(d.Datatype).Encode(low)
	if err != nil {
		return nil, err
	}
	y, err := storage.CodecOf(d.Datatype).Encode(high)
	if err != nil {
		return nil, err
	}
	if d.Variable() {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(x)+len(y)))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(x)))
	}
	return append(append(b, x...), y...), nil
}

// Coordinate is the value of a coordinate's bytes.
func (d *Dimension) Coordinate(b []byte) model.Value {
	if d.Variable() {
		return model.S(string(b))
	}
	v, _, _ := storage.CodecOf(d.Datatype).Decode(b)
	return v
}

// ValueOf is a coordinate as the dimension's value.
func (d *Dimension) ValueOf(bits uint64) model.Value {
	return storage.IntOf(d.Datatype, int64(bits))
}

// ParseRange reads low:high as values of the dimension.
func (d *Dimension) ParseRange(text string) (low, high model.Value, err error) {
	from, to, ok := strings.Cut(text, ":")
	if !ok {
		return low, high, fmt.Errorf("%q is not low:high", text)
	}
	kind := storage.CodecOf(d.Datatype).Kind()
	if low, err = model.ParseValue(kind, from); err == nil {
		high, err = model.ParseValue(kind, to)
	}
	switch {
	case err != nil:
		return low, high, err
	case storage.Compare(low, high) > 0:
		return low, high, fmt.Errorf("%s is greater than %s", low, high)
	case !d.Holds(low, high):
		return low, high, fmt.Errorf("the domain of %s is %s to %s", d.Name.Text(), d.Low.Value, d.High.Value)
	}
	return low, high, nil
}

// TileOf is the number of the space tile of a coordinate.
func (d *Dimension) TileOf(v model.Value) model.Value {
	if filter.IsFloat(d.Datatype) {
		return model.I(int64((v.Float() - d.Low.Value.Float()) / d.Extent.Value.Float()))
	}
	return model.U((v.Uint() - d.Low.Uint()) / max(d.Extent.Uint(), 1))
}

// AddAttrs serializes new attributes, and returns their number. have are the names of the remaining fields, dropped those of the
// enumerations being dropped.
func (s *Schema) AddAttrs(list []string, have, dropped map[string]bool) (added []byte, count uint32, err error) {
	for _, text := range list {
		n, err := parseAttr(text, s)
		switch {
		case err != nil:
			return nil, 0, err
		case have[n.Name]:
			return nil, 0, fmt.Errorf("field %q already exists", n.Name)
		case dropped[n.enum]:
			return nil, 0, fmt.Errorf("the enumeration %q is dropped", n.enum)
		}
		have[n.Name] = true
		added = AppendAttribute(added, n, s.Layout)
		count++
	}
	return added, count, nil
}

// DropEnumerations removes entries from the enumeration map. The caller checks that nothing uses them.
func (s *Schema) DropEnumerations(names []string) (list []Splice, dropped map[string]bool, err error) {
	dropped = map[string]bool{}
	for _, name := range names {
		if !s.HasEnumeration(name) {
			return nil, nil, fmt.Errorf("there is no enumeration %q", name)
		}
		dropped[name] = true
	}
	if len(dropped) == 0 {
		return nil, dropped, nil
	}
	n := uint32(len(s.Enums))
	for _, e := range s.Enums {
		if dropped[e.Name.Text()] {
			list = append(list, Instead(e.Self, nil))
			n--
		}
	}
	return append(list, Count(s.EnumCount, n)), dropped, nil
}

// DropAttrs removes attributes. The remaining ones must not use dropped enumerations. have are the names of the remaining fields.
func (s *Schema) DropAttrs(names []string, dropped map[string]bool) (list []Splice, have map[string]bool, err error) {
	have = map[string]bool{}
	for _, d := range s.Dims {
		have[d.Name.Text()] = true
	}
	gone := map[string]bool{}
	for i := range s.Attrs {
		x := &s.Attrs[i]
		switch name := x.Name.Text(); {
		case slices.Contains(names, name):
			gone[name], list = true, append(list, Instead(x.Self, nil))
		case dropped[x.Enum.Text()]:
			return nil, nil, fmt.Errorf("attribute %q uses the enumeration %q", name, x.Enum.Text())
		default:
			have[name] = true
		}
	}
	for _, name := range names {
		if !gone[name] {
			return nil, nil, fmt.Errorf("there is no attribute %q", name)
		}
	}
	return list, have, nil
}

// parseAttr parses name:TYPE followed by any of :var, :nullable and :enum=NAME.
func parseAttr(text string, s *Schema) (n NewAttribute, err error) {
	parts := strings.Split(text, ":")
	if len(parts) < 2 || parts[0] == "" {
		return n, fmt.Errorf("%q is not name:TYPE", text)
	}
	n = NewAttribute{Name: parts[0], Num: 1}
	var ok bool
	if n.Datatype, ok = DatatypeNamed(parts[1]); !ok {
		return n, fmt.Errorf("%q is not a datatype", parts[1])
	}
	for _, o := range parts[2:] {
		switch {
		case o == "var":
			n.Num = storage.VariableCells
		case o == "nullable" && s.Layout >= 7:
			n.Nullable = true
		case strings.HasPrefix(o, "enum=") && s.Layout >= 20:
			if n.enum = o[len("enum="):]; !s.HasEnumeration(n.enum) {
				return n, fmt.Errorf("there is no enumeration %q", n.enum)
			}
		default:
			return n, fmt.Errorf("%q is not an option of an attribute of version %d", o, s.Layout)
		}
	}
	switch {
	case strings.HasPrefix(n.Name, "__"):
		err = fmt.Errorf("names that start with __ are reserved")
	case n.Datatype == filter.Any && n.Num != storage.VariableCells:
		err = fmt.Errorf("attributes of type ANY are variable")
	case n.enum != "" && (!filter.IsInteger(n.Datatype) || n.Num != 1):
		err = fmt.Errorf("an enumerated attribute is one integer")
	}
	return n, err
}

func DatatypeNamed(text string) (uint8, bool) {
	for v, name := range storage.Datatypes {
		if strings.EqualFold(name, text) {
			return uint8(v), true
		}
	}
	return 0, false
}

// Splice is a change of a payload: with replaces n bytes at off.
type Splice struct {
	Off, N int64
	With   []byte
}

// Instead replaces the bytes of a node.
func Instead(n model.Node, with []byte) Splice { return Splice{n.Range.Off, n.Range.Len, with} }

// Count sets a number of entries.
func Count(n model.Node, count uint32) Splice {
	return Instead(n, binary.LittleEndian.AppendUint32(nil, count))
}

// Apply makes non-overlapping changes.
func Apply(b []byte, list []Splice) []byte {
	sort.SliceStable(list, func(i, j int) bool { return list[i].Off < list[j].Off })
	var out []byte
	at := int64(0)
	for _, s := range list {
		out = append(append(out, b[at:s.Off]...), s.With...)
		at = s.Off + s.N
	}
	return append(out, b[at:]...)
}
