package npyfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"spandrel/model"
)

// feed returns how many bytes the header text has up to its line feed, and the head with such a length, if header_len says otherwise; otherwise 0.
func feed(b []byte) (n int64, x Head) {
	h, _ := Parse(b)
	if h.text == 0 || h.text > int64(len(b)) {
		return 0, x
	}
	rest := bytes.TrimLeft(b[h.text+dictEnd(string(b[h.text:])):], " ")
	end := int64(len(b)-len(rest)) + 1 // after the line feed
	if len(rest) == 0 || rest[0] != '\n' || end == h.Data {
		return 0, x
	}
	x, err := Parse(withLength(b[:end], end-h.text))
	if err != nil || x.Item <= 0 {
		return 0, x
	}
	return end - h.text, x
}

// textEnd returns the bytes of the header text up to its line feed if header_len says otherwise, and is wrong: the array then fills a file of size bytes
// that begins with b, or the text that header_len gives does not end with a line feed, or is none. Otherwise it returns 0. The shape gives whole bytes of the file.
func textEnd(b []byte, size int64) (n, whole int64) {
	n, x := feed(b)
	h, err := Parse(b)
	if n == 0 || !x.fills(size) && err == nil && b[h.Data-1] == '\n' {
		return 0, 0
	}
	return n, x.Data + x.Count*x.Item
}

// fills tells whether the array fills the rest of a file of size bytes.
func (h *Head) fills(size int64) bool {
	return size >= h.Data && (size-h.Data)%h.Item == 0 && (size-h.Data)/h.Item == h.Count
}

// dictEnd is where the dict at the beginning of a text ends; 0 if it does not.
func dictEnd(s string) int64 {
	for at := 0; at < len(s); {
		t, n := first(s[at:])
		if at += n; n == 0 {
			return 0
		}
		if t.kind == '}' {
			return int64(at)
		}
	}
	return 0
}

// withLength is a head with another header_len.
func withLength(head []byte, n int64) []byte {
	b := bytes.Clone(head)
	if binary.LittleEndian.PutUint16(b[8:], uint16(n)); b[6] > 1 {
		binary.LittleEndian.PutUint32(b[8:], uint32(n))
	}
	return b
}

// Refit offers to make header_len and the header agree, in a file of size bytes that begins with b. If only header_len is a multiple of the alignment, the
// header lost padding, which is restored if the file may grow; otherwise header_len is set.
func Refit(in model.SpaceID, b []byte, size int64, grow bool) []model.Fix {
	n, x := feed(b)
	if n == 0 || !x.fills(size) {
		return nil
	}
	h, _ := Parse(b)
	if lost := h.size - n; grow && lost > 0 && h.Data%alignment == 0 && lost%alignment != 0 {
		return []model.Fix{{Label: model.Words("restore the %d padding bytes of the header", lost), Safe: true, Witnessed: true,
			Edits: []model.Edit{model.Splice{Range: model.Range{Space: in, Off: h.text + n - 1}, With: model.Memory(bytes.Repeat([]byte(" "), int(lost))), Loose: true}}}}
	}
	is := withLength(b[:h.text], n)
	from, to := int64(8), h.text
	for ; b[from] == is[from]; from++ {
	}
	for ; b[to-1] == is[to-1]; to-- {
	}
	return []model.Fix{{Label: model.Words("set header_len to %d", n), Safe: true, Witnessed: true,
		Edits: []model.Edit{model.Replace(model.Range{Space: in, Off: from, Len: to - from}, is[from:to])}}}
}

// leastRow is how many bytes one more in a dimension must add for values that end at a whole number of them to be no coincidence.
const leastRow = 64

// Reshape offers the shape that the values of a file have, if the header became as much longer or shorter than header_len says as the digits of a dimension:
// that was edited in place. Editors of text also end a file with a line end. The file begins with b.
func Reshape(in model.SpaceID, b []byte, c *model.Content) (out []model.Fix) {
	n, x := feed(b)
	h, _ := Parse(b)
	last := make([]byte, min(2, c.Len()))
	if k, _ := c.ReadAt(last, c.Len()-int64(len(last))); n == 0 || x.fills(c.Len()) || k < len(last) {
		return nil
	}
	for _, ending := range []string{"", "\n", "\r\n"} {
		end := model.Range{Space: in, Off: c.Len() - int64(len(ending)), Len: int64(len(ending))}
		switch {
		case !bytes.HasSuffix(last, []byte(ending)):
		case x.fills(end.Off):
			return withoutEnding(Refit(in, b, end.Off, true), end, n-h.size)
		default:
			out = append(out, x.reshape(end, n-h.size, b[h.text+n-2] == '}')...)
		}
	}
	for i := range out {
		out[i].Safe = out[i].Safe && len(out) == 1
	}
	return out
}

// reshape offers each dimension with which the values end where a line end is, which may have no bytes, if the header became so many bytes longer by its digits.
// Without spaces at the end of the header, these may have been trimmed too.
func (h *Head) reshape(ending model.Range, by int64, bare bool) (out []model.Fix) {
	for i, was := range h.Shape {
		row, is := h.dimension(i, ending.Off-h.Data)
		at := h.dim(i)
		trimmed := at.end - at.start - int64(len(is)) - by // spaces
		if row == 0 || trimmed != 0 && (!bare || row < leastRow || trimmed < 0 || trimmed > mostPadding || (h.Data-by)%alignment != 0) {
			continue
		}
		fix := model.Fix{Once: true, Safe: row >= leastRow && trimmed == 0, Label: fmt.Sprintf("set dimension %d to %s", i, is), Edits: []model.Edit{
			model.Splice{Range: model.Range{Space: ending.Space, Off: h.text + at.start, Len: at.end - at.start}, With: model.Memory([]byte(is)), Loose: true}},
			Says: fmt.Sprintf("The header is %s than its length says: dimension %d of the shape was edited to %d, but the values are those of %s.", more(by), i, was, is)}
		h.asEdited(&fix, trimmed, ending)
		out = append(out, fix)
	}
	return out
}

// asEdited adds what an editor of text did besides: it trimmed so many spaces at the end of the header, and ended the file with a line end.
func (h *Head) asEdited(fix *model.Fix, trimmed int64, ending model.Range) {
	if trimmed > 0 {
		fix.Label += model.Words(", and restore the %d padding bytes of the header", trimmed)
		fix.Says += " The spaces at its end were trimmed, as editors of text do."
		fix.Edits = append(fix.Edits, model.Splice{Range: model.Range{Space: ending.Space, Off: h.Data - 1}, With: model.Memory(bytes.Repeat([]byte(" "), int(trimmed))), Loose: true})
	}
	if ending.Len > 0 {
		fix.Label += ", and remove the line end after the values"
		fix.Says += " A line end was added after the values, as editors of text do."
		fix.Edits = append(fix.Edits, model.Splice{Range: ending, With: model.Memory(nil), Loose: true})
	}
}

// withoutEnding are repairs of a header that is so many bytes longer than its length says, which also remove a line end after the values.
func withoutEnding(fixes []model.Fix, ending model.Range, by int64) []model.Fix {
	for i := range fixes {
		fix := &fixes[i]
		fix.Label, fix.Once = fix.Label+", and remove the line end after the values", true
		fix.Says = fmt.Sprintf("The header is %s than its length says, and a line end was added after the values, as editors of text do.", more(by))
		fix.Edits = append(fix.Edits, model.Splice{Range: ending, With: model.Memory(nil), Loose: true})
	}
	return fixes
}

// dimension is what dimension i must be for the shape to have so many bytes, and how many bytes one more adds; 0 if it cannot be anything.
func (h *Head) dimension(i int, have int64) (row int64, is string) {
	row = h.Item
	for k, d := range h.Shape {
		switch {
		case k == i:
		case d > 0 && row <= have/d:
			row *= d
		default:
			return 0, ""
		}
	}
	if have < row || have%row != 0 {
		return 0, ""
	}
	return row, strconv.FormatInt(have/row, 10)
}

// more is by how many bytes something is longer or, if they are less than none, shorter.
func more(n int64) string {
	if n < 0 {
		return model.Words("%d bytes shorter", -n)
	}
	return model.Words("%d bytes longer", n)
}

// dim is the token of a dimension.
func (h *Head) dim(i int) *token {
	k := slices.IndexFunc(h.tokens, func(t token) bool { return t.is == fmt.Sprintf("dim%d", i) })
	return &h.tokens[k]
}
