package remote

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/minio/minio-go/v7"

	"spandrel/model"
)

// TestStores uses each store of which a server is running: SPANDREL_STORES has their schemes, and the variables of each store say where it is. `make
// stores` starts moto, fake-gcs-server and azurite.
func TestStores(t *testing.T) {
	schemes := strings.Fields(os.Getenv("SPANDREL_STORES"))
	if len(schemes) == 0 {
		t.Skip("no servers: SPANDREL_STORES is not set")
	}
	for _, scheme := range schemes {
		t.Run(scheme, func(t *testing.T) {
			name := fmt.Sprintf("test%d", rand.Uint32())
			s, _, err := find(t.Context(), scheme+"://"+name+"/x")
			if err != nil {
				t.Fatal(err)
			}
			makeBucket(t, s.bucket, name)
			again := func() *store {
				s, _, err := find(t.Context(), scheme+"://"+name+"/x")
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			useStore(t, s, again)
			useParts(t, s, again)
		})
	}
}

// TestAzureStore is TestStores of an account that takes tokens alone: SPANDREL_AZURE_TOKENS is where it is. It refuses all that is not signed, and by a
// token of which it reads who, until when and for what, but not the signature.
func TestAzureStore(t *testing.T) {
	end := os.Getenv("SPANDREL_AZURE_TOKENS")
	if end == "" {
		t.Skip("no server: SPANDREL_AZURE_TOKENS is not set")
	}
	part := base64.RawURLEncoding.EncodeToString
	who := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		now := time.Now().Unix()
		claims := fmt.Sprintf(`{"aud":%q,"iss":"https://sts.windows.net/x/","iat":%d,"nbf":%d,"exp":%d}`, azureResource, now-9, now-9, now+3600)
		fmt.Fprintf(w, `{"access_token":"%s.%s.x","expires_on":"%d"}`, part([]byte(`{"alg":"RS256","typ":"JWT"}`)), part([]byte(claims)), now+3600)
	}))
	t.Cleanup(who.Close)
	alone(t, &private{})
	machineAt = who.URL
	t.Setenv("AZURE_STORAGE_SERVICE_ENDPOINT", end)
	name := fmt.Sprintf("test%d", rand.Uint32())
	again := func() *store {
		s, _, err := find(t.Context(), "az://"+name+"/x")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if _, _, err := again().list("", true, 9); err == nil {
		t.Error("no container, and it is listed")
	}
	makeBucket(t, again().bucket, name)
	useStore(t, again(), again)
	useParts(t, again(), again)
}

func makeBucket(t *testing.T, b bucket, name string) {
	t.Helper()
	var err error
	switch b := b.(type) {
	case *s3:
		err = b.core.MakeBucket(context.Background(), name, minio.MakeBucketOptions{})
	case *gs:
		var a *http.Response
		if a, err = http.Post(b.base.String()+"/storage/v1/b?project=x", "application/json", strings.NewReader(`{"name":"`+name+`"}`)); err == nil {
			a.Body.Close()
		}
	case *az:
		_, err = b.client.Create(context.Background(), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// label gives an object a type and a label of its owner's.
func label(t *testing.T, b bucket, name string) {
	t.Helper()
	ctx, err := context.Background(), error(nil)
	mine, kind := "mine", "application/x-test"
	switch b := b.(type) {
	case *s3:
		_, err = b.core.CopyObject(ctx, b.bucket, name, b.bucket, name, map[string]string{"x-amz-metadata-directive": "REPLACE", "Content-Type": kind, "X-Amz-Meta-Whose": mine},
			minio.CopySrcOptions{}, minio.PutObjectOptions{})
	case *gs:
		var a *http.Response
		if a, err = b.do(ctx, http.MethodPatch, b.address(name, nil), strings.NewReader(`{"contentType":"`+kind+`","metadata":{"Whose":"mine"}}`), http.Header{"Content-Type": {"application/json"}}); err == nil {
			a.Body.Close()
			err = answer(a.StatusCode, a.Status)
		}
	case *az:
		one := b.client.NewBlobClient(name)
		_, err = one.SetHTTPHeaders(ctx, blob.HTTPHeaders{BlobContentType: &kind}, nil)
		if err == nil {
			_, err = one.SetMetadata(ctx, map[string]*string{"Whose": &mine}, nil)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// labelled fails where they are gone.
func labelled(t *testing.T, b bucket, name string) {
	t.Helper()
	ctx, err := context.Background(), error(nil)
	kind, whose := "", ""
	switch b := b.(type) {
	case *s3:
		var o minio.PutObjectOptions
		o, err = b.like(ctx, name, "x")
		kind, whose = o.ContentType, o.UserMetadata["Whose"]
	case *gs:
		var r resource
		r, err = b.like(ctx, name, "x")
		kind, whose = r.ContentType, r.Metadata["Whose"]
	case *az:
		var l likeness
		l, err = b.like(ctx, name, "x")
		kind, whose = value(l.headers.BlobContentType), value(l.metadata["Whose"])
	}
	if err != nil || kind != "application/x-test" || whose != "mine" {
		t.Errorf("type %q, label %q: %v", kind, whose, err)
	}
}

// useStore writes, lists, reads and replaces objects. again is the store as another program sees it.
func useStore(t *testing.T, s *store, again func() *store) {
	big := make([]byte, 3<<20)
	for i := range big {
		big[i] = byte(rand.Uint32())
	}
	files := map[string][]byte{"a/big.bin": big, "a/empty": {}, "a/b/deep ü+%20.bin": []byte("deep"), "top": []byte("top")}
	for name, b := range files {
		if err := s.Put(t.Context(), name, upload(b, true)); err != nil {
			t.Fatal(name, err)
		}
		if err := s.Put(t.Context(), name, upload(b, true)); !errors.Is(err, ErrReplaced) {
			t.Errorf("%s is written over as if it was new: %v", name, err)
		}
	}
	s = again()
	for name, want := range files {
		r, stamp, err := s.Open(name)
		if err != nil || stamp.Size != int64(len(want)) {
			t.Fatal(name, stamp, err)
		}
		got := make([]byte, len(want))
		if n, _ := r.ReadAt(got, 0); n != len(want) || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes of %d", name, n, len(want))
		}
	}
	if _, _, err := again().Open("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
	for _, deep := range []bool{true, false} {
		list, more, err := s.list("a/", deep, 100)
		want := []string{"a/b", "a/big.bin", "a/empty"}
		if deep {
			want[0] = "a/b/deep ü+%20.bin"
		}
		if names := slices.Collect(func(yield func(string) bool) {
			for _, e := range list {
				if !yield(e.Name) {
					return
				}
			}
		}); more || err != nil || !slices.Equal(names, want) {
			t.Errorf("deep %v: %q, %v, %v", deep, names, more, err)
		}
	}
	mine, other := again(), again()
	f, _, err := mine.Open("a/big.bin")
	if err != nil {
		t.Fatal(err)
	}
	other.Open("a/big.bin")
	if err := other.Put(t.Context(), "a/big.bin", upload(big[1:], false)); err != nil {
		t.Fatal(err)
	}
	if n, err := f.ReadAt(make([]byte, 10), 2<<20+100_000); !errors.Is(err, ErrReplaced) && !known(f, 2<<20) {
		t.Errorf("%d bytes of another state: %v", n, err)
	}
	if err := mine.Put(t.Context(), "a/big.bin", upload(big, false)); !errors.Is(err, ErrReplaced) {
		t.Errorf("what another wrote is written over: %v", err)
	}
}

func upload(b []byte, fresh bool) model.Upload {
	return model.Upload{Content: model.BytesContent(b), Fresh: fresh}
}

// useParts changes a little of a large object, whose other properties stay, and sends little where the store copies.
func useParts(t *testing.T, s *store, again func() *store) {
	old := make([]byte, 40<<20)
	for i := range old {
		old[i] = byte(rand.Uint32())
	}
	if err := s.Put(t.Context(), "large", upload(old, true)); err != nil {
		t.Fatal(err)
	}
	now, n, err := s.Now("large")
	if err != nil || n != int64(len(old)) {
		t.Fatal(n, err)
	}
	got := make([]byte, n)
	if _, err := now.ReadAt(got, 0); err != nil || !bytes.Equal(got, old) {
		t.Fatal(err)
	}
	label(t, s.bucket, "large")
	labelled(t, s.bucket, "large")
	s, late := again(), again()
	for _, s := range []*store{s, late} {
		if _, _, err := s.Open("large"); err != nil {
			t.Fatal(err)
		}
	}
	is := model.BytesContent(old).Splice(100, 50, model.Memory([]byte("an edit")))
	kept := []model.Kept{{N: 100}, {Off: 107, Was: 150, N: int64(len(old)) - 150}}
	before := spent.sent.Load()
	if err := s.Put(t.Context(), "large", model.Upload{Content: is, Kept: kept}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes sent for an edit of 7", spent.sent.Load()-before)
	if _, copies := s.bucket.(*s3); copies && spent.sent.Load()-before > 6<<20 {
		t.Errorf("%d bytes sent for an edit of 7", spent.sent.Load()-before)
	}
	want := make([]byte, is.Len())
	is.ReadAt(want, 0)
	now, n, err = s.Now("large")
	if err != nil || n != is.Len() {
		t.Fatal(n, err)
	}
	got = make([]byte, n)
	if _, err := now.ReadAt(got, 0); err != nil || !bytes.Equal(got, want) {
		t.Errorf("not what was written: %v", err)
	}
	labelled(t, s.bucket, "large")
	if err := late.Put(t.Context(), "large", model.Upload{Content: is, Kept: kept}); !errors.Is(err, ErrReplaced) {
		t.Errorf("what another wrote is written over: %v", err)
	}
	labelled(t, s.bucket, "large")
}

// known tells whether a block was read before.
func known(f model.Reader, off int64) bool { return f.(*file).has(off / blockSize) }

// TestDenied: a store that denies access is no store in which the file is not there.
func TestDenied(t *testing.T) {
	server := newServer(t)
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) })
	u, _ := url.Parse(server.URL)
	b, _, _ := web(t.Context(), u)
	_, _, err := newStore(t.Context(), b, "").Open("x")
	if !errors.Is(err, model.ErrUnreachable) || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "denies access") {
		t.Error(err)
	}
}
