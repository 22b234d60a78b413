package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"time"
)

// MaxRecovery is how many inserted bytes the record of unsaved edits may contain; larger edits are not recorded.
const MaxRecovery = 64 << 20

// Recovery is the record of the unsaved edits of a document, kept beside the settings so that they survive a crash.
type Recovery struct {
	Path  string // of the document
	When  time.Time
	Files []recoveredFile
	file  string // of the record
}

type recoveredFile struct {
	Name    string
	Stamp   Stamp // of the file that the pieces come from
	Deleted bool
	Pieces  []recoveredPiece
}

// recoveredPiece is bytes of the file on disk, or bytes of its own (with Repeat, one byte many times).
type recoveredPiece struct {
	At, Len int64
	Bytes   []byte
	Repeat  bool
}

// recordName is the file of a document's record: one for each path, so that a newer record replaces an older.
func recordName(dir, path string) string {
	h := CRC32.New()
	h.Write([]byte(path))
	return filepath.Join(dir, fmt.Sprintf("%08x-%s.recovery", CRC32.Value(h).Uint(), filepath.Base(path)))
}

// Record writes the document's unsaved edits to a folder, or removes the record if there are none.
func (d *Document) Record(dir string) error { return d.Recording().Write(dir) }

// Recording is the unsaved edits of a document at one moment. It is made where the document is changed, at no cost; any
// worker may write it.
type Recording struct {
	abs, dir    string
	snap, saved *Snapshot
	disk        map[string]Stamp
	turn        int64
	order       *recordOrder
}

// recordOrder prevents an older recording of a document from replacing a newer one.
type recordOrder struct {
	mu      sync.Mutex
	turn    int64 // of the last recording that was made; only where the document is changed
	written int64
}

// Recording returns the present unsaved edits.
func (d *Document) Recording() *Recording {
	d.records.turn++
	return &Recording{d.abs(), d.dir, d.Tree.Snapshot, d.saved, maps.Clone(d.disk), d.records.turn, &d.records}
}

// Unrecord invalidates all recordings made so far: none of them will be written.
func (d *Document) Unrecord() {
	d.records.mu.Lock()
	defer d.records.mu.Unlock()
	d.records.written = d.records.turn
}

// Write writes the edits to a folder, or removes the record if there are none. Its cost depends on the inserted bytes, not on the size of the
// file. It does not replace a newer recording, and a failure leaves the previous record.
func (x *Recording) Write(dir string) error { return x.write(dir, osDisk{}) }

func (x *Recording) write(dir string, fs disk) error {
	x.order.mu.Lock()
	defer x.order.mu.Unlock()
	if x.dir == "" || x.turn <= x.order.written {
		return nil
	}
	x.order.written = x.turn
	name := recordName(dir, x.abs)
	list := changedFiles(x.snap, x.saved)
	if len(list) == 0 {
		err := fs.Remove(name)
		if Missing(err) {
			return nil
		}
		return err
	}
	r := Recovery{Path: x.abs, When: time.Now()}
	room := int64(MaxRecovery)
	for _, file := range list {
		f := recoveredFile{Name: file, Stamp: x.disk[file]}
		if c, err := x.snap.Content(file); err != nil {
			f.Deleted = true
		} else if f.Pieces, err = c.record(realPath(x.dir, file), &room); err != nil {
			return err
		}
		r.Files = append(r.Files, f)
	}
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return putRecord(fs, dir, name, b)
}

// putRecord replaces a record, syncing the new one before the rename. Only its owner may read it.
func putRecord(fs disk, dir, name string, b []byte) error {
	if err := mkdirs(fs, dir, 0o700, fs.SyncDir); err != nil {
		return err
	}
	_ = os.Chmod(dir, 0o700) // an existing folder; if this fails, its files are private anyway
	temp := name + ".new"
	if there(temp) { // left by one that was killed
		if err := fs.Remove(temp); err != nil {
			return err
		}
	}
	f, err := fs.Make(temp)
	if err == nil {
		err = errors.Join(writeAll(f, b), f.Close())
	}
	if err == nil {
		err = fs.Rename(temp, name)
	}
	if err != nil {
		fs.Remove(temp)
		return err
	}
	return fs.SyncDir(dir)
}

func (d *Document) abs() string {
	if p, err := filepath.Abs(d.Path); err == nil {
		return p
	}
	return d.Path
}

// record describes the pieces; those that come from the file at path by their place in it.
func (c *Content) record(path string, room *int64) (out []recoveredPiece, err error) {
	for _, p := range c.pieces {
		if f, ok := p.src.(*File); ok && f.Path == path {
			if now, err := stampOf(f.Path); err == nil && now == f.Stamp {
				out = append(out, recoveredPiece{At: p.at, Len: p.n})
				continue
			}
		}
		if f, ok := p.src.(fill); ok {
			out = append(out, recoveredPiece{Len: p.n, Bytes: []byte{f.b}, Repeat: true})
			continue
		}
		if *room -= p.n; *room < 0 {
			return nil, errors.New("the unsaved edits are too large to record")
		}
		b := make([]byte, p.n)
		if n, err := p.src.ReadAt(b, p.at); int64(n) < p.n {
			return nil, err
		}
		out = append(out, recoveredPiece{Len: p.n, Bytes: b})
	}
	return out, nil
}

// Recoveries lists the records of a folder, the newest first.
func Recoveries(dir string) (out []Recovery) {
	names, _ := filepath.Glob(filepath.Join(dir, "*.recovery"))
	for _, n := range names {
		b, err := os.ReadFile(n)
		var r Recovery
		if err == nil && json.Unmarshal(b, &r) == nil {
			r.file = n
			out = append(out, r)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].When.After(out[j].When) })
	return out
}

// Forget removes the record.
func (r *Recovery) Forget() error { return os.Remove(r.file) }

// Recover applies the recorded edits to a document that was opened again, as one step of its history. It refuses if the file
// is not the one that was edited.
func (d *Document) Recover(ctx context.Context, r *Recovery) error {
	p, err := d.RecoveryPlan(r)
	if err == nil {
		d.Apply(ctx, p, nil)
	}
	return err
}

// outdated tells whether the file at a path is not in the state of a stamp that was recorded; without a stamp any is.
func (s Stamp) outdated(path string) bool {
	if s.Size == 0 && s.ModTime.IsZero() {
		return false
	}
	now, _ := stampOf(path)
	return now.Size != s.Size || !now.ModTime.Equal(s.ModTime)
}

// RecoveryPlan is the recorded edits as a plan.
func (d *Document) RecoveryPlan(r *Recovery) (*Plan, error) {
	p := &Plan{Label: "recovered edits", From: d.Tree.Snapshot, To: d.Tree.Snapshot}
	for _, f := range r.Files {
		if f.Stamp.outdated(d.DiskPath(f.Name)) {
			return nil, fmt.Errorf("%s: %w", f.Name, ErrChanged)
		}
		patch, c := Patch{File: f.Name, Why: "recovered"}, (*Content)(nil)
		if !f.Deleted {
			base, _ := d.saved.Content(f.Name) // nil: there was none
			var ok bool
			if c, ok = recorded(f.Pieces, base); !ok {
				return nil, fmt.Errorf("%s: the record does not fit the file", f.Name)
			}
			if patch.With = (contentSource{c}); base != nil {
				patch.Del = base.Len()
			}
		}
		p.To, p.Patches = p.To.With(f.Name, c), append(p.Patches, patch)
	}
	return p, nil
}

// recorded is the content made of pieces and the original file; nil for a deleted file. ok is false if they do not fit it.
func recorded(list []recoveredPiece, base *Content) (c *Content, ok bool) {
	var pieces []piece
	for _, q := range list {
		switch {
		case q.Repeat && len(q.Bytes) == 1 && q.Len > 0:
			pieces = append(pieces, piece{Fill(q.Bytes[0], q.Len), 0, q.Len})
		case q.Bytes != nil:
			pieces = append(pieces, piece{Memory(q.Bytes), 0, int64(len(q.Bytes))})
		case base == nil || q.At < 0 || q.Len < 0 || q.At > base.Len()-q.Len:
			return nil, false
		default:
			pieces = append(pieces, base.part(nil, q.At, q.At+q.Len)...)
		}
	}
	return join(pieces), true
}
