package tiledb

import (
	"encoding/binary"
	"fmt"
	"sort"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// newAttr describes an attribute to add.
type newAttr struct {
	name     string
	datatype uint8
	num      uint32
	nullable bool
	enum     string
	filters  []filter.Filter
}

// appendAttr serializes an attribute in the layout of a version, with default fill.
func appendAttr(b []byte, a newAttr, version uint32) []byte {
	le := binary.LittleEndian
	b = appendText(b, a.name)
	b = appendPipe(le.AppendUint32(append(b, a.datatype), a.num), a.filters, version)
	if version >= 6 {
		fill := fillOf(a.datatype, a.num)
		b = append(le.AppendUint64(b, uint64(len(fill))), fill...)
	}
	if version >= 7 {
		null := byte(0)
		if a.nullable {
			null = 1
		}
		b = append(b, null, 0)
	}
	if version >= 17 {
		b = append(b, 0)
	}
	if version >= 20 {
		b = appendText(b, a.enum)
	}
	return b
}

// appendEnumeration serializes an enumeration. Offsets are written for values of varying size only.
func appendEnumeration(name, file string, datatype uint8, num uint32, ordered bool, data []byte, starts []int64) []byte {
	le := binary.LittleEndian
	b := appendText(appendText(le.AppendUint32(nil, 0), name), file)
	b = le.AppendUint32(append(b, datatype), num)
	flag := byte(0)
	if ordered {
		flag = 1
	}
	b = append(le.AppendUint64(append(b, flag), uint64(len(data))), data...)
	if num != variableCells {
		return b
	}
	b = le.AppendUint64(b, uint64(8*len(starts)))
	for _, at := range starts {
		b = le.AppendUint64(b, uint64(at))
	}
	return b
}

// appendRange serializes a range as current domains have it (3.7).
func (d *dim) appendRange(b []byte, low, high model.Value) ([]byte, error) {
	x, err := codecOf(d.datatype).Encode(low)
	if err != nil {
		return nil, err
	}
	y, err := codecOf(d.datatype).Encode(high)
	if err != nil {
		return nil, err
	}
	if d.variable() {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(x)+len(y)))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(x)))
	}
	return append(append(b, x...), y...), nil
}

// lowered is the high end of the domain less n.
func (d *dim) lowered(n uint64) model.Value {
	if filter.IsSigned(d.datatype) {
		return model.I(d.high.Int() - int64(n))
	}
	return model.U(d.high.Uint() - n)
}

// coordinate is the value of a coordinate's bytes.
func (d *dim) coordinate(b []byte) model.Value {
	if d.variable() {
		return model.S(string(b))
	}
	v, _, _ := codecOf(d.datatype).Decode(b)
	return v
}

// valueOf is a coordinate as the dimension's value.
func (d *dim) valueOf(bits uint64) model.Value {
	if filter.IsSigned(d.datatype) {
		return model.I(int64(bits))
	}
	return model.U(bits)
}

// parseRange reads low:high as values of the dimension.
func (d *dim) parseRange(text string) (low, high model.Value, err error) {
	from, to, ok := strings.Cut(text, ":")
	if !ok {
		return low, high, fmt.Errorf("%q is not low:high", text)
	}
	kind := codecOf(d.datatype).Kind()
	if low, err = model.ParseValue(kind, from); err == nil {
		high, err = model.ParseValue(kind, to)
	}
	switch {
	case err != nil:
		return low, high, err
	case compare(low, high) > 0:
		return low, high, fmt.Errorf("%s lies above %s", low, high)
	case d.low.Span != nil && (compare(low, d.low.Value) < 0 || compare(high, d.high.Value) > 0):
		return low, high, fmt.Errorf("the domain of %s is %s to %s", d.name.Text(), d.low.Value, d.high.Value)
	}
	return low, high, nil
}

// tileOf is the number of the space tile of a coordinate.
func (d *dim) tileOf(v model.Value) model.Value {
	if filter.IsFloat(d.datatype) {
		return model.I(int64((v.Float() - d.low.Value.Float()) / d.extent.Value.Float()))
	}
	return model.U((v.Uint() - d.low.Uint()) / max(d.extent.Uint(), 1))
}

// before orders cells as they are stored: by space tile, then by cell (5.2).
func (s *schemaInfo) before(x, y []model.Value) bool {
	for _, by := range []struct {
		tiles bool
		col   bool
	}{{true, s.tileOrder.Uint() == 1}, {false, s.cellOrder.Uint() == 1}} {
		for j := range s.dims {
			i := j
			if by.col {
				i = len(s.dims) - 1 - j
			}
			c := 0
			if d := &s.dims[i]; !by.tiles {
				c = compare(x[i], y[i])
			} else if d.extent.Span != nil && d.low.Span != nil {
				c = compare(d.tileOf(x[i]), d.tileOf(y[i]))
			}
			if c != 0 {
				return c < 0
			}
		}
	}
	return false
}

// addAttrs serializes new attributes, and says how many they are. have are the names of the fields that stay, dropped those of the
// enumerations that do not.
func (s *schemaInfo) addAttrs(list []string, have, dropped map[string]bool) (added []byte, count uint32, err error) {
	for _, text := range list {
		n, err := parseAttr(text, s)
		switch {
		case err != nil:
			return nil, 0, err
		case have[n.name]:
			return nil, 0, fmt.Errorf("there is a field %q already", n.name)
		case dropped[n.enum]:
			return nil, 0, fmt.Errorf("the enumeration %q is dropped", n.enum)
		}
		have[n.name] = true
		added = appendAttr(added, n, s.layout)
		count++
	}
	return added, count, nil
}

// dropEnumerations takes entries out of the enumeration map. The caller checks that nothing uses them.
func (s *schemaInfo) dropEnumerations(names []string) (list []splice, dropped map[string]bool, err error) {
	dropped = map[string]bool{}
	for _, name := range names {
		if !s.hasEnumeration(name) {
			return nil, nil, fmt.Errorf("there is no enumeration %q", name)
		}
		dropped[name] = true
	}
	if len(dropped) == 0 {
		return nil, dropped, nil
	}
	n := uint32(len(s.enums))
	for _, e := range s.enums {
		if dropped[e.name.Text()] {
			list = append(list, splice{e.self.Range.Off, e.self.Range.Len, nil})
			n--
		}
	}
	return append(list, splice{s.enumCount.Range.Off, 4, binary.LittleEndian.AppendUint32(nil, n)}), dropped, nil
}

// parseAttr reads name:TYPE with any of :var, :nullable and :enum=NAME behind it.
func parseAttr(text string, s *schemaInfo) (n newAttr, err error) {
	parts := strings.Split(text, ":")
	if len(parts) < 2 || parts[0] == "" {
		return n, fmt.Errorf("%q is not name:TYPE", text)
	}
	n = newAttr{name: parts[0], num: 1}
	var ok bool
	if n.datatype, ok = datatypeNamed(parts[1]); !ok {
		return n, fmt.Errorf("%q is not a datatype", parts[1])
	}
	for _, o := range parts[2:] {
		switch {
		case o == "var":
			n.num = variableCells
		case o == "nullable" && s.layout >= 7:
			n.nullable = true
		case strings.HasPrefix(o, "enum=") && s.layout >= 20:
			if n.enum = o[len("enum="):]; !s.hasEnumeration(n.enum) {
				return n, fmt.Errorf("there is no enumeration %q", n.enum)
			}
		default:
			return n, fmt.Errorf("%q is not an option of an attribute of version %d", o, s.layout)
		}
	}
	if strings.HasPrefix(n.name, "__") {
		return n, fmt.Errorf("names that start with __ are reserved")
	}
	if n.datatype == filter.Any && n.num != variableCells {
		return n, fmt.Errorf("attributes of type ANY are variable")
	}
	if n.enum != "" && (!filter.IsInteger(n.datatype) || n.num != 1) {
		return n, fmt.Errorf("an enumerated attribute is one integer")
	}
	return n, nil
}

func datatypeNamed(text string) (uint8, bool) {
	for v, name := range datatypes {
		if strings.EqualFold(name, text) {
			return uint8(v), true
		}
	}
	return 0, false
}

// splice is a change of a payload: n bytes at off give way to with.
type splice struct {
	off, n int64
	with   []byte
}

// apply makes changes that do not overlap.
func apply(b []byte, list []splice) []byte {
	sort.SliceStable(list, func(i, j int) bool { return list[i].off < list[j].off })
	var out []byte
	at := int64(0)
	for _, s := range list {
		out = append(append(out, b[at:s.off]...), s.with...)
		at = s.off + s.n
	}
	return append(out, b[at:]...)
}
