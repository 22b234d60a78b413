package table

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
)

// Rows are deleted, also several of a sorted table, and lines of a text are added as rows; each is one edit.
func TestDeleteAndAddRows(t *testing.T) {
	b, d, p := sample(t, "idv/good/stored.idv")
	all, was := p.Count(), grid(p)
	offers := func(row int64) bool {
		return slices.ContainsFunc(p.Menu(row, p.ColumnX(1)+20).Items, func(i *fyne.MenuItem) bool { return i.Label == "Delete the selected rows" })
	}
	if offers(-1) || !offers(0) {
		t.Errorf("deleting is offered: by the header %v, by a row %v", offers(-1), offers(0))
	}
	p.SortBy(0)
	p.SortBy(0)
	b.Settle(t)
	p.Choose(1, 1)
	p.extend(2)
	lines := strings.Split(grid(p), " | ")
	p.DeleteRows()
	b.Settle(t)
	p.SortBy(0)
	b.Settle(t)
	left := strings.Split(grid(p), " | ")
	if p.Count() != all-2 || left[0][1:] != lines[all-1][1:] || slices.ContainsFunc(left, func(l string) bool { return l[1:] == lines[1][1:] || l[1:] == lines[2][1:] }) {
		t.Errorf("%d rows of %d:\n%s", p.Count(), all, strings.Join(left, "\n"))
	}
	d.Editor.Undo()
	b.Settle(t)
	p.SortBy(-1)
	b.Settle(t)
	if grid(p) != was || d.Editor.Dirty {
		t.Errorf("after Undo\n%s\nnot\n%s", grid(p), was)
	}
	text, err := tabbed(t.Context(), p.Table.Part(2, 2), true, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.PasteRows(text)
	b.Settle(t)
	now := strings.Split(grid(p), " | ")
	if p.Count() != all+2 || now[all][1:] != now[2][1:] || now[all+1][1:] != now[3][1:] {
		t.Errorf("%d rows of %d after two were added", p.Count(), all)
	}
}

// Lines are rows of the columns that the first names, or of those that are shown. What a line has too much is said.
func TestPastedRows(t *testing.T) {
	table := &model.Table{Columns: model.Columns("id u32, name utf8, size u32")}
	for text, want := range map[string]string{"size\tid\n5\t6": "6 – 5", "1\ta\r\n2\tb\n": "a – 1 / b – 2", "1\t2\t3": "a line has 3 values, and there are 2 columns", "id": "there is no row below the names of the columns"} {
		rows, err := pastedRows(table, []string{"size", "id"}, text)
		var lines []string
		for _, r := range rows {
			var words []string
			for _, c := range r.Cells {
				if c.Missing {
					c.Text = "–"
				}
				words = append(words, c.Text)
			}
			lines = append(lines, strings.Join(words, " "))
		}
		got := strings.Join(lines, " / ")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}
