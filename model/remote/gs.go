package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
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

// google takes the application's default credentials; without any, requests are not signed. STORAGE_EMULATOR_HOST is another server, as for the
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
	body, o, err := b.part(r, off, "")
	return body, o, err
}

func (b *gs) list(ctx context.Context, prefix string, deep bool, most int) (out []model.Entry, more bool, err error) {
	query := url.Values{"prefix": {prefix}, "maxResults": {"1000"}, "fields": {"prefixes,items(name,size,updated),nextPageToken"}}
	if !deep {
		query.Set("delimiter", "/")
	}
	for {
		page, err := b.page(ctx, query)
		if err != nil {
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

// maxPage is how long a page of a list may be.
const maxPage = 8 << 20

func (b *gs) page(ctx context.Context, query url.Values) (p listing, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.address("", query), nil)
	if err != nil {
		return p, final{err}
	}
	a, err := b.client.Do(r)
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		err = failed.Err
	}
	if err != nil {
		return p, err
	}
	defer a.Body.Close()
	if err := answer(a.StatusCode, a.Status); err != nil {
		return p, err
	}
	return p, json.NewDecoder(io.LimitReader(a.Body, maxPage)).Decode(&p)
}

func (b *gs) put(ctx context.Context, name string, data []byte, tag string) error {
	if tag == "" {
		tag = "0" // there is none
	}
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	about, _ := parts.CreatePart(textproto.MIMEHeader{"Content-Type": {"application/json"}})
	json.NewEncoder(about).Encode(map[string]string{"name": name})
	content, _ := parts.CreatePart(textproto.MIMEHeader{"Content-Type": {"application/octet-stream"}})
	content.Write(data)
	parts.Close()
	query := url.Values{"uploadType": {"multipart"}, "ifGenerationMatch": {tag}}
	to := b.base.String() + "/upload/storage/v1/b/" + url.PathEscape(b.bucket) + "/o?" + query.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, &body)
	if err != nil {
		return final{err}
	}
	r.Header.Set("Content-Type", "multipart/related; boundary="+parts.Boundary())
	a, err := b.client.Do(r)
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		err = failed.Err
	}
	if err != nil {
		return err
	}
	a.Body.Close()
	return answer(a.StatusCode, a.Status)
}
