// Package remote opens files and folders in object stores and on web servers by address, and reads only what
// is needed:
//
//	s3://BUCKET/KEY      Amazon S3 and compatible stores
//	gs://BUCKET/KEY      Google Cloud Storage
//	az://CONTAINER/KEY   Azure Blob Storage
//	https://HOST/PATH    any web server, without listing folders
//	hf://OWNER/REPO/PATH the Hugging Face hub, datasets/OWNER/REPO/PATH too
//
// Credentials come from the usual places of each store's own tools; without any, public data can be read. They are neither stored nor logged.
package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"spandrel/model"
)

// Is tells whether a path is an address, although its store may not be supported.
func Is(path string) bool { return addresses.MatchString(path) }

var addresses = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+://`)

// Paths is Path of each.
func Paths(list []string) (out []string) {
	for _, path := range list {
		out = append(out, Path(path))
	}
	return out
}

// Path is the path that an address of a local file names; everything else is returned unchanged.
func Path(path string) string {
	if u, err := url.Parse(path); err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") {
		if filepath.VolumeName(strings.TrimPrefix(u.Path, "/")) != "" { // file:///C:/x
			return filepath.FromSlash(u.Path[1:])
		}
		return filepath.FromSlash(u.Path)
	}
	return path
}

// schemes are the kinds of addresses: each makes the bucket of an address, and the name of the file in it.
var schemes = map[string]func(ctx context.Context, u *url.URL) (b bucket, name string, err error){
	"http": web, "https": web, "hf": openHub, "s3": amazon, "gs": google, "az": azure,
}

// A bucket is a store as its client provides it. Names are complete, without a leading slash.
type bucket interface {
	// get reads n bytes from off on, in the state with the tag ("" for any). With n 0 it reads nothing. size and the other properties are those of the object.
	get(ctx context.Context, name string, off, n int64, tag string) (io.ReadCloser, object, error)
	// list returns the entries of a folder, whose prefix is "" or ends in a slash, by their complete names, up to about most; with deep, those of the sub-folders
	// too, and then only files. more means that there are others, or that this is unknown.
	list(ctx context.Context, prefix string, deep bool, most int) (list []model.Entry, more bool, err error)
	// put writes a whole object, if it has the tag; with "" only if there is none of that name. ErrReplaced means that there is another.
	put(ctx context.Context, name string, b []byte, tag string) error
	// begin starts a put of an object of size bytes in so many parts, several at a time.
	begin(ctx context.Context, name string, size int64, parts int, tag string) (a assembly, lanes int, err error)
}

// object is what a store says of a file.
type object struct {
	size int64
	time time.Time
	tag  string // names the state: the ETag or the generation
}

// ErrReplaced means that an object has changed since it was opened.
var ErrReplaced = errors.New("it was replaced while it was open: open it again")

// Open opens the file or folder of an address as a document, which can be read until ctx ends.
func Open(ctx context.Context, address string, formats []*model.Format, force *model.Format) (*model.Document, error) {
	s, name, err := find(ctx, address)
	if err != nil {
		return nil, plain(Shown(address), err)
	}
	d, err := model.OpenIn(ctx, s, name, Shown(address), formats, force)
	if err != nil {
		return nil, plain(Shown(address), err)
	}
	return d, nil
}

// OpenCopy is model.OpenCopy of an address.
func OpenCopy(ctx context.Context, address string) (*model.Snapshot, func() error, error) {
	s, name, err := find(ctx, address)
	if err != nil {
		return nil, nil, plain(Shown(address), err)
	}
	snap, shut, err := model.OpenCopyIn(s, name)
	if err != nil {
		return nil, nil, plain(Shown(address), err)
	}
	return snap, shut, nil
}

// List returns what is in a folder, each by its address; more tells that there are others.
func List(ctx context.Context, address string) (list []model.Entry, more bool, err error) {
	s, name, err := find(ctx, address)
	if err == nil {
		list, more, err = s.List(name)
	}
	if err != nil {
		return nil, false, plain(Shown(address), err)
	}
	u, err := url.Parse(address)
	for i := range list {
		list[i].Name = u.JoinPath(path.Base(list[i].Name)).String()
	}
	return list, more, err
}

// find returns the store of an address, and the name in it.
func find(ctx context.Context, address string) (*store, string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, "", bare(err)
	}
	open := schemes[u.Scheme]
	if open == nil {
		return nil, "", fmt.Errorf("%s:// is not supported; s3://, gs://, az://, https:// and hf:// are", u.Scheme)
	}
	b, name, err := open(ctx, u)
	if name = strings.Trim(name, "/"); name == "" {
		name = "."
	}
	at := u.Scheme + "://" + u.Host
	if h, ok := b.(*hub); ok {
		at = h.base.String() + "/" + h.files
	}
	return newStore(ctx, b, at), name, err
}

// plain names the address in front of an error once.
func plain(address string, err error) error {
	if strings.HasPrefix(err.Error(), address) {
		return err
	}
	return fmt.Errorf("%s: %w", address, err)
}

// Shown is an address without possible secrets: a name and password, and the query, which may be a signature.
func Shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		scheme, rest, _ := strings.Cut(address, "://")
		rest, _, _ = strings.Cut(rest, "?")
		return scheme + "://" + rest[strings.LastIndex(rest, "@")+1:]
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// unreachable is an error for package model: a missing file is an answer, everything else means that the store is unreachable.
func unreachable(err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fmt.Errorf("%w: %w", model.ErrUnreachable, err)
}

// spent counts the requests to all stores, and their bytes.
var spent struct{ requests, bytes, sent atomic.Int64 }

// Spent returns the number of requests to stores, of bytes received, and of bytes sent.
func Spent() (requests, bytes, sent int64) {
	return spent.requests.Load(), spent.bytes.Load(), spent.sent.Load()
}

// env is the first set variable of some environment variables.
func env(names ...string) string {
	for _, n := range names {
		if v := os.Getenv(n); v != "" {
			return v
		}
	}
	return ""
}
