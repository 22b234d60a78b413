package doc

import (
	"fmt"
	"image/color"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spandrel/model"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
)

// Document is an open file or folder: selection, edits, findings. Panes show it: they are notified of changes, and
// ask it for everything else.
type Document struct {
	Window  *Window
	Model   *model.Document
	Sel     *Choice
	Editor  *Editor
	Found   *Findings
	Check   *Check
	Causes  *Causes
	Marks   *Bookmarks
	Lower   *kit.LowerPanes
	Preview *Preview // the current preview; nil: none

	Formats   []*model.Format // all formats of the program
	Outside   string          // changes by other programs, as shown above the panes; "": none
	CauseTime time.Duration   // time to search for causes; 0: no search
	Recorder  *Recorder       // of unsaved edits

	Panes     []Pane
	Rereads   []func()             // the bytes and rows on the screen may be something else now
	Graphs    []func(*model.Graph) // called with the graph; nil: none
	Previews  []func(*Preview)     // called with a preview and its other side; nil: it ended
	Checks    []func(ended bool)   // called when a full check begins or ends
	Diagnoses []func(found bool)   // called when the search for causes begins or ends

	of     *Document   // the first view; nil: this is the first
	others []*Document // of the first: the other views

	// What one pane knows and others ask for.
	Shown func() ByteView                   // what the pane shows that has the caret
	Typed Pane                              // that one
	Hits  func(model.SpaceID) []model.Range // the matches of the search that is listed
	Cells Cells

	AskSecret func(*model.Secret) // asks for a key, for all documents that need it
}

// Pane is a view of a document. It is notified of changes and asks the document for everything else.
type Pane interface {
	Selected(s Selection)  // the selection changed
	Hovered(r model.Range) // the pointer is on these bytes, in whatever pane; no bytes: nowhere
	Changed()              // the tree was parsed again, or its findings changed
}

// ByteView is the content of a bytes pane: an address space with a caret.
type ByteView struct {
	Space model.SpaceID
	Size  int64
	Caret int64
}

// Cells is the current table as seen by other panes.
type Cells struct {
	At    func(model.Range) *CellRef // the cell that holds a range, of those that are shown
	Bytes func(*CellRef) model.Range // of a cell that is shown
	Sets  func(*CellRef) bool        // the table sets this cell itself
	Set   func(*CellRef, string, func(error))
	Show  func(*CellRef) // its table
	Named func(string)   // shows the table that is called so, where there is one
	Name  func() string  // the name of the table; "": there is none
}

// New makes a document without panes.
func New(h *kit.Host, m *model.Document) *Document {
	d := &Document{Window: newWindow(h), Model: m, Recorder: NewRecorder(h, ""), AskSecret: func(*model.Secret) {}}
	d.bare()
	d.Sel, d.Editor, d.Found, d.Check = &Choice{d: d}, &Editor{d: d, Locked: true}, &Findings{d: d}, &Check{d: d}
	d.Causes, d.Marks = &Causes{d: d}, &Bookmarks{d: d}
	d.Sel.begin(m.Tree.Root)
	d.Found.read()
	return d
}

// Begin notifies new panes about the document.
func (d *Document) Begin() {
	d.each(func(p Pane) {
		p.Changed()
		p.Selected(d.Sel.Now)
	})
}

// SetGraph sets the graph of the document; nil: none is known.
func (d *Document) SetGraph(g *model.Graph) {
	for _, f := range d.Graphs {
		f(g)
	}
}

// TabName is the name of the file.
func (d *Document) TabName() string { return filepath.Base(d.Model.Path) }

// Place is the folder that the document is in, or the address of it.
func (d *Document) Place() string {
	if scheme, rest, ok := strings.Cut(d.Model.Path, "://"); ok && d.Model.Remote() {
		return scheme + "://" + path.Dir(rest)
	}
	return filepath.Dir(d.Model.Path)
}

// Nearby is the folder in which dialogs about the document start: that of the user for one in a store.
func (d *Document) Nearby() string {
	if d.Model.Remote() {
		home, _ := os.UserHomeDir() // "" is where the program was started
		return home
	}
	return filepath.Dir(d.Model.Path)
}

// NameAmong is the name of a document among several of the same name: with its folder if there are others.
func NameAmong(d *Document, alike int) string {
	if dir := filepath.Base(filepath.Dir(d.Model.Path)); alike > 1 && dir != "." && dir != string(filepath.Separator) {
		return filepath.Join(dir, d.TabName())
	}
	return d.TabName()
}

// NamesOf names two documents so that they can be told apart.
func NamesOf(a, b *Document) (string, string) {
	alike := 1
	if a.TabName() == b.TabName() {
		alike = 2
	}
	return NameAmong(a, alike), NameAmong(b, alike)
}

// Tree returns the document's tree or, during a preview, the one being shown.
func (d *Document) Tree() *model.Tree {
	if d.Preview != nil {
		return d.Preview.Shown()
	}
	return d.Model.Tree
}

// ForWorkers is the present document for work in the background, which may change it.
func (d *Document) ForWorkers() *model.Document {
	return &model.Document{Path: d.Model.Path, Format: d.Model.Format, Tree: d.Tree(), Candidates: d.Model.Candidates}
}

// Format is the format of the current tree, or nil.
func (d *Document) Format() *model.Format { return d.Tree().Format }

// Opened is called when lazy spans may have been read: visible bytes and rows may have changed.
func (d *Document) Opened() {
	for _, v := range d.views() {
		for _, f := range v.Rereads {
			f()
		}
	}
	d.Found.Refresh()
}

// TreeChanged is called after the document was changed and parsed again. It selects what id identifies, and finds open branches
// by their paths.
func (d *Document) TreeChanged(id Identity) {
	d.Found.read()
	for _, v := range d.views() {
		now := id
		if v != d {
			now = v.Sel.Identity()
		}
		v.Sel.Hover = model.Range{} // what it was over may be elsewhere
		v.each(func(p Pane) {
			p.Hovered(v.Sel.Hover)
			p.Changed()
		})
		v.Sel.Restore(now)
	}
	d.Marks.follow()
	d.Window.Update()
}

// SpaceTab is a short name of an address space.
func (d *Document) SpaceTab(id model.SpaceID) string {
	sp := d.Tree().Space(id)
	switch {
	case sp == nil:
		return "-"
	case sp.Derived():
		return d.SpaceName(sp.File, sp.Root.Path())
	}
	return d.SpaceName(sp.File, "")
}

// SpaceName is a short name of an address space: its file and, if it is decoded, the field it is decoded for.
func (d *Document) SpaceName(file, path string) string {
	main := d.Tree().Space(d.Tree().Root.Range.Space)
	own := main != nil && main.File == file
	file = filepath.Base(file)
	if path == "" {
		return paint.Shorten(file, 28)
	}
	name := path[strings.LastIndex(path, "/")+1:]
	if !own {
		return paint.Shorten(strings.TrimSuffix(file, filepath.Ext(file)), 20) + " · " + paint.Shorten(name, 20)
	}
	if above, _, ok := cutLast(path, "/"); ok {
		_, above, _ = cutLast("/"+above, "/")
		name = paint.Shorten(above, 18) + " · " + paint.Shorten(name, 18)
	}
	return name
}

// cutLast is strings.Cut at the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// Page is the background colour of the bytes of a space: another one for bytes that are not in the file.
func (d *Document) Page(id model.SpaceID) color.RGBA {
	if sp := d.Tree().Space(id); sp != nil && sp.Derived() {
		return paint.Look().Decoded
	}
	return paint.Look().Background
}

// SpaceTitle names an address space for people.
func (d *Document) SpaceTitle(id model.SpaceID) string {
	sp := d.Tree().Space(id)
	switch {
	case sp == nil:
		return "-"
	case sp.Derived():
		return fmt.Sprintf("%s (%s)", sp.Root.Path(), sp.Transform.Name)
	case id == d.Tree().Root.Range.Space:
		return "File"
	}
	return sp.File
}

// Stop cancels what is in progress and, with the first view, releases the files once no one reads them. Then done is called.
func (d *Document) Stop(done func()) {
	if d.of != nil {
		d.of.others = slices.DeleteFunc(d.of.others, func(v *Document) bool { return v == d })
		d.Window.end(nil, done)
		return
	}
	d.Window.end(d.Model.Close, done)
}

// CheckSize is the size of the main file up to which a document is read completely without being asked: for checks,
// diagnosis, and its graph.
const CheckSize = 16 << 20

// SalvageText is the label of the command that saves what can still be read as a new document.
const SalvageText = "Save intact data…"

// Salvageable tells whether a document has errors and can be salvaged, as far as is known.
func Salvageable(d *Document) bool {
	t := d.Tree()
	if left := d.Causes.Left; left != nil && d.Causes.Tree == t && left.Whole() && !left.Valid() {
		return false // all of it is intact, and a copy would have the same problems
	}
	return t.Format != nil && t.Format.Salvage != nil && d.Found.Counts()[model.Error] > 0 && t.Root.Count() > 0 && !(d.Causes.Tree == t && d.Causes.none)
}

// salvageLabel is the label of the button for that: with what the new document contains, if that is known.
func salvageLabel(d *Document) string {
	left := d.Causes.Left
	if left == nil || d.Causes.Tree != d.Tree() {
		return SalvageText
	}
	says := wholeParts(left.Contents(), longLabel)
	if rest, cut := strings.CutSuffix(says, andMore); cut && !left.Whole() { // lost parts may be among those that are not listed
		says = rest + ", with losses"
	}
	if !left.Valid() {
		says += "; not valid"
	}
	return strings.TrimSuffix(SalvageText, "…") + " (" + says + ")…"
}

// longLabel is how many characters of a label say what a new document contains.
const longLabel = 60

const andMore = " and more"

// wholeParts is as many parts from the front of a comma-separated list as fit into n characters; the first one is always included.
func wholeParts(list string, n int) string {
	if len(list) <= n {
		return list
	}
	if at := strings.LastIndex(list[:n], ", "); at > 0 {
		return list[:at] + andMore
	}
	return paint.Shorten(list, n)
}

// Declined lists the formats that did not recognise a document, with their reasons.
func (d *Document) Declined() (out []model.Candidate) {
	for _, c := range d.Model.Candidates {
		if d.Format() == nil && c.Reason != "" {
			out = append(out, c)
		}
	}
	return out
}
