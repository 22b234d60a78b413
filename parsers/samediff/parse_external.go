package samediff

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// External arrays: one file for each in the folder <base>_external beside the model (section 2.1, H-35).

var (
	fieldExternal = &model.Field{Name: "external", Doc: "arrays in files of their own", Ref: "2.1 H-35"}
	fieldOutside  = &model.Field{Doc: "an external array"}
)

// outsideGroup offers the files of the folder.
func outsideGroup(c *model.Cursor, d *doc, files []model.Entry) {
	if len(files) == 0 {
		return
	}
	d.st.later(c.Group(fieldExternal, func(c *model.Cursor) {
		for _, e := range files {
			if e.Regular {
				d.st.later(c.Companion(fieldOutside.Named("%s", e.Name), e, func(c *model.Cursor) { parseOutside(c, d, e.Name) }))
			}
		}
	}))
}

// parseOutside reads a file of external arrays: a FlatArray when it is one, bytes otherwise.
func parseOutside(c *model.Cursor, d *doc, name string) {
	o := &outside{file: c.Span()}
	d.st.mu.Lock()
	d.st.outside[name] = o
	d.st.mu.Unlock()
	b := flat.Buffer(c.Peek(min(c.Left(), flat.MaxSize)))
	r := b.Root()
	if _, n := b.Vtable(r); b.Sound(r) && n > 0 && n <= 10 && b.Ref(r, flat.ArrShape) != 0 {
		o.array = d.flat(c, fieldArray, c.Left(), "FlatArray", scopeOf{dims: true})
		return
	}
	if c.Left() > 0 {
		o.span = c.Rest(fieldBlob).Span
	}
}

// outside tells that an array is in a file of its own.
func (a *arr) outside() bool {
	return !a.inline && len(a.chunks) == 0 && (a.external || len(a.files) > 0)
}

// outsideNames are the names that an external array's file may have, in the order in which they are tried.
func (a *arr) outsideNames(name string) []string {
	return append(append([]string(nil), a.files...), percent(name)+".bin", percent(name)+".fb")
}

// outsideOf returns the file of an external array, or nil. The folder has been opened.
func (d *doc) outsideOf(name string, a *arr) *outside {
	d.st.mu.Lock()
	defer d.st.mu.Unlock()
	for _, f := range a.outsideNames(name) {
		if o := d.st.outside[baseName(d.file)+"_external/"+f]; o != nil {
			return o
		}
	}
	return nil
}

// outsideData returns the elements of an external array; an error says what is wrong with its file.
func (p *placed) outsideData(ctx context.Context, t *model.Tree, name string, a *arr) (out *data, err error) {
	o := p.doc.outsideOf(name, a)
	if o == nil {
		return nil, fmt.Errorf("no file of it is in %s_external", baseName(p.doc.file))
	}
	if o.array != nil {
		err = o.array.view(ctx, t, func(b flat.Buffer) error {
			if out = o.array.data(b, b.Root(), name, "external"); out == nil {
				return fmt.Errorf("its file is an array without elements")
			}
			return nil
		})
	} else {
		out = &data{name: name, typ: a.typ, dims: a.dims, order: a.order, where: "external", in: p.doc}
		if o.span != nil {
			out.at, out.bytes = []model.Range{o.span.Range}, o.span.Range.Len
		}
	}
	if err != nil {
		return nil, err
	}
	if a.dialect == "" { // nothing but the file says how long the array is
		out.dims = a.shape
	}
	count, ok := product(out.dims)
	if want := (&arr{typ: out.typ}).sizeOf(count); ok && want >= 0 && want != out.bytes {
		err = sizeWord{out.bytes, want}
	}
	return out, err
}

// sizeWord tells that a file has another size than its array.
type sizeWord struct{ have, want int64 }

func (e sizeWord) Error() string { return model.Words("its file has %d bytes, not %d", e.have, e.want) }

// outsides returns the arrays of the graph that are in files of their own; an error when one of them cannot be read.
func (p *placed) outsides(ctx context.Context, t *model.Tree) (list []*data, err error) {
	err = p.view(ctx, t, func(b flat.Buffer) error {
		v := p.open(b)
		for i := range v.vars {
			x := &v.vars[i]
			if x.array == 0 || !v.placed.Late() {
				continue
			}
			a := v.placed.array(b, x.array)
			if !a.outside() {
				continue
			}
			o, err := p.outsideData(ctx, t, x.name, a)
			if err != nil {
				return fmt.Errorf("the array %s is in a file of its own: %w", x.name, err)
			}
			list = append(list, o)
		}
		return nil
	})
	return list, err
}
