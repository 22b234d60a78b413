package safetensors

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
)

// layData creates the spans of the tensors in the data, ordered by offset, and checks that they fill it.
func (f *file) layData(c *model.Cursor) {
	if len(f.tensors) == 0 && c.Left() == 0 {
		return
	}
	f.place(c)
	order := f.ordered()
	for _, t := range order {
		f.size = max(f.size, t.to)
	}
	names := map[string]int{}
	node := c.Block(data, c.Left(), func(c *model.Cursor) {
		for _, t := range order {
			n := t.name
			if names[t.name]++; names[t.name] > 1 || n == "" {
				n = fmt.Sprintf("%s'%d", n, names[t.name])
			}
			t.lay(c, f, n)
		}
		if rest := c.Left(); rest > 0 {
			f.gap(c, rest)
		}
	})
	f.data = node.Span
	for _, t := range order {
		if t.values != nil {
			at := model.Node{Span: t.values}
			right := f.recount.Times == 0
			c.OffsetOf(t.begin, at).Since(node).When(right)
			c.EndOf(t.end, at).Since(node).When(right && !t.cut)
		}
	}
}

// ordered are the tensors in the order of their bytes.
func (f *file) ordered() []*tensor {
	order := slices.Clone(f.tensors)
	slices.SortStableFunc(order, func(a, b *tensor) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	return order
}

// gap skips bytes that no tensor claims.
func (f *file) gap(c *model.Cursor, n int64) {
	if !f.broken {
		c.Wrong(hole, c.Range(c.Pos(), n), model.Words("%d bytes", n), "tensors without gaps")
	}
	c.Skip(n)
}

// lay makes the span of a tensor, unless its bytes overlap another's or are outside the data.
func (t *tensor) lay(c *model.Cursor, file *file, label string) {
	from, to := c.Base()+t.from, c.Base()+t.to
	t.checkSize(c)
	if to < from {
		return
	}
	if from < c.Pos() && to > from {
		file.broken = true
		c.Wrong(overlap, t.entry, fmt.Sprintf("%s from %d", t.name, t.from), fmt.Sprintf("from %d or later", c.Pos()-c.Base()), model.Beside(t.begin))
		return
	}
	if left := c.Pos() + c.Left(); to > left {
		t.cut = true
		if !file.cut { // once, because all after the first are outside too
			file.cut = true
			c.Wrong(outside, t.entry, model.Words("%d of %d bytes of %s", max(0, left-from), to-from, t.name), model.Words("%d bytes of data instead of %d", file.size, c.Size()),
				model.Beside(t.begin, t.end))
		}
		if to = left; from >= left {
			return
		}
	}
	if from > c.Pos() {
		file.gap(c, from-c.Pos())
	}
	f := t.valueField(label)
	typ := dtypes[t.typ.Text()]
	if n := to - from; t.typ.Text() == "C64" && n%complexNumber.Size() == 0 {
		t.values = c.Array(f, complexNumber, n/complexNumber.Size()).Span
		return
	}
	if typ.codec == nil || (to-from)%int64(typ.codec.Size()) != 0 {
		f.Codec = model.RawBytes
		t.values = c.FieldN(f, to-from).Span
		return
	}
	t.values = c.Elements(f, typ.element(), (to-from)/int64(typ.codec.Size())).Span
}

func (t *tensor) valueField(label string) *model.Field {
	return &model.Field{Name: label, Doc: fmt.Sprintf("%s %v", t.typ.Text(), t.shape), Values: true}
}

// checkSize compares the size according to shape and type with the offsets.
func (t *tensor) checkSize(c *model.Cursor) {
	size, known := t.bytes()
	from, to := t.from, t.to
	switch {
	case !known:
		c.Wrong(badType, t.typ, nil, "a type such as F32, BF16 or I64")
	case size != to-from:
		c.Wrong(wrongSize, t.entry, model.Words("%d bytes from %d to %d", to-from, from, to), model.Words("%d bytes of %s [%s]", size, t.typ.Text(), t.shapeText()),
			model.Beside(t.begin, t.end, t.typ))
	}
}

// bytes is the size of the tensor according to its shape and type. known is false for an unknown type.
func (t *tensor) bytes() (n int64, known bool) {
	typ, known := dtypes[t.typ.Text()]
	n, _ = t.bytesOf(typ)
	return n, known
}

// bytesOf is the size of the tensor with a type; ok is false if the type does not exist.
func (t *tensor) bytesOf(typ dtype) (n int64, ok bool) {
	total, ok := uint64(1), typ.bits > 0
	for _, d := range t.shape {
		var fits bool
		if total, fits = model.Times(total, uint64(d), 1<<56); !fits {
			return -1, ok
		}
	}
	if n = int64(total) * typ.bits; n%8 != 0 {
		return -1, ok
	}
	return n / 8, ok
}

// extents says how long the file is by the last offset of its header.
func extents(_ context.Context, t *model.Tree) []model.Extent {
	f := model.StateOf[*file](t)
	if f != nil && f.checkpoint != nil {
		return f.checkpoint.extents()
	}
	if f != nil && f.needs > 0 {
		return []model.Extent{{Size: f.needs, Least: true, Says: "it ends inside its header"}}
	}
	if f != nil && f.lost > 0 {
		return []model.Extent{{Size: t.Root.Range.Len + f.lost, Least: true, Ends: true, Says: "its header continues as values before its stated end"}}
	}
	if f == nil || f.data == nil || f.broken || f.size == 0 || f.size > 1<<60 {
		return nil
	}
	e := model.Extent{Size: f.data.Range.Off + f.size, Says: "the offsets in the header give its length"}
	for _, t := range f.tensors {
		if t.to == f.size {
			e.By = t.end.Span
		}
	}
	return []model.Extent{e}
}

func (t *tensor) shapeText() string { return shapeText(t.shape) }

func shapeText(shape []int64) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ", ")
}
