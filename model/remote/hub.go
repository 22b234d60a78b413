package remote

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"

	"spandrel/model"
)

// hub is a repository of the Hugging Face hub: hf://OWNER/REPO/PATH, or hf://datasets/OWNER/REPO/PATH, with OWNER/REPO@REVISION for a revision other than
// main. Files are read from their addresses as on any web server; the hub's API lists folders.
type hub struct {
	site
	files string // before the path of a file
	tree  string // before the path of a folder
}

func openHub(ctx context.Context, u *url.URL) (bucket, string, error) {
	parts := strings.SplitN(strings.TrimSuffix(u.Host+u.Path, "/"), "/", 4)
	kind := ""
	if parts[0] == "datasets" || parts[0] == "spaces" {
		kind, parts = parts[0], parts[1:]
	}
	if len(parts) < 2 || parts[0] == "" || parts[1] == "" {
		return nil, "", errors.New("a hub address is hf://OWNER/REPO or hf://datasets/OWNER/REPO, optionally followed by a path")
	}
	at := env("HF_ENDPOINT")
	if at == "" {
		at = "https://huggingface.co"
	}
	repo, revision, ok := strings.Cut(parts[1], "@")
	if !ok {
		revision = "main"
	}
	to, err := url.Parse(at)
	if err != nil {
		return nil, "", err
	}
	s, _, err := web(ctx, to)
	if err != nil {
		return nil, "", err
	}
	b := &hub{site: *s.(*site), files: path.Join(kind, parts[0], repo, "resolve", revision)}
	b.tree = path.Join("api", cmp.Or(kind, "models"), parts[0], repo, "tree", revision)
	if token := env("HF_TOKEN"); token != "" {
		b.header.Set("Authorization", "Bearer "+token)
	}
	return b, path.Join(parts[2:]...), nil
}

func (b *hub) get(ctx context.Context, name string, off, n int64, tag string) (io.ReadCloser, object, error) {
	return b.site.get(ctx, b.files+"/"+name, off, n, tag)
}

// hubEntry is a file or folder as the hub's interface gives it.
type hubEntry struct {
	Type string // file or directory
	Path string
	Size int64
	LFS  struct{ Size int64 } // of a file that is kept apart
}

func (b *hub) list(ctx context.Context, prefix string, deep bool, most int) (out []model.Entry, more bool, err error) {
	to := b.base
	to.Path = "/" + path.Join(b.tree, prefix)
	if deep {
		to.RawQuery = "recursive=true"
	}
	for next := &to; next != nil; {
		if len(out) >= most {
			return out, true, nil
		}
		var page []hubEntry
		page, next, err = b.page(ctx, next)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, false, nil // it is no folder
		} else if err != nil {
			return nil, false, err
		}
		for _, e := range page {
			if e.Type == "file" {
				size := max(e.Size, e.LFS.Size)
				out = append(out, model.Entry{Name: e.Path, Size: size, Regular: true, Stamp: model.Stamp{Size: size}})
			} else if e.Type == "directory" && !deep {
				out = append(out, model.Entry{Name: e.Path, Dir: true})
			}
		}
	}
	return out, false, nil
}

// nextPage is the address of the next page of a list, from the header of an answer.
var nextPage = model.Pattern(`<([^>]*)>;[^,]*rel="?next"?`)

// page reads a page of a list, and returns the address of the next; nil for the last.
func (b *hub) page(ctx context.Context, at *url.URL) (list []hubEntry, next *url.URL, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, nil, final{err}
	}
	r.Header = b.header.Clone()
	header, err := b.ask(r, &list)
	if err != nil {
		return nil, nil, err
	}
	if m := nextPage().FindStringSubmatch(header.Get("Link")); m != nil {
		if next, err = at.Parse(m[1]); err != nil || next.Host != at.Host || next.Scheme != at.Scheme || *next == *at {
			return nil, nil, final{errors.New("the next page of the hub's file list is invalid")}
		}
	}
	return list, next, nil
}
