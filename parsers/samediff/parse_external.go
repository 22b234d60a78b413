package samediff

import (
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
