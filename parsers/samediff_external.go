package parsers

import (
	"fmt"
	"strings"

	"spandrel/model"
)

// External arrays: one file for each in the folder <base>_external beside the model (section 2.1, H-35).

var (
	sdFieldExternal = &model.Field{Name: "external", Doc: "arrays in files of their own", Ref: "2.1 H-35"}
	sdFieldOutside  = &model.Field{Doc: "an external array"}
)

// sdOutside is a file of the folder: a FlatArray, or the bare elements.
type sdOutside struct {
	span  *model.Span // the bare elements
	array *sdPlaced
	file  *model.Span
}

// sdOutsideGroup offers the files of the folder.
func sdOutsideGroup(c *model.Cursor, d *sdDoc, files []model.Entry) {
	if len(files) == 0 {
		return
	}
	d.st.later(c.Group(sdFieldExternal, func(c *model.Cursor) {
		for _, e := range files {
			if e.Regular {
				d.st.later(c.Companion(sdFieldOutside.Named("%s", e.Name), e, func(c *model.Cursor) { sdParseOutside(c, d, e.Name) }))
			}
		}
	}))
}

// sdParseOutside reads a file of external arrays: a FlatArray when it is one, bytes otherwise.
func sdParseOutside(c *model.Cursor, d *sdDoc, name string) {
	o := &sdOutside{file: c.Span()}
	d.st.mu.Lock()
	d.st.outside[name] = o
	d.st.mu.Unlock()
	b := sdBuf(c.Peek(min(c.Left(), sdMaxFlat)))
	r := b.root()
	if _, n := b.vtable(r); b.sound(r) && n > 0 && n <= 10 && b.ref(r, sdArrShape) != 0 {
		o.array = d.flat(c, sdFieldArray, c.Left(), "FlatArray", sdContext{dims: true})
		return
	}
	if c.Left() > 0 {
		o.span = c.Rest(sdFieldBlob).Span
	}
}

// outside tells that an array is in a file of its own.
func (a *sdArr) outside() bool {
	return !a.inline && len(a.chunks) == 0 && (a.external || len(a.files) > 0)
}

// outsideNames are the names that an external array's file may have, in the order in which they are tried.
func (a *sdArr) outsideNames(name string) []string {
	return append(append([]string(nil), a.files...), sdPercent(name)+".bin", sdPercent(name)+".fb")
}

// outsideOf returns the file of an external array, or nil. The folder has been opened.
func (d *sdDoc) outsideOf(name string, a *sdArr) *sdOutside {
	d.st.mu.Lock()
	defer d.st.mu.Unlock()
	for _, f := range a.outsideNames(name) {
		if o := d.st.outside[sdBase(d.file)+"_external/"+f]; o != nil {
			return o
		}
	}
	return nil
}

// outsideData returns the elements of an external array; an error says what is wrong with its file.
func (p *sdPlaced) outsideData(ctx sdCtx, t *model.Tree, name string, a *sdArr) (out *sdData, err error) {
	o := p.doc.outsideOf(name, a)
	if o == nil {
		return nil, fmt.Errorf("no file of it is in %s_external", sdBase(p.doc.file))
	}
	if o.array != nil {
		err = o.array.view(ctx, t, func(b sdBuf) error {
			if out = o.array.data(b, b.root(), name, "external"); out == nil {
				return fmt.Errorf("its file is an array without elements")
			}
			return nil
		})
	} else {
		out = &sdData{name: name, typ: a.typ, dims: a.dims, order: a.order, where: "external", in: p.doc}
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
	count, ok := sdProduct(out.dims)
	if want := (&sdArr{typ: out.typ}).sizeOf(count); ok && want >= 0 && want != out.bytes {
		err = sdSize{out.bytes, want}
	}
	return out, err
}

// sdSize tells that a file has another size than its array.
type sdSize struct{ have, want int64 }

func (e sdSize) Error() string { return fmt.Sprintf("its file has %d bytes, not %d", e.have, e.want) }

// external checks an array that is in a file of its own (SDF-111 to SDF-113).
func (s *sdSet) external(k *sdChecker, d *sdDoc, x *sdVar, a *sdArr) {
	at, n := k.where(a.at, sdArrFiles, 4)
	for _, f := range a.files {
		if err := model.Clean(f); err != nil {
			k.report(113, at, n, f, "a name inside "+sdBase(d.file)+"_external", "%s: %v", x.name, err)
			return
		}
	}
	o := d.outsideOf(x.name, a)
	if o == nil {
		at, n := k.where(a.at, sdArrExternal, 1)
		k.report(111, at, n, strings.Join(a.outsideNames(x.name), ", "), "", "%s: none of its files is in %s_external", x.name, sdBase(d.file))
		return
	}
	s.add(x.name, sdHas{doc: d, where: "a file"})
	_, err := k.outsideData(k.ctx, k.t, x.name, a)
	if size, ok := err.(sdSize); ok {
		k.p.Report(model.Finding{Rule: sdf(112), Span: o.file, Found: fmt.Sprint(size.have), Expected: fmt.Sprint(size.want), Message: x.name + ": " + err.Error()})
	} else if err != nil {
		k.p.Report(model.Finding{Rule: sdf(112), Span: o.file, Message: x.name + ": " + err.Error()})
	}
}

// outsides returns the arrays of the graph that are in files of their own; an error when one of them cannot be read.
func (p *sdPlaced) outsides(ctx sdCtx, t *model.Tree) (list []*sdData, err error) {
	err = p.view(ctx, t, func(b sdBuf) error {
		v := p.open(b)
		for i := range v.vars {
			x := &v.vars[i]
			if x.array == 0 || !v.late() {
				continue
			}
			a := v.sdPlaced.array(b, x.array)
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
