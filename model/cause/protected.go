package cause

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"spandrel/model"
	"spandrel/model/protect"
	"spandrel/model/protected"
)

// Protection data beside a document say of every byte whether it is unchanged, and can restore it. They are consulted before any search.

// guarding is the comparison of a document with its protection data.
type guarding struct {
	*search
	g      *Diagnosis
	d      *model.Document
	kept   *protected.Protection
	report *protect.Report
	damage []protected.Damage
}

// protected compares a document with its protection data, if there are any for the bytes being diagnosed. It reports the differences,
// and returns whether nothing else needs to be looked for.
func (r *search) protected(g *Diagnosis, d *model.Document) bool {
	if d.Tree.Snapshot.Version > 0 || d.InMemory() || r.o.Time <= 0 {
		return false // edits explain the difference
	}
	kept, err := protected.Open(r.all, d.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		g.notes("its protection data cannot be used: " + err.Error())
		return false
	}
	defer kept.Close()
	if !r.deep && r.base.count[model.Error] == 0 {
		g.notes("it is large, so it was not compared with its protection data; check --deep does that")
		return false
	}
	x := &guarding{search: r, g: g, d: d, kept: kept}
	if x.report, x.damage, err = kept.Compare(r.all); err != nil || x.report.Same() {
		return false
	}
	if x.written() {
		return x.older()
	}
	return x.restore()
}

// written tells whether a difference may be intended: a file's modification time has changed, or a file was removed and nothing is wrong.
func (x *guarding) written() bool {
	return slices.ContainsFunc(x.damage, func(f protected.Damage) bool {
		return f.Size >= 0 && !f.SameTime || f.Size < 0 && x.base.count[model.Error] == 0
	})
}

// meant tells whether a program may have changed a file and reset its modification time.
func (x *guarding) meant() bool {
	return slices.ContainsFunc(x.damage, func(f protected.Damage) bool { return f.Size >= 0 && !f.Untouched })
}

// notes adds a note about the document.
func (g *Diagnosis) notes(text string) {
	g.add(model.Finding{Rule: model.RuleCap, Span: g.Tree.Root, Message: text})
}

func (g *Diagnosis) add(f model.Finding) {
	g.Findings, g.By = append(g.Findings, f), append(g.By, -1)
}

// name is a protected file as the document names it.
func (x *guarding) name(file string) string {
	if snap := x.d.Tree.Snapshot; filepath.Base(x.d.Path) == file && path.Base(snap.Primary) == file {
		return snap.Primary
	}
	return path.Join(x.d.Tree.Snapshot.Part, file)
}

// older reports that the protection data are of an older state. If the document has errors, going back is offered; it undoes later changes.
func (x *guarding) older() bool {
	when := x.when()
	if x.base.count[model.Error] == 0 && x.d.Format != nil {
		x.g.notes("its protection data, of " + when + ", is out of date: spandrel protect writes it again")
		return false
	}
	repair := x.repair()
	if repair == nil || !x.heals(repair) {
		return false
	}
	repair.Loses = "everything written after " + when
	c := x.tell(Possible, repair, "%s. A program has written to it since.")
	c.Means = "It had no errors when it was protected. It can be restored to that state."
	return false
}

// restore reports files that differ although their modification times have not changed, and offers the protected content. Damage is proven if the
// system confirms that no program has written to them.
func (x *guarding) restore() bool {
	repair := x.repair()
	for _, f := range x.damage {
		x.g.add(model.Finding{Rule: model.RuleProtected, Span: x.g.Tree.Root, Message: x.differs(f, nil)})
	}
	gone := slices.ContainsFunc(x.damage, func(f protected.Damage) bool { return f.Size < 0 })
	grade, text, meant := Proven, "%s. No program has written to it since, so it was damaged.", x.meant()
	switch {
	case gone:
		text = "%s."
	case meant:
		grade, text = Likely, "%s. Its modification time has not changed, so it was probably damaged."
	}
	c := x.tell(grade, repair, text)
	if repair == nil {
		c.Means = "The damage is larger than its protection data can restore. Download or copy the file again, or give another copy to “fix --with”."
		return false
	}
	if repair.Safe = !meant && (!gone || x.heals(repair)); !repair.Safe {
		c.Grade = Likely // it may have been removed intentionally
	}
	c.Means = "All of it can be restored, byte for byte, from its protection data."
	if meant {
		c.Means += " If a program changed it and kept that time, as a copy or an archiver does, that change is undone."
		repair.Loses = "what a program may have written after " + x.when()
	}
	for i := range x.g.Findings {
		if x.g.Findings[i].Grade() != model.Note {
			x.g.explain(i)
		}
	}
	return true
}

// heals tells whether a restored document has no error.
func (x *guarding) heals(p *Repair) bool {
	return x.checked(x.all, p.To, p.Format).clean()
}

func (x *guarding) when() string { return x.kept.Made.Format("2006-01-02 15:04") }

// tell adds the cause; the text receives how the files differ from their protected content.
func (x *guarding) tell(grade Grade, p *Repair, text string) *Cause {
	f := x.damage[0]
	is := x.differs(f, p)
	if n := len(x.damage) - 1; n > 0 {
		is += model.Words(", and %d more files differ", n)
	}
	file := x.name(f.Name)
	c := &Cause{Grade: grade, Text: fmt.Sprintf(text, is), At: Place{File: file}, File: file,
		Evidence: []string{"hashes of each file and of its 4,096-byte blocks, in its protection data"}}
	if p != nil {
		c.Repairs = []*Repair{p}
		if p.Changes[0].File == file && f.Size == f.Was {
			c.At.Off, c.At.Len = p.Changes[0].Off, p.Changes[0].Del
		}
	}
	x.g.Causes = append(x.g.Causes, c)
	return c
}

// differs says how a file differs from its protected content; p, if not nil, knows that byte by byte.
func (x *guarding) differs(f protected.Damage, p *Repair) string {
	switch {
	case f.Size < 0:
		return fmt.Sprintf("%s, protected on %s, is missing", f.Name, x.when())
	case f.Size != f.Was:
		return fmt.Sprintf("%s has %s, and had %s when it was protected on %s", f.Name, model.Count(f.Size, "bytes"), model.Thousands(f.Was), x.when())
	}
	if p != nil {
		n, from := int64(0), int64(-1)
		for _, c := range p.Changes {
			if c.File == x.name(f.Name) {
				n += c.Del
			}
			if c.File == x.name(f.Name) && from < 0 {
				from = c.Off
			}
		}
		return fmt.Sprintf("%s of %s, from 0x%x on, have changed since it was protected on %s", model.Count(n, "bytes"), f.Name, from, x.when())
	}
	r := x.report.Files[slices.IndexFunc(x.damage, func(o protected.Damage) bool { return o.Name == f.Name })]
	return fmt.Sprintf("bytes of %s, from 0x%x on, have changed since it was protected on %s", f.Name, r.Blocks[0]*protect.Block, x.when())
}

// repair restores the protected content; nil if that is not possible.
func (x *guarding) repair() *Repair {
	files := x.restored()
	if files == nil {
		return nil
	}
	there := maps.Clone(files)
	maps.DeleteFunc(there, func(name string, _ *model.Content) bool {
		_, err := x.d.Tree.Snapshot.Content(name)
		return err != nil
	})
	if len(there) > 0 && len(there) < len(files) {
		if p := x.with(there); x.heals(p) {
			return p // nothing needs the others: they may have been removed intentionally
		}
	}
	return x.with(files)
}

// restored are the protected contents of the files that differ, by the document's names; nil if they cannot be restored.
func (x *guarding) restored() map[string]*model.Content {
	from := x.d.Tree.Snapshot
	files, err := x.kept.Restore(x.all, x.report, func(file string) (*model.Content, error) { return from.Content(x.name(file)) })
	if err != nil {
		return nil
	}
	out := map[string]*model.Content{}
	for name, c := range files {
		out[x.name(name)] = c
	}
	return out
}

// with is the repair that restores files.
func (x *guarding) with(files map[string]*model.Content) *Repair {
	from := x.d.Tree.Snapshot
	to := from
	for name, c := range files {
		to = to.With(name, c)
	}
	what := slices.Sorted(maps.Keys(files))[0]
	if n := len(files); n > 1 {
		what = model.Count(int64(n), "files")
	}
	p := &Repair{Label: "restore " + what + " from the protection data", Format: x.format(to), from: from, To: to}
	p.Changes = changes(x.all, from, to)
	p.ID = identify(to, p.Changes)
	return p
}

// format is the format of the restored document.
func (x *guarding) format(to *model.Snapshot) *model.Format {
	if x.d.Format != nil || to.Primary == "" {
		return x.d.Format
	}
	c, err := to.Content(to.Primary)
	if err != nil {
		return nil
	}
	f, _ := x.recognised(path.Base(to.Primary), c)
	return f
}
