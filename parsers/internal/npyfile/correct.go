package npyfile

import (
	"bytes"
	"fmt"

	"slices"
	"strings"

	"spandrel/model"
)

const (
	maxHeader = 512 // bytes of a header that are searched for the wrong one
	text      = 12  // where all of them are text
	alignment = 16  // that numpy gives the data, at least; since 1.14 it is 64
	// mostPadding is the largest number of spaces at the end of a head: up to the alignment, and since 1.23 room for the first dimension to grow.
	mostPadding = 64 + 21
)

// CorrectHeader offers to correct the one wrong byte in the header of an NPY file that cannot be parsed: if exactly one change of one byte
// leads to a header as numpy writes it, for an array that fills the file. The file is a whole space.
func CorrectHeader(in model.SpaceID, c *model.Content) []model.Fix {
	b, size := make([]byte, min(c.Len(), text+MaxHeader)), c.Len()
	if n, _ := c.ReadAt(b, 0); n < len(b) {
		return nil
	}
	if fix := append(Refit(in, b, size, true), Reshape(in, b, c)...); fix != nil {
		return fix
	}
	b = b[:min(len(b), maxHeader)]
	if fix := refill(in, b, size); fix != nil {
		return fix
	}
	if h, err := Parse(b); err == nil && CodecOf(h.Descr) != nil && b[h.Data-1] == '\n' {
		return nil // then the length of the file is wrong
	}
	at, is := -1, byte(0)
	for i := range b {
		for _, x := range usualAt(b, i, size) {
			if at >= 0 {
				return nil
			}
			at, is = i, x
		}
	}
	if at < 0 {
		return nil
	}
	return []model.Fix{{Label: fmt.Sprintf("set the byte at 0x%x to 0x%02x", at, is), Safe: true,
		Edits: []model.Edit{model.Replace(model.Range{Space: in, Off: int64(at), Len: 1}, []byte{is})}}}
}

// usualAt are the values of byte i that make the header one that numpy writes.
func usualAt(b []byte, i int, size int64) (out []byte) {
	was := b[i]
	defer func() { b[i] = was }()
	for x := range 256 {
		if byte(x) == was || i >= text && x != '\n' && (x < ' ' || x > '~') {
			continue // it is text there
		}
		b[i] = byte(x)
		h, err := Parse(b)
		if err == nil && int64(i) >= h.Data { // the data begin here
			break
		}
		if err == nil && h.usual(b, size) {
			out = append(out, byte(x))
		}
	}
	return out
}

// refill offers to restore the line feed at the end of a head, and the spaces that are missing before it, if the array fills the rest of the file.
func refill(in model.SpaceID, b []byte, size int64) []model.Fix {
	h, _ := Parse(b)
	if h.text == 0 || h.text > int64(len(b)) || h.size > MaxHeader {
		return nil
	}
	end := bytes.IndexByte(b[h.text:], '}') + 1
	if end == 0 {
		return nil
	}
	at := h.text + int64(end) // after the dict
	rest := bytes.TrimLeft(b[at:], " ")
	last, missing := int64(len(b)-len(rest)), ""
	if ended := len(rest) > 0 && rest[0] == '\n'; !ended && h.Data > last {
		at, missing = last, strings.Repeat(" ", int(h.Data-last-1))+"\n"
	}
	whole := slices.Concat(b[:at], []byte(missing), b[at:])
	is, err := Parse(whole)
	if missing == "" || err != nil || is.Data-(h.text+int64(end)) > mostPadding || !is.usual(whole, size+int64(len(missing))) {
		return nil
	}
	return []model.Fix{{Label: model.Words("restore the %d padding bytes of the header", len(missing)), Safe: true, Witnessed: true,
		Edits: []model.Edit{model.Splice{Range: model.Range{Space: in, Off: at}, With: model.Memory([]byte(missing)), Loose: true}}}}
}

// usual tells whether a head is what numpy writes for its array, and the array fills a file of size bytes.
func (h *Head) usual(b []byte, size int64) bool {
	if h.Item <= 0 || h.Count < 0 || h.Count > size || h.Item > size || h.Data+h.Count*h.Item != size || h.Data%alignment != 0 {
		return false
	}
	descr, shape, fortran := h.Type, "", "False"
	if h.Descr != "" {
		descr = "'" + h.Descr + "'"
	}
	for i, n := range h.Shape {
		if i > 0 {
			shape += " "
		}
		shape += fmt.Sprintf("%d,", n)
	}
	if len(h.Shape) > 1 {
		shape = strings.TrimSuffix(shape, ",")
	}
	if h.Fortran {
		fortran = "True"
	}
	text := fmt.Sprintf("{'descr': %s, 'fortran_order': %s, 'shape': (%s), }", descr, fortran, shape)
	is := string(b[h.text:h.Data])
	return strings.TrimRight(is, " \n") == text && is[len(is)-1] == '\n' && strings.Count(is, "\n") == 1
}
