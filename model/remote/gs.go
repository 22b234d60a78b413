package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"
	auth "golang.org/x/oauth2/google"

	"spandrel/model"
)

// gs is a bucket of Google Cloud Storage, by its JSON interface.
type gs struct {
	site
	bucket string
}

// google uses the application's default credentials; without any, requests are not signed. STORAGE_EMULATOR_HOST is another server, as in the
// tools of Google.
func google(ctx context.Context, u *url.URL) (bucket, string, error) {
	b := &gs{site{client: &http.Client{Transport: transport}, base: url.URL{Scheme: "https", Host: "storage.googleapis.com"}, header: http.Header{}}, u.Host}
	if at := env("STORAGE_EMULATOR_HOST"); at != "" {
		if !strings.Contains(at, "://") {
			at = "http://" + at
		}
		to, err := url.Parse(at)
		if err != nil {
			return nil, "", err
		}
		b.base = url.URL{Scheme: to.Scheme, Host: to.Host}
		return b, u.Path, nil
	}
	if found, err := auth.FindDefaultCredentials(ctx, "https://www.googleapis.com/auth/devstorage.read_write"); err == nil {
		b.client.Transport = &oauth2.Transport{Source: found.TokenSource, Base: transport}
	}
	return b, u.Path, nil
}

// address is that of an object, or of all.
func (b *gs) address(name string, query url.Values) string {
	to := b.base.String() + "/storage/v1/b/" + url.PathEscape(b.bucket) + "/o"
	if name != "" {
		to += "/" + url.PathEscape(name)
	}
	return to + "?" + query.Encode()
}

func (b *gs) get(ctx context.Context, name string, off, n int64, tag string) (io.ReadCloser, object, error) {
	query := url.Values{"alt": {"media"}}
	if tag != "" {
		query.Set("ifGenerationMatch", tag)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.address(name, query), nil)
	if err != nil {
		return nil, object{}, final{err}
	}
	r.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", off, off+max(n, 1)-1))
	return b.part(r, off, "")
}

func (b *gs) list(ctx context.Context, prefix string, deep bool, most int) (out []model.Entry, more bool, err error) {
	query := url.Values{"prefix": {prefix}, "maxResults": {"1000"}, "fields": {"prefixes,items(name,size,updated),nextPageToken"}}
	if !deep {
		query.Set("delimiter", "/")
	}
	for {
		var page listing
		if err := b.ask(ctx, b.address("", query), &page); err != nil {
			return nil, false, err
		}
		for _, p := range page.Prefixes {
			out = append(out, model.Entry{Name: strings.TrimSuffix(p, "/"), Dir: true})
		}
		for _, x := range page.Items {
			if !strings.HasSuffix(x.Name, "/") {
				out = append(out, model.Entry{Name: x.Name, Size: x.Size, Regular: true, Stamp: model.Stamp{Size: x.Size, ModTime: x.Updated}})
			}
		}
		if page.NextPageToken == "" {
			return out, false, nil
		}
		if len(out) >= most {
			return out, true, nil
		}
		query.Set("pageToken", page.NextPageToken)
	}
}

// listing is a page of a list, as far as it is needed.
type listing struct {
	Prefixes []string
	Items    []struct {
		Name    string
		Size    int64 `json:",string"`
		Updated time.Time
	}
	NextPageToken string
}

// ask reads what the store says at an address.
func (b *gs) ask(ctx context.Context, at string, to any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return final{err}
	}
	_, err = b.site.ask(r, to)
	return err
}

func (b *gs) put(ctx context.Context, name string, data []byte, tag string) error {
	like, err := b.like(ctx, name, tag)
	if err != nil {
		return err
	}
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	about, _ := parts.CreatePart(textproto.MIMEHeader{"Content-Type": {"application/json"}})
	json.NewEncoder(about).Encode(like)
	content, _ := parts.CreatePart(textproto.MIMEHeader{"Content-Type": {"application/octet-stream"}})
	content.Write(data)
	parts.Close()
	a, err := b.do(ctx, http.MethodPost, b.upload("multipart", tag), &body, http.Header{"Content-Type": {"multipart/related; boundary=" + parts.Boundary()}})
	if err != nil {
		return err
	}
	a.Body.Close()
	return answer(a.StatusCode, a.Status)
}

// upload is the upload address for the state with a tag; "": if there is no object of that name.
func (b *gs) upload(how, tag string) string {
	if tag == "" {
		tag = "0"
	}
	query := url.Values{"uploadType": {how}, "ifGenerationMatch": {tag}}
	return b.base.String() + "/upload/storage/v1/b/" + url.PathEscape(b.bucket) + "/o?" + query.Encode()
}

func (b *gs) do(ctx context.Context, method, to string, body io.Reader, h http.Header) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, to, body)
	if err != nil {
		return nil, final{err}
	}
	r.Header = h
	return b.site.do(r)
}

// resource is the properties that an object keeps when it replaces another.
type resource struct {
	Name               string            `json:"name"`
	ContentType        string            `json:"contentType,omitempty"`
	ContentEncoding    string            `json:"contentEncoding,omitempty"`
	ContentDisposition string            `json:"contentDisposition,omitempty"`
	ContentLanguage    string            `json:"contentLanguage,omitempty"`
	CacheControl       string            `json:"cacheControl,omitempty"`
	StorageClass       string            `json:"storageClass,omitempty"`
	Metadata           map[string]string `json:"metadata,omitempty"`
}

func (b *gs) like(ctx context.Context, name, tag string) (k resource, err error) {
	if tag != "" {
		err = b.ask(ctx, b.address(name, url.Values{"fields": {"contentType,contentEncoding,contentDisposition,contentLanguage,cacheControl,storageClass,metadata"}}), &k)
	}
	k.Name = name
	return k, err
}

// gsParts is a resumable upload. The store copies only whole objects, so that everything is sent.
type gsParts struct {
	*gs
	session  string
	kind     string // of the object
	size, at int64  // of the object, and already in the store
	left     []byte // bytes to send after that
	next     int    // number of the next part
	unsure   bool   // whether the store has more than at
}

// gsUnit is the unit of all parts of an upload except the last.
const gsUnit = 256 << 10

func (b *gs) begin(ctx context.Context, name string, size int64, _ int, tag string) (assembly, int, error) {
	like, err := b.like(ctx, name, tag)
	if err != nil {
		return nil, 0, err
	}
	about, _ := json.Marshal(like)
	a, err := b.do(ctx, http.MethodPost, b.upload("resumable", tag), bytes.NewReader(about),
		http.Header{"Content-Type": {"application/json"}})
	if err != nil {
		return nil, 0, err
	}
	a.Body.Close()
	return &gsParts{gs: b, session: a.Header.Get("Location"), kind: cmp.Or(like.ContentType, "application/octet-stream"), size: size}, 1, answer(a.StatusCode, a.Status)
}

func (u *gsParts) keep(context.Context, int, int64, int64) error { return final{errors.ErrUnsupported} }

func (u *gsParts) send(ctx context.Context, i int, b []byte) error {
	if i == u.next {
		u.left, u.next = append(u.left, b...), i+1
	}
	for len(u.left) > gsUnit { // the last byte completes the object
		if err := u.some(ctx, (len(u.left)-1)/gsUnit*gsUnit); err != nil {
			return err
		}
	}
	return nil
}

func (u *gsParts) finish(ctx context.Context) error {
	for u.at < u.size {
		if err := u.some(ctx, len(u.left)); err != nil {
			return err
		}
	}
	return nil
}

// some sends the next n bytes, after asking the store what it has if that is unknown.
func (u *gsParts) some(ctx context.Context, n int) error {
	place := fmt.Sprintf("bytes %d-%d/%d", u.at, u.at+int64(n)-1, u.size)
	if u.unsure {
		n, place = 0, fmt.Sprintf("bytes */%d", u.size)
	}
	u.unsure = true
	a, err := u.do(ctx, http.MethodPut, u.session, bytes.NewReader(u.left[:n]), http.Header{"Content-Range": {place}, "Content-Type": {u.kind}})
	if err != nil {
		return err
	}
	a.Body.Close()
	has := u.size
	if a.StatusCode == http.StatusPermanentRedirect { // the store expects more
		has = 0
		if _, last, ok := strings.Cut(a.Header.Get("Range"), "-"); ok {
			if has, err = strconv.ParseInt(last, 10, 64); err != nil {
				return final{err}
			}
			has++
		}
	} else if err := answer(a.StatusCode, a.Status); err != nil {
		return err
	}
	if has < u.at || has > u.at+int64(len(u.left)) {
		return final{errors.New("the store has lost part of the upload")}
	}
	u.at, u.left, u.unsure = has, u.left[has-u.at:], false
	return nil
}

func (u *gsParts) abandon(ctx context.Context) {
	if a, err := u.do(ctx, http.MethodDelete, u.session, nil, http.Header{}); err == nil {
		a.Body.Close()
	}
}
