package npyfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
)

// fromJSON offers to write a header as numpy does that another program wrote as JSON, in a file of size bytes that begins with b. It is the only answer if
// all values are there, even if more follow.
func fromJSON(in model.SpaceID, b []byte, size int64) []model.Fix {
	h, _ := Parse(b)
	if h.Data <= h.text || h.Data > int64(len(b)) {
		return nil
	}
	var said struct {
		Descr   any     `json:"descr"`
		Fortran *bool   `json:"fortran_order"`
		Shape   []int64 `json:"shape"`
	}
	d := json.NewDecoder(bytes.NewReader(b[h.text:h.Data]))
	if d.DisallowUnknownFields(); d.Decode(&said) != nil || said.Descr == nil || said.Fortran == nil || said.Shape == nil || len(bytes.Trim(b[h.text+d.InputOffset():h.Data], " \n\x00")) > 0 {
		return nil
	}
	to := Head{Type: python(said.Descr, 0), Fortran: *said.Fortran, Shape: said.Shape, major: h.major}
	head := to.Written()
	if n := int(h.Data) - len(head); n >= 0 {
		head = withLength(slices.Concat(head[:len(head)-1], bytes.Repeat([]byte(" "), n), head[len(head)-1:]), h.size)
	}
	x, err := Parse(head)
	if err != nil || x.Item <= 0 {
		return nil
	}
	is := size - h.Data // bytes of values
	return []model.Fix{{Label: "write the header as numpy does", Once: true, Safe: is/x.Item >= x.Count, Says: "The header is JSON: numpy reads a Python dictionary, with False and tuples.",
		Edits: []model.Edit{model.Splice{Range: model.Range{Space: in, Len: h.Data}, With: model.Memory(head), Loose: true}}}}
}

// python prints a type, with the fields of a structure and their shapes as tuples.
func python(v any, depth int) string {
	list, ok := v.([]any)
	if s, is := v.(string); is {
		return "'" + s + "'"
	} else if !ok {
		return fmt.Sprint(v)
	}
	var items []string
	for _, x := range list {
		items = append(items, python(x, depth+1))
	}
	switch text := strings.Join(items, ", "); {
	case depth == 0:
		return "[" + text + "]"
	case len(list) == 1:
		return "(" + text + ",)"
	default:
		return "(" + text + ")"
	}
}
