package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// MaxUpload is how many bytes of a file may be uploaded. What a store copies from its present version does not count.
const MaxUpload = 1 << 30

// ErrNoUpload means that a store, such as a web server, does not accept files.
var ErrNoUpload = errors.New("that place is read-only: save it to disk")

// uploadPlan says which files Save uploads: the changed ones, with those that refer to others last. None is removed.
func (d *Document) uploadPlan() ([]Saved, error) {
	if !d.Writable() {
		return nil, fmt.Errorf("%s: %w", d.Path, ErrNoUpload)
	}
	snap := d.Tree.Snapshot
	var out []Saved
	for _, name := range changedFiles(snap, d.saved) {
		c, err := snap.Content(name)
		if err != nil {
			return nil, fmt.Errorf("%s: files in a remote store are never removed: save a copy to disk", name)
		}
		s := Saved{File: name, Path: d.addressOf(name), Bytes: c.Len()}
		if was, err := d.saved.Content(name); err != nil {
			s.New = true
		} else {
			s.Bytes -= keptLen(keeps(c, was))
		}
		if s.Bytes > MaxUpload {
			return nil, fmt.Errorf("%s: %d MiB would be uploaded, but the limit is %d MiB: save it to disk", name, s.Bytes>>20, MaxUpload>>20)
		}
		out = append(out, s)
	}
	inOrder(out, snap.Primary)
	return out, nil
}

// keeps is the ranges of a content that come from another, in order.
func keeps(c, was *Content) (out []Kept) {
	at, old := int64(0), int64(0)
	for _, r := range append(c.Diff(was), Changed{Off: c.Len(), OldOff: was.Len()}) {
		if r.Off > at {
			out = append(out, Kept{at, old, r.Off - at})
		}
		at, old = r.Off+r.New, r.OldOff+r.Old
	}
	return out
}

func keptLen(list []Kept) (n int64) {
	for _, k := range list {
		n += k.N
	}
	return n
}

// addressOf is the address of a file of the document.
func (d *Document) addressOf(name string) string {
	if d.file == nil {
		return strings.TrimSuffix(d.Path, "/") + "/" + name
	}
	up := strings.Count(d.saved.Primary, "/")
	base := d.Path
	for range up + 1 {
		base = base[:max(0, strings.LastIndexByte(base, '/'))]
	}
	return base + "/" + name
}

// upload writes the changed files, each only if it has not changed since it was read, and compares the result.
func (d *Document) upload(ctx context.Context) ([]Saved, error) {
	list, err := d.uploadPlan()
	if err != nil {
		return nil, err
	}
	for i, s := range list {
		c, err := d.Tree.Snapshot.Content(s.File)
		if err == nil {
			err = d.put(ctx, s, c)
		}
		if err != nil {
			return list[:i], fmt.Errorf("%s: not uploaded: %w", s.Path, err)
		}
	}
	d.saved = d.Tree.Snapshot
	return list, nil
}

func (d *Document) put(ctx context.Context, s Saved, c *Content) error {
	name, u := path.Join(d.storeDir, s.File), Upload{Content: c, Fresh: s.New}
	if was, err := d.saved.Content(s.File); err == nil {
		u.Kept = keeps(c, was)
	}
	failed := d.store.Put(ctx, name, u)
	same, err := d.holds(ctx, name, u) // an answer may have got lost
	switch {
	case err == nil && same:
		return nil
	case failed != nil:
		return failed
	case err != nil:
		return fmt.Errorf("reading it back failed: %w", err)
	}
	return errors.New("the content read back differs from the content written")
}

// readBack is how many kept bytes of a file are read back in addition to everything new.
const readBack = 64 << 10

// holds verifies what a store has: the length, all new bytes, and the beginning and end of what it copied.
func (d *Document) holds(ctx context.Context, name string, u Upload) (bool, error) {
	now, n, err := d.store.Now(name)
	if err != nil || n != u.Len() {
		return false, err
	}
	defer now.Close()
	at := int64(0)
	for _, k := range append(u.Kept, Kept{Off: n}) {
		edge := min(k.N, readBack)
		for _, r := range [][2]int64{{at, k.Off + edge}, {k.Off + k.N - edge, k.Off + k.N}} {
			if same, err := equalBytes(ctx, now, u, r[0], r[1]); !same || err != nil {
				return false, err
			}
		}
		at = k.Off + k.N
	}
	return true, nil
}

// equalBytes compares two files from one offset to another.
func equalBytes(ctx context.Context, x, y io.ReaderAt, from, to int64) (bool, error) {
	a, b := make([]byte, min(1<<20, max(0, to-from))), make([]byte, min(1<<20, max(0, to-from)))
	for ; from < to; from += int64(len(a)) {
		a, b = a[:min(int64(len(a)), to-from)], b[:min(int64(len(a)), to-from)]
		if n, err := x.ReadAt(a, from); n < len(a) {
			return false, errors.Join(err, io.ErrUnexpectedEOF)
		}
		if n, err := y.ReadAt(b, from); n < len(b) {
			return false, errors.Join(err, io.ErrUnexpectedEOF)
		}
		if !bytes.Equal(a, b) || ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	return true, nil
}
