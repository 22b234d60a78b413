package ui

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
)

// diskState is the files that changed, and how.
type diskState struct {
	names []string
	said  string // for people
	state string // changes when the disk does
}

// diskBar is above the panes if another program changed a file of the document: what was read stays on the screen, bytes that
// are gone are hatched, and the user decides.
type diskBar struct {
	d      *tab
	text   *widget.Label
	keep   *kit.Button
	state  string // disk state that was reported
	kept   string // the state that the user wants to hear no more of
	object *fyne.Container
}

func newDiskBar(wb *Workbench, d *tab) *diskBar {
	b := &diskBar{d: d, text: kit.NewLine("")}
	b.text.Importance = widget.WarningImportance
	reload := kit.NewButton(d.Window.Host, "Reload", func() { wb.disk.reload(wb.opened(d)) })
	reload.Importance = widget.HighImportance
	compare := kit.NewButton(d.Window.Host, "Compare", func() { wb.disk.compareDisk(d) })
	b.keep = kit.NewButton(d.Window.Host, "", func() {
		b.kept = b.state
		b.show(false)
	})
	b.object = container.NewBorder(nil, nil, widget.NewIcon(theme.WarningIcon()), container.NewHBox(b.keep, compare, reload), b.text)
	b.object.Hide()
	return b
}

func (b *diskBar) Selected(doc.Selection) {}
func (b *diskBar) Hovered(model.Range)    {}

func (b *diskBar) Changed() {
	if b.keep.SetText("Keep current view"); b.d.Editor.Dirty {
		b.keep.SetText("Keep my edits")
	}
}

// show shows the bar, or gives its room to the panes.
func (b *diskBar) show(on bool) {
	if b.d.Outside = b.text.Text; !on {
		b.d.Outside = ""
	}
	b.object.Hidden = !on
	b.d.frame.relayout()
}

// tell shows a state of the disk, or hides the bar if nothing has changed.
func (b *diskBar) tell(s diskState) {
	if s.state == b.state {
		return
	}
	if b.state = s.state; len(s.names) == 0 || s.state == b.kept {
		b.show(false)
		return
	}
	b.text.SetText(s.said)
	b.Changed()
	b.show(true)
	b.d.left.Reread()
	b.d.Opened() // removed bytes are shown as missing
}

// changedBehind says for a save plan that another program has changed files meanwhile.
func (b *diskBar) changedBehind() string {
	if b.state == "" {
		return ""
	}
	return "\n\n▲ " + b.text.Text
}

// lookAtDisk checks whether other programs changed open files: when one of their folders changes, and when the window gets the
// focus.
func (r *reloader) lookAtDisk() {
	for _, d := range r.wb.documents() {
		r.look(d)
	}
}

// look is lookAtDisk for one document.
func (r *reloader) look(d *tab) {
	d.Editor.InTurn(func() {
		doc := d.Model
		kit.Work(d.Window, "", model.Checks, func(context.Context) (diskState, error) {
			return diskStateOf(doc), nil
		}, func(s diskState, err error) {
			d.Editor.Next()
			for _, view := range r.wb.docs {
				if err == nil && view.Model == doc {
					view.disk.tell(s)
				}
			}
		})
	})
}

// diskStateOf says how the disk differs from what a document was read from.
func diskStateOf(doc *model.Document) diskState {
	s := diskState{names: doc.ChangedOnDisk()}
	var said []string
	shorter := false
	for _, name := range s.names {
		st, err := os.Stat(doc.DiskPath(name))
		if err != nil {
			s.state += name + " was removed\n"
			said = append(said, name+" was removed")
			continue
		}
		s.state += fmt.Sprintln(name, st.Size(), st.ModTime())
		text := name + " at " + st.ModTime().Format(time.TimeOnly)
		if was := doc.DiskSize(name); was != st.Size() {
			text += model.Words(", %d bytes instead of %d", st.Size(), was)
			shorter = shorter || st.Size() < was
		}
		said = append(said, text)
	}
	if s.said = "Changed on disk: " + strings.Join(said[:min(len(said), 3)], "; "); len(said) > 3 {
		s.said += model.Words("; and %d more files", len(said)-3)
	}
	if s.said += "."; shorter {
		s.said += " Removed bytes are hatched."
	}
	return s
}

// compareDisk opens the present state on disk beside a document, and lists the differences.
func (r *reloader) compareDisk(d *tab) {
	r.wb.files.read(d.Model.Path, d.Model.Format, false, func(other *tab) {
		if other != nil {
			r.wb.show(d)
			d.find.Compare(other.Document, true)
		}
	})
}
