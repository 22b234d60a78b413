package model

import "io"

// shelter copies the bytes that an in-place save is about to overwrite, and makes the snapshots of the history use the copies:
// through the mapping they would see the new bytes.
func (d *Document) shelter(name string, c *Content) {
	base, err := d.saved.Content(name)
	if err != nil {
		return
	}
	var holes []hole
	for _, r := range c.Diff(base) {
		b := make([]byte, r.Old)
		if _, err := base.ReadAt(b, r.OldOff); err != nil && err != io.EOF {
			continue
		}
		off := r.OldOff
		for _, p := range base.part(nil, r.OldOff, r.OldOff+r.Old) {
			if f, ok := p.src.(*File); ok {
				holes = append(holes, hole{f, p.at, Memory(b[off-r.OldOff:][:p.n])})
			}
			off += p.n
		}
	}
	d.rewrite(func(s *Snapshot) *Snapshot {
		if old, err := s.Content(name); err == nil {
			if safe := old.without(holes); safe != old {
				return s.With(name, safe)
			}
		}
		return s
	})
}

// rewrite changes the snapshots of the history.
func (d *Document) rewrite(change func(*Snapshot) *Snapshot) {
	done := map[*Snapshot]*Snapshot{}
	fix := func(s *Snapshot) *Snapshot {
		if done[s] == nil {
			done[s] = change(s)
		}
		return done[s]
	}
	for _, list := range [][]Change{d.undo, d.redo} {
		for i := range list {
			list[i].Before, list[i].After = fix(list[i].Before), fix(list[i].After)
		}
	}
}

// absent marks the files that a save is about to create as absent from the snapshots of the history, which would otherwise
// find them on disk.
func (d *Document) absent(list []Saved) {
	for _, f := range list {
		if _, err := d.saved.Content(f.File); err == nil || f.Deleted {
			continue
		}
		d.rewrite(func(s *Snapshot) *Snapshot {
			if _, err := s.Content(f.File); err != nil {
				return s.With(f.File, nil)
			}
			return s
		})
	}
}

// hole is a run of a mapped file that is about to change, and a copy of its old bytes.
type hole struct {
	file *File
	off  int64
	with Source
}

// without returns the content with copies in place of the holes.
func (c *Content) without(holes []hole) *Content {
	out := c
	for _, h := range holes {
		at := int64(0)
		for _, p := range out.pieces {
			if f, ok := p.src.(*File); ok && f == h.file {
				lo, hi := max(p.at, h.off), min(p.at+p.n, h.off+h.with.Len())
				if lo < hi {
					part := NewContent(h.with).part(nil, lo-h.off, hi-h.off)
					off := at + lo - p.at
					out = join(out.part(append(out.part(nil, 0, off), part...), off+hi-lo, out.Len()))
				}
			}
			at += p.n
		}
	}
	return out
}
