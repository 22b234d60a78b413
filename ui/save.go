package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	native "github.com/sqweek/dialog"

	"spandrel/model"
	"spandrel/model/protected"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/show"
)

// saver writes documents, and keeps what was not saved.
type saver struct {
	wb *Workbench

	recorder *doc.Recorder
}

// ask says how the document will be saved, and saves it.
func (s *saver) ask(d *tab) {
	switch {
	case d.Preview != nil:
		s.wb.Say(doc.ErrPreview.Error())
		return
	case d.Editor.Saving:
		s.wb.Say("it is being saved")
		return
	case !d.Editor.Dirty:
		s.wb.Say("nothing has changed since the last save")
		return
	}
	if d.Model.Remote() && !d.Model.Writable() {
		s.askAs(d)
		return
	}
	o := s.options()
	o.Upload = d.Model.Remote()
	list, err := d.Model.SavePlan(o)
	if err != nil {
		s.wb.Fail("Cannot save", err)
		return
	}
	if o.Upload {
		s.askUpload(d, o, list)
		return
	}
	s.wb.Shell.Box("Save", kit.TextOf(saveText(list)+d.disk.changedBehind()+warning(d)), kit.Question, "Cancel", nil, "Save", func() { s.save(d, o, nil) })
}

func (s *saver) options() model.SaveOptions {
	return model.SaveOptions{NoBackup: s.wb.App.Preferences().Bool(prefNoBackup)}
}

// saveText says for each file how it will be written. Several new files in a folder are counted.
func saveText(list []model.Saved) string {
	var lines []string
	fresh := map[string][]model.Saved{}
	for _, s := range list {
		if s.New && !s.Deleted {
			fresh[filepath.Dir(s.Path)] = append(fresh[filepath.Dir(s.Path)], s)
		}
	}
	for _, s := range list {
		switch group := fresh[filepath.Dir(s.Path)]; {
		case !s.New || s.Deleted || len(group) == 1:
			lines = append(lines, howText(s))
		case s.Path == group[0].Path:
			lines = append(lines, newFilesText(group))
		}
	}
	return strings.Join(append(lines, "Every file is then read back and compared."), "\n")
}

// howText says how a file will be written.
func howText(s model.Saved) string {
	how := "written as a new file, which then replaces the old one"
	switch {
	case s.Deleted:
		how = "is removed"
	case s.New:
		how = fmt.Sprintf("is written and synced: a new file of %s", show.Size(s.Bytes))
	case s.InPlace:
		how = fmt.Sprintf("%s are overwritten in place, under a rollback journal", show.Size(s.Bytes))
	}
	text := s.Path + "\n    " + how
	if s.Protected {
		text += "\n    ▲ it is write-protected, perhaps on purpose"
	}
	if s.Backup != "" {
		text += "\n    backup: " + filepath.Base(s.Path) + ".DATE-TIME.bak"
	}
	return text
}

// newFilesText says which new files are written to a folder.
func newFilesText(group []model.Saved) string {
	var bytes int64
	var names []string
	for _, s := range group {
		bytes += s.Bytes
		names = append(names, filepath.Base(s.Path))
	}
	return fmt.Sprintf("%s\n    %s of %s are new, written and synced: %s", filepath.Dir(group[0].Path), show.Counted(int64(len(group)), "file"), show.Size(bytes), strings.Join(names, ", "))
}

// warning says that what is saved has errors.
func warning(d *tab) string {
	if n := d.Found.Counts()[model.Error]; n > 0 {
		return "\n\n▲ It still has " + show.Counted(int64(n), "error") + ": readers may reject it."
	}
	return ""
}

// save saves and reports what was done. A file that another program has changed meanwhile is never overwritten silently.
func (s *saver) save(d *tab, o model.SaveOptions, then func()) {
	d.Editor.Save(o, func(saved []model.Saved, err error) {
		switch {
		case errors.Is(err, model.ErrChanged):
			s.wb.Shell.Box("The file changed on disk", kit.TextOf(err.Error()+"\n\nOverwriting would lose the other program's changes; reloading would lose your edits."), kit.Question,
				"Cancel", nil, "Overwrite", func() {
					o.Overwrite = true
					s.save(d, o, then)
				}, "Reload", func() { s.wb.disk.reopen(d) }, "Save as…", func() { s.askAs(d) })
		case err != nil:
			s.wb.Fail("Not saved", fmt.Errorf("%w\nThe document is still open and edited", err))
		default:
			s.wb.Say(savedText(saved))
			if then != nil {
				then()
			}
		}
	})
}

// savedText says what was saved, and that it was verified: otherwise there is an error.
func savedText(saved []model.Saved) string {
	what := model.Words("%d files", len(saved))
	if len(saved) == 1 {
		what = filepath.Base(saved[0].Path)
	}
	if len(saved) == 1 && saved[0].Backup != "" {
		return "saved " + what + ", read back and verified; the old bytes are in " + filepath.Base(saved[0].Backup)
	}
	return "saved " + what + ", read back and verified"
}

// protect writes protection data beside a document.
func (s *saver) protect(d *tab) {
	kit.Work(d.Window, "writing protection data", model.Edited, func(ctx context.Context) (*protected.Written, error) {
		return protected.Write(ctx, d.Model.Path, protected.Percent)
	}, kit.OrFail(s.wb.Host, "No protection data was written", func(w *protected.Written) {
		s.wb.Say(fmt.Sprintf("%s (%s): up to %d %% of the bytes can be restored from it", filepath.Base(w.Path), show.Size(w.Taken), protected.Percent))
	}))
}

// askAs asks for a path to save the document under.
func (s *saver) askAs(d *tab) {
	name := d.TabName()
	s.wb.askPath("Save as", s.wb.files.folder(), name, func(path string) {
		if filepath.Ext(path) != "" || filepath.Ext(name) == "" {
			s.writeAs(d, path)
			return
		}
		path += filepath.Ext(name)
		s.replacing(path, func() { s.writeAs(d, path) })
	})
}

// replacing asks before replacing a file that the user did not name, because an extension was added to the name.
func (s *saver) replacing(path string, do func()) {
	if _, err := os.Lstat(path); err != nil {
		do()
		return
	}
	s.wb.Shell.Box("Replace the file?", kit.TextOf(path+" exists. Its content would be lost."), kit.Question, "Cancel", nil, "Replace it", kit.Losing(do))
}

// writeAs writes the main file to another path and continues with that one.
func (s *saver) writeAs(d *tab, path string) {
	s.save(d, model.SaveOptions{Out: path, Overwrite: true}, func() {
		s.forget(d)
		s.goOn(d, path)
	})
}

// goOn shows the document under its new name, with its history: earlier steps can still be undone.
func (s *saver) goOn(d *tab, path string) {
	views := s.wb.disk.viewsOf(d)
	s.wb.files.open(path, func(n *tab) {
		if n == nil || n == d {
			return
		}
		kit.Work(d.Window, "copying the history", model.Edited, func(context.Context) (any, error) {
			return nil, n.Model.Continue(d.Model)
		}, func(_ any, err error) {
			if err != nil && d.Editor.CanUndo {
				s.wb.Say(err.Error())
			}
			n.Editor.Look()
			s.wb.closeThen(d, func() { s.wb.disk.take(n, views) })
		})
	})
}

// askClose closes a document, after asking about unsaved edits.
func (s *saver) askClose(d *tab) {
	if !d.Editor.Dirty || !d.First() {
		s.wb.close(d)
		return
	}
	s.wb.Shell.Box("Unsaved edits", kit.TextOf(d.TabName()+" has unsaved edits."), kit.Question, "Cancel", nil, "Discard them", kit.Losing(func() {
		s.forget(d)
		s.wb.close(d)
	}), "Save", func() { s.save(d, s.options(), func() { s.wb.close(d) }) })
}

// unsaved lists the documents with unsaved edits.
func (s *saver) unsaved() (list []*tab) {
	for _, d := range s.wb.documents() {
		if d.Editor.Dirty {
			list = append(list, d)
		}
	}
	return list
}

// all saves every document with unsaved edits, one after the other, and calls then when all are saved. It stops at the first that
// fails.
func (s *saver) all(then func()) {
	list := s.unsaved()
	if len(list) == 0 {
		if then != nil {
			then()
		}
		return
	}
	s.save(list[0], s.options(), func() { s.all(then) })
}

// closeOthers closes every document but one, whose views stay. Those with unsaved edits stay.
func (s *saver) closeOthers(keep *tab) {
	for _, d := range s.wb.documents() {
		if d.Model != keep.Model && !d.Editor.Dirty {
			s.wb.close(d)
		}
	}
	if n := len(s.wb.documents()); n > 1 {
		s.wb.Say(show.Counted(int64(n-1), "document") + " with unsaved edits stay open")
	}
}

// askPath asks for the path of a new file: with the system's dialog, or ours if there is none.
func (wb *Workbench) askPath(title, dir, name string, write func(path string)) {
	wb.Choose(func() (string, error) {
		return native.File().Title(title).SetStartDir(dir).SetStartFile(name).Save()
	}, write, func() {
		wb.Ask(title, "Save", "The path of the new file:", filepath.Join(dir, name), newFile(write))
	})
}

// newFile handles the answer to a question for the path of a new file: an existing one is rejected.
func newFile(then func(path string)) func(string, func(error)) {
	return func(path string, done func(error)) {
		if _, err := os.Lstat(path); err == nil {
			done(fmt.Errorf("%s exists; type another path", path))
			return
		}
		done(nil)
		then(path)
	}
}

// askQuit ends the program, after asking about unsaved edits.
func (s *saver) askQuit() {
	names := model.Map(s.unsaved(), func(d *tab) string { return d.TabName() })
	if len(names) == 0 {
		s.wb.leave()
		return
	}
	s.wb.Shell.Box("Unsaved edits", kit.TextOf("Not saved: "+strings.Join(names, ", ")+".\nKept edits are offered at the next start."), kit.Question, "Cancel", nil, "Discard them", func() {
		for _, d := range s.wb.documents() {
			s.forget(d)
		}
		s.wb.leave()
	}, "Keep unsaved changes", s.wb.leave, "Save all", func() { s.all(s.wb.leave) })
}

// forget removes the record of a document's unsaved edits.
func (s *saver) forget(d *tab) {
	s.recorder.Drop(d.Model)
	for _, r := range model.Recoveries(s.recorder.Records) {
		if abs, err := filepath.Abs(d.Model.Path); err == nil && r.Path == abs {
			if err := r.Forget(); err != nil {
				s.wb.Fail("The record of the edits was kept", err)
			}
		}
	}
}

// offerRecovery offers unsaved edits from before a crash.
func (s *saver) offerRecovery() {
	for _, r := range model.Recoveries(s.recorder.Records) {
		s.wb.Shell.Box("Unsaved edits", kit.TextOf(fmt.Sprintf("%s was closed with unsaved edits of %s.", r.Path, r.When.Format("2006-01-02 15:04"))), kit.Question, "Later", nil, "Discard them", func() {
			if err := r.Forget(); err != nil {
				s.wb.Fail("Discard", err)
			}
		}, "Recover", func() {
			s.wb.files.open(r.Path, func(d *tab) {
				if d != nil {
					s.recover(d, &r)
				}
			})
		})
	}
}

func (s *saver) recover(d *tab, r *model.Recovery) {
	p, err := d.Model.RecoveryPlan(r)
	if err != nil {
		s.wb.Fail("The edits cannot be recovered", err)
		return
	}
	d.Editor.SetLocked(false)
	d.Editor.Commit(p)
}

// offerTheRest offers to finish or undo an interrupted save.
func (s *saver) offerTheRest(d *tab) {
	if x := d.Model.Interrupted(); x != nil {
		s.offerBoth(d, x)
		return
	}
	s.offerRollBack(d)
}

// offerBoth offers both ways out of an interrupted save of several files.
func (s *saver) offerBoth(d *tab, x *model.Interruption) {
	path := d.Model.Path
	then := func(what string, do func(context.Context, ...*model.Format) error) func() {
		return func() {
			s.wb.closeThen(d, func() {
				kit.Work(s.wb, what, model.Edited, func(ctx context.Context) (any, error) {
					return nil, do(ctx, s.wb.formats...)
				}, func(_ any, err error) {
					if err != nil {
						s.wb.Fail(what, err)
					}
					s.wb.files.show(path)
				})
			})
		}
	}
	text := fmt.Sprintf("%s\n\nOn %s a save of %s was interrupted: some are new, some are old. You can finish the save or undo it.",
		x.Dir, x.When.Format("2006-01-02 15:04"), show.Counted(int64(len(x.Files)), "file"))
	back := then("Undo the save", x.TakeBack)
	if !x.Finishable() {
		text = fmt.Sprintf("%s\n\nA save of %s was interrupted, and so was undoing it. You can still restore the old content of all of them.", x.Dir, show.Counted(int64(len(x.Files)), "file"))
		s.wb.Shell.Box("A save was interrupted", kit.TextOf(text), kit.Question, "Leave it", nil, "Undo the save", back)
		return
	}
	s.wb.Shell.Box("A save was interrupted", kit.TextOf(text), kit.Question, "Leave it", nil, "Undo the save", back, "Finish it", then("Finish it", x.Finish))
}

// offerRollBack offers to undo an interrupted save in place.
func (s *saver) offerRollBack(d *tab) {
	path := d.Model.DiskPath(d.Model.Tree.Snapshot.Primary)
	if !model.Interrupted(path) {
		return
	}
	s.wb.Shell.Box("A save was interrupted", kit.TextOf(path+"\n\nIts rollback journal still exists, so the file can be restored to its state before that save."), kit.Question, "Leave it", nil, "Roll back", func() {
		s.wb.closeThen(d, func() {
			if err := model.RollBack(path, s.wb.formats...); err != nil {
				s.wb.Fail("Roll back", err)
				return
			}
			s.wb.files.show(path)
		})
	})
}
