package doc

import (
	"context"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/ui/kit"
)

// CellRef identifies a cell of a table by name: it survives edits that move its bytes.
type CellRef struct {
	Table, Column string
	Row           int64
	Text          string   // text for people
	Typed         string   // what someone would type for it
	Fixed         string   // why it cannot be edited; "" when it can
	Derived       bool     // computed from other cells and files; it has no bytes
	Missing       bool     // it holds no value
	AfterRepair   bool     // it is of the rows after a repair that was not made
	Items         []string // numbers of the vector, each a separate field; nil: not a vector, or set as a whole
}

// NoBytes is why a cell that is computed cannot be edited.
const NoBytes = "it has no bytes of its own; it is computed from others"

// Same tells whether two references are to the same cell.
func (a *CellRef) Same(b *CellRef) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Table == b.Table && a.Column == b.Column && a.Row == b.Row && a.AfterRepair == b.AfterRepair
}

// Read notes the content of a cell and whether it can be edited. settable means that the table sets cells itself: otherwise a cell is
// edited as the field that its bytes are.
func (a *CellRef) Read(col model.Column, c model.Cell, slots []string, settable bool) {
	a.Text, a.Derived = CellText(&col, &c, slots), c.Range.Len == 0
	a.Missing = !c.Vector && c.Value.Kind == model.None
	a.Typed, a.Fixed = c.Value.String(), col.Fixed
	switch {
	case c.Vector && len(c.Items) <= 64: // of more, it is not said whole
		a.Typed = c.String()
	case c.Value.Kind == model.Text:
		a.Typed = c.Value.Text()
	case a.Missing:
		a.Typed = ""
	case col.Show == model.ShowHex && c.Label == "" && c.Trouble == "":
		a.Typed = a.Text
	}
	if c.Fixed != "" {
		a.Fixed = c.Fixed
	}
	switch {
	case a.Fixed != "":
	case c.Trouble != "":
		a.Fixed = c.Trouble
	case !settable && a.Derived:
		a.Fixed = NoBytes
	case !settable && c.Vector && numbersOf(c):
		for _, v := range c.Items {
			a.Items = append(a.Items, v.String())
		}
	case !settable && c.Vector:
		a.Fixed = "it has several values: edit them in the tree or in the hex pane"
	}
}

// numbersOf tells whether a cell shows all of a few numbers that share its bytes evenly.
func numbersOf(c model.Cell) bool {
	n := int64(len(c.Items))
	return n > 0 && n <= 64 && c.Index == nil && c.Range.Len%n == 0 && !slices.ContainsFunc(c.Items, func(v model.Value) bool { return !v.IsNumber() })
}

// CellText is the text of a cell, in the base of its column.
func CellText(col *model.Column, c *model.Cell, slots []string) string {
	if whole := c.Value.Kind == model.Uint || c.Value.Kind == model.Int; whole && col.Show == model.ShowHex && !c.Vector && c.Label == "" && c.Trouble == "" {
		return fmt.Sprintf("0x%x", c.Value.Uint())
	}
	if c.Label != "" && !c.Vector && c.Trouble == "" && c.Value.Kind != model.None { // what can be read comes first: the rest may be cut
		return c.Label + " (" + c.Value.String() + ")"
	}
	return c.Named(col.Type, slots)
}

// Identity is what a selection means, independent of where its bytes are: a cell of a table, or a field by its path.
type Identity struct {
	path  string
	cell  *CellRef
	r     model.Range // where the bytes were
	off   int64       // of r in the bytes of the cell
	whole bool        // r was all of the cell, or of the field
	typed bool        // made in the hex pane
	guess bool        // of a step: it is a repair that was not proven
	from  Pane
}

// Identity returns the identity of the selection.
func (c *Choice) Identity() Identity {
	s := c.Now
	id := Identity{r: s.Range, cell: s.Cell, from: s.From, typed: s.From != nil && s.From == c.d.Typed}
	if s.Span != nil {
		id.path, id.whole = s.Span.Path(), s.Span.Range == s.Range
	}
	if cell := c.d.Cells.Bytes(s.Cell); cell.Len > 0 {
		id.off, id.whole = s.Range.Off-cell.Off, s.Range == cell
	}
	return id
}

// find finds a selection in another tree: the cell if it was one, the field otherwise, or the nearest span.
func (id Identity) find(ctx context.Context, t *model.Tree) (Selection, error) {
	if s, ok := id.findCell(ctx, t); ok {
		return s, ctx.Err()
	}
	s, err := nearest(ctx, t, id.path)
	if err != nil {
		return Selection{}, err
	}
	r := id.r
	switch {
	case id.typed: // the caret stays
		r.Space = s.Range.Space
		if at, err := t.AtOpen(ctx, r.Space, r.Off); err == nil && at != nil {
			s = at
		}
	case id.whole || r.Space != s.Range.Space || !s.Range.Contains(r):
		r = s.Range
	}
	return Selection{Span: s, Range: r, From: id.from}, ctx.Err()
}

// findCell is find for a cell of a table.
func (id Identity) findCell(ctx context.Context, t *model.Tree) (Selection, bool) {
	if id.cell == nil || id.typed && !derivedSpace(ctx, t, id.path) {
		return Selection{}, false
	}
	table, ok := model.TableNamed(t.Tables(ctx), id.cell.Table)
	k := table.Column(id.cell.Column)
	if !ok || k < 0 || id.cell.Row >= table.Rows {
		return Selection{}, false
	}
	row, err := table.Read(ctx, id.cell.Row, 1)
	if err != nil || len(row) == 0 || k >= len(row[0]) {
		return Selection{}, false
	}
	return id.inRow(ctx, t, &table, row[0], k)
}

// inRow selects cell k of a row.
func (id Identity) inRow(ctx context.Context, t *model.Tree, table *model.Table, row model.Row, k int) (Selection, bool) {
	ref, r := *id.cell, row[k].Range
	ref.AfterRepair = false
	if ref.Read(table.Columns[k], row[k], nil, table.Set != nil); ref.Derived {
		s, r := RowPlace(t, row)
		if s == nil {
			var err error
			if s, err = t.AtOpen(ctx, r.Space, r.Off); err != nil || s == nil {
				s, r = t.Root, model.Range{Space: t.Root.Range.Space}
			}
		}
		return Selection{Span: s, Range: r, From: id.from, Cell: &ref}, true
	}
	if !id.whole && id.off >= 0 && id.off < r.Len {
		r.Off, r.Len = r.Off+id.off, min(id.r.Len, r.Len-id.off)
	}
	s, err := t.AtOpen(ctx, r.Space, r.Off)
	return Selection{Span: s, Range: r, From: id.from, Cell: &ref}, err == nil && s != nil
}

// derivedSpace tells whether the field at a path is in decoded bytes.
func derivedSpace(ctx context.Context, t *model.Tree, path string) bool {
	s, err := t.Find(ctx, path)
	if err != nil || s == nil {
		return true // it moved
	}
	sp := t.Space(s.Range.Space)
	return sp != nil && sp.Derived()
}

// rowSpan returns the structure that contains exactly the bytes of a row, or the root if there is none. Bytes of other files
// that a row only refers to are not its own.
func rowSpan(t *model.Tree, row model.Row) *model.Span {
	var s *model.Span
	for _, c := range row {
		if c.Range.Len == 0 || s != nil && s.Range.Space != c.Range.Space {
			continue
		}
		if s == nil {
			s = t.At(c.Range.Space, c.Range.Off)
		}
		for s != nil && !s.Range.Contains(c.Range) {
			s = s.Parent()
		}
	}
	if s != nil && s.Shape == model.Leaf {
		s = s.Parent()
	}
	if s == nil || s.Shape != model.Struct || s.Index() < 0 {
		return t.Root
	}
	return s
}

// RowPlace is what is selected for a derived cell: the structure of its row. For a row in several places it is
// the first one with bytes, without a span; for a row without bytes, the document and no byte.
func RowPlace(t *model.Tree, row model.Row) (*model.Span, model.Range) {
	if s := rowSpan(t, row); s != t.Root {
		return s, s.Range
	}
	for _, c := range row {
		if c.Range.Len > 0 {
			return nil, c.Range
		}
	}
	return t.Root, model.Range{Space: t.Root.Range.Space}
}

// GoToCell shows the table of a cell and selects the cell.
func (d *Document) GoToCell(ref *CellRef) {
	d.Cells.Show(ref)
	t, id := d.Tree(), Identity{cell: ref, whole: true}
	kit.Work(d.Window, "", model.Selected, func(ctx context.Context) (Selection, error) {
		return id.find(ctx, t)
	}, func(s Selection, err error) {
		if s.Span != nil && err == nil && d.Tree() == t {
			d.Sel.Set(s)
		}
	})
}
