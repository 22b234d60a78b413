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

// Files in object stores and on web servers are opened by address, and only the parts that are looked at are read.

// askAddress asks for an address and opens what it names.
func (o *opener) askAddress() {
	o.wb.Ask("Open an address", "Open", "s3://BUCKET/KEY, gs://BUCKET/KEY, az://CONTAINER/KEY, https://… or hf://OWNER/REPO/PATH", "", func(text string, done func(error)) {
		if !remote.Is(text) {
			done(errors.New("This is not an address."))
			return
		}
		done(nil)
		o.show(remote.Path(text))
	})
}

// absolute is the absolute form of a path; an address is returned unchanged.
func absolute(path string) string {
	if remote.Is(path) {
		return path
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// opened opens a document on disk, or at an address.
func opened(ctx context.Context, path string, formats []*model.Format, force *model.Format) (*model.Document, error) {
	if remote.Is(path) {
		life, end := context.WithCancel(context.WithoutCancel(ctx)) // of the document, which outlives the job that opens it
		defer context.AfterFunc(ctx, end)()
		return remote.Open(life, path, formats, force)
	}
	return model.Open(ctx, path, formats, force)
}

// askUpload says which objects of a store will be written, and writes them. Afterwards the new objects are read.
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

// readable is an error if a file or an address cannot be read.
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

// traffic is the number of requests and bytes for the status bar; "" if the document is on disk.
func traffic(d *tab) string {
	if !d.Model.Remote() {
		return ""
	}
	requests, bytes, _ := remote.Spent()
	return fmt.Sprintf("%s, %s read", model.Count(requests, "requests"), show.Size(bytes))
}
