package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"spandrel/model"
	"spandrel/model/remote"
	"spandrel/ui/kit"
	"spandrel/ui/show"
)

// Files of object stores and web servers are opened by their addresses, and no more of them is read than is looked at.

// askAddress asks for an address and opens what it names.
func (o *opener) askAddress() {
	o.wb.Ask("Open an address", "s3://BUCKET/KEY, gs://BUCKET/KEY, az://CONTAINER/KEY, https://… or hf://OWNER/REPO/PATH", "", func(text string, done func(error)) {
		if !remote.Is(text) {
			done(errors.New("Spandrel cannot read from this kind of address."))
			return
		}
		done(nil)
		o.show(text)
	})
}

// absolute is a path from the root on; an address stays what it is.
func absolute(path string) string {
	if remote.Is(path) {
		return path
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// opened opens a document of the disk, or of an address.
func opened(ctx context.Context, path string, formats []*model.Format, force *model.Format) (*model.Document, error) {
	if remote.Is(path) {
		return remote.Open(ctx, path, formats, force)
	}
	return model.Open(ctx, path, formats, force)
}

// askUpload says which objects of a store will be written, and writes them. What is read afterwards is what the store has then.
func (s *saver) askUpload(d *tab, o model.SaveOptions, list []model.Saved) {
	var lines []string
	for _, f := range list {
		how := show.Size(f.Bytes) + " change, and the object is replaced, unless it has been replaced in the meantime"
		if f.New {
			how = "a new object of " + show.Size(f.Bytes) + ", unless one with that name exists"
		}
		lines = append(lines, f.Path+"\n    "+how)
	}
	text := strings.Join(lines, "\n") + "\nAfterwards every object is read back, and the document is reopened: its edits can then no longer be undone."
	s.wb.Shell.Box("Upload", kit.TextOf(text+warning(d)), kit.Question, "Cancel", nil, "Save as…", func() { s.askAs(d) }, "Upload", func() {
		s.save(d, o, func() { s.wb.disk.reopen(d) })
	})
}

// readable tells why a file or an address cannot be read; nil: it can.
func readable(ctx context.Context, path string) error {
	if !remote.Is(path) {
		f, err := os.Open(path)
		if err == nil {
			err = f.Close()
		}
		return err
	}
	_, shut, err := remote.OpenCopy(ctx, path)
	if err == nil {
		err = shut()
	}
	return err
}

// traffic is what was asked of stores, for the line below everything; "" where the document is of the disk.
func traffic(d *tab) string {
	if !d.Model.Remote() {
		return ""
	}
	requests, bytes, _ := remote.Spent()
	return fmt.Sprintf("%s, %s read", model.Count(requests, "requests"), show.Size(bytes))
}
