package ui

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/headless"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// dataset is a row of a catalogue, as printed by `spandrel catalogue --json`.
type dataset struct {
	Document, Format, Version, Shape, State, Modified string
	Rows, Columns, Size                               *int64 // nil: not known
	Causes                                            []string
}

// catalogue is a tab that lists the datasets below a folder with their condition. A row opens its dataset.
type catalogue struct {
	rows.Grid
	wb          *Workbench
	folder      string
	all, listed []*dataset // in the order that they were found; those that are shown, in theirs
	sorted      int        // the column that rows are sorted by; -1: as they were found
	down        bool
	narrow      *kit.Entry
	line        *widget.Label
	item        *container.TabItem
	cancel      kit.Running // nil: all are found
}

// catalogueColumns are the columns, each with its order and its texts.
var catalogueColumns = []struct {
	rows.Column
	cell    func(c *catalogue, d *dataset) rows.Cell
	compare func(a, b *dataset) int
}{
	{rows.Column{Title: "dataset", Width: 260}, func(c *catalogue, d *dataset) rows.Cell { return rows.Cell{Text: c.name(d), Link: true, Tail: true} },
		func(a, b *dataset) int { return strings.Compare(a.Document, b.Document) }},
	{rows.Column{Title: "state", Width: 110}, func(_ *catalogue, d *dataset) rows.Cell { return rows.Cell{Text: d.State, Mark: markOf[d.State]} },
		func(a, b *dataset) int { return int(markOf[a.State]) - int(markOf[b.State]) }},
	{rows.Column{Title: "format", Width: 110}, func(_ *catalogue, d *dataset) rows.Cell {
		return rows.Cell{Text: strings.TrimSpace(d.Format + " " + d.Version)}
	}, func(a, b *dataset) int {
		return cmp.Or(strings.Compare(a.Format, b.Format), strings.Compare(a.Version, b.Version))
	}},
	{rows.Column{Title: "shape", Width: 260}, func(_ *catalogue, d *dataset) rows.Cell { return rows.Cell{Text: d.Shape} },
		func(a, b *dataset) int {
			return cmp.Or(cmp.Compare(known(a.Rows), known(b.Rows)), cmp.Compare(known(a.Columns), known(b.Columns)), strings.Compare(a.Shape, b.Shape))
		}},
	{rows.Column{Title: "bytes", Width: 110, Right: true}, func(_ *catalogue, d *dataset) rows.Cell { return counted(d.Size) },
		func(a, b *dataset) int { return cmp.Compare(known(a.Size), known(b.Size)) }},
	{rows.Column{Title: "what is wrong", Width: 400}, func(_ *catalogue, d *dataset) rows.Cell {
		return rows.Cell{Text: doc.ShortPaths(kit.Sentence(strings.Join(d.Causes, " ")))}
	}, func(a, b *dataset) int { return slices.Compare(a.Causes, b.Causes) }},
}

// markOf is the severity of a condition.
var markOf = map[string]model.Severity{"unknown": model.Note, "warnings": model.Warning, "damaged": model.Error, "unreadable": model.Error}

func known(n *int64) int64 {
	if n == nil {
		return -1
	}
	return *n
}

func counted(n *int64) rows.Cell {
	if n == nil {
		return rows.Cell{}
	}
	return rows.Cell{Text: model.Thousands(*n), Right: true}
}

// catalogue lists the datasets below a folder in a new tab.
func (wb *Workbench) catalogue(folder string) {
	folder = absolute(folder)
	if i := slices.IndexFunc(wb.catalogues, func(c *catalogue) bool { return c.folder == folder }); i >= 0 {
		wb.tabs.Select(wb.catalogues[i].item)
		return
	}
	c := &catalogue{wb: wb, folder: folder, sorted: -1, Grid: rows.NewGrid(), line: kit.NewLine(""), narrow: kit.NewEntry(wb.Host)}
	for _, x := range catalogueColumns {
		c.Columns = append(c.Columns, x.Column)
	}
	c.Striped, c.Stretch, c.Fits = true, true, true
	c.Cells = func(row int64) (cells []rows.Cell, _ bool) {
		for _, x := range catalogueColumns {
			cells = append(cells, x.cell(c, c.listed[row]))
		}
		return cells, true
	}
	c.View = rows.NewView(c)
	c.narrow.SetPlaceHolder("filter by words: damaged tiledb")
	c.narrow.OnChanged = func(string) { c.list() }
	c.narrow.On = map[fyne.KeyName]func(){fyne.KeyDown: func() { wb.Shell.Focus(c.View) }} // from what is typed to what it left
	top := container.NewBorder(nil, nil, nil, nil, container.NewGridWithColumns(2, c.narrow, c.line))
	c.item = container.NewTabItem(paint.Shorten("Catalogue of "+filepath.Base(folder), 32), container.NewBorder(top, nil, nil, nil, c.View))
	wb.catalogues = append(wb.catalogues, c)
	wb.tabs.Append(c.item)
	wb.tabs.Select(c.item)
	wb.refreshBody()
	wb.Shell.Focus(c.narrow)
	c.find()
}

// find looks for datasets and lists each when it is found.
func (c *catalogue) find() {
	var said bytes.Buffer
	jobs := strconv.Itoa(max(1, runtime.NumCPU()/2)) // a dataset that is opened meanwhile is read as well
	c.cancel = kit.Work(c.wb, "catalogue of "+filepath.Base(c.folder), model.Checks, func(ctx context.Context) (any, error) {
		env := headless.Env{Formats: c.wb.formats, Version: c.wb.version, In: strings.NewReader(""), Out: &lines{take: c.found}, Err: &said}
		if headless.RunIn(ctx, env, []string{"catalogue", "--json", "--jobs", jobs, "--", c.folder}) == headless.Failed {
			return nil, cmp.Or(ctx.Err(), errors.New(strings.TrimPrefix(strings.TrimSpace(said.String()), "spandrel: ")))
		}
		return nil, ctx.Err()
	}, func(_ any, err error) {
		c.cancel = nil
		if c.list(); err != nil {
			c.wb.Fail("Cannot list all of "+filepath.Base(c.folder), err)
		}
	})
	c.list()
}

// lines passes on complete lines.
type lines struct {
	rest []byte
	take func(line []byte)
}

func (l *lines) Write(b []byte) (int, error) {
	l.rest = append(l.rest, b...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		l.take(line)
		l.rest = rest
	}
}

// found receives a row from the search.
func (c *catalogue) found(line []byte) {
	d := &dataset{}
	if json.Unmarshal(line, d) != nil || d.Document == "" {
		return
	}
	c.wb.Post(func() {
		if c.all = append(c.all, d); c.cancel != nil {
			c.list()
		}
	})
}

// list shows the rows that contain all of the words, in order. The selected row stays selected.
func (c *catalogue) list() {
	var was *dataset
	if c.Current >= 0 && c.Current < c.Count() {
		was = c.listed[c.Current]
	}
	c.listed = slices.DeleteFunc(slices.Clone(c.all), func(d *dataset) bool {
		var text strings.Builder
		for _, x := range catalogueColumns {
			text.WriteString(strings.ToLower(x.cell(c, d).Text) + "\n")
		}
		return slices.ContainsFunc(strings.Fields(strings.ToLower(c.narrow.Text)), func(word string) bool { return !strings.Contains(text.String(), word) })
	})
	if c.sorted >= 0 {
		slices.SortStableFunc(c.listed, func(a, b *dataset) int {
			n := catalogueColumns[c.sorted].compare(a, b)
			if c.down {
				n = -n
			}
			return n
		})
	}
	for i, x := range catalogueColumns {
		c.Columns[i].Title = x.Title
	}
	if c.sorted >= 0 {
		c.Columns[c.sorted].Title += map[bool]string{false: " ▲", true: " ▼"}[c.down]
	}
	c.Current = int64(slices.Index(c.listed, was))
	c.line.SetText(c.summary())
	c.View.Update()
}

// summary says how many datasets there are, and how many have problems.
func (c *catalogue) summary() string {
	states := map[string]int64{}
	for _, d := range c.all {
		states[d.State]++
	}
	text := model.Count(int64(len(c.all)), "datasets")
	for _, state := range []string{"damaged", "unreadable", "with warnings"} {
		if n := states[strings.TrimPrefix(state, "with ")]; n > 0 {
			text += fmt.Sprintf(", %s %s", model.Thousands(n), state)
		}
	}
	if c.cancel != nil {
		text += "; looking for more…"
	}
	return text
}

// name is the path of a dataset relative to the folder.
func (c *catalogue) name(d *dataset) string {
	if name, err := filepath.Rel(c.folder, d.Document); err == nil {
		return name
	}
	return d.Document
}

// end closes the tab.
func (c *catalogue) end() {
	c.cancel.Stop()
	c.wb.catalogues = slices.DeleteFunc(c.wb.catalogues, func(o *catalogue) bool { return o == c })
	c.View.Release()
	c.wb.tabs.Remove(c.item)
	c.wb.refreshBody()
	c.wb.changed()
}

// catalogueOf returns the catalogue in a tab; nil if it contains a document.
func (wb *Workbench) catalogueOf(t *container.TabItem) *catalogue {
	if i := slices.IndexFunc(wb.catalogues, func(c *catalogue) bool { return c.item == t }); i >= 0 {
		return wb.catalogues[i]
	}
	return nil
}

// closeShown closes the current tab.
func (wb *Workbench) closeShown(d *tab) {
	switch c := wb.catalogueOf(wb.tabs.Selected()); {
	case c != nil:
		c.end()
	case d != nil:
		wb.saver.askClose(d)
	}
}

func (c *catalogue) Count() int64         { return int64(len(c.listed)) }
func (c *catalogue) Show(_, _ int64)      {}
func (c *catalogue) Hover(int64, float32) {}

func (c *catalogue) open(row int64) {
	if row >= 0 && row < c.Count() {
		c.wb.files.show(c.listed[row].Document)
	}
}

func (c *catalogue) choose(row int64) {
	c.Current = row
	c.View.Follow(row)
	c.View.Redraw()
}

func (c *catalogue) Press(row int64, x float32, e rows.Press) {
	switch resized := c.Resize(row, x, e); {
	case e.Drag:
	case row == -1 && c.Sizing < 0:
		col := c.ColumnAt(x)
		c.sorted, c.down = col, c.sorted == col && !c.down
		c.list()
	case resized || row < 0 || row >= c.Count():
	case e.Click() && (e.Double || c.ColumnAt(x) == 0): // the name looks like a link
		c.choose(row)
		c.open(row)
	default:
		c.choose(row)
	}
}

func (c *catalogue) Key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	if mod == 0 && (name == fyne.KeyReturn || name == fyne.KeyEnter) {
		c.open(c.Current)
		return true
	}
	return mod == 0 && c.Moved(name, c.Count(), c.choose)
}

func (c *catalogue) Menu(row int64, _ float32) *fyne.Menu {
	if row < 0 || row >= c.Count() {
		return nil
	}
	return fyne.NewMenu("", fyne.NewMenuItem("Open", func() { c.open(row) }),
		fyne.NewMenuItem("Copy path", func() { c.wb.Copy(c.listed[row].Document) }))
}
