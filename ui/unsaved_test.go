package ui

import (
	"slices"
	"testing"

	"spandrel/model"
)

// The cells that are not saved are tinted: just these, also in a block that was rewritten as a whole, and in a sorted table; not after undoing or
// saving.
func TestUnsavedCellsAreTinted(t *testing.T) {
	for _, sample := range []string{"npy/good/structured.npy", "idv/good/deflated.idv"} {
		b, d := sampleBench(t, sample)
		tinted := func() (out [][2]int) {
			b.settle(t)
			d.table.View.Update()
			b.settle(t)
			for i, row := range d.table.Pages[0].Tint {
				for k, on := range row {
					if on {
						out = append(out, [2]int{i, k})
					}
				}
			}
			return out
		}
		d.Editor.SetLocked(false)
		col := slices.IndexFunc(d.table.Table.Columns, func(c model.Column) bool { return c.Kind == model.Int || c.Kind == model.Float })
		if at := tinted(); at != nil {
			t.Errorf("%s: %v are tinted before anything is edited", sample, at)
		}
		d.table.Choose(1, col+1)
		d.table.Typed('7')
		b.settle(t)
		d.table.Editor.Submit(d.table.Editor.Entry.Text, 1, 0)
		if at := tinted(); !slices.Equal(at, [][2]int{{1, col}}) {
			t.Errorf("%s: cell 1, %d is edited, and %v are tinted", sample, col, at)
		}
		d.table.SortBy(col)
		if at := tinted(); len(at) != 1 || at[0][1] != col {
			t.Errorf("%s: sorted, %v are tinted", sample, at)
		}
		d.table.SortBy(col)
		d.table.SortBy(col)
		d.Editor.Undo()
		if at := tinted(); at != nil {
			t.Errorf("%s: undone, %v are tinted", sample, at)
		}
		d.Editor.Redo()
		if at := tinted(); len(at) != 1 {
			t.Errorf("%s: repeated, %v are tinted", sample, at)
		}
		d.Editor.Save(model.SaveOptions{}, func(_ []model.Saved, err error) {
			if err != nil {
				t.Error(err)
			}
		})
		if at := tinted(); at != nil {
			t.Errorf("%s: saved, %v are tinted", sample, at)
		}
	}
}

// What waited for a change to end is offered again when it has ended.
func TestCommandsAfterATurn(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	d.Editor.InTurn(func() { b.changed() })
	if d.path.buttons["undo"].Disabled() {
		t.Fatal("while something changes, it cannot be undone")
	}
	if d.Editor.Next(); !d.path.buttons["undo"].Disabled() {
		t.Error("there is nothing to undo, and the button is not grey")
	}
}
