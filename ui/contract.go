package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/rows"
)

// What the parts of the window ask of each other. A document and the workbench know their panes and services by these, and a pane knows
// the others through its document: who draws what, and how, is nobody else's business. assemble.go puts the parts together.

// pane is a view of a document. It is told what happened and asks the document for anything else.
type pane interface {
	selected(s Selection)  // the selection changed
	hovered(r model.Range) // the pointer is on these bytes, in whatever pane; no bytes: nowhere
	changed()              // the tree was parsed anew, or its findings changed
}

// byteView shows the bytes of one address space and has a caret in them.
type byteView struct {
	space model.SpaceID
	size  int64
	caret int64
}

// bytesPane shows bytes.
type bytesPane interface {
	pane
	shown() byteView
	caretByte() (b byte, ok bool) // the byte under the caret, when it is on the screen
	place() string                // where the caret is, in words
	dropSelection()               // the caret stays
	measure()                     // the size of the bytes may have changed
	reread()                      // they may be something else now
	setBookmarks(at []int64)
	setWidth(bytes int64)
	fill(b byte)
	beside(o *Document, byNames bool) *alignment // shows the bytes of another document beside them, as they are found to stand
	apart(*Document)                             // not any more; nil: of whichever
}

// cellsPane shows tables.
type cellsPane interface {
	pane
	refOf(r model.Range) *cellRef     // the cell that holds a range, of those that are shown
	rangeOf(ref *cellRef) model.Range // the bytes of a cell that is shown
	sets(ref *cellRef) bool           // the table that is shown sets this cell itself
	setCell(*cellRef, string, func(error))
	openNamed(table string)
	shownTable() *model.Table
	goToRow(n int64) error
	inFile()          // the rows of the document as it is are shown, not those after a repair
	mending() *mended // what the rows are of after a repair that was not made; nil: of the document as it is
}

// factsPane explains the selection.
type factsPane interface {
	pane
	setGraph(*model.Graph)
	relayout() // what stands above the facts has another height
	editValue()
}

// findingsPane lists what is wrong.
type findingsPane interface {
	pane
	showCauses()
	checked() (all, asked bool)    // whether everything was checked, and whether the user asked for it
	checking() bool                // a check runs
	complete() bool                // nothing is left to check
	wasSound(*model.Snapshot) bool // whether everything was checked in it, and nothing wrong
	whenChecked(again bool, f func())
	lead()    // selects the worst finding of a document in which nothing was selected yet
	settled() // nothing has to be led to any more
	previewFix(model.Fix)
}

// searchPane lists hits, bookmarks and differences.
type searchPane interface {
	pane
	listBookmarks()   // when it is them that it lists
	differences() int // how many it lists; 0 when it lists something else
	step(back bool)
	hits(model.SpaceID) []model.Range
	compare(o *Document, byNames bool)
}

// advicePane says what a document is, and what to do first.
type advicePane interface {
	pane
	press() // previews that
}

// treesPane is the tree of a document, or both.
type treesPane interface {
	pane
	view() *rows.View // the one that is shown
	update()          // names may be known that were not
	reread()          // bytes may be gone
}

// diskPane tells of other programs' changes.
type diskPane interface {
	pane
	tell(diskState)
	changedBehind() string
}

// previewBar is what stands above a change that is being looked at.
type previewBar interface {
	pane
	begin(*trial) // it is shown, or its other side
	over()
}

// diskState is the files that changed, and how.
type diskState struct {
	names []string
	said  string // for people
	state string // changes when the disk does
}

// frames arranges the panes of a document.
type frames interface {
	layout() fyne.CanvasObject
	show(tab int)
	open(tab int) // shows it and gives it the keyboard
	showNamed(name string) error
	shownName() string // of the pane at the bottom that is shown
	count(tab int, title string, n int)
	focusBytes() // gives them the keyboard, where they are in sight
	ready() bool // there are panes at the bottom
	offerGraph(on bool)
	leadToGraph()                          // shows it, where nobody chose another pane
	offer(tab *container.TabItem, on bool) // shows a pane that is there at times, or takes it away
	relayout()                             // what stands above the panes has another height
	splitsMoved() map[int]float64
}

// talks is how the program speaks with its user.
type talks interface {
	tell(title, text string)
	fail(what string, err error)
	ask(title, hint, text string, answer func(string, func(error)))
	askWith(title, hint, ok string, e *keyEntry, answer func(string, func(error)))
	form(title, ok string, items []*widget.FormItem, do func()) *box
	pick(title string, names []string, then func(i int))
	offer(title string, names []string, then func(i int)) // pick with none marked
	choose(browse func() (string, error), then func(path string), here func())
}

// statusLine is the line below everything.
type statusLine interface {
	say(text string)
	outdated(begin string) // a message that begins so is not true any more
	hint(text string)
	update()
	jobsChanged()
}

// commandSet is the commands of the window.
type commandSet interface {
	run(name string)
	tip(name string) string
	changed() // what can be asked for may be something else now
	typedKey(*fyne.KeyEvent)
}

// settings is what the user chose, and what the next start restores.
type settings interface {
	bytesARow() int64
	keepOpen()
	keepPlaces()
	keepSplits(*Document)
}

// fileOpener opens and follows files.
type fileOpener interface {
	show(path string)
	all(paths []string)
	open(path string, then func(*Document))
	openAs(path string, force *model.Format, then func(*Document))
	reload(*Document)
	anew(*Document)
	compareDisk(*Document)
	instead(d *Document, path string)
	viewOf(d *Document) docView
	take(d *Document, v docView)
	follow(d *Document, by int)
	remember(path string)
	startPage() fyne.CanvasObject
}

// keeper writes documents, and keeps what was not saved.
type keeper interface {
	keep(*model.Document) // the unsaved edits, where they survive a crash
	forget(*Document)
	flush() // writes at once what is not kept yet
	offerTheRest(*Document)
}

// place is a row of a list: what it says, and where it leads.
type place struct {
	cells []rows.Cell
	span  *model.Span
	at    model.Range
	in    *fieldRange // instead of both: looked for when it is chosen
	cell  *cellRef    // the same for a cell of a table
}

// fieldRange is bytes of a field that is known by its path: n from off on, or all of it when n is 0.
type fieldRange struct {
	path   string
	off, n int64
}

// fact is a line of the inspector; a long text becomes several.
type fact struct {
	label, text string
	other       string // the same bytes in the other byte order
	heading     bool
	mono        bool
	under       bool // stands below its label: it is too wide to stand beside it
	severity    model.Severity
	link        *model.Span    // where a click leads
	to          model.Range    // the same for bytes without a known span
	fix         *model.Fix     // previewed by a click
	do          func()         // done by a click
	write       [2]model.Codec // how text and other are written into the bytes; nil: not at all
	at          model.Range    // those bytes
	whole       [2]string      // of a line: what text and other are parts of
}

// The tabs at the bottom that are shown by number.
const (
	tabTable    = 0
	tabProblems = 1
	tabCoverage = 2
	tabChanges  = 3
	tabFind     = 4
	tabGraph    = 5
)

// prefBigEndian is the preference for the byte order that stands first in the inspector.
const prefBigEndian = "big-endian"
