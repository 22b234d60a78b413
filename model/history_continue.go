package model

import (
	"errors"
	"fmt"
	"slices"
)

// continueMost is how many bytes of earlier states, that the new file does not contain, are copied if a document continues under
// another name.
const continueMost = 64 << 20

// ErrNoHistory means that the history of a document cannot be continued under another name.
var ErrNoHistory = errors.New("earlier steps cannot be undone here: they also changed other files, or are too large")

// Continue gives a document that was just opened from a saved copy of another one the history of that one. Nothing in it depends on the
// other's files afterwards. It returns ErrNoHistory if steps changed more than the main file, or the two differ.
func (d *Document) Continue(from *Document) error {
	move, err := newMove(from.Tree.Snapshot, d.Tree.Snapshot)
	if err != nil || len(d.undo)+len(d.redo) > 0 || d.Dirty() || d.Format != from.Format {
		return ErrNoHistory
	}
	lists := [2][]Change{slices.Clone(from.undo), slices.Clone(from.redo)}
	for _, list := range lists {
		for i := range list {
			c := &list[i]
			if c.Before, err = move.snapshot(c.Before); err == nil {
				c.After, err = move.snapshot(c.After)
			}
			if err != nil {
				return err
			}
			c.Patches = slices.Clone(c.Patches)
			for k := range c.Patches {
				c.Patches[k].File = move.to.Primary
			}
		}
	}
	d.undo, d.redo = lists[0], lists[1]
	return nil
}

// move translates snapshots of one file into snapshots of another one with the same content.
type move struct {
	from, to *Snapshot
	old, now *Content // of the main file: the same bytes
	done     map[*Snapshot]*Snapshot
	left     int64 // how many bytes may still be copied
}

func newMove(from, to *Snapshot) (*move, error) {
	old, err := from.Content(from.Primary)
	if err != nil {
		return nil, err
	}
	now, err := to.Content(to.Primary)
	if err != nil {
		return nil, err
	}
	if old.Len() != now.Len() {
		return nil, ErrNoHistory
	}
	return &move{from, to, old, now, map[*Snapshot]*Snapshot{from: to}, continueMost}, nil
}

func (m *move) snapshot(s *Snapshot) (*Snapshot, error) {
	if done := m.done[s]; done != nil {
		return done, nil
	}
	for name := range s.edited {
		if name != m.from.Primary {
			return nil, ErrNoHistory
		}
	}
	c, err := s.Content(m.from.Primary)
	if err != nil || s.Primary != m.from.Primary {
		return nil, ErrNoHistory
	}
	if c, err = m.content(c); err != nil {
		return nil, err
	}
	m.done[s] = m.to.With(m.to.Primary, c)
	return m.done[s], nil
}

// content is an earlier content of the file, made of the new file as far as possible, and of copies.
func (m *move) content(c *Content) (*Content, error) {
	var out []piece
	for _, p := range c.pieces {
		for p.n > 0 {
			skip, off, n := m.old.locate(p, 0)
			if n == 0 {
				skip = p.n
			}
			copied, err := m.copied(piece{p.src, p.at, skip})
			if err != nil {
				return nil, err
			}
			out = m.now.part(append(out, copied), off, off+n)
			p.at, p.n = p.at+skip+n, p.n-skip-n
		}
	}
	return join(out), nil
}

// copied is a piece whose bytes the new file does not have, in memory.
func (m *move) copied(p piece) (piece, error) {
	if m.left -= p.n; m.left < 0 {
		return p, ErrNoHistory
	}
	b := make([]byte, p.n)
	if k, err := p.src.ReadAt(b, p.at); int64(k) < p.n {
		return p, fmt.Errorf("reading the previous content: %w", err)
	}
	return piece{Memory(b), 0, p.n}, nil
}
