package model

import (
	"bytes"
	"context"
	"time"
)

// Change is one step of a document's history. Snapshots share everything that did not change, so a step costs little.
type Change struct {
	Label         string
	Patches       []Patch
	Before, After *Snapshot
	At            time.Time
	was, is       *Format // of the document before and after: a repair may make it one of another format
	group         string
	// Selection is restored in the window if the step is undone.
	Selection any
}

// groupGap is how quickly changes of the same group must follow each other to become one step.
const groupGap = time.Second

// Grouped makes the plan join the previous step if that has the same group and is less than a second old: typing.
func (p *Plan) Grouped(group string) *Plan { p.group = group; return p }

// Apply makes a planned change: a new snapshot, parsed again, and a step of the history. selection is kept for undo.
func (d *Document) Apply(ctx context.Context, p *Plan, selection any) {
	if !p.Empty() {
		d.Commit(p, Parse(ctx, p.To, d.Format), selection)
	}
}

// Commit is Apply for callers that have parsed p.To in a worker.
func (d *Document) Commit(p *Plan, t *Tree, selection any) {
	d.redo = nil
	now := time.Now()
	if n := len(d.undo); n > 0 && p.group != "" && d.undo[n-1].group == p.group && now.Sub(d.undo[n-1].At) < groupGap {
		last := &d.undo[n-1]
		last.After, last.At, last.Patches, last.is = p.To, now, append(last.Patches, p.Patches...), t.Format
	} else {
		d.undo = append(d.undo, Change{Label: p.Label, Patches: p.Patches, Before: p.From, After: p.To, At: now, was: d.Tree.Format, is: t.Format,
			group: p.group, Selection: selection})
	}
	d.take(t)
}

// take makes a tree, and its format, the document's.
func (d *Document) take(t *Tree) { d.Tree, d.Format = t, t.Format }

// Back parses the document before the change, in its format then; Again parses it after the change.
func (c *Change) Back(ctx context.Context) *Tree  { return Parse(ctx, c.Before, c.was) }
func (c *Change) Again(ctx context.Context) *Tree { return Parse(ctx, c.After, c.is) }

// Undo goes back one step and returns it, or nil if there is none. The history survives saving.
func (d *Document) Undo(ctx context.Context) *Change {
	c := d.Undoable()
	if c != nil {
		d.CommitUndo(c.Back(ctx))
	}
	return c
}

// Redo repeats the last undone step.
func (d *Document) Redo(ctx context.Context) *Change {
	c := d.Redoable()
	if c != nil {
		d.CommitRedo(c.Again(ctx))
	}
	return c
}

// Undoable returns the step that Undo would undo, Redoable the one that Redo would repeat; nil if there is none.
func (d *Document) Undoable() *Change { return last(d.undo) }
func (d *Document) Redoable() *Change { return last(d.redo) }

func last(list []Change) *Change {
	if len(list) == 0 {
		return nil
	}
	c := list[len(list)-1]
	return &c
}

// CommitUndo and CommitRedo are Undo and Redo for callers that have parsed the step's snapshot in a worker, with Back and Again.
func (d *Document) CommitUndo(t *Tree) {
	c, n := d.undo[len(d.undo)-1], len(d.undo)-1
	d.undo, d.redo = d.undo[:n], append(d.redo, c)
	d.take(t)
}
func (d *Document) CommitRedo(t *Tree) {
	c, n := d.redo[len(d.redo)-1], len(d.redo)-1
	d.redo, d.undo = d.redo[:n], append(d.undo, c)
	d.take(t)
}

// History returns the steps that can be undone and redone, the next one last.
func (d *Document) History() (undo, redo []Change) { return d.undo, d.redo }

// Dirty tells whether the document differs from its files on disk.
func (d *Document) Dirty() bool { return d.Tree.Snapshot != d.saved }

// OnDisk returns the state on disk as far as this document knows it: as opened, or as last saved.
func (d *Document) OnDisk() *Snapshot { return d.saved }

// Unsaved returns the runs of a file that differ from the file on disk.
func (d *Document) Unsaved(file string) []Changed {
	c, err := d.Tree.Snapshot.Content(file)
	base, baseErr := d.saved.Content(file)
	switch {
	case err != nil:
		return nil
	case baseErr != nil:
		return []Changed{{New: c.Len()}}
	}
	return c.Diff(base)
}

// Changed is a run of bytes that differs between two contents: its place in the new one, and its old and new length.
type Changed struct {
	Off      int64 // in the new content
	Old, New int64
	OldOff   int64
}

// sameMost is the longest run that is compared.
const sameMost = 64 << 10

// Same tells whether a short run is the same on both sides: it was changed, and changed back.
func (c Changed) Same(now, old *Content) bool {
	if c.Old != c.New || c.New > sameMost {
		return false
	}
	a, b := make([]byte, c.New), make([]byte, c.Old)
	_, aErr := now.ReadAt(a, c.Off)
	_, bErr := old.ReadAt(b, c.OldOff)
	return aErr == nil && bErr == nil && bytes.Equal(a, b)
}

// Diff returns the runs of c that do not come from base, by comparing pieces and not bytes: what was edited, whatever its present
// content. It is used to tint modified bytes and to choose how to save.
func (c *Content) Diff(base *Content) (out []Changed) {
	at, old := int64(0), int64(0) // everything before at is explained by what is before old
	add := func(upTo, oldTo int64) {
		if upTo > at || oldTo > old {
			out = append(out, Changed{at, oldTo - old, upTo - at, old})
		}
	}
	pos := int64(0)
	for _, p := range c.pieces {
		for p.n > 0 {
			skip, off, n := base.locate(p, old)
			if n == 0 {
				break
			}
			add(pos+skip, off)
			at, old = pos+skip+n, off+n
			pos, p.at, p.n = at, p.at+skip+n, p.n-skip-n
		}
		pos += p.n
	}
	add(pos, base.Len())
	return out
}

// locate finds the first part of a piece that base contains at or after from: skip bytes into the piece, n bytes at off.
func (c *Content) locate(p piece, from int64) (skip, off, n int64) {
	for i, start := c.find(from); i < len(c.pieces) && (n == 0 || skip > 0); i++ {
		q := c.pieces[i]
		lo, hi := max(p.at, q.at+max(0, from-start)), min(p.at+p.n, q.at+q.n)
		if q.src == p.src && lo < hi && (n == 0 || lo-p.at < skip) {
			skip, off, n = lo-p.at, start+lo-q.at, hi-lo
		}
		start = c.ends[i]
	}
	return skip, off, n
}
