package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Salvage runs the salvage of a tree's format and checks the result before reporting it: the files are opened in memory, in place of
// the damaged document, and checked deep. An intact document is copied unchanged. Salvage writes
// nothing. An error says in words why nothing can be saved.
func Salvage(ctx context.Context, t *Tree) (*Salvaged, error) {
	if t == nil || t.Format == nil {
		return nil, ErrNoFormat
	}
	if t.Format.Salvage == nil {
		return nil, fmt.Errorf("%s does not support salvage", t.Format.Title)
	}
	var s *Salvaged
	var err error
	if fault := Contain(func() error { s, err = t.Format.Salvage(ctx, t); return nil }); fault != nil {
		err = fault
	}
	remade := err == nil && s != nil && s.Whole()
	whole := copied(ctx, t, !remade || len(s.Files) > 1)
	if fault := cmp.Or(t.Snapshot.Fault(), ctx.Err()); fault != nil {
		return nil, fault
	}
	if whole != nil {
		if remade {
			whole.Parts = s.Parts
		}
		return whole, nil
	}
	if err == nil {
		err = s.try(ctx, t)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// try opens the result and checks it.
func (s *Salvaged) try(ctx context.Context, t *Tree) error {
	if s == nil || len(s.Files) == 0 {
		return errors.New("nothing can be read")
	}
	if !slices.ContainsFunc(s.Parts, func(p SalvagedPart) bool { return p.Saved > 0 }) {
		return errors.New(strings.TrimSuffix("nothing can be salvaged: "+s.Contents(), ": "))
	}
	snap, err := s.snapshot(t)
	if err != nil {
		return err
	}
	holes, err := s.holes(ctx, t)
	if err == nil {
		err = s.check(ctx, snap, t, holes)
	}
	if err != nil {
		return fmt.Errorf("the result cannot be checked: %w", err)
	}
	return nil
}

// copied returns a document unchanged if nothing is wrong with it and nothing was repaired, otherwise nil. With all, it includes the files beside
// the main one that belong to it: without them its copy would not be whole.
func copied(ctx context.Context, t *Tree, all bool) *Salvaged {
	if found, _ := t.Findings(); slices.ContainsFunc(found, func(d Finding) bool { return d.Grade() == Error }) {
		return nil
	}
	s, n := &Salvaged{Files: map[string]Source{}}, int64(0)
	if err := s.check(ctx, t.Snapshot, t, nil); err != nil || !s.sound() {
		return nil
	}
	add := func(name string) error {
		c, err := t.Snapshot.Content(name)
		if err != nil {
			return err
		}
		s.Files[name] = c
		if n += c.Len(); len(s.Files) > mostCopied {
			return ErrTooMany
		}
		return nil
	}
	if err := t.eachFile(all, add); err != nil {
		return nil
	}
	s.Parts = []SalvagedPart{{What: "bytes", Saved: n, Of: n}}
	return s
}

// eachFile passes the names of a document's files to see: all of a folder, or the main one and, with all, those beside it that belong to it.
func (t *Tree) eachFile(all bool, see func(name string) error) error {
	name := t.Snapshot.Primary
	if name == "" || t.Format.folders() {
		return t.Snapshot.walk(".", func(e Entry) error {
			if e.Dir {
				return nil
			}
			return see(e.Name)
		})
	}
	err := see(name)
	for _, s := range t.Spaces() {
		if all && err == nil && !s.Derived() && s.File != name {
			err = see(s.File)
		}
	}
	return err
}

// mostCopied is how many files of a folder are copied.
const mostCopied = 1 << 16

// folders tells whether documents of the format are folders.
func (f *Format) folders() bool {
	d := f.dataset()
	return d.Detect != nil && !d.Beside
}

// check parses and checks the result completely: it collects errors, and what a limit or a missing key left unchecked, and counts the values that no
// checksum covers: that a structure parses does not prove that its values are in place. Values in holes of the damaged document are in doubt unless checksums
// cover all values.
func (s *Salvaged) check(ctx context.Context, snap *Snapshot, of *Tree, holes []string) error {
	t := Parse(ctx, snap, of.Format)
	if err := (&Document{}).DeepOn(ctx, t, nil); err != nil {
		return err
	}
	if err := Contain(func() error { return t.walk(ctx, t.Root, mostWalked, true) }); err != nil { // what is read on demand has problems of its own
		return err
	}
	if err := t.CheckSums(ctx); err != nil {
		return err
	}
	found, omitted := t.Findings()
	for i := range found {
		switch d := &found[i]; {
		case d.Grade() == Error:
			s.Problems = append(s.Problems, d.problem())
		case d.Rule == RuleCap || d.Needs != nil:
			s.Unchecked = append(s.Unchecked, d.problem())
		case d.Rule.Loaded && (!d.Rule.bySector() || len(holes) == 0): // else it is one of them, moved
			s.Doubts = append(s.Doubts, d.problem())
		}
	}
	for r, n := range omitted {
		if r.Severity == Error {
			s.Problems = append(s.Problems, fmt.Sprintf("%s more: %s", Thousands(int64(n)), r.Title))
		}
	}
	if err := s.resummed(ctx, t, of); err != nil {
		return err
	}
	if s.sound() {
		s.Unvouched = t.unvouchedBy(ctx, of).Size()
	}
	if s.Unvouched > 0 {
		s.Doubts = append(append(s.Doubts, holes...), of.otherwise(ctx)...)
	}
	return ctx.Err()
}

// otherwise says what else may be wrong with a file that is too short, if its values are other ones then.
func (t *Tree) otherwise(ctx context.Context) (out []string) {
	for _, e := range t.Extents(ctx) {
		if c, err := t.Snapshot.Content(e.File); err == nil && e.Misread && c.Len() < e.Size {
			out = append(out, e.File+" is too short, or "+e.Else)
		}
	}
	return out
}

// resummed reports a checksum that did not match and was replaced by a new one, if nothing was left out: then the damaged bytes were saved with the rest.
func (s *Salvaged) resummed(ctx context.Context, t, of *Tree) error {
	if !s.Whole() {
		return nil
	}
	f, err := of.forgotten(ctx, t.storedSums(ctx), func(Range) bool { return false })
	if f != nil {
		s.Problems = append(s.Problems, "some of the saved values are damaged: "+f.problem())
	}
	return err
}

// mostWalked is how many elements of a list are opened.
const mostWalked = 1 << 20

// problem is a finding in one line.
func (d *Finding) problem() string {
	if p := d.Path(); p != "" {
		return d.Text() + " (" + p + ")"
	}
	return d.Text()
}

// Tree opens the salvaged document; nil if it is not recognised.
func (s *Salvaged) Tree(ctx context.Context, of *Tree) *Tree {
	snap, err := s.snapshot(of)
	if err != nil {
		return nil
	}
	return Parse(ctx, snap, of.Format)
}

// snapshot is the salvaged document: beside the other files of the folder if it is one file, otherwise a folder of its own.
func (s *Salvaged) snapshot(t *Tree) (*Snapshot, error) {
	names := slices.Sorted(maps.Keys(s.Files))
	if t.Snapshot.Primary != "" && len(names) == 1 {
		return t.replaced(names[0], NewContent(s.Files[names[0]]))
	}
	snap := &Snapshot{edited: map[string]*Content{}, unread: &unread{}, made: true}
	for _, name := range names {
		if err := Clean(name); err != nil {
			return nil, err
		}
		snap.edited[name] = NewContent(s.Files[name])
	}
	if t.Format.dataset().Beside && s.Files[t.Snapshot.Primary] != nil {
		snap.Primary = t.Snapshot.Primary
	}
	if detect := t.Format.dataset().Detect; detect != nil {
		primary, sure := detect(snap)
		if snap.Primary = primary; sure == 0 {
			return nil, fmt.Errorf("the result is not recognised as %s", t.Format.Title)
		}
	}
	return snap, nil
}

// replaced is the snapshot with another main file.
func (t *Tree) replaced(name string, c *Content) (*Snapshot, error) {
	list, err := Choose(name, c, []*Format{t.Format})
	if err == nil && (len(list) == 0 || list[0].Confidence == 0) {
		err = fmt.Errorf("the result is not recognised as %s", t.Format.Title)
	}
	snap := t.Snapshot
	if old := snap.Primary; old != name && snap.folder != nil {
		snap = snap.With(old, nil)
	}
	snap = snap.With(name, c)
	snap.Primary, snap.unread = name, &unread{}
	return snap, err
}

// Saved is how much is saved, of all parts: 0 for nil.
func (s *Salvaged) Saved() (n int64) {
	if s == nil {
		return 0
	}
	for _, p := range s.Parts {
		n += p.Saved
	}
	return n
}

// Whole tells whether nothing was lost.
func (s *Salvaged) Whole() bool {
	return !slices.ContainsFunc(s.Parts, func(p SalvagedPart) bool { return !p.Whole() })
}

// Valid tells whether the result was opened, read completely, and found without errors, and none of its values are in doubt.
func (s *Salvaged) Valid() bool { return s.sound() && len(s.Doubts) == 0 }

// sound tells whether the result was read completely without errors.
func (s *Salvaged) sound() bool { return len(s.Problems)+len(s.Unchecked) == 0 }

// Contents summarises the result in one line: "344 of 344 cells, 9 of 10 attributes".
func (s *Salvaged) Contents() string {
	var out []string
	for _, p := range s.Parts {
		if p.Lost, p.Says = "", ""; p.Of != 0 || len(s.Parts) == 1 {
			out = append(out, p.String())
		}
	}
	return strings.Join(out, ", ")
}

// Verdict says what the check of the result found.
func (s *Salvaged) Verdict() string {
	const most = 3
	cut := func(list []string) string {
		if n := len(list) - most; n > 0 {
			return strings.Join(list[:most], "; ") + fmt.Sprintf("; and %s more", Thousands(int64(n)))
		}
		return strings.Join(list, "; ")
	}
	switch {
	case len(s.Problems) > 0:
		return fmt.Sprintf("not valid: %s left: %s", Count(int64(len(s.Problems)), "problems"), cut(s.Problems))
	case len(s.Unchecked) > 0:
		return "not checked completely: " + cut(s.Unchecked)
	}
	if len(s.Doubts) > 0 {
		return "readable, but some of the values may be wrong: " + cut(s.Doubts)
	}
	if s.Unvouched > 0 {
		return Words("readable: no errors (full check). No checksum covers %s bytes of values: wrong or shifted ones would not be noticed.", Thousands(s.Unvouched))
	}
	return "valid: no errors (full check)"
}
