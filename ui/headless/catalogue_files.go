package headless

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"spandrel/model"
	"spandrel/model/cause"
)

// extent is the files of a document, their total size, and the latest modification.
type extent struct {
	names   []string // in order, relative to the folder that they are in
	size    int64
	changed time.Time
	folder  string // that names are relative to
}

// extentOf asks the disk for the files of a document: all files of a folder that is one document, otherwise those that were opened. For a remote
// document only the sizes are known.
func extentOf(ctx context.Context, d *model.Document, path string) (x extent, err error) {
	if d.Format != nil && d.Format.Whole() && !d.Remote() && isFolder(path) {
		x.folder = path
		return x, x.addAll(ctx)
	}
	x.folder = d.DiskPath(".")
	for _, s := range d.Tree.Spaces() {
		if s.Derived() || slices.Contains(x.names, s.File) {
			continue
		}
		if d.Remote() {
			n, _ := d.Tree.Size(ctx, s.ID)
			x.names, x.size = append(x.names, s.File), x.size+n
		} else if st, err := os.Stat(d.DiskPath(s.File)); err == nil { // what is missing is said by the check
			x.add(s.File, st)
		}
	}
	if len(x.names) == 0 && !d.Remote() && isFolder(path) { // a folder of which only the list of files was read, such as a TileDB group
		x.folder = path
		return x, x.addAll(ctx)
	}
	slices.Sort(x.names)
	return x, nil
}

func (x *extent) add(name string, st fs.FileInfo) {
	x.names, x.size = append(x.names, name), x.size+st.Size()
	if st.ModTime().After(x.changed) {
		x.changed = st.ModTime()
	}
}

// addAll adds the files of the folder and its sub-folders, except backups.
func (x *extent) addAll(ctx context.Context) error {
	return filepath.WalkDir(x.folder, func(at string, e fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil || !e.Type().IsRegular() || model.IsBackup(e.Name()) {
			return errors.Join(err, ctx.Err())
		}
		name, err := filepath.Rel(x.folder, at)
		st, failed := e.Info()
		if err == nil && failed == nil {
			x.add(filepath.ToSlash(name), st)
		}
		return errors.Join(err, failed)
	})
}

// modified is the time of the latest modification as written in rows; "" if unknown.
func (x extent) modified() string { return stamp(x.changed) }

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// ends is how many bytes at either end of a large file are part of a fingerprint.
const ends = 64 << 10

// fingerprint is the same for documents with the same bytes, wherever they are. For a single file it is its SHA-256; for several, that of a line
// for each with its SHA-256 and name, as printed by sha256sum. Beyond 16 MiB, unless everything is wanted, only both ends of each file and
// its size are hashed, which the first word says.
func (x extent) fingerprint(ctx context.Context, all bool) (string, error) {
	kind := "sha256"
	if all = all || x.size <= cause.DefaultLarge; !all {
		kind = "ends"
	}
	sum := sha256.New()
	for _, name := range x.names {
		one, err := hashed(ctx, filepath.Join(x.folder, filepath.FromSlash(name)), all)
		if err != nil {
			return "", err
		}
		if len(x.names) == 1 {
			return kind + ":" + one, nil
		}
		fmt.Fprintf(sum, "%s  %s\n", one, name)
	}
	return kind + ":" + hex.EncodeToString(sum.Sum(nil)), nil
}

func hashed(ctx context.Context, path string, all bool) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !st.Mode().IsRegular() {
		return "", fmt.Errorf("%s: it is no longer a file", path)
	}
	var in io.Reader = f
	if n := st.Size(); !all && n > 2*ends {
		in = io.MultiReader(io.NewSectionReader(f, 0, ends), io.NewSectionReader(f, n-ends, ends))
	}
	sum, buf := sha256.New(), make([]byte, min(1<<20, max(st.Size(), 512)))
	for err == nil && ctx.Err() == nil {
		var n int
		n, err = in.Read(buf)
		sum.Write(buf[:n])
	}
	if err != nil && err != io.EOF {
		return "", err
	}
	if !all {
		fmt.Fprint(sum, st.Size())
	}
	return hex.EncodeToString(sum.Sum(nil)), ctx.Err()
}
