package headless

import (
	"errors"
	"fmt"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/model/remote"
)

// repairWithCopy restores a document from another copy of it: fix --with.
func repairWithCopy(c *call, s *search, from string, dry bool) (int, error) {
	copied, shut, err := openCopy(c, from)
	if err != nil {
		return Failed, of(from, err)
	}
	defer shut()
	d, err := openLike(c, from)
	if err != nil {
		return Failed, err
	}
	took, err := cause.Take(c.ctx, d, s.options(c), copied)
	if err = errors.Join(err, c.unread(), copied.Fault()); err != nil {
		return Failed, of(c.args[0], err)
	}
	status := Done
	if took.After > 0 || took.Unsure > 0 && took.Left > 0 {
		status = Found
	}
	repairs, broken := 0, took.After > 0
	if took.Plan == nil {
		return status, c.tell(answer{Kind: "done", Message: helpless(took, from), Repairs: &repairs, Broken: &broken})
	}
	if !c.json && !c.quiet {
		linef(c.Err, "%s: repair [%s]: %s", c.args[0], took.ID, took.Plan.Label)
	}
	ch := change{call: c, d: d, dry: dry}
	if dry {
		err = ch.patches(took.Plan)
	} else {
		d.Format = took.Format
		d.Apply(c.ctx, took.Plan, nil)
		err = ch.store()
	}
	if err != nil {
		return Failed, err
	}
	repairs = 1
	return status, c.tell(answer{Kind: "done", Message: restored(took, from, dry), Repairs: &repairs, DryRun: dry, Broken: &broken})
}

// openLike opens the document. If it is a folder that nothing is taken for, its copy may say what it is.
func openLike(c *call, from string) (*model.Document, error) {
	d, err := c.open(c.args[0])
	if errors.Is(err, model.ErrNoFormat) && d == nil && c.format == "" {
		if sound, e := c.open(from); e == nil && sound.Format != nil {
			c.format = sound.Format.Name
			return c.open(c.args[0])
		}
	}
	return d, err
}

// openCopy opens another copy as bytes.
func openCopy(c *call, path string) (*model.Snapshot, func() error, error) {
	if remote.Is(path) {
		return remote.OpenCopy(c.ctx, path)
	}
	return model.OpenCopy(path)
}

// helpless says why nothing is taken from a copy.
func helpless(t *cause.Taken, from string) string {
	differs := fmt.Sprintf("The two differ in %s, and no check can tell which is right", model.Count(int64(t.Left), "ranges"))
	switch {
	case t.Before == 0 && t.Left == 0:
		return "there is nothing to repair, and the copy is identical"
	case t.Before == 0:
		return "there is nothing to repair. " + differs
	case t.Left == 0:
		return "the copy has the same bytes, so it does not help: " + from
	}
	return fmt.Sprintf("the copy does not help: with its bytes the document has the same number of errors, or others: %s", from)
}

// restored says what was taken from a copy, and what remains wrong.
func restored(t *cause.Taken, from string, dry bool) string {
	how, n := "restored", model.Count(int64(t.Ranges), "ranges")
	if dry {
		how = "would be restored"
	}
	text := fmt.Sprintf("%s (%s) of %s %s from %s", n, model.Count(t.Bytes, "bytes"), model.Count(int64(t.Files), "files"), how, from)
	if t.After > 0 {
		text += fmt.Sprintf("; %d of %s left", t.After, model.Count(int64(t.Before), "errors"))
	}
	if t.Unsure > 0 {
		text += "; " + model.Words("no checksum covers %s of these bytes: they are right only if the copy is", model.Thousands(t.Unsure))
	}
	if t.Left > 0 {
		text += "; " + model.Words("not copied: %s more ranges that differ: the copy may be of another save", model.Thousands(int64(t.Left)))
	}
	return text
}
