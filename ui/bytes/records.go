package bytes

import (
	"fmt"
	"strconv"

	"spandrel/model"
	"spandrel/ui/paint"
)

// One record per row: rows are as long as the elements of the array that contains the selection, start where they do, and show their index.

// mostRecord is the longest record that is shown in one row.
const mostRecord = 256

// Records shows one record of an array per row, if it is on and the selection is in an array.
type Records struct {
	h    *Pane
	On   bool
	of   *model.Span // array whose elements are the rows; nil: none
	size int64       // bytes of one
}

// Switch turns it on or off.
func (r *Records) Switch() {
	r.On = !r.On
	if r.follow(r.h.d.Sel.Now.Span); r.On && r.of == nil {
		r.h.d.Window.Say("Select a record, or a list of them: the selection is in none of equal size")
	}
	r.h.View.ScrollTo(r.h.rowOf(r.h.Caret) - r.h.View.Page()/2)
	r.h.View.Update()
}

// there tells whether rows are records. In a comparison both panes have fixed-length rows.
func (r *Records) there() bool { return r.of != nil && r.h.Twin == nil }

// follow finds the array around a span.
func (r *Records) follow(s *model.Span) {
	was := r.of
	if r.of = nil; r.On {
		r.of, r.size = arrayOf(s)
	}
	if r.of != was {
		r.h.fit()
	}
}

// arrayOf is a span, or the nearest one around it, that is an array with elements of one size that fits into a row, and that size.
func arrayOf(s *model.Span) (*model.Span, int64) {
	if s != nil && s.Count() > 0 {
		s = s.Child(0)
	}
	for ; s != nil && s.Parent() != nil; s = s.Parent() {
		a := s.Parent()
		if n := a.Count(); s.Index() >= 0 && n > 1 && s.Range.Len >= LeastWidth && s.Range.Len <= mostRecord && s.Range.Space == a.Range.Space && a.Range.Len == n*s.Range.Len {
			return a, s.Range.Len
		}
	}
	return nil, 0
}

// lead is how many bytes are missing in the first row, so that the others begin where a record does.
func (r *Records) lead() int64 {
	if !r.there() {
		return 0
	}
	return (r.h.PerRow - r.of.Range.Off%r.h.PerRow) % r.h.PerRow
}

// name is the index of the record that begins at an offset; ok is false if none does.
func (r *Records) name(off int64) (name string, ok bool) {
	if !r.there() || r.of.Range.Space != r.h.Space || off < r.of.Range.Off || off >= r.of.Range.End() {
		return "", false
	}
	return fmt.Sprintf("[%d]", (off-r.of.Range.Off)/r.size), true
}

// digits is the length of the longest name.
func (r *Records) digits() int {
	if !r.there() {
		return 0
	}
	return len(strconv.FormatInt(r.of.Range.Len/r.size-1, 10)) + len("[]")
}

// title is the heading above the offsets.
func (r *Records) title() string {
	if !r.there() {
		return "offset"
	}
	return paint.Shorten(r.of.Name(), int(r.h.At.digits()))
}

// rowOf is the row of a byte, and colOf its column; startOf is the offset at which a row begins, negative for an incomplete first row.
func (h *Pane) rowOf(off int64) int64   { return (off + h.Records.lead()) / h.PerRow }
func (h *Pane) colOf(off int64) int64   { return (off + h.Records.lead()) % h.PerRow }
func (h *Pane) startOf(row int64) int64 { return row*h.PerRow - h.Records.lead() }
