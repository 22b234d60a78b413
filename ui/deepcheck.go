package ui

import (
	"context"
	"errors"
	"slices"
	"time"

	"spandrel/model"
)

// check is the reading of everything: rows, blocks, checksums, other files. A small document is checked as soon as it is opened and after each
// edit, any other when it is asked for.
type check struct {
	checkState
	d      *Document
	parked []checkState       // of the other side of a change that is looked at
	sound  []*model.Snapshot  // the last ones in which everything was read and nothing is wrong
	told   []func(ended bool) // told that it began, or ended
}

// checkState is the check of a tree.
type checkState struct {
	tree    *model.Tree // that the rest is about
	done    bool        // everything was read
	asked   bool        // by the user, or it began by itself
	led     bool        // to the worst finding, or past it
	ledTo   Selection   // what was selected then
	cancel  func()      // not nil while it runs
	waiting []func()    // for its end
}

// running tells whether a check runs.
func (c *check) running() bool { return c.cancel != nil }

// complete tells whether everything was checked: nothing is left to read, and nothing waits for a key.
func (c *check) complete() bool { return c.done && c.d.found.sealed == nil }

// wasSound tells whether everything was checked in a state of the document, and nothing wrong.
func (c *check) wasSound(s *model.Snapshot) bool { return slices.Contains(c.sound, s) }

func (c *check) tell(ended bool) {
	for _, f := range c.told {
		f(ended)
	}
}

// checkTime is how long a document is checked without being asked.
const checkTime = 3 * time.Second

// follow begins a check by itself when the tree is another one.
func (c *check) follow() {
	t := c.d.Tree()
	if c.tree == t {
		return
	}
	if c.d.trial != nil && c.tree != nil && c.cancel == nil {
		c.parked = append(c.parked, c.checkState)
	}
	c.stop()
	if i := slices.IndexFunc(c.parked, func(k checkState) bool { return k.tree == t }); i >= 0 {
		if c.checkState = c.parked[i]; c.d.trial == nil {
			c.parked = nil
		}
		c.release()
		return
	}
	c.led, c.ledTo = c.tree != nil, Selection{} // an edit moves nobody away
	c.tree, c.done, c.asked = t, false, false
	if r := t.Root.Range; c.d.format() != nil && r.Len <= checkSize {
		c.start(false)
	} else {
		c.release()
	}
}

// all checks everything, or ends the check that runs.
func (c *check) all() {
	if c.cancel != nil && c.asked {
		c.stop()
		c.release()
		return
	}
	c.stop()
	c.start(true)
}

// stop withdraws the check that runs.
func (c *check) stop() {
	if c.cancel != nil {
		c.cancel()
		c.cancel = nil
		c.tell(false)
	}
}

func (c *check) start(asked bool) {
	m, t := c.d.Model, c.d.Tree()
	title := ""
	if c.tree, c.asked = t, asked; asked {
		title = "checking everything"
	}
	c.cancel = c.d.wb.submit(model.Job{Title: title, Priority: model.Checks,
		Run: func(ctx context.Context, progress func(done, total int64)) (any, error) {
			if !asked {
				limited, cancel := context.WithTimeout(ctx, checkTime)
				defer cancel()
				ctx = limited
			}
			return nil, m.DeepOn(ctx, t, func(done, total int64, _ string) { progress(done, total) })
		},
		Done: func(_ any, err error) {
			c.cancel = nil
			c.done = err == nil
			c.d.found.refresh()
			if c.d.trial == nil && c.complete() && c.d.found.counts()[model.Error] == 0 {
				c.sound = append(c.sound[max(0, len(c.sound)-15):], t.Snapshot) // typing joins steps: the last one is not enough
			}
			c.tell(true)
			c.d.wb.update()
			c.release()
			if asked && err != nil && !errors.Is(err, context.Canceled) {
				c.d.wb.fail("The check stopped", err)
			}
		}})
	c.tell(false)
}

// whenChecked calls f when no check runs any more. With again, one is made first where the tree has not been checked.
func (c *check) whenChecked(again bool, f func()) {
	if again && !c.done && c.cancel == nil {
		c.start(true)
	}
	if c.cancel == nil {
		f()
		return
	}
	c.waiting = append(c.waiting, f)
}

func (c *check) release() {
	waiting := c.waiting
	c.waiting = nil
	for _, f := range waiting {
		f()
	}
}
