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

// MaxUpload is how long a file may be that is written to a store: a store takes files as a whole.
const MaxUpload = 64 << 20

// ErrNoUpload says that a store, such as a web server, takes no files.
var ErrNoUpload = errors.New("nothing can be written there: save it to the disk")

// uploadPlan says which files of a store Save writes: those that changed, what refers to others behind them. None is removed.
func (d *Document) uploadPlan() ([]Saved, error) {
	snap := d.Tree.Snapshot
	var out []Saved
	for _, name := range changedFiles(snap, d.saved) {
		c, err := snap.Content(name)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: files of a store are not removed: save a copy to the disk", name)
		case c.Len() > MaxUpload:
			return nil, fmt.Errorf("%s: it is longer than %d MiB, and would be uploaded as a whole: save it to the disk", name, MaxUpload>>20)
		}
		_, gone := d.saved.Content(name)
		out = append(out, Saved{File: name, Path: d.addressOf(name), Bytes: c.Len(), New: gone != nil})
	}
	inOrder(out, snap.Primary)
	return out, nil
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

// upload writes the changed files, each if it is still as it was read, and compares what the store has then.
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
	b := make([]byte, c.Len())
	if n, err := c.ReadAt(b, 0); n < len(b) {
		return errors.Join(err, io.ErrUnexpectedEOF)
	}
	name := path.Join(d.storeDir, s.File)
	failed := d.store.Put(ctx, name, b, s.New)
	if errors.Is(failed, ErrNoUpload) {
		return failed
	}
	now, err := d.store.Get(ctx, name, int64(len(b))+1) // an answer may have got lost
	switch {
	case err == nil && bytes.Equal(now, b):
		return nil
	case failed != nil:
		return failed
	case err != nil:
		return fmt.Errorf("it could not be read back: %w", err)
	}
	return errors.New("what was read back differs from what was written")
}
