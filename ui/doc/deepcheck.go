package doc

import (
	"context"
	"errors"
	"slices"
	"time"

	"spandrel/model"
	"spandrel/ui/kit"
	"spandrel/ui/show"
)

// Check is the full check: rows, blocks, checksums, other files. A small document is checked when it is opened and after each
// edit, any other on request.
type Check struct {
	CheckState
	d      *Document
	parked []CheckState      // for the other side of a preview
	Sound  []*model.Snapshot // the last ones in which everything was read and nothing is wrong
}

// CheckState is the state of the check of a tree.
type CheckState struct {
	tree    *model.Tree // that the rest is about
	Done    bool        // everything was read
	Asked   bool        // by the user, or it began by itself
	Led     bool        // to the worst finding, or past it
	LedTo   Selection   // what was selected then
	Cancel  func()      // not nil while it runs
	waiting []func()    // for its end
}

// Running tells whether a check runs.
func (c *Check) Running() bool { return c.Cancel != nil }

// Complete tells whether everything was checked: nothing remains to be read, and nothing needs a key.
func (c *Check) Complete() bool { return c.Done && c.d.Found.Sealed == nil }

// WasSound tells whether a state of the document was fully checked and had no problems.
func (c *Check) WasSound(s *model.Snapshot) bool { return slices.Contains(c.Sound, s) }

func (c *Check) tell(ended bool) {
	notify(c.d, func(v *Document) []func(bool) { return v.Checks }, ended)
}

// checkTime is how long a document is checked without being asked.
const checkTime = 3 * time.Second

// In a store, as reading may cost money, a document is only checked without being asked if it has at most so many files, of so many bytes.
const (
	checkedFiles = 64
	checkedBytes = 4 << 20
)

// errLarge means that a document in a store is too large to be checked without being asked.
var errLarge = errors.New("it is not read without being asked")

// affordable tells whether a document may be checked without being asked.
func affordable(ctx context.Context, m *model.Document, t *model.Tree) bool {
	if !m.Remote() {
		return true
	}
	count, size := t.Stored(ctx)
	return count <= checkedFiles && 0 <= size && size <= checkedBytes
}

// Follow starts a check of a new tree by itself.
func (c *Check) Follow() {
	t := c.d.Tree()
	if c.tree == t {
		return
	}
	if c.d.Preview != nil && c.tree != nil && c.Cancel == nil {
		c.parked = append(c.parked, c.CheckState)
	}
	c.stop()
	if i := slices.IndexFunc(c.parked, func(k CheckState) bool { return k.tree == t }); i >= 0 {
		if c.CheckState = c.parked[i]; c.d.Preview == nil {
			c.parked = nil
		}
		c.release()
		return
	}
	c.Led, c.LedTo = c.tree != nil, Selection{} // after an edit, the selection must not move
	c.tree, c.Done, c.Asked = t, false, false
	if r := t.Root.Range; c.d.Format() != nil && r.Len <= CheckSize {
		c.start(false)
	} else {
		c.release()
	}
}

// All checks everything, or stops the check in progress. It asks first if that is read from a store.
func (c *Check) All() {
	switch {
	case c.Cancel != nil && c.Asked:
		c.stop()
		c.release()
	case c.d.Model.Remote():
		c.ask()
	default:
		c.stop()
		c.start(true)
	}
}

// ask asks whether all of a document should be read from a store.
func (c *Check) ask() {
	t := c.d.Tree()
	kit.Work(c.d.Window, "asking for sizes", model.Selected, func(ctx context.Context) (any, error) {
		_, size := t.Stored(ctx)
		return size, nil
	}, func(v any, err error) {
		if err != nil || c.d.Tree() != t {
			return
		}
		what := "This reads all of " + c.d.TabName()
		if size := v.(int64); size >= 0 {
			what += ", up to " + model.Count(size, "bytes") + " (" + show.Size(size) + "),"
		}
		c.d.Window.Shell.Box("Check everything", kit.TextOf(what+" from the store. That takes time, and may cost money."), kit.Question, "Cancel", nil, "Read it and check", func() {
			c.stop()
			c.start(true)
		})
	})
}

// stop cancels the check in progress.
func (c *Check) stop() {
	if c.Cancel != nil {
		c.Cancel()
		c.Cancel = nil
		c.tell(false)
	}
}

func (c *Check) start(asked bool) {
	m, t := c.d.Model, c.d.Tree()
	title := ""
	if c.tree, c.Asked = t, asked; asked {
		title = "checking all of " + c.d.TabName()
	}
	c.Cancel = kit.Watched(c.d.Window, title, model.Checks, func(ctx context.Context, progress kit.Progress) (any, error) {
		if !asked {
			limited, cancel := context.WithTimeout(ctx, checkTime)
			defer cancel()
			ctx = limited
		}
		if !asked && !affordable(ctx, m, t) {
			return nil, errLarge
		}
		return nil, m.DeepOn(ctx, t, func(done, total int64, _ string) { progress(done, total) })
	}, func(_ any, err error) {
		c.Cancel = nil
		c.Done = err == nil
		c.d.Found.Refresh()
		if c.d.Preview == nil && c.Complete() && c.d.Found.Counts()[model.Error] == 0 {
			c.Sound = append(c.Sound[max(0, len(c.Sound)-15):], t.Snapshot) // typing joins steps: the last one is not enough
		}
		c.tell(true)
		c.d.Window.Update()
		c.release()
		if asked && err != nil && !errors.Is(err, context.Canceled) {
			c.d.Window.Fail("The check stopped", err)
		}
	})
	c.tell(false)
}

// WhenChecked calls f when no check is running. With again, the tree is checked first if it has not been.
func (c *Check) WhenChecked(again bool, f func()) {
	if again && !c.Done && c.Cancel == nil {
		c.start(true)
	}
	if c.Cancel == nil {
		f()
		return
	}
	c.waiting = append(c.waiting, f)
}

func (c *Check) release() {
	waiting := c.waiting
	c.waiting = nil
	for _, f := range waiting {
		f()
	}
}
