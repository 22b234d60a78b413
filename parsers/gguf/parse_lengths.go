package gguf

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"slices"

	"spandrel/model"
)

// A text of the header was replaced by a longer or shorter one, perhaps everywhere, and its lengths stayed: everything after it is shifted.

const (
	mostLonger = 64 // bytes by which a text is longer or shorter
	mostRecent = 4  // texts before the place where the header cannot be read that are tried
	mostTexts  = 256
	mostReread = 16 << 20 // bytes of headers that are read for one file: each idea reads the header again
)

// relength is the right length of a text of the header, the places of others that are wrong by as much, and what must be removed from the padding after
// the header, or inserted, so that the tensors are where they belong.
type relength struct {
	order       binary.ByteOrder
	at, was, is int64
	others      []int64
	left        *int64 // of mostReread, for all ideas together
	padding     int64  // where
	more        int64  // bytes to insert there, negative: to remove
	old         []byte // the text that other parts of the file say it was, if it has the old length
}

// lengths are the changes of the lengths in a file.
func (x *relength) lengths(peek func(at, n int64) []byte) (out []model.Splice) {
	for _, at := range append([]int64{x.at}, x.others...) {
		b := make([]byte, 8)
		x.order.PutUint64(b, x.order.Uint64(peek(at, 8))+uint64(x.is-x.was))
		out = append(out, model.Splice{Range: model.Range{Off: at, Len: 8}, With: model.Memory(b), Loose: true})
	}
	return out
}

// pad is the change of the padding.
func (x *relength) pad() model.Splice {
	return model.Splice{Range: model.Range{Off: x.padding, Len: max(0, -x.more)}, With: model.Fill(0, max(0, x.more)), Loose: true}
}

// relengthen looks for the one text before the place where the header cannot be read with whose right length the whole file can be.
func relengthen(c *model.Cursor, f *file) {
	var found []relength
	left := int64(mostReread)
	order := binary.ByteOrder(binary.LittleEndian)
	if f.fields == big {
		order = binary.BigEndian
	}
	for _, at := range f.recent {
		b := c.PeekAt(at, 8)
		if len(b) < 8 || order.Uint64(b) > maxKey {
			continue // of a number like this more than the text is wrong
		}
		was := int64(order.Uint64(b))
		for is := max(0, was-mostLonger); is <= was+mostLonger; is++ {
			x := relength{order: order, at: at, was: was, is: is, left: &left}
			if is != was && left > 0 && x.goesOn(c, at, is) && x.fits(c) {
				found = append(found, x)
			}
		}
	}
	if len(found) != 1 || left <= 0 { // of several that fit, or may, none is known to be right
		return
	}
	x := found[0]
	f.lengthens, x.old = true, x.oldText(c)
	says := model.Saying("the length of a text is %d, but the text is %q: %d bytes", x.was, c.PeekAt(x.at+8, x.is), x.is)
	if len(x.others) > 0 {
		says = model.Saying("%s", x.several(c.PeekAt(x.at+8, x.is)))
	}
	c.Wrong(otherLength, c.Range(x.at, 8), x.was, x.is, model.About(x), says)
}

// several says that the lengths of several texts are wrong.
func (x *relength) several(first []byte) string {
	longer := "longer"
	if x.is < x.was {
		longer = "shorter"
	}
	return model.Words("%d texts are %d bytes "+longer+" than their lengths say, as if a word had been replaced in all of the file; the first is %q", 1+len(x.others), max(x.is-x.was, x.was-x.is), first)
}

// oldText is the architecture that the keys of the metadata name, if the text at a wrong length is the architecture, and had that length; nil if not.
func (x *relength) oldText(c *model.Cursor) []byte {
	from := x.at + 8 + x.is
	if !bytes.HasSuffix(c.PeekAt(0, x.at-4), []byte(keyArchitecture)) || len(x.others) > 0 || x.more == 0 {
		return nil
	}
	head := c.PeekAt(from, x.padding-from)
	for _, m := range ownKey.FindAllSubmatchIndex(head, -1) {
		if m[0] >= 8 && x.order.Uint64(head[m[0]-8:]) == uint64(m[1]-m[0]) && int64(m[3]-m[2]) == x.was {
			return bytes.Clone(head[m[2]:m[3]])
		}
	}
	return nil
}

// ownKey is a key that every architecture has.
var ownKey = regexp.MustCompile(`([a-z0-9_-]+)\.(?:block_count|embedding_length|context_length)`)

// goesOn tells whether as many bytes after a length are text, and something follows that may follow a text of the header: another one with its length, or a type.
func (x *relength) goesOn(c *model.Cursor, at, n int64) bool {
	if at += 8; n < 0 {
		return false
	}
	b := c.PeekAt(at, max(0, min(n+16, c.Size()-at)))
	if int64(len(b)) < n+12 || printable(model.S(string(b[:n]))) != "" {
		return false
	}
	kind, next := x.order.Uint32(b[n:]), x.order.Uint64(append(b[n:len(b):len(b)], make([]byte, 8)...))
	sure := int64(min(next, maxKey)) + min(0, x.is-x.was) // its length may be too large by as much
	return kind <= kindLast || 0 < sure && next <= maxKey && printable(model.S(string(c.PeekAt(at+n+8, min(sure, c.Size()-at-n-8))))) == ""
}

// fits tells whether the file can be read without any problem with the length, and sets the others, and the change of the padding.
func (x *relength) fits(c *model.Cursor) bool {
	snap := c.Tree().Snapshot
	content, err := snap.Content(snap.Primary)
	if err != nil {
		return false
	}
	try := func(content *model.Content) *model.Tree {
		t := model.Parse(c.Context(), snap.With(snap.Primary, content), &model.Format{Parse: func(c *model.Cursor) { parseFile(c, true) }})
		*x.left -= reached(model.StateOf[*file](t))
		return t
	}
	with := func() *model.Content {
		out := content
		for _, e := range x.lengths(c.PeekAt) {
			out = out.Splice(e.Range.Off, 8, e.With)
		}
		return out
	}
	is := model.StateOf[*file](try(with()))
	for is.ended == 0 && *x.left > 0 && x.another(c, is.recent) {
		is = model.StateOf[*file](try(with()))
	}
	content = with()
	for _, a := range alignments(is) {
		for _, size := range sizesOfData(is, a) {
			x.padding, x.more = is.ended, is.filled(is.ended)-(content.Len()-size)
			if x.fills(c, a) && x.clean(try(content.Splice(x.padding, max(0, -x.more), x.pad().With)), a == is.stated) {
				return true
			}
		}
	}
	return false
}

// fills tells whether the padding that must be removed is zeros, and what is inserted or removed is what the texts became longer or shorter, up to the
// alignment: everything after them is shifted by as much.
func (x *relength) fills(c *model.Cursor, alignment int64) bool {
	if x.more == 0 && len(x.others) == 0 || x.more > mostLonger || -x.more > mostLonger { // of a length alone the search for causes knows more
		return false
	}
	longer := (x.is - x.was) * int64(1+len(x.others))
	return (x.more == 0 || (x.more+longer)%alignment == 0) && model.AllZero(c.PeekAt(x.padding, max(0, -x.more)))
}

// clean tells whether a file has no problem, except for its alignment if that is not the stated one.
func (x *relength) clean(t *model.Tree, aligned bool) bool {
	found, _ := t.Findings()
	return !slices.ContainsFunc(found, func(f model.Finding) bool { return f.Grade() != model.Note && (aligned || f.Rule != otherAlignment) })
}

// alignments are those that a file may have, first the stated one.
func alignments(f *file) (out []int64) {
	if f == nil || f.ended == 0 {
		return nil
	}
	out = []int64{f.stated}
	for n := int64(maxAlignment); n > 0; n /= 2 {
		if n != f.stated {
			out = append(out, n)
		}
	}
	return out
}

// reached is up to where the header of a file was read.
func reached(f *file) int64 {
	if f.ended > 0 || len(f.recent) == 0 {
		return f.ended
	}
	return f.recent[len(f.recent)-1]
}

// another adds the last text before the place where the header cannot be read now, if its length is wrong by as much.
func (x *relength) another(c *model.Cursor, recent []int64) bool {
	for _, at := range slices.Backward(recent) {
		if n := int64(x.order.Uint64(append(c.PeekAt(at, 8), make([]byte, 8)...))); at <= x.at || slices.Contains(x.others, at) || n > maxKey || !x.goesOn(c, at, n+x.is-x.was) {
			continue
		}
		x.others = append(x.others, at)
		return len(x.others) < mostTexts
	}
	return false
}

// sizesOfData are the possible sizes of the data according to the header and an alignment, with and without the padding of the last tensor.
func sizesOfData(f *file, alignment int64) []int64 {
	if len(f.tensors) == 0 {
		return nil
	}
	f.alignment = alignment // not one that the shifted data suggest
	size, last := int64(0), int64(0)
	for _, t := range f.tensors {
		n, ok := t.size()
		if !ok || n > mostSize/maxParts {
			return nil
		}
		size, last = size+f.filled(n), f.filled(n)-n
	}
	return []int64{size, size - last}
}
