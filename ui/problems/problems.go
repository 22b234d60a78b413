package problems

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
	"spandrel/ui/show"
)

// Pane lists the findings, the worst first, each with what was found and what was expected.
type Pane struct {
	doc.List
	Deep   *kit.Button
	state  *widget.Label
	Stays  bool // it does not come to the front by itself
	Fixes  *FixBar
	found  []model.Finding // the worst first
	narrow *kit.Entry      // lists the findings that say this
	Object fyne.CanvasObject
}

// New makes the list; if no problem is selected, the headline's advice applies.
func New(d *doc.Document, head *Headline) *Pane {
	p := &Pane{List: doc.NewList(d, rows.Column{Title: "problem", Width: 470}, rows.Column{Title: "found", Width: 150},
		rows.Column{Title: "expected", Width: 160}, rows.Column{Title: "where", Width: 230})}
	p.Bind(p)
	p.Relist = func() { p.show(p.found) }
	p.state = kit.NewLine("")
	p.Deep = kit.NewButton(d.Window.Host, checkText, d.Check.All)
	p.Deep.Importance = widget.LowImportance
	p.Fixes = newFixBar(d, head)
	p.Fixes.proven = d.Causes.Proven
	p.Chosen = p.offer
	d.Checks = append(d.Checks, p.checked)
	d.Diagnoses = append(d.Diagnoses, func(found bool) {
		if found {
			p.showCauses()
		} else { // what was offered before the search began may be wrong
			p.offer(p.Grid.Current)
		}
	})
	p.narrow = kit.NewEntry(d.Window.Host)
	p.narrow.SetPlaceHolder("filter problems")
	p.narrow.OnChanged = func(string) { p.show(p.found) }
	p.narrow.Other = func(name fyne.KeyName) bool {
		clears := name == fyne.KeyEscape && p.narrow.Text != ""
		if clears {
			p.narrow.SetText("")
		}
		return clears
	}
	top := container.NewBorder(nil, nil, nil, container.NewHBox(kit.AtLeast(fyne.NewSize(120, 1), p.narrow), p.Deep), p.state)
	p.Object = container.NewBorder(top, p.Fixes.Object, nil, nil, kit.AtLeast(fyne.NewSize(1, 90), p.View)) // two problems and the bars
	p.Fixes.pane = p.Object
	return p
}

const checkText = "Check everything"

// checked is called when a check starts or ends.
func (p *Pane) checked(ended bool) {
	text := checkText
	if p.Doc.Check.Running() && p.Doc.Check.Asked {
		text = "Cancel the check"
	}
	p.Deep.SetText(text)
	p.state.SetText(p.summary())
	if ended {
		p.View.Redraw() // without a problem, the list says what was read
		p.Lead()
	}
}

// Selected selects the first problem of the selected field, unless another of its problems is selected. For a field without problems the
// row stays selected: F8 continues from there.
func (p *Pane) Selected(s doc.Selection) {
	if s.Span.Parent() == nil {
		return // nothing was selected yet
	}
	about := func(l doc.Place) bool {
		return l.Found != nil && (l.Found.Span == s.Span || s.Range.Len > 0 && l.Found.Where() == s.Range) || l.Cause != nil && l.Cause.At.Path == s.Span.Path()
	}
	if about(p.Line(p.Grid.Current)) {
		return
	}
	if i := slices.IndexFunc(p.Items, about); i >= 0 {
		p.Grid.Current = int64(i)
		p.offer(int64(i))
		p.View.Follow(p.Grid.Current)
		p.View.Redraw()
	}
}

func (p *Pane) Blank() string {
	if p.narrow.Text != "" {
		return "No problems match; Esc clears the filter"
	}
	if p.Doc.Check.Complete() {
		return "No problems found (full check)"
	}
	return "No problems so far; “Check everything” reads the rest"
}

func (p *Pane) Changed() {
	p.Doc.Check.Follow()
	p.Doc.Causes.Begin()
	p.Doc.Check.WhenChecked(false, p.Doc.Causes.Follow)
	found := p.sorted()
	p.Fixes.count()
	p.show(found)
	p.state.SetText(p.summary())
	p.Doc.Lower.Count(kit.TabProblems, "Problems", len(found)+p.Doc.Found.Omitted)
}

// sorted returns the findings, the worst first.
func (p *Pane) sorted() []model.Finding {
	found := slices.Clone(p.Doc.Found.All)
	slices.SortStableFunc(found, func(a, b model.Finding) int { return int(a.Grade()) - int(b.Grade()) })
	return found
}

// whereText is the path of a finding, or its place if it has none.
func whereText(f *model.Finding) string {
	if p := f.Path(); p != "" {
		return p
	}
	if r := f.Where(); r.Len > 0 && f.Span != nil && r != f.Span.Range {
		return fmt.Sprintf("0x%x, %s", r.Off, show.Counted(r.Len, "byte"))
	}
	return "the whole document"
}

// showCauses is called when the causes are known. The first one replaces the finding that was selected when the document was opened.
func (p *Pane) showCauses() {
	at := p.Line(p.Grid.Current).Found
	p.Fixes.count()
	p.show(p.sorted())
	p.state.SetText(p.summary())
	if len(p.Doc.Causes.Now()) == 0 || at == nil || p.Grid.Current >= 0 {
		return
	}
	k, ok := p.Doc.Causes.Of[doc.KeyOf(at)]
	if !ok {
		return
	}
	row := p.again(doc.Place{Fold: p.Doc.Causes.List[k].Text})
	if to := p.Doc.Check.LedTo; to.Span != nil && to.Span == p.Doc.Sel.Now.Span && to.Range == p.Doc.Sel.Now.Range {
		p.Choose(row)
		return
	}
	p.Grid.Current = row // someone is elsewhere, or types: the selection stays
	p.offer(row)
	p.View.Redraw()
}

// summary says what was found and how much was read for it.
func (p *Pane) summary() string {
	n := p.Doc.Found.Counts()
	if p.Doc.Format() == nil && n == [4]int{} {
		return "No known format: each gives its reason"
	}
	text := doc.ProblemCounts(n, p.Doc.Check.Complete())
	if n := len(p.Doc.Causes.Now()); n > 0 {
		text = show.Counted(int64(n), "cause") + " of " + text
	} else if p.Doc.Causes.Cut() {
		text += "; the search for the cause ran out of time"
	}
	if p.Doc.Found.Omitted > 0 {
		text += fmt.Sprintf("; %d more of the same kinds", p.Doc.Found.Omitted)
	}
	switch {
	case p.Doc.Format() == nil:
	case p.Doc.Check.Complete():
		text += "; everything was checked"
	case p.Doc.Check.Done:
		text += "; everything checked except encrypted data"
	case p.Doc.Check.Cancel != nil:
		text += "; checking everything…"
	default:
		text += "; not everything was checked"
	}
	return kit.Sentence(text)
}

// Lead selects the worst finding of a document in which nothing has been selected yet, if that is an error: it is why the file
// was opened.
func (p *Pane) Lead() {
	d := p.Doc
	if p.Doc.Check.Led || len(d.Sel.Past) > 1 || !d.Lower.Ready() || p.Stays || p.Line(0).Cause == nil && (p.Line(0).Found == nil || p.found[0].Grade() != model.Error) {
		return
	}
	p.Doc.Check.Led = true
	d.Lower.Show(kit.TabProblems)
	p.Choose(0)
	p.Doc.Check.LedTo = d.Sel.Now
}
