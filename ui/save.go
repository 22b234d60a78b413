package ui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	native "github.com/sqweek/dialog"

	"spandrel/model"
)

// askSave says how the document will be saved, and saves it.
func (wb *Workbench) askSave(d *Document) {
	if d.saving || !d.dirty {
		wb.status.say(map[bool]string{true: "it is being saved", false: "nothing has changed since the last save"}[d.saving])
		return
	}
	o := wb.saveOptions()
	list, err := d.Model.SavePlan(o)
	if err != nil {
		wb.fail("Cannot save", err)
		return
	}
	if wb.win == nil {
		wb.save(d, o, nil)
		return
	}
	wb.box("Save", textOf(saveText(list)+d.warning()), question, "Cancel", nil, "Save", func() { wb.save(d, o, nil) })
}

func (wb *Workbench) saveOptions() model.SaveOptions {
	return model.SaveOptions{NoBackup: wb.app.Preferences().Bool(prefNoBackup)}
}

// saveText says file by file how it will be written.
func saveText(list []model.Saved) string {
	var lines []string
	for _, s := range list {
		how := "a new file, synced, takes the old one's place"
		switch {
		case s.Deleted:
			how = "is removed"
		case s.InPlace:
			how = fmt.Sprintf("%s are overwritten in place, under a rollback journal", sizeText(s.Bytes))
		}
		line := s.Path + "\n    " + how
		if s.Protected {
			line += "\n    ▲ it is write-protected: whoever did that may not want it changed"
		}
		if s.Backup != "" {
			line += "\n    the old bytes stay in " + filepath.Base(s.Backup)
		}
		lines = append(lines, line)
	}
	return strings.Join(append(lines, "Afterwards every file is read back and compared with what was meant."), "\n")
}

// warning says that what is saved has errors.
func (d *Document) warning() string {
	if n := d.counts()[model.Error]; n > 0 {
		return "\n\n▲ It still has " + counted(int64(n), "error") + ": what reads such files may refuse it."
	}
	return ""
}

// save saves and says what was done. A file that another program changed meanwhile is never overwritten silently.
func (wb *Workbench) save(d *Document, o model.SaveOptions, then func()) {
	d.Save(o, func(saved []model.Saved, err error) {
		switch {
		case errors.Is(err, model.ErrChanged) && wb.win != nil:
			wb.box("The file changed on disk", textOf(err.Error()+"\n\nOverwriting would lose what the other program wrote; reloading would lose your edits."), question,
				"Cancel", nil, "Overwrite", func() {
					o.Overwrite = true
					wb.save(d, o, then)
				}, "Reload", func() { wb.openAnew(d) }, "Save as…", func() { wb.askSaveAs(d) })
		case err != nil:
			wb.fail("Not saved", fmt.Errorf("%w\nThe document is still open and edited", err))
		default:
			wb.status.say(savedText(saved))
			if then != nil {
				then()
			}
		}
	})
}

// savedText says what was saved, and that it was verified: a save that was not is an error.
func savedText(saved []model.Saved) string {
	what := fmt.Sprintf("%d files", len(saved))
	if len(saved) == 1 {
		what = filepath.Base(saved[0].Path)
	}
	return "saved " + what + ", read back and found equal"
}

// askSaveAs asks for a path to save the document under.
func (wb *Workbench) askSaveAs(d *Document) {
	write := func(path string) { wb.saveAs(d, path) }
	wb.choosePath(func() (string, error) { return native.File().Title("Save as").Save() }, write, func() {
		wb.ask("Save as", "the path of the new file", d.Model.Path, func(s string, done func(error)) {
			if _, err := os.Lstat(s); err == nil {
				done(fmt.Errorf("%s exists; type another path", s))
				return
			}
			done(nil)
			write(s)
		})
	})
}

// saveAs writes the main file to another path and goes on with that one.
func (wb *Workbench) saveAs(d *Document, path string) {
	wb.save(d, model.SaveOptions{Out: path}, func() {
		wb.forget(d)
		wb.openInstead(d, path)
	})
}

// askClose closes a document; unsaved edits are asked about first.
func (wb *Workbench) askClose(d *Document) {
	if !d.dirty || wb.win == nil {
		wb.close(d)
		return
	}
	wb.box("Unsaved edits", textOf(d.tabName()+" has unsaved edits."), question, "Cancel", nil, "Discard them", func() {
		wb.forget(d)
		wb.close(d)
	}, "Save", func() { wb.save(d, wb.saveOptions(), func() { wb.close(d) }) })
}

// askQuit ends the program; what becomes of unsaved edits is asked first.
func (wb *Workbench) askQuit() {
	var names []string
	for _, d := range wb.docs {
		if d.dirty {
			names = append(names, d.tabName())
		}
	}
	if len(names) == 0 || wb.win == nil {
		wb.quit()
		return
	}
	wb.box("Unsaved edits", textOf("Not saved: "+strings.Join(names, ", ")+".\nKept edits are offered at the next start."), question, "Cancel", nil, "Discard them", func() {
		for _, d := range wb.docs {
			wb.forget(d)
		}
		wb.quit()
	}, "Keep them and quit", wb.quit)
}

// forget drops the record of a document's unsaved edits.
func (wb *Workbench) forget(d *Document) {
	for _, r := range model.Recoveries(wb.records) {
		if abs, err := filepath.Abs(d.Model.Path); err == nil && r.Path == abs {
			if err := r.Forget(); err != nil {
				wb.fail("The record of the edits stays", err)
			}
		}
	}
}

// offerRecovery offers the edits that a crash left unsaved.
func (wb *Workbench) offerRecovery() {
	for _, r := range model.Recoveries(wb.records) {
		wb.box("Unsaved edits", textOf(fmt.Sprintf("%s was closed with unsaved edits of %s.", r.Path, r.When.Format("2006-01-02 15:04"))), question, "Later", nil, "Discard them", func() {
			if err := r.Forget(); err != nil {
				wb.fail("Discard", err)
			}
		}, "Recover", func() {
			wb.open(r.Path, func(d *Document) {
				if d != nil {
					wb.recover(d, &r)
				}
			})
		})
	}
}

func (wb *Workbench) recover(d *Document, r *model.Recovery) {
	p, err := d.Model.RecoveryPlan(r)
	if err != nil {
		wb.fail("The edits cannot be recovered", err)
		return
	}
	d.SetLocked(false)
	d.commitLater(p)
}

// offerRollBack offers to undo a save in place that was interrupted.
func (wb *Workbench) offerRollBack(d *Document) {
	path := d.Model.DiskPath(d.Model.Tree.Snapshot.Primary)
	if wb.win == nil || !model.Interrupted(path) {
		return
	}
	wb.box("A save was interrupted", textOf(path+"\n\nIts rollback journal is there: the file can be put back to what it was before that save."), question, "Leave it", nil, "Roll back", func() {
		wb.closeThen(d, func() {
			if err := model.RollBack(path); err != nil {
				wb.fail("Roll back", err)
				return
			}
			wb.Open(path)
		})
	})
}
