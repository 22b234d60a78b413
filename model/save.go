package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Limits of saving in place: a file of at least InPlaceSize bytes, which would take seconds to copy, of which less than InPlacePatch
// bytes change and none move, and which grows by less than InPlaceGrow.
const (
	InPlaceSize  = 256 << 20
	InPlacePatch = 16 << 20
	InPlaceGrow  = 128 << 20
)

// ErrChanged means that another program changed a file since it was opened; saving would overwrite its changes.
var ErrChanged = errors.New("the file changed on disk since it was opened")

var errJournal = errors.New("an earlier save in place was interrupted: undo it first")

// SaveOptions says how to save.
type SaveOptions struct {
	Out       string // destination of the main file, or of the whole folder; "" saves in place
	NoBackup  bool
	Upload    bool // into the store that the document is in
	Overwrite bool // also when another program changed a file since it was opened
	Progress  func(done, total int64)
}

// Saved is how one file of a save is, or was, written.
type Saved struct {
	File    string
	Path    string
	InPlace bool   // with a rollback journal, instead of a new file and a rename
	Backup  string // "" for none
	Deleted bool
	New     bool  // there was no such file
	Bytes   int64 // written
	// Protected means that the file is read-only: it is replaced nevertheless, by one with the same mode.
	Protected bool
}

// SavePlan says what Save will do with each file, in order: files that refer to others come after them, and nothing is deleted before
// everything else is written.
func (d *Document) SavePlan(o SaveOptions) ([]Saved, error) {
	snap := d.Tree.Snapshot
	switch {
	case o.Out != "":
		return d.outPlan(o.Out)
	case d.dir == "" && d.Remote() && o.Upload:
		return d.uploadPlan()
	case d.dir == "" && d.Remote():
		return nil, fmt.Errorf("%s: it is in a remote store, where nothing is written without --upload; -o saves it to the disk", d.Path)
	case d.dir == "":
		return nil, fmt.Errorf("%s: opened from memory: choose where to save", d.Path)
	}
	var out []Saved
	for _, name := range append(snap.Edited(), d.saved.Edited()...) { // unreadable does not mean removed
		for _, s := range []*Snapshot{snap, d.saved} {
			if _, err := s.Content(name); faulty(err) {
				return nil, err
			}
		}
	}
	for _, name := range changedFiles(snap, d.saved) {
		if err := systemName(name); err != nil {
			return nil, err
		}
		out = append(out, d.savePlan(name, o))
	}
	inOrder(out, snap.Primary)
	return out, nil
}

// inOrder sorts files so that those that refer to others come after them: inner folders, outer ones, the main file, and then removals.
func inOrder(list []Saved, primary string) {
	rank := func(s Saved) int {
		switch depth := strings.Count(s.File, "/"); {
		case s.Deleted:
			return 1 << 20
		case s.File == primary:
			return 1 << 19
		default:
			return -depth
		}
	}
	slices.SortStableFunc(list, func(a, b Saved) int { return cmp.Compare(rank(a), rank(b)) })
}

// savePlan says what Save will do with one file.
func (d *Document) savePlan(name string, o SaveOptions) Saved {
	c, err := d.Tree.Snapshot.Content(name)
	base, baseErr := d.saved.Content(name)
	s := Saved{File: name, Path: d.linked(name), Deleted: err != nil}
	if err == nil {
		s.Bytes = c.Len()
	}
	if st, err := os.Stat(s.Path); err == nil {
		s.Protected = st.Mode().Perm()&0o222 == 0
	}
	if s.New = baseErr != nil; s.New {
		return s
	}
	if !o.NoBackup {
		backup := s.Path
		if aside := d.Format.dataset().Aside; aside != nil {
			backup = filepath.Join(d.dir, filepath.FromSlash(aside(name)))
		}
		s.Backup = backupName(backup, time.Now())
	}
	if err == nil && c.Len() >= InPlaceSize && !d.changedOnDisk(name) { // a patch does not apply to what another program wrote
		n, same := patched(c, base)
		if grows := c.Len() - base.Len(); same && n-grows < InPlacePatch && grows < InPlaceGrow {
			s.InPlace, s.Bytes, s.Backup = true, n, ""
		}
	}
	return s
}

// changedFiles lists the files that differ between two snapshots, in order.
func changedFiles(snap, saved *Snapshot) (out []string) {
	names := append(snap.Edited(), saved.Edited()...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		c, err := snap.Content(name)
		base, baseErr := saved.Content(name)
		switch {
		case err != nil && baseErr != nil:
			continue // made and undone
		case err == nil && baseErr == nil:
			if n, same := patched(c, base); same && n == 0 {
				continue
			}
		}
		out = append(out, name)
	}
	return out
}

// backupName is an unused name for the backup of a file: there may be several saves in one second.
func backupName(path string, now time.Time) string {
	base := path + now.Format(".20060102-150405")
	name := base + ".bak"
	for i := 2; ; i++ {
		if _, err := os.Lstat(name); err != nil {
			return name
		}
		name = fmt.Sprintf("%s-%d.bak", base, i)
	}
}

var backupNames = regexp.MustCompile(`\.\d{8}-\d{6}(-\d+)?\.bak$`)

// IsBackup tells whether a name is that of a backup.
func IsBackup(name string) bool { return backupNames.MatchString(name) }

// patched returns how many bytes of c do not come from base, and whether all others are at the same offset as there. Bytes may be appended,
// but not be derived from bytes that they overwrite, which are gone then.
func patched(c, base *Content) (n int64, inPlace bool) {
	if c.Len() < base.Len() || slices.ContainsFunc(c.pieces, func(p piece) bool { _, made := p.src.(*mappedSource); return made }) {
		return 0, false
	}
	for _, r := range c.Diff(base) {
		grows := r.OldOff+r.Old == base.Len() && r.New > r.Old
		if r.Off != r.OldOff || r.Old != r.New && !grows {
			return 0, false
		}
		n += r.New
	}
	return n, true
}

// Save writes the document's edited files, each either as a new file that replaces the old one or, for small changes of
// large files, in place under a rollback journal. After a failure the file is unchanged, and the document open and edited. What
// was written is read back and compared.
func (d *Document) Save(ctx context.Context, o SaveOptions) ([]Saved, error) {
	return d.save(ctx, o, osDisk{})
}

func (d *Document) save(ctx context.Context, o SaveOptions, fs disk) ([]Saved, error) {
	if d.Remote() && o.Upload && o.Out == "" {
		return d.upload(ctx)
	}
	list, err := d.SavePlan(o)
	if err != nil {
		return nil, err
	}
	var before int64
	still := d.asks(o)
	total, err := free(list, still)
	if err != nil {
		return nil, err
	}
	w := &saver{ctx: ctx, fs: fs, dir: d.dir, like: d.likeness(), still: still, prune: d.Format.dataset().Prune, progress: func(n int64) {
		if o.Progress != nil {
			o.Progress(before+n, total)
		}
	}}
	switch {
	case o.Out != "" && d.isFolder():
		return list, d.saveAll(w, o.Out, &before)
	case o.Out != "":
		return list, d.saveFile(w, &list[0])
	}
	back, err := d.lock()
	if err != nil {
		return nil, fmt.Errorf("%s: not saved: %w", d.Path, err)
	}
	defer back()
	w.aside = d.shelterFile
	d.absent(list)
	one := d.oneStep(list)
	for i, s := range list {
		if slices.Contains(one, s) {
			continue
		}
		if err := d.saveFile(w, &list[i]); err != nil {
			return list[:i], err
		}
		d.written(list[i])
		before += s.Bytes
	}
	if err := d.saveTogether(w, one, &before); err != nil {
		return nil, err
	}
	d.saved = d.Tree.Snapshot
	return list, nil
}

// oneStep is the files that are saved as one transaction: those of the folder if they are several, or if a folder comes or goes with the only one.
func (d *Document) oneStep(list []Saved) []Saved {
	one := slices.DeleteFunc(slices.Clone(list), func(s Saved) bool { return !inside(d.dir, s.File) })
	if len(one) == 1 && !folders(one[0]) {
		return nil
	}
	return one
}

// asks returns a function that detects, before and during a save, that another program changed a file.
func (d *Document) asks(o SaveOptions) func(Saved) error {
	switch {
	case o.Overwrite:
		return func(Saved) error { return nil }
	case o.Out != "":
		return d.stillRead
	}
	return d.still
}

// stillRead is still for files that were read: for others it does not matter when they changed.
func (d *Document) stillRead(s Saved) error {
	if _, _, ok := d.opened(s.File); !ok {
		return nil
	}
	return d.still(s)
}

// free says what prevents files from being saved, and returns their total size.
func free(list []Saved, still func(Saved) error) (total int64, err error) {
	for _, s := range list {
		if err := still(s); err != nil {
			return 0, err
		}
		if Interrupted(s.Path) { // its journal refers to a file that would no longer exist
			return 0, fmt.Errorf("%s: %w", s.Path, errJournal)
		}
		total += s.Bytes
	}
	return total, nil
}

// still is an error if another program changed a file since it was read.
func (d *Document) still(s Saved) error {
	if d.changedOnDisk(s.File) {
		return fmt.Errorf("%s: %w", d.linked(s.File), ErrChanged)
	}
	return nil
}

// saveFile saves one file on its own: the document's, or a copy elsewhere, which is always a new file.
func (d *Document) saveFile(w *saver, s *Saved) error {
	var c *Content
	var err error
	if !s.Deleted {
		if c, err = d.Tree.Snapshot.Content(s.File); err != nil {
			return err
		}
	}
	switch {
	case s.Deleted:
		err = w.remove(*s)
	case s.InPlace:
		d.shelter(s.File, c)
		if err = w.patch(*s, c, d.saved); err != nil && !errors.Is(err, ErrChanged) {
			d.written(*s) // its bytes are restored, but not its time
		}
	default:
		err = w.replace(s, c)
	}
	if err != nil {
		return fmt.Errorf("%s: not saved: %w", s.Path, err)
	}
	return nil
}

// saveTogether saves several files as one transaction.
func (d *Document) saveTogether(w *saver, list []Saved, before *int64) error {
	if len(list) == 0 {
		return nil
	}
	for _, s := range list {
		if c, err := d.Tree.Snapshot.Content(s.File); err == nil && s.InPlace {
			d.shelter(s.File, c)
		}
	}
	err := w.together(list, d.dir, d.Tree.Snapshot, d.saved, before)
	for _, s := range list {
		d.written(s)
	}
	if err != nil {
		return fmt.Errorf("%s: not saved: %w", d.Path, err)
	}
	return nil
}

// written notes the new state of a file on disk. The old mapping stays, because the history contains pieces of it.
func (d *Document) written(s Saved) {
	delete(d.disk, s.File)
	if now, err := stampOf(s.Path); err == nil {
		d.disk[s.File] = now
	}
}
