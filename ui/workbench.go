// Package ui is the window. Panes never talk to each other: each holds a Doc, sends it commands, and draws what the Doc and its
// model say when it is told that something changed. All state belongs to the UI goroutine; workers hand results over through
// the one post function of the Workbench. Nothing here knows a format or opens a file.
package ui

import (
	"context"

	"fyne.io/fyne/v2"

	"spandrel/model"
)

// Event is a fact that panes are told of. What is true now is read from the Doc.
type Event int

// The events.
const (
	Selected Event = iota // the selection moved
	Hovered               // the span under the pointer changed
	Opened                // lazy spans were opened or bytes decoded: what was pending may be drawn
	Edited                // a new tree: bytes, spans and findings may all differ
	Found                 // findings were added by checks
	Saved                 // the document was saved, locked or unlocked
)

// Pane is a view of one document.
type Pane interface {
	Object() fyne.CanvasObject
	Changed(e Event)
	Focus() // gives it the keyboard
}

// Workbench owns the open documents and the workers.
type Workbench struct {
	Formats []*model.Format
	Docs    []*Doc
	Current *Doc
	Jobs    *model.Jobs

	post    func(func())
	window  window
	Records string // folder where unsaved edits are recorded; "" records none
}

// window is what a workbench needs of the window around it. Tests give it less.
type window interface {
	Shown(d *Doc)                // a document was opened, or its title changed
	Closed(d *Doc)               //
	Failed(what string, e error) // something that the user asked for did not work
	Busy()                       // running jobs changed
}

// NewWorkbench makes a workbench without documents. post runs functions on the UI goroutine, in order.
func NewWorkbench(formats []*model.Format, post func(func()), w window) *Workbench {
	wb := &Workbench{Formats: formats, post: post, window: w}
	wb.Jobs = model.NewJobs(post, w.Busy)
	return wb
}

// Open opens files and folders in the background and shows each when it is there. A path that is open already is shown. then,
// if not nil, is called for each.
func (wb *Workbench) Open(path string, then func(*Doc)) {
	for _, d := range wb.Docs {
		if d.Path == path {
			wb.Show(d)
			if then != nil {
				then(d)
			}
			return
		}
	}
	wb.Jobs.Submit(model.Job{Title: "opening " + path, Priority: model.Visible,
		Run: func(ctx context.Context, _ func(int64, int64)) (any, error) {
			return model.Open(ctx, path, wb.Formats, nil)
		},
		Done: func(v any, err error) {
			if err != nil {
				wb.window.Failed("Open", err)
				return
			}
			d := wb.Add(v.(*model.Document))
			if then != nil {
				then(d)
			}
		}})
}

// Add shows a document.
func (wb *Workbench) Add(m *model.Document) *Doc {
	d := newDoc(wb, m)
	wb.Docs = append(wb.Docs, d)
	wb.Show(d)
	return d
}

// Show makes a document the current one.
func (wb *Workbench) Show(d *Doc) {
	wb.Current = d
	wb.window.Shown(d)
}

// Close closes a document, saved or not: ask first.
func (wb *Workbench) Close(d *Doc) {
	for i, o := range wb.Docs {
		if o == d {
			wb.Docs = append(wb.Docs[:i], wb.Docs[i+1:]...)
			break
		}
	}
	d.cancelAll()
	if wb.Current == d {
		wb.Current = nil
		if n := len(wb.Docs); n > 0 {
			wb.Current = wb.Docs[n-1]
		}
	}
	wb.window.Closed(d)
	// The files stay mapped until workers that may still read them are done.
	wb.Jobs.Submit(model.Job{Priority: model.Checks, Run: func(context.Context, func(int64, int64)) (any, error) {
		d.workers.Wait()
		d.Document.Close()
		return nil, nil
	}})
}
