package headless

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/model/cause"
)

// salvage writes what can still be read of a damaged document as a new one, after opening and checking that. The damaged one is never changed.
func salvage(f *flag.FlagSet, c *call) func() (int, error) {
	s := searching(f)
	dry := f.Bool("dry-run", false, "print what would be saved, and write nothing")
	c.outUsage = "write the new document to this file or folder"
	return func() (int, error) {
		if c.out == "" && !*dry {
			return Failed, errors.New("salvage: give the output with -o OUT; salvage never overwrites its input")
		}
		d, err := c.open(c.args[0])
		if err != nil {
			return Failed, err
		}
		saved, err := unwrapped(c, d, s)
		if err = cmp.Or(d.Unread(), err); err != nil {
			return Failed, fmt.Errorf("%s: nothing could be saved: %w", c.args[0], err)
		}
		if !*dry {
			if err := writeSalvaged(c, saved); err != nil {
				return Failed, err
			}
		}
		return report(c, saved, *dry)
	}
}

// unwrapped salvages a document after undoing, in memory, what happened to a whole file, so that its format recognises it and finds everything in place.
// If lost or surplus bytes inside it can only be guessed, a format that finds what follows them by itself knows better which values are intact.
func unwrapped(c *call, d *model.Document, s *search) (*model.Salvaged, error) {
	g, err := c.diagnose(d, d.Tree, s)
	if err != nil {
		return nil, of(c.args[0], err)
	}
	r := undoing(d, g)
	if r == nil {
		return asItIs(c, d, g)
	}
	if r.Guess {
		if saved, err := model.Salvage(c.ctx, d.Tree); err == nil && saved.Aligned {
			return saved, nil
		}
	}
	if err := r.Make(c.ctx, d); err != nil {
		return nil, err
	}
	saved, err := model.Salvage(c.ctx, d.Tree)
	if err == nil && r.Guess && saved.Unvouched > 0 { // no checksum tells which values are as they were
		saved.Problems = append(saved.Problems, "some values may be wrong, because the place is a guess: "+r.Label)
	}
	return saved, err
}

// asItIs salvages a document, after its first lossless repair if nothing can be saved without it.
func asItIs(c *call, d *model.Document, g *cause.Diagnosis) (*model.Salvaged, error) {
	saved, err := model.Salvage(c.ctx, d.Tree)
	switch first := g.Lossless(func(*cause.Cause) bool { return false }); {
	case err == nil:
	case first != nil && first.Make(c.ctx, d) == nil:
		if saved, err = model.Salvage(c.ctx, d.Tree); err == nil {
			saved.Doubts = append(saved.Doubts, "this repair came first, and is not proven: "+first.Label)
		}
	case len(g.Causes) > 0 && g.Causes[0].Instead():
		err = errors.New(model.OneLine(g.Causes[0].Text + " " + g.Causes[0].Means))
	}
	return saved, err
}

// undoing is the first repair that makes a format recognise the document, is safe, unpacks it, or moves bytes back into place.
func undoing(d *model.Document, g *cause.Diagnosis) *cause.Repair {
	for _, x := range g.Causes {
		for _, r := range x.Repairs {
			if d.Format == nil && r.Format != nil && r.To != nil || (r.Safe || r.Aligns || r.Unpacks) && r.To != nil {
				return r
			}
		}
	}
	return nil
}

// writeSalvaged writes the files: one to OUT, several into the folder OUT, which must be empty or new.
func writeSalvaged(c *call, saved *model.Salvaged) error {
	names := slices.Sorted(maps.Keys(saved.Files))
	for _, name := range names {
		if err := model.Clean(name); err != nil {
			return err
		}
	}
	if within(c.out, c.args[0]) {
		return fmt.Errorf("%s: salvage never overwrites its input", c.out)
	}
	st, err := os.Stat(c.out)
	switch {
	case err == nil && st.IsDir():
		if entries, err := os.ReadDir(c.out); err != nil || len(entries) > 0 {
			return errors.Join(err, fmt.Errorf("%s: the folder contains other files", c.out))
		}
		return saved.Write(c.ctx, c.out, true, c.args[0])
	case len(names) == 1 && (c.out == "-" || err == nil && !st.Mode().IsRegular()): // a pipe or a device
		from := saved.Files[names[0]]
		return c.output(func(w io.Writer) error {
			_, err := io.Copy(w, io.NewSectionReader(from, 0, from.Len()))
			return errors.Join(err, c.ctx.Err())
		})
	case err == nil && len(names) > 1:
		return fmt.Errorf("%s: is a file, but %d files must be written", c.out, len(names))
	}
	out := filepath.Clean(c.out)
	if err := inFolder(out); err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(out); err == nil {
		out = real // a link stays one
	}
	return saved.Write(c.ctx, out, len(names) > 1, c.args[0])
}

// within tells whether a path is another one, or in that folder.
func within(path, other string) bool {
	a, err := filepath.Abs(path)
	b, failed := filepath.Abs(other)
	return err == nil && failed == nil && (a == b || strings.HasPrefix(a, b+string(filepath.Separator)))
}

// report says what was saved and what was lost, and whether the copy is valid.
func report(c *call, saved *model.Salvaged, dry bool) (int, error) {
	status := Done
	for i := 0; i < len(saved.Parts) && !c.json; i++ {
		if err := linef(c.Out, "%s", fmt.Sprint(saved.Parts[i])); err != nil {
			return Failed, err
		}
	}
	if !saved.Whole() || len(saved.Problems)+len(saved.Doubts) > 0 {
		status = Found
	}
	data := map[string]any{"kind": "salvaged", "document": c.args[0], "out": c.out, "files": slices.Sorted(maps.Keys(saved.Files)), "parts": append([]model.SalvagedPart{}, saved.Parts...), "dry_run": dry,
		"contains": saved.Contents(), "valid": saved.Valid(), "problems": list(saved.Problems), "unchecked": list(saved.Unchecked), "unvouched": saved.Unvouched,
		"doubts": list(saved.Doubts)}
	return status, c.either(data, "%s", saved.Verdict())
}
