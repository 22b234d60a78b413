package npy

import (
	"context"
	"iter"
	"slices"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// Files of arrays may be joined, as cat does, and the shape of the first edited to that of all: the heads of the others are among its values then.

// joined are the places of such heads, and how many rows there are without them; 0 if they do not divide the file into whole rows up to its end.
type joined struct {
	heads []model.Range
	rows  int64
}

// mostMagics is how many beginnings of heads are looked at.
const mostMagics = 4096

// joinedIn finds heads of arrays of the same type and rows after whole rows. Nothing is found if the array ends before the first, because bytes follow it
// then, nor if a row is one byte: bytes may be those of any file. There are no rows if an array does not have those that its own head states: a transfer that
// began again may have written that head.
func joinedIn(ctx context.Context, t *model.Tree, a *npyfile.Array) (x joined) {
	if !hasRows(a) {
		return x
	}
	in, from, row := t.Root.Range.Space, a.Head.Data, a.Count/a.Shape[0]*a.Item
	whole, stated, looked := true, int64(-1), 0
	ends := func(n int64) { // an array of n bytes
		whole, x.rows = whole && (n == stated*row || stated < 0), x.rows+n/row
	}
	for at := range magicsAfter(ctx, t, from) {
		if looked++; looked > mostMagics || row < 2 { // they are values
			return joined{}
		}
		if len(x.heads) == 0 && at >= a.Head.Data+a.Count*a.Item {
			break
		}
		h, bad := npyfile.Parse(t.Peek(ctx, in)(at, 12+npyfile.MaxHeader))
		if n := at - from; bad == nil && continues(a, &h) && n%row == 0 {
			ends(n)
			x.heads, from, stated = append(x.heads, model.Range{Space: in, Off: at, Len: h.Data}), at+h.Data, h.Shape[0]
		}
	}
	n := a.Head.Data + a.Bytes - from
	if ends(n); whole && n%row == 0 {
		return x
	}
	return joined{heads: x.heads}
}

// magicsAfter yields the places of magics from a place on.
func magicsAfter(ctx context.Context, t *model.Tree, at int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		q, err := model.HexQuery("93 4E 55 4D 50 59")
		for err == nil {
			var r model.Range
			if r, err = t.Search(ctx, t.Root.Range.Space, q, at, false, nil); err == nil && !yield(r.Off) {
				return
			}
			at = r.Off + 1
		}
	}
}

// continues tells whether a head is that of an array with rows like those of another one.
func continues(a *npyfile.Array, h *npyfile.Head) bool {
	return h.Type == a.Type && h.Fortran == a.Fortran && len(h.Shape) > 0 && slices.Equal(h.Shape[1:], a.Shape[1:])
}

// hasRows tells whether the values of an array are one row after the other.
func hasRows(a *npyfile.Array) bool {
	return a != nil && a.Err == nil && a.Ends == 0 && a.Count > 0 && a.Item > 0 && len(a.Shape) > 0 && !(a.Fortran && len(a.Shape) > 1)
}

// deepJoined reports them.
func deepJoined(ctx context.Context, t *model.Tree, p *model.Probe, f *file) {
	if x := joinedIn(ctx, t, f.array); len(x.heads) > 0 {
		f.joined.Store(x.rows > 0)
		says := model.Saying("%s joined in one: the header of the next one is among the values at 0x%x", model.Count(int64(len(x.heads)+1), "arrays are"), x.heads[0].Off)
		if x.rows == 0 {
			says = model.Saying("a header is among the values at 0x%x: arrays were joined in one, or a transfer began again", x.heads[0].Off)
		}
		p.Wrong(headInside, x.heads[0], model.Count(x.heads[0].Len, "bytes"), "values", model.About(x), says)
	}
}

// removeHeads offers to remove the headers among the values, and to state as many rows as there are then.
var removeHeads = model.Knowing(func(ctx context.Context, t *model.Tree, _ *model.Finding, x joined) []model.Fix {
	a := model.StateOf[*file](t).array
	if x.rows == 0 {
		return nil
	}
	fix := model.Fix{Label: "remove " + model.Count(int64(len(x.heads)), "headers") + " from among the values", Once: true, Safe: true, Witnessed: true,
		Says: "Files of arrays were joined in one, and the shape of the first one was edited: the headers of the others are among its values."}
	if x.rows != a.Shape[0] {
		with := a.Resized(t.Peek(ctx, t.Root.Range.Space)(0, a.Head.Data), 0, x.rows)
		if with == nil {
			return nil
		}
		fix.Label += model.Words(", and set dimension 0 to %d", x.rows)
		fix.Edits = append(fix.Edits, model.Replace(a.Header.Range, with[a.Header.Range.Off:]))
	}
	for _, at := range x.heads {
		fix.Edits = append(fix.Edits, model.Replace(at, nil))
	}
	return []model.Fix{fix}
})

const (
	pitchSampled = 1 << 20 // bytes
	leastPitched = 8       // rows
)

// deepPitch reports rows that are further apart than the shape says: a buffer with padded rows was written as it is. Zeros then follow each row, in columns
// that differ from row to row.
func deepPitch(ctx context.Context, t *model.Tree, p *model.Probe, a *npyfile.Array) {
	if a == nil || a.Data == nil || a.Fortran || len(a.Shape) < 2 || a.Item == 0 {
		return
	}
	cols := a.Shape[len(a.Shape)-1]
	b := t.Peek(ctx, a.Data.Range.Space)(a.Data.Range.Off, min(a.Data.Range.Len, pitchSampled))
	if pitch := pitchOf(b, a.Item, cols); pitch > 0 {
		p.Wrong(otherPitch, model.Spot{Span: a.Data, Range: a.Data.Range}, model.Words("%d zeros after every %d values", pitch-cols, cols), nil,
			model.Saying("the rows are %d values apart, but the shape says %d: each is followed by %d zeros, and the columns shift from row to row", pitch, cols, pitch-cols))
	}
}

// pitchOf is how many values rows of cols values are apart, if they are further apart than that: only zeros fill the room between them, and there are hardly any
// others. 0: they are not.
func pitchOf(b []byte, item, cols int64) int64 {
	n, zeros := int64(len(b))/item, int64(0)
	for i := range n {
		if model.AllZero(b[i*item : (i+1)*item]) {
			zeros++
		}
	}
	for pitch := cols + 1; pitch <= 2*cols && n >= leastPitched*pitch; pitch++ {
		room := n / pitch * (pitch - cols) // in whole rows
		if own := zeros - room; own >= 0 && own <= n/20+pitch-cols && blankBetween(b, cols*item, pitch*item) {
			return pitch
		}
	}
	return 0
}

// blankBetween tells whether nothing but zeros follows the first bytes of each whole row.
func blankBetween(b []byte, first, row int64) bool {
	for ; int64(len(b)) >= row; b = b[row:] {
		if !model.AllZero(b[first:row]) {
			return false
		}
	}
	return true
}
