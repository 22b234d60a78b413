// Package remote opens files and folders that are in object stores or on web servers by their addresses, and reads no more of them than is
// looked at:
//
//	s3://BUCKET/KEY      Amazon S3 and what speaks its language
//	gs://BUCKET/KEY      Google Cloud Storage
//	az://CONTAINER/KEY   Azure Blob Storage
//	https://HOST/PATH    any server, which need not list folders
//	hf://OWNER/REPO/PATH the Hugging Face hub, datasets/OWNER/REPO too
//
// Credentials come from where each store's own tools look for them; without any, what is public can be read. They are neither stored nor logged.
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
	"strings"
	"sync/atomic"
	"time"

	"spandrel/model"
)

// Is tells whether a path is an address of this package.
func Is(path string) bool {
	scheme, _, ok := strings.Cut(path, "://")
	return ok && schemes[strings.ToLower(scheme)] != nil
}

// schemes are the kinds of addresses: each makes the bucket of an address, and says under which name in it the file is.
var schemes = map[string]func(ctx context.Context, u *url.URL) (b bucket, name string, err error){
	"http": web, "https": web, "hf": hub, "s3": amazon, "gs": google, "az": azure,
}

// A bucket is a store as its client gives it. Names are whole, without a slash in front.
type bucket interface {
	// get reads n bytes from off on, of the state that has the tag ("" for any). With n 0 it reads nothing. size and the like are those of the object.
	get(ctx context.Context, name string, off, n int64, tag string) (io.ReadCloser, object, error)
	// list returns the entries below a prefix, which is "" or ends in a slash, up to most; more tells that there are others, or that it cannot say.
	list(ctx context.Context, prefix string, most int) (list []model.Entry, more bool, err error)
}

// object is what a store says of a file.
type object struct {
	size int64
	time time.Time
	tag  string // names the state: the ETag or the generation
}

// ErrReplaced says that an object is another than when it was opened.
var ErrReplaced = errors.New("it was replaced while it was open: open it again")

// Open opens the file or folder of an address as a document.
func Open(ctx context.Context, address string, formats []*model.Format, force *model.Format) (*model.Document, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Shown(address), errors.Unwrap(err))
	}
	make := schemes[u.Scheme]
	if make == nil {
		return nil, fmt.Errorf("%s: no store is known for %s", Shown(address), u.Scheme)
	}
	b, name, err := make(ctx, u)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Shown(address), err)
	}
	name = strings.Trim(name, "/")
	if name == "" {
		name = "."
	}
	s := &store{ctx: context.WithoutCancel(ctx), bucket: b, at: u.Scheme + "://" + u.Host}
	d, err := model.OpenIn(ctx, s, name, Shown(address), formats, force)
	if err != nil {
		return nil, plain(Shown(address), err)
	}
	return d, nil
}

// plain names the address in front of an error once.
func plain(address string, err error) error {
	if strings.HasPrefix(err.Error(), address) {
		return err
	}
	return fmt.Errorf("%s: %w", address, err)
}

// Shown is an address without what may be secret: a name and password, and the query, which may be a signature.
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

// store is a bucket as a document sees it.
type store struct {
	ctx    context.Context
	bucket bucket
	at     string // the beginning of its addresses, for the cache
}

// mostListed is how many entries of a folder are read.
const mostListed = model.MaxEntries

func (s *store) List(dir string) ([]model.Entry, bool, error) {
	prefix := dir + "/"
	if dir == "." {
		prefix = ""
	}
	var list []model.Entry
	more := false
	err := persist(s.ctx, func() (err error) { list, more, err = s.bucket.list(s.ctx, prefix, mostListed); return err })
	for i := range list {
		list[i].Name = path.Join(prefix, path.Base(list[i].Name))
	}
	return list, more, unreachable(err)
}

func (s *store) Stat(name string) (model.Stamp, error) {
	o, err := s.stat(name)
	return model.Stamp{Size: o.size, ModTime: o.time}, err
}

func (s *store) stat(name string) (o object, err error) {
	err = persist(s.ctx, func() error {
		r, is, err := s.bucket.get(s.ctx, name, 0, 0, "")
		if err == nil {
			r.Close()
		}
		o = is
		return err
	})
	return o, unreachable(err)
}

// Open reads the beginning of a file with its size: it is looked at anyway.
func (s *store) Open(name string) (model.Reader, model.Stamp, error) {
	if name == "." {
		return nil, model.Stamp{}, fs.ErrNotExist
	}
	first := make([]byte, blockSize)
	var o object
	n := 0
	err := persist(s.ctx, func() error {
		r, is, err := s.bucket.get(s.ctx, name, 0, blockSize, "")
		if err != nil {
			return err
		}
		defer r.Close()
		o = is
		n, err = io.ReadFull(r, first[:min(blockSize, is.size)])
		return err
	})
	if err != nil {
		return nil, model.Stamp{}, unreachable(err)
	}
	spent.bytes.Add(int64(n))
	f := newFile(s, name, o)
	f.put(0, first[:n])
	return f, model.Stamp{Size: o.size, ModTime: o.time}, nil
}

// unreachable is an error as model takes it: a file that is not there is an answer, and everything else is none.
func unreachable(err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fmt.Errorf("%w: %w", model.ErrUnreachable, err)
}

// spent is what was asked of all stores.
var spent struct{ requests, bytes atomic.Int64 }

// Spent returns how many requests were made to stores, and how many bytes came back.
func Spent() (requests, bytes int64) { return spent.requests.Load(), spent.bytes.Load() }

// env is the first of some variables of the environment that is set.
func env(names ...string) string {
	for _, n := range names {
		if v := os.Getenv(n); v != "" {
			return v
		}
	}
	return ""
}
