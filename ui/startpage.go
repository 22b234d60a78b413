package ui

import (
	"context"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/testdata"
	"spandrel/ui/guard"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
)

// recentMost is how many files the start page remembers.
const recentMost = 12

// remember puts a path at the front of the recent files.
func (o *opener) remember(path string) {
	list := []string{path}
	for _, p := range o.wb.App.Preferences().StringList("recent") {
		switch {
		case p == path:
		case len(list) < recentMost:
			list = append(list, p)
		default:
			o.wb.App.Preferences().RemoveValue(stateKey(p))
		}
	}
	o.wb.App.Preferences().SetStringList("recent", list)
}

// stateKey is the preference with the format and state of a recent file when it was last open.
func stateKey(path string) string { return "state of " + path }

// noteState notes the format and state of a document for the start page.
func (o *opener) noteState(d *tab) {
	if f := d.Format(); f != nil && !d.Editor.Dirty {
		o.wb.App.Preferences().SetString(stateKey(d.Model.Path), f.Title+" · "+d.StateText())
	}
}

// startPage is shown when nothing is open.
func (o *opener) startPage() fyne.CanvasObject {
	open := kit.NewIconButton(o.wb.Host, "Open file…", theme.FileIcon(), func() { o.wb.Command("open") })
	open.Importance = widget.HighImportance
	folder := kit.NewIconButton(o.wb.Host, "Open folder…", theme.FolderOpenIcon(), func() { o.wb.Command("open-folder") })
	broken := container.New(guard.Layout(columns{}))
	for _, x := range testdata.Broken {
		broken.Add(wrapped(o.link(x.Title, theme.MediaPlayIcon(), func() { o.sample(x.Name(), x.Copy) }), quietText(x.Doc)))
	}
	lists, recent := container.New(guard.Layout(columns{})), o.recentFiles()
	if len(recent) > 0 {
		lists.Add(wrapped(heading("Recent"), container.NewVBox(recent...)))
	}
	title, formats := "Formats", o.formatLines()
	for half := range slices.Chunk(formats, (len(formats)+1)/(2-len(lists.Objects))) { // beside the recent files, or in two columns
		lists.Add(wrapped(append([]fyne.CanvasObject{heading(title)}, half...)...))
		title = "\u00a0" // in line with the other column
	}
	page := wrapped(dropArea(open, folder), heading("See a repair"), broken, lists)
	return container.NewVScroll(container.New(layout.NewCustomPaddedLayout(24, 24, 48, 48), page))
}

// recentFiles are the recent files with their format and state.
func (o *opener) recentFiles() (out []fyne.CanvasObject) {
	for _, path := range o.wb.App.Preferences().StringList("recent") {
		where := kit.TailOf(filepath.Dir(path), 60)
		if state := o.wb.App.Preferences().String(stateKey(path)); state != "" {
			where = state + " · " + where
		}
		out = append(out, container.NewBorder(nil, nil, o.link(filepath.Base(path), theme.HistoryIcon(), func() { o.show(path) }), nil, quietLine(where)))
	}
	return out
}

// formatLines are the formats, each with a sample.
func (o *opener) formatLines() (out []fyne.CanvasObject) {
	for _, f := range o.wb.formats {
		name, exts := widget.NewLabelWithStyle(f.Title, fyne.TextAlignLeading, fyne.TextStyle{Bold: true}), quietLine(strings.Join(f.Exts, " "))
		head := container.NewBorder(nil, nil, name, nil, exts)
		if s, ok := testdata.SampleOf(f.Name); ok {
			head = container.NewBorder(nil, nil, name, o.link("Open a sample", theme.DocumentIcon(), func() { o.sample(s.Name(), s.Copy) }), exts)
		}
		out = append(out, wrapped(head, quietText(f.Doc)))
	}
	return out
}

// link is a button that looks like text.
func (o *opener) link(text string, icon fyne.Resource, do func()) fyne.CanvasObject {
	b := kit.NewIconButton(o.wb.Host, text, icon, do)
	b.Alignment, b.Importance = widget.ButtonAlignLeading, widget.LowImportance
	return b
}

func heading(text string) fyne.CanvasObject { return widget.NewRichTextFromMarkdown("## " + text) }

// quietLine is a line that is read after others, cut where there is no room, and quietText one that is wrapped.
func quietLine(text string) fyne.CanvasObject {
	l := kit.NewLine(text)
	l.Importance = widget.LowImportance
	return l
}

func quietText(text string) fyne.CanvasObject {
	l := widget.NewLabel(text)
	l.Wrapping, l.Importance = fyne.TextWrapWord, widget.LowImportance
	return l
}

// wrapped places objects one below the other.
func wrapped(list ...fyne.CanvasObject) *fyne.Container {
	return container.New(guard.Layout(wrapping{}), list...)
}

// dropArea is the drop target, though files can be dropped anywhere in the window, with buttons for users without a file at hand.
func dropArea(buttons ...fyne.CanvasObject) fyne.CanvasObject {
	title := widget.NewRichTextFromMarkdown("# Drop a data file or a folder here")
	what := widget.NewLabel("See its data, what every byte means, and why it does not load.")
	for _, s := range title.Segments {
		if text, ok := s.(*widget.TextSegment); ok {
			text.Style.Alignment = fyne.TextAlignCenter
		}
	}
	what.Alignment, what.Wrapping, title.Wrapping = fyne.TextAlignCenter, fyne.TextWrapWord, fyne.TextWrapWord
	inside := container.New(guard.Layout(wrapping{}), title, what, container.NewCenter(container.NewHBox(buttons...)))
	p := &panel{inside: container.New(layout.NewCustomPaddedLayout(24, 28, 24, 24), inside)}
	p.ExtendBaseWidget(p)
	return p
}

// panel is a surface with a border, in the colours of the theme.
type panel struct {
	widget.BaseWidget
	inside fyne.CanvasObject
}

func (p *panel) CreateRenderer() fyne.WidgetRenderer {
	edge := canvas.NewRectangle(color.Transparent)
	edge.StrokeWidth, edge.CornerRadius = 1, 8
	r := &panelRenderer{p: p, edge: edge}
	r.colour()
	return r
}

type panelRenderer struct {
	p    *panel
	edge *canvas.Rectangle
}

func (r *panelRenderer) colour() {
	r.edge.FillColor, r.edge.StrokeColor = paint.Look().Stripe, paint.Look().Dim
}

func (r *panelRenderer) Destroy()           {}
func (r *panelRenderer) MinSize() fyne.Size { return r.p.inside.MinSize() }
func (r *panelRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.edge, r.p.inside}
}

func (r *panelRenderer) Layout(size fyne.Size) {
	r.edge.Resize(size)
	r.p.inside.Resize(size)
}

func (r *panelRenderer) Refresh() {
	r.colour()
	r.edge.Refresh()
	r.p.inside.Refresh()
}

// wrapping places objects one below the other, each with its height at the available width: Fyne's own box keeps the heights of wrapped
// texts at the previous width.
type wrapping struct{}

func (wrapping) MinSize(list []fyne.CanvasObject) fyne.Size {
	return layout.NewVBoxLayout().MinSize(list)
}

func (wrapping) Layout(list []fyne.CanvasObject, size fyne.Size) {
	y := float32(0)
	for _, o := range list {
		o.Resize(fyne.NewSize(size.Width, o.MinSize().Height))
		high := o.MinSize().Height // at this width
		o.Resize(fyne.NewSize(size.Width, high))
		o.Move(fyne.NewPos(0, y))
		y += high + theme.Padding()
	}
}

// columns places objects beside each other or, in a narrow window, one below the other.
type columns struct{ wrapping }

// columnGap is the space between columns.
const columnGap = 32

func (c columns) MinSize(list []fyne.CanvasObject) fyne.Size {
	size := c.wrapping.MinSize(list)
	if list[len(list)-1].Position().X > 0 {
		size.Height = 0
		for _, o := range list {
			size.Height = max(size.Height, o.MinSize().Height)
		}
	}
	return size
}

func (c columns) Layout(list []fyne.CanvasObject, size fyne.Size) {
	n := float32(len(list))
	width := (size.Width - columnGap*(n-1)) / n
	if c.wrapping.MinSize(list).Width > width {
		c.wrapping.Layout(list, size)
		return
	}
	for i, o := range list {
		c.wrapping.Layout([]fyne.CanvasObject{o}, fyne.NewSize(width, size.Height))
		o.Move(fyne.NewPos(float32(i)*(width+columnGap), 0))
	}
}

// sample opens a copy of a built-in sample: it can be edited and saved like any file.
func (o *opener) sample(name string, copy func(dir string) (string, error)) {
	kit.Work(o.wb, "copying "+name, model.Selected, func(context.Context) (string, error) {
		dir, err := os.UserCacheDir()
		if err != nil {
			dir = os.TempDir()
		}
		return copy(filepath.Join(dir, "spandrel", "samples"))
	}, kit.OrFail(o.wb.Host, "Cannot copy the sample", o.show))
}
