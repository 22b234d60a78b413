package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/align"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
	"spandrel/ui/show"
)

// Find searches bytes, and fields by name and value. Every hit is marked in the hex pane and its map.
type Find struct {
	doc.List
	Entry  *kit.Entry
	Kind   *kit.Select
	number *kit.Select // the type of a number
	scope  *kit.Select
	Bytes  bool      // bytes are shown
	usual  [2]string // the kind and the scope, as long as no one chooses others
	state  *widget.Label
	cancel kit.Running
	again  search      // the search whose hits are listed; nil for other lists
	from   string      // where it looked
	tree   *model.Tree // that was searched
	fresh  kit.Running // the same search of a changed document
	hit    model.Range // the match visited last
	With   *Replacer
	Object fyne.CanvasObject
	other  *doc.Document                                        // what this document is compared with
	beside func(o *doc.Document, byNames bool) *align.Alignment // shows the bytes of another document beside those of this one
}

// NewFind makes the pane; beside shows the bytes of another document beside those of this one.
func NewFind(d *doc.Document, beside func(o *doc.Document, byNames bool) *align.Alignment) *Find {
	p := &Find{beside: beside, usual: [2]string{findText, ScopeSpace}, List: doc.NewList(d, hitColumns()...)}
	p.Bind(p)
	p.Chosen = func(row int64) {
		if p.findsBytes() {
			p.hit = p.Items[row].At
		}
	}
	p.Entry = kit.NewEntry(d.Window.Host)
	p.Entry.SetPlaceHolder("find…")
	p.Entry.OnSubmitted = func(string) { p.search() }
	p.Entry.Other = func(name fyne.KeyName) bool {
		stops := name == fyne.KeyEscape && (p.cancel != nil || p.fresh != nil)
		if stops {
			p.cancel.Stop()
			p.fresh.Stop()
			p.again = nil // an edit does not begin it again
			p.say("the search was stopped")
		}
		return stops
	}
	p.Kind = kit.NewSelect(d.Window.Host, FindKinds, 0, func(int) { p.chosenKind() })
	p.number = kit.NewSelect(d.Window.Host, numberNames(), slices.Index(numberNames(), "u32"), func(int) {})
	p.number.Hide()
	p.scope = kit.NewSelect(d.Window.Host, findScopes, 0, func(int) {})
	p.state = kit.NewLine("")
	all := kit.NewButton(d.Window.Host, "Find all", p.search)
	p.With = newReplacer(p)
	d.Lower.Sought = p.suit
	d.Hits, d.Marks.Told = p.hits, append(d.Marks.Told, p.listBookmarks)
	left, right := container.NewHBox(p.Kind, p.number), container.NewHBox(p.scope, all)
	line := container.New(layout.NewBorderLayout(nil, nil, left, right), left, right, p.Entry) // Tab goes on to the replacement
	p.Object = container.NewBorder(container.NewVBox(line, p.With.line, p.state), nil, nil, nil, p.View)
	p.state.Hide()
	return p
}

// Begin shows the line for a search.
func (p *Find) Begin() {
	p.suit()
	p.Doc.Lower.Show(kit.TabFind)
	p.Doc.Window.Shell.Focus(p.Entry)
}

// hitColumns are the columns of hits.
func hitColumns() []rows.Column {
	return []rows.Column{{Title: "where", Width: 240}, {Title: "field", Width: 260}, {Title: "value", Width: 300}}
}

// columnsOf are the columns of hits, or of bookmarks.
func columnsOf(kind string) []rows.Column {
	columns := hitColumns()
	if kind == FindMarks {
		columns[1].Title, columns[2].Title = "note", "field"
	}
	return columns
}

// say shows the outcome of a search.
func (p *Find) say(text string) {
	p.state.SetText(text)
	if hide := text == ""; hide != p.state.Hidden {
		p.state.Hidden = hide
		p.Object.Refresh()
	}
}

func (p *Find) Selected(doc.Selection) {}

// Changed lists the hits of the last search in the document as it is now. It selects nothing.
func (p *Find) Changed() {
	t := p.Doc.Tree()
	if p.again == nil || p.tree == t {
		return
	}
	p.fresh.Stop()
	p.fresh = kit.Watched(p.Doc.Window, "searching", model.Index, func(ctx context.Context, progress kit.Progress) ([]doc.Place, error) {
		return p.again(ctx, t, progress)
	}, func(items []doc.Place, err error) {
		if p.fresh = nil; err != nil || p.Doc.Tree() != t {
			return
		}
		p.tree = t
		p.Set(items)
		p.say(counted(items, "hit") + p.from)
		p.markHit(p.hit)
		p.Doc.Opened()
	})
}

// counted says how many items are listed, which may not be all.
func counted(items []doc.Place, noun string) string {
	text := show.Counted(int64(len(items)), noun)
	if len(items) == doc.FindMost {
		text = "the first " + text
	}
	return text
}

// wanted parses the query and where to search.
func (p *Find) wanted() (w Wanted, err error) {
	w.Queries, err = QueriesOf(p.Kind.Selected, p.number.Selected, p.Entry.Text)
	if p.Kind.Selected == FindNumber {
		w.number = codecsOf(p.number.Selected)
	}
	if p.Kind.Selected == findUTF16 {
		w.wide = p.Entry.Text
	}
	w.strings = p.Kind.Selected == findStrings
	w.letters = slices.Contains([]string{findText, findExact, findRegexp}, p.Kind.Selected)
	w.Scope, w.Space = p.scope.Selected, p.Doc.Shown().Space
	return w, err
}

// chosenKind shows results that need no search, and the inputs that the kind needs.
func (p *Find) chosenKind() {
	p.number.Hidden, p.scope.Hidden = p.Kind.Selected != FindNumber, !p.findsBytes()
	if !p.findsBytes() {
		p.With.line.Hide()
	}
	if columns := columnsOf(p.Kind.Selected); p.Kind.Selected != findDifferences && (len(p.Columns) != len(columns) || p.Columns[1].Title != columns[1].Title) {
		p.Set(nil)
		p.Columns, p.Fits = columns, true
	}
	p.say("")
	p.Object.Refresh()
	if p.Kind.Selected == FindMarks {
		p.Run()
	}
}

// findsBytes tells whether the kind of search finds bytes, not fields.
func (p *Find) findsBytes() bool {
	return !slices.Contains([]string{findCells, findFields, FindMarks, findDifferences}, p.Kind.Selected)
}

// search lists all hits of what was typed: bookmarks and differences are lists that are not searched.
func (p *Find) search() {
	if p.Entry.Text != "" && (p.Kind.Selected == FindMarks || p.Kind.Selected == findDifferences) {
		p.Kind.SetSelected(FindKinds[0])
	}
	p.Run()
}

// Run lists all hits.
func (p *Find) Run() {
	p.cancel.Stop()
	switch p.Kind.Selected {
	case FindMarks:
		p.again = nil
		p.Set(p.Doc.Marks.Places())
		p.say(show.Counted(p.Count(), "bookmark"))
		return
	case findDifferences:
		p.say("Tools › Compare lists them")
		return
	}
	from, search, err := p.asked()
	if err != nil {
		p.say("cannot search: " + err.Error())
		return
	}
	p.look(from, search)
}

// search lists hits in a tree.
type search = func(ctx context.Context, t *model.Tree, progress kit.Progress) ([]doc.Place, error)

// asked is the search for what was typed, and what is said of where it looks.
func (p *Find) asked() (from string, _ search, err error) {
	switch p.Kind.Selected {
	case findCells:
		name := p.Doc.Cells.Name()
		s, err := cellSearch(name, p.Entry.Text)
		return fmt.Sprintf(" in the table %q", kit.InWidget(name)), s, err
	case findFields:
		f, err := model.ParseFilter(p.Entry.Text)
		return "", func(ctx context.Context, t *model.Tree, _ kit.Progress) ([]doc.Place, error) {
			return doc.Search(ctx, f, t, true)
		}, err
	}
	w, err := p.wanted()
	from = " " + p.where(w)
	if p.Kind.Selected != findStrings { // the line may be changed while these hits are listed
		from = " of “" + paint.Shorten(kit.InWidget(p.Entry.Text), 40) + "”" + from
	}
	return from, w.all, err
}

// look lists the hits of a search, now and after each edit; from says where it looks.
func (p *Find) look(from string, search search) {
	t := p.Doc.Tree()
	p.list("searching", "hit", func() string { return from }, func(ctx context.Context, progress kit.Progress) ([]doc.Place, error) { return search(ctx, t, progress) })
	p.again, p.from = search, from
}

// where says in words where a search looks, and what it leaves out.
func (p *Find) where(w Wanted) string {
	files := 0
	for _, sp := range p.Doc.Tree().Spaces() {
		if !sp.Derived() {
			files++
		}
	}
	switch {
	case w.Scope == scopeDecoded:
		return "everywhere, including decoded content"
	case w.Scope == scopeFiles:
		return "in " + show.Counted(int64(files), "file") + "; compressed content was not searched"
	case files > 1:
		return fmt.Sprintf("in %s; %s not searched", p.Doc.SpaceTab(w.Space), show.Counted(int64(files-1), "other file"))
	}
	return "in " + p.Doc.SpaceTab(w.Space)
}

// list shows the hits of a search, and their number with a noun; from is appended, once it is over.
func (p *Find) list(title, noun string, from func() string, search func(ctx context.Context, progress kit.Progress) ([]doc.Place, error)) {
	p.cancel.Stop()
	p.fresh.Stop()
	p.say(title + "…")
	p.tree = p.Doc.Tree()
	p.again = nil
	p.cancel = kit.Watched(p.Doc.Window, title, model.Index, search, func(items []doc.Place, err error) {
		p.cancel = nil
		p.Current = -1
		p.Set(items)
		p.Choose(0)
		text := counted(items, noun)
		switch {
		case errors.Is(err, context.Canceled):
			text += " until the search was stopped"
		case err != nil:
			text = err.Error()
		default:
			text += from()
		}
		if slices.ContainsFunc(items, func(x doc.Place) bool { return x.Take != nil || x.Settle != nil }) {
			text += "; right-click one to use the other value"
		}
		p.say(text)
		p.Doc.Opened()
	})
}

// hits returns the listed matches in a space.
func (p *Find) hits(space model.SpaceID) (list []model.Range) {
	if !p.findsBytes() || p.tree != p.Doc.Tree() { // after an edit they are elsewhere
		return nil
	}
	for i := range p.Items {
		if at := p.Items[i].At; at.Space == space {
			list = append(list, at)
		}
	}
	return list
}

// markHit selects the row of a match that was found from the caret on.
func (p *Find) markHit(r model.Range) {
	p.Current = int64(slices.IndexFunc(p.Items, func(i doc.Place) bool { return i.At == r }))
	if p.Current >= 0 {
		p.say(fmt.Sprintf("%d of %s", p.Current+1, show.Counted(p.Count(), "hit")))
		p.View.Follow(p.Current)
	}
	p.View.Redraw()
}

// step goes to the next or previous row.
func (p *Find) step(back bool) {
	if n := p.Count(); n > 0 {
		to := p.Current + 1
		if back {
			to = max(p.Current, 0) - 1
		}
		p.Choose((to + n) % n)
	}
}

// Next goes to the next match after the caret, or the one before it; if other places are searched too, to the next row.
func (p *Find) Next(back bool) {
	w, err := p.wanted()
	if err != nil || !p.findsBytes() || w.Scope != ScopeSpace {
		p.step(back)
		return
	}
	from := p.Doc.Shown().Caret
	if !back {
		from++
	}
	p.nextFrom(from, back)
}

// nextFrom goes to the first match from an offset on, or with back to the last one before it; after the last to the first again, and says so.
func (p *Find) nextFrom(from int64, back bool) {
	w, err := p.wanted()
	if err != nil {
		return
	}
	p.cancel.Stop()
	t, around := p.Doc.Tree(), ""
	p.cancel = kit.Watched(p.Doc.Window, "searching", model.Selected, func(ctx context.Context, progress kit.Progress) (model.Range, error) {
		r, err := w.first(ctx, t, from, back, progress)
		if !errors.Is(err, io.EOF) {
			return r, err
		}
		if from, around = 0, "the search continued at the beginning"; back {
			from, around = math.MaxInt64, "the search continued at the end"
		}
		return w.first(ctx, t, from, back, progress)
	}, func(r model.Range, err error) {
		p.cancel = nil
		if err == nil {
			p.say(around)
			p.hit = r
			p.Doc.Sel.Bytes(r, nil)
			p.markHit(r)
			return
		}
		p.say("no match")
	})
}

// listBookmarks lists the bookmarks again if they are being listed.
func (p *Find) listBookmarks() {
	if p.Kind.Selected == FindMarks {
		p.Run()
	}
}

func (p *Find) differences() int {
	if p.Kind.Selected != findDifferences {
		return 0
	}
	return int(p.Count())
}
