package ui

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"spandrel/model"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// Workbench owns what is open. Panes hold a pointer to their Document, and through it to the Workbench, and to nothing else: they
// send it requests and draw what it tells them. Documents and the workbench know panes and services by what they are asked for, see
// contract.go. All of it belongs to the UI goroutine.
type Workbench struct {
	app       fyne.App
	shell     shell
	version   string
	causeTime time.Duration // how long the cause of what is wrong is looked for; 0: it is not
	formats   []*model.Format
	jobs      *model.Jobs
	post      func(func()) // runs a function on the UI goroutine
	defects   *defects
	bubble    *tooltip // says beside a button what it does; nil without a window
	pending   int      // results that have not come yet
	patience  patience // with data that is about to be drawn
	width     float32  // of a picture without a window, in units
	pane      string   // the tab at the bottom that documents show first; "" for the usual one

	docs    []*Document
	current *Document
	tabs    *container.DocTabs
	status  statusLine
	body    *fyne.Container // the tabs, or the start page
	coming  bool            // the first document is being read: nothing is shown in its place

	talk  talks
	saver keeper
	prefs settings
	menus commandSet
	files fileOpener

	assemble func(*model.Document) *Document
	settled  func() // a document was opened or closed; may be nil
	leave    func() // ends the program and keeps the state of the window
}

// submit runs a job and calls its Done on the UI goroutine. cancel withdraws it: Done is then not called.
func (wb *Workbench) submit(j model.Job) (cancel func()) {
	wb.pending++
	open := true
	settle := func() {
		if open {
			open = false
			wb.pending--
		}
	}
	done := j.Done
	j.Done = func(v any, err error) {
		settle()
		wb.defects.logged(cmp.Or(j.Title, "work in the background"), err)
		if done != nil {
			done(v, err)
		}
	}
	t := wb.jobs.Submit(j)
	return func() {
		t.Cancel()
		settle()
	}
}

// grace is how long the UI goroutine waits for data that is about to be drawn. Data in memory comes within it, so that
// scrolling shows no pending rows; cold data comes later and is drawn then. It is what all panes have together: of the time that passes
// a quarter at most is waited.
const grace = 4 * time.Millisecond

// patience is how much of the grace is left.
type patience struct {
	used time.Duration
	at   time.Time
}

// left is how long may be waited now.
func (p *patience) left(now time.Time) time.Duration {
	p.used = max(0, p.used-now.Sub(p.at)/4)
	p.at = now
	return max(0, grace-p.used)
}

// wait waits for a result, as long as may be waited now. A result that is there already costs nothing.
func wait[T any](p *patience, got <-chan T) (v T, ok bool) {
	begun := time.Now()
	if most := p.left(begun); most > 0 {
		over := time.NewTimer(most)
		defer over.Stop()
		select {
		case v = <-got:
			ok = true
		case <-over.C:
		}
	}
	p.used += time.Since(begun)
	p.at = time.Now()
	return v, ok
}

// submitter runs jobs: the workbench, or the desk of a document.
type submitter interface {
	submit(model.Job) (cancel func())
	impatience() *patience
}

func (wb *Workbench) impatience() *patience { return &wb.patience }

// loader fetches what one pane shows. A new wish voids the one before.
type loader[T any] struct{ cancel func() }

func (l *loader[T]) load(wb submitter, read func(ctx context.Context) (T, error), then func(T, error)) {
	l.stop()
	type result struct {
		v   T
		err error
	}
	got := make(chan result, 1)
	l.cancel = wb.submit(model.Job{Priority: model.Visible,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) {
			v, err := read(ctx)
			got <- result{v, err}
			return v, err
		},
		Done: func(v any, err error) {
			l.cancel = nil
			t, _ := v.(T)
			then(t, err)
		}})
	if r, ok := wait(wb.impatience(), got); ok {
		l.stop()
		then(r.v, r.err)
	}
}

func (l *loader[T]) stop() {
	if l.cancel != nil {
		l.cancel()
		l.cancel = nil
	}
}

// add gives a document its tab, and shows it; with behind only where there is none yet.
func (wb *Workbench) add(d *Document, behind bool) {
	d.room, d.body = container.NewStack(), d.frame.layout()
	d.tab = container.NewTabItem(paint.Shorten(d.tabName(), 32), d.room)
	wb.docs = append(wb.docs, d)
	if wb.tabs != nil {
		wb.tabs.Append(d.tab)
	}
	wb.files.remember(d.Model.Path)
	if !behind || wb.current == nil {
		wb.show(d)
	}
	d.problem.lead()
	wb.prefs.keepOpen()
	wb.files.follow(d, 1)
	wb.saver.offerTheRest(d)
	wb.tidy()
}

func (wb *Workbench) tidy() {
	if wb.settled != nil {
		wb.settled()
	}
}

// show makes a document the current one.
func (wb *Workbench) show(d *Document) {
	wb.turnTo(d)
	if wb.tabs != nil && wb.tabs.Selected() != d.tab {
		wb.tabs.Select(d.tab)
	}
	wb.refreshBody()
	wb.changed()
}

// turnTo makes a document the current one. Only that one is in its tab: Fyne brings the content of each tab up to date whenever one of
// them changes. The pictures of the one before are let go.
func (wb *Workbench) turnTo(d *Document) {
	if was := wb.current; was != nil && was != d {
		rows.EachView(was.body, (*rows.View).Release)
		was.room.RemoveAll()
		was.look = paint.Look()
		if !wb.shell.modal() {
			wb.shell.focus(nil) // what is typed is not for what is out of sight
		}
	}
	if wb.current = d; d != nil && len(d.room.Objects) == 0 {
		d.room.Add(d.body)
		if d.look != nil && d.look != paint.Look() { // Fyne gives colours that are chosen to what is in the window then
			wb.post(func() { wb.app.Settings().SetTheme(wb.app.Settings().Theme()) })
		}
	}
}

// close closes a document's tab and releases its files.
func (wb *Workbench) close(d *Document) { wb.closeThen(d, nil) }

// closeThen is close, and calls then when the files are released.
func (wb *Workbench) closeThen(d *Document, then func()) {
	if d.wb.ended {
		return
	}
	if d == wb.current {
		wb.prefs.keepSplits(d)
	}
	wb.docs = slices.DeleteFunc(slices.Clone(wb.docs), func(o *Document) bool { return o == d }) // who goes through them still has the list of before
	wb.files.follow(d, -1)
	d.hex.apart(nil)
	for _, o := range wb.docs {
		o.hex.apart(d)
	}
	d.stop(then)
	rows.EachView(d.body, (*rows.View).Release)
	if wb.tabs != nil {
		wb.tabs.Remove(d.tab)
	}
	wb.turnTo(nil)
	if n := len(wb.docs); n > 0 {
		wb.show(wb.docs[n-1])
	}
	wb.prefs.keepOpen()
	wb.refreshBody()
	wb.changed()
	wb.tidy()
}

// refreshBody shows the tabs, or the start page when nothing is open.
func (wb *Workbench) refreshBody() {
	if wb.body == nil {
		return
	}
	var o fyne.CanvasObject = wb.tabs
	if len(wb.docs) == 0 {
		if wb.coming {
			return
		}
		o = wb.files.startPage()
	}
	if len(wb.body.Objects) != 1 || wb.body.Objects[0] != o {
		wb.body.Objects = []fyne.CanvasObject{o}
		wb.body.Refresh()
	}
}

// changed brings what stands around the panes up to date.
func (wb *Workbench) changed() {
	if wb.status != nil {
		wb.status.update()
	}
	wb.menus.changed()
	alike, renamed := map[string]int{}, false
	for _, d := range wb.docs {
		alike[d.tabName()]++
	}
	for _, d := range wb.docs {
		title := paint.Shorten(nameAmong(d, alike[d.tabName()]), 32)
		if d.editor.dirty {
			title = "• " + title // a larger dot is not in the font of tabs on every system
		}
		var icon fyne.Resource
		if d.editor.guessed {
			icon = theme.NewWarningThemedResource(theme.WarningIcon())
		}
		if d.tab.Text != title || (d.tab.Icon == nil) != (icon == nil) {
			d.tab.Text, d.tab.Icon, renamed = title, icon, true
		}
	}
	if renamed {
		wb.tabs.Refresh()
	}
	title := "Spandrel"
	if wb.current != nil {
		wb.prefs.keepPlaces()
		title = filepath.Base(wb.current.Model.Path) + " - Spandrel"
		if wb.current.editor.dirty {
			title = "● " + title
		}
	}
	wb.shell.title(title)
}

// copy puts a text on the clipboard.
func (wb *Workbench) copy(s string) { wb.app.Clipboard().SetContent(s) }
