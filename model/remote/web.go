package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"spandrel/model"
)

// counting counts the requests of every client, and what they send.
type counting struct{ http.RoundTripper }

func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	spent.requests.Add(1)
	spent.sent.Add(max(0, r.ContentLength))
	return c.RoundTripper.RoundTrip(r)
}

// transport is that of every client.
var transport = counting{func() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	dial := t.DialContext
	t.DialContext = func(ctx context.Context, network, at string) (net.Conn, error) {
		c, err := dial(ctx, network, at)
		return heard{c}, err
	}
	t.MaxIdleConnsPerHost = openedAhead // which is the most that run at once
	return t
}()}

// silence is how long a server may send nothing, also in the middle of an answer.
var silence = 30 * time.Second

// heard is a connection to a server: if that is silent a request fails, so that it can be repeated.
type heard struct{ net.Conn }

func (c heard) Read(p []byte) (int, error) {
	c.SetReadDeadline(time.Now().Add(silence))
	return c.Conn.Read(p)
}

func (c heard) Write(p []byte) (int, error) {
	c.SetReadDeadline(time.Now().Add(silence)) // it need not answer before it has heard everything
	return c.Conn.Write(p)
}

// site is a web server.
type site struct {
	client *http.Client
	base   url.URL // without a path; its query goes with every request, as it may be a signature
	header http.Header
}

func web(_ context.Context, u *url.URL) (bucket, string, error) {
	s := &site{client: &http.Client{Transport: transport}, base: *u, header: http.Header{}}
	name := u.Path
	s.base.Path, s.base.RawPath, s.base.Fragment = "", "", ""
	return s, name, nil
}

// get requests a part; n 0 requests one byte, because an address signed for GET is refused for HEAD.
func (s *site) get(ctx context.Context, name string, off, n int64, tag string) (io.ReadCloser, object, error) {
	to := s.base
	to.Path = "/" + name
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return nil, object{}, final{err}
	}
	r.Header = s.header.Clone()
	r.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", off, off+max(n, 1)-1))
	if strings.HasPrefix(tag, `"`) {
		r.Header.Set("If-Match", tag)
	}
	return s.part(r, off, tag)
}

// errFolder means that a server, perhaps after a redirection, answered with a page about a folder.
var errFolder = errors.New("this is a folder, and a web server does not list its files: give the address of a file, or download the folder")

// mostSkipped is how much of a file is read and dropped if a server does not support ranges.
const mostSkipped = 64 << 20

// part makes a request for a part of a file.
func (s *site) part(r *http.Request, off int64, tag string) (io.ReadCloser, object, error) {
	a, err := s.do(r)
	if err != nil {
		return nil, object{}, err
	}
	failed := func(err error) (io.ReadCloser, object, error) {
		a.Body.Close()
		return nil, object{}, err
	}
	o := object{size: a.ContentLength, tag: tagOf(a.Header)}
	o.time, _ = http.ParseTime(a.Header.Get("Last-Modified"))
	_, total, ranged := strings.Cut(a.Header.Get("Content-Range"), "/")
	if ranged {
		o.size, err = strconv.ParseInt(total, 10, 64)
	}
	switch {
	case a.StatusCode == http.StatusRequestedRangeNotSatisfiable && err == nil && (ranged || off == 0): // an empty file may not even have a size
		a.Body.Close()
		if !ranged {
			o.size = 0
		}
		return io.NopCloser(strings.NewReader("")), o, nil
	case a.StatusCode >= 300:
		return failed(answer(a.StatusCode, a.Status))
	case strings.HasSuffix(a.Request.URL.Path, "/") && strings.HasPrefix(a.Header.Get("Content-Type"), "text/html"):
		return failed(final{errFolder})
	case err != nil || o.size < 0:
		return failed(final{errors.New("the server does not say how long the file is")})
	case tag != "" && o.tag != tag:
		return failed(ErrReplaced)
	case a.StatusCode != http.StatusOK || off == 0:
		return a.Body, o, nil
	case off > mostSkipped:
		return failed(final{errors.New("the server cannot send parts of files: download the file")})
	}
	if _, err := io.CopyN(io.Discard, a.Body, off); err != nil {
		return failed(err)
	}
	return a.Body, o, nil
}

// do makes a request.
func (s *site) do(r *http.Request) (*http.Response, error) {
	a, err := s.client.Do(r)
	return a, bare(err)
}

// bare is an error of a client without the address, which may hold a signature or a password.
func bare(err error) error {
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// maxPage is the largest page of a list.
const maxPage = 8 << 20

// ask makes a request whose answer is JSON, and returns its headers.
func (s *site) ask(r *http.Request, to any) (http.Header, error) {
	a, err := s.do(r)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	if err := answer(a.StatusCode, a.Status); err != nil {
		return nil, err
	}
	return a.Header, json.NewDecoder(io.LimitReader(a.Body, maxPage)).Decode(to)
}

// tagOf is the state of a file according to the headers of an answer.
func tagOf(h http.Header) string {
	if tag := h.Get("X-Goog-Generation"); tag != "" {
		return tag
	}
	if tag := h.Get("ETag"); tag != "" {
		return tag
	}
	return h.Get("Last-Modified")
}

// list knows nothing: web servers have no folders.
func (s *site) list(context.Context, string, bool, int) ([]model.Entry, bool, error) {
	return nil, true, nil
}

func (s *site) put(context.Context, string, []byte, string) error { return model.ErrNoUpload }

func (s *site) begin(context.Context, string, int64, int, string) (assembly, int, error) {
	return nil, 0, final{model.ErrNoUpload}
}
