package npyfile

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"

	"spandrel/model"
)

// Part is a number, truth value, text or byte string in every element of an array: the whole element, or a field of a structure. Nested
// structures and array fields are expanded: "place.x", "weights[2]"; complex numbers are two parts.
type Part struct {
	Name  string // "" for an element that is no structure
	Codec model.Codec
	Clock *model.Clock // of dates and lengths of time
}

const (
	maxParts = 1000 // of an element; one of more is bytes
	maxName  = 256  // bytes of the name of a part: nested names repeat those around them
)

// units are the units of dates and times with a constant length, that is, without months and years.
var units = map[string]time.Duration{"W": 7 * 24 * time.Hour, "D": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second, "ms": time.Millisecond,
	"us": time.Microsecond, "ns": time.Nanosecond}

// scalar are the parts of an unstructured type, or nil if it is not supported.
func scalar(name, descr string) []Part {
	if len(name) > maxName {
		return nil
	}
	if codec := CodecOf(descr); codec != nil {
		return []Part{{Name: name, Codec: codec}}
	}
	size, err := itemSize(descr)
	if err != nil || size <= 0 || size >= 1<<16 {
		return nil
	}
	order, ordered := binary.ByteOrder(binary.LittleEndian), func(c model.Codec) model.Codec { return c }
	if strings.HasPrefix(descr, ">") {
		order, ordered = binary.BigEndian, model.BigEndian
	}
	switch kind := strings.TrimLeft(descr, "<>|=")[0]; kind {
	case 'S', 'a':
		return []Part{{Name: name, Codec: model.TextOf(int(size), 0)}}
	case 'V':
		return []Part{{Name: name, Codec: model.BytesOf(int(size))}}
	case 'U':
		return []Part{{Name: name, Codec: Ucs4{int(size), order}}}
	case 'M', 'm':
		return []Part{{Name: name, Codec: ordered(model.I64LE), Clock: clockOf(descr)}}
	case 'f':
		return []Part{{Name: name, Codec: extended{int(size), order}}}
	case 'c':
		half := map[int64]model.Codec{8: ordered(model.F32LE), 16: ordered(model.F64LE), 24: extended{12, order}, 32: extended{16, order}}[size]
		if name != "" {
			name += "."
		}
		return []Part{{Name: name + "real", Codec: half}, {Name: name + "imag", Codec: half}}
	}
	return nil
}

// clockOf is the unit of a date or time type such as 'M8[ms]'; nil if it has no constant length.
func clockOf(descr string) *model.Clock {
	kind, unit, _ := strings.Cut(strings.TrimSuffix(descr, "]"), "[")
	digits := strings.TrimRight(unit, "WDhmsun")
	n := int64(1)
	if digits != "" {
		var err error
		if n, err = strconv.ParseInt(digits, 10, 32); err != nil || n < 1 {
			return nil
		}
	}
	step := units[unit[len(digits):]]
	if step == 0 || n > int64(1<<62/step) {
		return nil
	}
	return &model.Clock{Step: step * time.Duration(n), Length: strings.Contains(kind, "m")}
}

// repeated are the parts of an array field, with their indices: nil if they are too many or unknown.
func repeated(one []Part, shape []int64) []Part {
	if len(one) == 0 || len(shape) == 0 {
		return one
	}
	n := int64(len(one))
	for _, k := range shape {
		if n *= k; n <= 0 || n > maxParts {
			return nil
		}
	}
	index := model.Position(shape, false)
	var out []Part
	for i := range n / int64(len(one)) {
		for _, p := range one {
			p.Name += "[" + index(i) + "]"
			out = append(out, p)
		}
	}
	return out
}

// IsRecord tells whether an element has several parts, or a named one.
func (h *Head) IsRecord() bool { return h.Descr == "" || len(h.Parts) > 1 }

// Fields are the parts as fields, with distinct names.
func (h *Head) Fields() []*model.Field {
	out, seen := make([]*model.Field, len(h.Parts)), map[string]bool{}
	for i, p := range h.Parts {
		if p.Name == "" || seen[p.Name] {
			p.Name = strings.TrimPrefix(fmt.Sprintf("%s_%d", p.Name, i), "_")
		}
		seen[p.Name] = true
		out[i] = &model.Field{Name: p.Name, Codec: p.Codec}
	}
	return out
}
