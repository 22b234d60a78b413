package npyfile

import (
	"fmt"
	"strings"

	"spandrel/model"
)

const (
	mostMended = 512 // bytes of a head in which one that is wrong is looked for
	text       = 12  // where all of them are text
	alignment  = 16  // that numpy gives the data, at least; since 1.14 it is 64
)

// Mend offers to set right the one byte of the head of an NPY file that is wrong, where the head cannot be read: if only one byte of all, set
// to one value, leads to a head as numpy writes it, of an array that fills the file. The file is a whole space.
func Mend(in model.SpaceID, c *model.Content) []model.Fix {
	b, size := make([]byte, min(c.Len(), mostMended)), c.Len()
	if n, _ := c.ReadAt(b, 0); n < len(b) {
		return nil
	}
	if h, err := Parse(b); err == nil && CodecOf(h.Descr) != nil && b[h.Data-1] == '\n' {
		return nil // what is wrong then is how long the file is
	}
	at, is := -1, byte(0)
	for i := range b {
		was := b[i]
		for x := range 256 {
			if byte(x) == was || i >= text && (x < ' ' && x != '\n' || x > '~') {
				continue // it is text there
			}
			b[i] = byte(x)
			h, err := Parse(b)
			if err == nil && int64(i) >= h.Data {
				b[i] = was
				break // the data begin here
			}
			if err == nil && h.usual(b, size) {
				if at >= 0 {
					return nil
				}
				at, is = i, byte(x)
			}
		}
		b[i] = was
	}
	if at < 0 {
		return nil
	}
	return []model.Fix{{Label: fmt.Sprintf("set the byte at 0x%x to 0x%02x", at, is), Safe: true,
		Edits: []model.Edit{model.Replace(model.Range{Space: in, Off: int64(at), Len: 1}, []byte{is})}}}
}

// usual tells whether a head is what numpy writes for its array, and the array fills a file of size bytes.
func (h *Head) usual(b []byte, size int64) bool {
	codec := CodecOf(h.Descr)
	if codec == nil || codec.Size() <= 0 || h.Count < 0 || h.Count > size || h.Data+h.Count*int64(codec.Size()) != size || h.Data%alignment != 0 {
		return false
	}
	shape, fortran := "", "False"
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
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", h.Descr, fortran, shape)
	is := string(b[h.text:h.Data])
	return strings.TrimRight(is, " \n") == text && is[len(is)-1] == '\n' && strings.Count(is, "\n") == 1
}
