package gguf

import (
	"fmt"

	"spandrel/model"
)

// layData creates the spans of the tensors in the data, in the order of the header. If an offset and the end of the previous tensor disagree, the
// next tensor tells which of the two is wrong.
func (f *file) layData(c *model.Cursor) {
	names, end := map[string]int{after.Name: 1}, int64(0)
	for i, t := range f.tensors {
		if names[t.name]++; names[t.name] == 1 && t.name != "" {
			t.label = t.name
		} else {
			t.label = fmt.Sprintf("%s'%d", t.name, names[t.name])
		}
		at, n, known := f.placeOf(c, i, end)
		known = known && !t.either
		end = at + f.filled(n)
		f.needs, f.mostEnd = c.Base()+at+n, c.Base()+end
		if at > c.Pos()-c.Base() && at <= c.Size() {
			c.Skip(at - (c.Pos() - c.Base()))
		}
		if left := c.Left(); n > left || at > c.Size() {
			f.cut(c, i, n, left)
			return
		}
		c.Struct(&model.Field{Name: t.label, Doc: fmt.Sprintf("%s [%s]", types[t.kind].name, t.shape())}, func(c *model.Cursor) {
			v := t.lay(c, f.order, n, known)
			t.values, t.whole = v.Span, known
			c.Aligned(padding, f.alignment, f.known[keyAlignment], v)
		})
	}
	if left := c.Left(); left > 0 {
		var more []model.Detail
		if len(f.tensors) == 0 {
			more = append(more, model.Saying("bytes follow the metadata of a file without tensors"))
		}
		c.Wrong(trailing, c.Rest(after), model.Words("%s bytes", model.Thousands(left)), "the end of the file", more...)
	}
}

// placeOf is where tensor i begins, after the end of the previous one, and its size in bytes; known tells whether its type and shape determine that.
func (f *file) placeOf(c *model.Cursor, i int, end int64) (at, n int64, known bool) {
	t, next := f.tensors[i], f.next(i, c.Size())
	n, known = t.size()
	if at = t.at; at < end || !f.fits(i, c.Size()) {
		at = end
	}
	if !known {
		return at, max(0, next-at), false
	}
	if next == at+f.filled(n) || i+1 == len(f.tensors) || next <= at || !f.fits(i+1, c.Size()) {
		return at, n, true
	}
	c.Wrong(wrongSize, t.entry, model.Words("%s bytes of %s [%s]", model.Thousands(n), t.typ.Field.Text(t.typ.Value), t.shape()),
		model.Words("%s bytes, after which %s begins", model.Thousands(next-at), f.tensors[i+1].name), model.About(next-at))
	return at, next - at, false
}

// lay makes the span of a tensor: its values, its blocks, or its bytes if their meaning is unknown.
func (t *tensor) lay(c *model.Cursor, order func(model.Codec) model.Codec, n int64, known bool) model.Node {
	typ := types[t.kind]
	switch {
	case !known:
		return c.FieldN(raw, n)
	case typ.codec != nil:
		return c.Elements(raw, &model.Field{Name: "value", Codec: order(typ.codec)}, n/typ.size)
	}
	return c.Elements(raw, &model.Field{Name: "block", Codec: model.BytesOf(int(typ.size)), Doc: fmt.Sprintf("%d values of %s", typ.block,
		typ.name)}, n/typ.size)
}

// mostSize is the longest possible file according to its tensors.
const mostSize = 1 << 60

// cut reports that the file ends inside a tensor, and how many tensors follow.
func (f *file) cut(c *model.Cursor, i int, n, left int64) {
	t, lost := f.tensors[i], int64(len(f.tensors)-i-1)
	for _, x := range f.tensors[i+1:] {
		n, _ := x.size()
		if f.mostEnd > mostSize {
			break
		}
		f.needs, f.mostEnd = f.mostEnd+n, f.mostEnd+f.filled(n)
	}
	f.ends = "it ends inside tensor " + t.name
	if lost > 0 {
		f.ends += model.Words(", and %s tensors after it are missing", model.Thousands(lost))
	}
	c.Wrong(outside, t.entry, model.Words("%s of %s bytes", model.Thousands(left), model.Thousands(n)), "all of them",
		model.Saying("the file is truncated: %s", f.ends))
	if typ := types[t.kind]; typ.size > 0 {
		c.Struct(&model.Field{Name: t.label, Doc: "the rest of it"}, func(c *model.Cursor) { t.lay(c, f.order, left/typ.size*typ.size, true) })
	}
}

// filled is a size including padding.
func (f *file) filled(n int64) int64 { return (n + f.alignment - 1) / f.alignment * f.alignment }

// next is where the tensor after tensor i begins according to its offset; after the last one, the end of the data.
func (f *file) next(i int, size int64) int64 {
	if i+1 < len(f.tensors) {
		return f.tensors[i+1].at
	}
	return size
}

// fits tells whether a tensor, placed according to its offset, ends where the next one begins, or the file does.
func (f *file) fits(i int, size int64) bool {
	n, ok := f.tensors[i].size()
	at := f.tensors[i].at
	if at < 0 || at%f.alignment != 0 || !ok {
		return false
	}
	next := f.next(i, size)
	return at+f.filled(n) == next || i+1 == len(f.tensors) && at+n <= next && next < at+f.filled(n)
}

// mapped is the effect on the data of tensors if only the header states their places.
func mapped(f *file, size int64) model.Does {
	does := model.Ignores
	for _, x := range f.tensors {
		n, ok := x.size()
		at := x.offset.Int()
		if !ok || n > 0 && (at < 0 || at > size || n > size-f.start-at) {
			return model.Refuses
		}
		if x.values == nil || x.values.Range.Off != f.start+at || x.values.Range.Len != n {
			does = model.Misreads
		}
	}
	return does
}
