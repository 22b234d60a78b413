package ui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"spandrel/model"
	"spandrel/model/remote"
	"spandrel/ui/show"
)

// Files of object stores and web servers are opened by their addresses, and no more of them is read than is looked at.

// askAddress asks for an address and opens what it names.
func (o *opener) askAddress() {
	o.wb.Ask("Open an address", "s3://BUCKET/KEY, gs://BUCKET/KEY, az://CONTAINER/KEY, https://… or hf://OWNER/REPO/PATH", "", func(text string, done func(error)) {
		if !remote.Is(text) {
			done(errors.New("This is no address of a store or server that Spandrel can read."))
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

// traffic is what was asked of stores, for the line below everything; "" where the document is of the disk.
func traffic(d *tab) string {
	if !d.Model.Remote() {
		return ""
	}
	requests, bytes, _ := remote.Spent()
	return fmt.Sprintf("%s, %s read", model.Count(requests, "requests"), show.Size(bytes))
}
