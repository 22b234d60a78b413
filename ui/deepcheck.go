package ui

import (
	"context"
	"errors"
	"slices"
	"time"

	"spandrel/model"
)

// deepCheck is the reading of everything: rows, blocks, checksums, other files. A small document is checked as soon as it is
// opened and after each edit, any other when it is asked for.
type deepCheck struct {
	tree    *model.Tree // that the rest is about
	done    bool        // everything was read
	asked   bool        // by the user, or it began by itself
	led     bool        // to the worst finding, or past it
	ledTo   Selection   // what was selected then
	cancel  func()      // not nil while it runs
	waiting []func()    // for its end
}

// checkTime is how long a document is checked without being asked.
const checkTime = 3 * time.Second

// followCheck begins a check by itself when the tree is another one.
func (p *problemPane) followCheck() {
	t := p.d.Tree()
	if p.check.tree == t {
		return
	}
	if p.d.trial != nil && p.check.tree != nil && p.check.cancel == nil {
		p.parked = append(p.parked, p.check)
	}
	p.stopCheck()
	if i := slices.IndexFunc(p.parked, func(c deepCheck) bool { return c.tree == t }); i >= 0 {
		if p.check = p.parked[i]; p.d.trial == nil {
			p.parked = nil
		}
		p.release()
		return
	}
	p.check.led, p.check.ledTo = p.check.tree != nil, Selection{} // an edit moves nobody away
	p.check.tree, p.check.done, p.check.asked = t, false, false
	if r := t.Root.Range; p.d.format() != nil && r.Len <= checkSize {
		p.startCheck(false)
	} else {
		p.release()
	}
}

// checkAll checks everything, or ends the check that runs.
func (p *problemPane) checkAll() {
	if p.check.cancel != nil && p.check.asked {
		p.stopCheck()
		p.release()
		p.state.SetText(p.summary())
		return
	}
	p.stopCheck()
	p.startCheck(true)
	p.state.SetText(p.summary())
}

// stopCheck withdraws the check that runs.
func (p *problemPane) stopCheck() {
	if p.check.cancel != nil {
		p.check.cancel()
		p.check.cancel = nil
		p.deep.SetText(checkText)
	}
}

const checkText = "Check everything"

func (p *problemPane) startCheck(asked bool) {
	m, t := p.d.Model, p.d.Tree()
	title := ""
	if p.check.tree, p.check.asked = t, asked; asked {
		title = "checking everything"
		p.deep.SetText("Cancel the check")
	}
	p.check.cancel = p.d.wb.submit(model.Job{Title: title, Priority: model.Checks,
		Run: func(ctx context.Context, progress func(done, total int64)) (any, error) {
			if !asked {
				limited, cancel := context.WithTimeout(ctx, checkTime)
				defer cancel()
				ctx = limited
			}
			return nil, m.DeepOn(ctx, t, func(done, total int64, _ string) { progress(done, total) })
		},
		Done: func(_ any, err error) {
			p.check.cancel = nil
			p.check.done = err == nil
			p.deep.SetText(checkText)
			p.d.found.refresh()
			if p.d.trial == nil && p.complete() && p.d.found.counts()[model.Error] == 0 {
				p.sound = append(p.sound[max(0, len(p.sound)-15):], t.Snapshot) // typing joins steps: the last one is not enough
			}
			p.state.SetText(p.summary())
			p.d.head.changed()
			p.View.Redraw() // without a problem, the list says what was read
			p.d.wb.changed()
			p.lead()
			p.release()
			if asked && err != nil && !errors.Is(err, context.Canceled) {
				p.d.wb.talk.fail("The check stopped", err)
			}
		}})
}

// whenChecked calls f when no check runs any more. With again, one is made first where the tree has not been checked.
func (p *problemPane) whenChecked(again bool, f func()) {
	if again && !p.check.done && p.check.cancel == nil {
		p.startCheck(true)
	}
	if p.check.cancel == nil {
		f()
		return
	}
	p.check.waiting = append(p.check.waiting, f)
}

func (p *problemPane) release() {
	waiting := p.check.waiting
	p.check.waiting = nil
	for _, f := range waiting {
		f()
	}
}

// lead selects the worst finding of a document in which nothing was selected yet, when that is an error: it is what the file
// was opened for.
func (p *problemPane) lead() {
	d := p.d
	if p.check.led || len(d.sel.past) > 1 || !d.frame.ready() || d.wb.pane != "" || p.line(0).cause == nil && (p.line(0).found == nil || p.found[0].Grade() != model.Error) {
		return
	}
	p.check.led = true
	d.frame.show(tabProblems)
	p.choose(0)
	p.check.ledTo = d.sel.now
}
