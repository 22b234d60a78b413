package ui

import (
	"fmt"
	"os"
	"slices"
	"time"
)

// settling is how long Fyne may take to write preferences: it collects changes, and does not wait for the last ones at the end.
const settling = 300 * time.Millisecond

// quit saves the state of the window for the next start and ends the program.
func (wb *Workbench) quit() {
	wb.saver.recorder.Flush()
	wb.prefs.keepOpen()
	wb.Shell.Hide()
	time.AfterFunc(settling, func() { wb.Post(wb.App.Quit) })
}

// keepPlaces saves the size of the window and the places of its splitters: whenever something is selected, so that they survive a
// kill.
func (p *preferences) keepPlaces() {
	if size := p.wb.Shell.Size(); size.Width > 0 {
		p.keep("width", float64(size.Width))
		p.keep("height", float64(size.Height))
	}
	if p.wb.current != nil {
		p.keepSplits(p.wb.current)
	}
}

func (p *preferences) keepSplits(d *tab) {
	for i, at := range d.frame.splitsMoved() {
		p.keep(fmt.Sprintf("split%d", i), at)
	}
}

// keep stores a number if it has changed, because each change is written to disk.
func (p *preferences) keep(name string, now float64) {
	if p.Float(name) != now {
		p.SetFloat(name, now)
	}
}

// keepOpen saves which files are open, in the order of their tabs, and which is the current one.
func (p *preferences) keepOpen() {
	var open []string
	current := ""
	for _, t := range p.wb.tabs.Items {
		if d := p.wb.docOf(t); d != nil && d.First() {
			open = append(open, d.Model.Path)
			if p.wb.current != nil && d.Model == p.wb.current.Model {
				current = d.Model.Path
			}
		}
	}
	p.SetStringList("open", open)
	p.SetString("current", current)
	p.keepPlaces()
}

// restore opens what was open when the program last ended.
func (p *preferences) restore() {
	open, current := p.StringList("open"), p.String("current")
	var there []string
	for _, path := range open {
		if _, err := os.Stat(path); err == nil { // a missing file is not worth a dialog at every start
			there = append(there, path)
		}
	}
	if slices.Contains(there, current) {
		there = append(there, current) // opening it again shows its tab
	}
	p.wb.files.all(there)
}
