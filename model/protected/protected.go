// Package protected keeps protection data beside a file or folder on disk, in a file with its name and ".par": it writes them, reports
// differences from them, and restores.
package protected

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"spandrel/model"
	"spandrel/model/protect"
)

// Ext is the extension of protection data.
const Ext = ".par"

// Percent is the default share of all bytes that can be restored.
const Percent = 5

// Beside is the path of the protection data of a file or folder.
func Beside(path string) string { return filepath.Clean(path) + Ext }

// Protection is a file or folder on disk, and its protection data.
type Protection struct {
	Made  time.Time // when the data were written
	data  *protect.Data
	files []protect.Source
	shut  []func() error
}

// Open opens the protection data of a file or folder. The error is fs.ErrNotExist if there are none.
func Open(ctx context.Context, path string) (*Protection, error) {
	st, err := os.Stat(Beside(path))
	if err != nil {
		return nil, err
	}
	p := &Protection{Made: st.ModTime()}
	kept, err := p.open(Beside(path))
	if err != nil {
		return nil, err
	}
	par, err := kept.Content(kept.Primary)
	if err == nil {
		p.data, err = protect.Open(ctx, par, par.Len())
	}
	if err == nil {
		err = p.find(path)
	}
	if err != nil {
		p.Close()
		return nil, fmt.Errorf("%s: %w", Beside(path), err)
	}
	return p, nil
}

func (p *Protection) open(path string) (*model.Snapshot, error) {
	s, shut, err := model.OpenCopy(path)
	if err == nil {
		p.shut = append(p.shut, shut)
	}
	return s, err
}

// Close closes all files; restored content may not be read after it.
func (p *Protection) Close() error {
	var all []error
	for _, shut := range p.shut {
		all = append(all, shut())
	}
	return errors.Join(all...)
}

// find finds the files that are protected.
func (p *Protection) find(path string) error {
	now, err := p.open(path)
	if err != nil {
		return err
	}
	if p.data.Folder() == (now.Primary != "") {
		return errors.New("they belong to something else: one of the two is a folder")
	}
	for _, f := range p.data.Files() {
		name, at := f.Name, filepath.Join(path, filepath.FromSlash(f.Name))
		if !p.data.Folder() {
			name, at = now.Primary, path // which may have been renamed, with them
		}
		x := protect.Source{Name: name}
		c, err := now.Content(name)
		if err != nil && !model.Missing(err) {
			return err
		}
		if err == nil {
			x.Content, x.Size = c, c.Len()
			if st, err := os.Stat(at); err == nil {
				x.Time, x.Changed = st.ModTime(), changed(at)
			}
		}
		p.files = append(p.files, x)
	}
	return nil
}

// Damage is how a protected file differs.
type Damage struct {
	Name      string // relative to the folder; of a file its own
	Size, Was int64  // in bytes, now and when it was protected; Size is -1 where it is missing
	SameTime  bool   // it has the modification time that it had, which a program can set
	Untouched bool   // and no program has written to it since, by the time that only the system sets
}

// Compare reads everything and reports differences from the protected state.
func (p *Protection) Compare(ctx context.Context) (*protect.Report, []Damage, error) {
	r, err := p.data.Compare(ctx, p.files)
	if err != nil {
		return nil, nil, err
	}
	var out []Damage
	for _, x := range r.Files {
		f := p.data.Files()[x.File]
		is := p.files[x.File]
		same := x.Size >= 0 && sameTime(time.Unix(0, f.Time), is.Time)
		out = append(out, Damage{is.Name, x.Size, f.Size, same, same && f.Changed != 0 && f.Changed == is.Changed})
	}
	return r, out, nil
}

// sameTime tells whether two modification times are equal, to the second if either has no fraction: some disks and archives store only whole seconds.
func sameTime(a, b time.Time) bool {
	if a.Nanosecond() == 0 || b.Nanosecond() == 0 {
		a, b = a.Truncate(time.Second), b.Truncate(time.Second)
	}
	return a.Equal(b)
}

// Restore returns the protected content of the files that differ, by name, based on now, which must be what was compared. Each
// is verified by its SHA-256; protect.ErrTooMuch means that more is damaged than can be restored.
func (p *Protection) Restore(ctx context.Context, r *protect.Report, now func(name string) (*model.Content, error)) (map[string]*model.Content, error) {
	made, err := p.data.Restore(ctx, p.files, r)
	if err != nil {
		return nil, err
	}
	out := map[string]*model.Content{}
	for _, x := range r.Files {
		c, err := now(p.files[x.File].Name)
		if model.Missing(err) {
			c, err = model.NewContent(model.Memory(nil)), nil
		}
		if err != nil {
			return nil, err
		}
		size := p.data.Files()[x.File].Size
		for _, run := range protect.Runs(made[x.File]) {
			c = c.Splice(run.Off, max(0, min(int64(len(run.Bytes)), c.Len()-run.Off)), model.Memory(run.Bytes))
		}
		if c.Len() > size {
			c = c.Splice(size, c.Len()-size, nil)
		}
		out[p.files[x.File].Name] = c
	}
	return out, nil
}

// Written is a summary of protection data.
type Written struct {
	Path         string
	Files        int
	Bytes, Taken int64 // that are protected, and that it takes
}

// Write writes the protection data of a file or folder, which can restore up to percent of its bytes. Older ones are replaced when the
// new ones are on disk.
func Write(ctx context.Context, path string, percent int) (*Written, error) {
	p := &Protection{}
	defer p.Close()
	now, err := p.open(path)
	if err != nil {
		return nil, err
	}
	out := &Written{Path: Beside(path)}
	files, err := sources(now, path)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		out.Files, out.Bytes = out.Files+1, out.Bytes+f.Size
	}
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	out.Taken, err = replace(out.Path, st.Mode().Perm()&0o666, func(w io.Writer) error { return protect.Write(ctx, w, files, now.Primary == "", percent) })
	if err == nil {
		err = now.Fault()
	}
	return out, err
}

// sources are the files to protect, with their times.
func sources(now *model.Snapshot, path string) (out []protect.Source, err error) {
	names := []string{now.Primary}
	if now.Primary == "" {
		if names, err = now.Files(); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		at := path
		if now.Primary == "" {
			at = filepath.Join(path, filepath.FromSlash(name))
		}
		st, err := os.Stat(at)
		if err != nil {
			return nil, err
		}
		c, err := now.Content(name)
		if err != nil {
			return nil, err
		}
		if !strings.HasSuffix(name, Ext) || now.Primary != "" {
			out = append(out, protect.Source{Name: name, Content: c, Size: c.Len(), Time: st.ModTime(), Changed: changed(at)})
		}
	}
	return out, nil
}

// replace writes a file that replaces another when it is complete and synced, and returns its length.
func replace(path string, mode os.FileMode, write func(io.Writer) error) (n int64, err error) {
	f, err := model.CreateBeside(path)
	if err != nil {
		return 0, err
	}
	err = write(f)
	if st, e := f.Stat(); e == nil {
		n = st.Size()
	}
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return n, err
}

// Save saves a document. Protection data beside it are rewritten afterwards if it agreed with them before or does so now;
// otherwise they stay, because damage may be restored from them. stale says why they are of an older state; "" if they are not.
func Save(ctx context.Context, d *model.Document, o model.SaveOptions) (saved []model.Saved, stale string, err error) {
	percent, same := 0, false
	if o.Out == "" && !d.InMemory() {
		percent, same = agrees(ctx, d.Path)
	}
	if saved, err = d.Save(ctx, o); err != nil || percent == 0 {
		return saved, "", err
	}
	if !same {
		if _, same = agrees(ctx, d.Path); !same {
			return saved, Beside(d.Path) + " is out of date and was kept: the file was damaged or changed before it was saved", nil
		}
	}
	if _, err := Write(ctx, d.Path, percent); err != nil {
		stale = "the protection data is out of date: " + err.Error()
	}
	return saved, stale, nil
}

// agrees tells whether a file or folder is in its protected state, and with how much parity; 0 if it has no readable protection data.
func agrees(ctx context.Context, path string) (percent int, same bool) {
	p, err := Open(ctx, path)
	if err != nil {
		return 0, false
	}
	defer p.Close()
	r, _, err := p.Compare(ctx)
	return p.data.Percent(), err == nil && r.Same()
}
