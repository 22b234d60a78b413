package remote

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/sas"

	"spandrel/model"
)

// az is a container of Azure Blob Storage.
type az struct {
	client *container.Client
	who    *identity // nil where a key or a signature is used
}

// azure takes the account from AZURE_STORAGE_CONNECTION_STRING, or from AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, as the
// tools of Azure do. Without those it uses the identity from the environment, the machine or the tools of Azure, if the store requires one; otherwise only public data can
// be read. AZURE_STORAGE_SERVICE_ENDPOINT is the account's address, if it is not in the public cloud.
func azure(_ context.Context, u *url.URL) (bucket, string, error) {
	client := azcore.ClientOptions{Transport: &http.Client{Transport: transport}, Retry: policy.RetryOptions{MaxRetries: -1}}
	o := &container.ClientOptions{ClientOptions: client}
	if text := env("AZURE_STORAGE_CONNECTION_STRING"); text != "" {
		c, err := container.NewClientFromConnectionString(text, u.Host, o)
		return &az{client: c}, u.Path, err
	}
	account := env("AZURE_STORAGE_ACCOUNT")
	if account == "" {
		return nil, "", errors.New("an Azure address does not include the account: set AZURE_STORAGE_ACCOUNT or AZURE_STORAGE_CONNECTION_STRING")
	}
	at := "https://" + account + ".blob.core.windows.net"
	if end := env("AZURE_STORAGE_SERVICE_ENDPOINT"); end != "" {
		at = strings.TrimSuffix(end, "/")
	}
	at += "/" + u.Host
	if key := env("AZURE_STORAGE_KEY"); key != "" {
		shared, err := container.NewSharedKeyCredential(account, key)
		if err != nil {
			return nil, "", err
		}
		c, err := container.NewClientWithSharedKeyCredential(at, shared, o)
		return &az{client: c}, u.Path, err
	}
	if sas := env("AZURE_STORAGE_SAS_TOKEN"); sas != "" {
		c, err := container.NewClientWithNoCredential(at+"?"+strings.TrimPrefix(sas, "?"), o)
		return &az{client: c}, u.Path, err
	}
	who := identityFor(at)
	o.PerRetryPolicies = []policy.Policy{who}
	c, err := container.NewClientWithNoCredential(at, o)
	return &az{c, who}, u.Path, err
}

func (b *az) get(ctx context.Context, name string, off, n int64, tag string) (io.ReadCloser, object, error) {
	one := b.client.NewBlobClient(name)
	if n == 0 {
		is, err := one.GetProperties(ctx, nil)
		if err != nil {
			return nil, object{}, azError(err)
		}
		return io.NopCloser(strings.NewReader("")), object{value(is.ContentLength), value(is.LastModified), string(value(is.ETag))}, nil
	}
	o := &blob.DownloadStreamOptions{Range: blob.HTTPRange{Offset: off, Count: n}}
	if tag != "" {
		o.AccessConditions = &blob.AccessConditions{ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfMatch: (*azcore.ETag)(&tag)}}
	}
	is, err := one.DownloadStream(ctx, o)
	if e := (*azcore.ResponseError)(nil); errors.As(err, &e) && e.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		return b.get(ctx, name, 0, 0, tag) // it is empty
	}
	if err != nil {
		return nil, object{}, azError(err)
	}
	size := value(is.ContentLength)
	if _, total, ok := strings.Cut(value(is.ContentRange), "/"); ok {
		if size, err = strconv.ParseInt(total, 10, 64); err != nil {
			is.Body.Close()
			return nil, object{}, final{err}
		}
	}
	return is.Body, object{size, value(is.LastModified), string(value(is.ETag))}, nil
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// azError translates an error of the client, by its status.
func azError(err error) error {
	if e := (*azcore.ResponseError)(nil); errors.As(err, &e) {
		text := e.ErrorCode
		if text == "" {
			text = http.StatusText(e.StatusCode)
		}
		return answer(e.StatusCode, text)
	}
	return bare(err)
}

func (b *az) list(ctx context.Context, prefix string, deep bool, most int) (out []model.Entry, more bool, err error) {
	delimiter := "/"
	if deep {
		delimiter = ""
	}
	pages := b.client.NewListBlobsHierarchyPager(delimiter, &container.ListBlobsHierarchyOptions{Prefix: &prefix})
	for pages.More() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, false, azError(err)
		}
		for _, p := range page.Segment.BlobPrefixes {
			out = append(out, model.Entry{Name: strings.TrimSuffix(value(p.Name), "/"), Dir: true})
		}
		for _, x := range page.Segment.BlobItems {
			size, when := int64(0), time.Time{}
			if x.Properties != nil {
				size, when = value(x.Properties.ContentLength), value(x.Properties.LastModified)
			}
			out = append(out, model.Entry{Name: value(x.Name), Size: size, Regular: true, Stamp: model.Stamp{Size: size, ModTime: when}})
		}
		if len(out) > most {
			return out, true, nil
		}
	}
	return out, false, nil
}

func (b *az) put(ctx context.Context, name string, data []byte, tag string) error {
	like, err := b.like(ctx, name, tag)
	if err == nil {
		_, err = b.client.NewBlockBlobClient(name).Upload(ctx, streaming.NopCloser(bytes.NewReader(data)), &blockblob.UploadOptions{
			AccessConditions: onState(tag), HTTPHeaders: like.headers, Metadata: like.metadata, Tier: like.tier})
	}
	return failed(err)
}

// onState makes a write conditional on the state with a tag; "": on there being no blob of that name.
func onState(tag string) *blob.AccessConditions {
	is := &blob.ModifiedAccessConditions{IfMatch: (*azcore.ETag)(&tag)}
	if tag == "" {
		any := azcore.ETagAny
		is = &blob.ModifiedAccessConditions{IfNoneMatch: &any}
	}
	return &blob.AccessConditions{ModifiedAccessConditions: is}
}

// failed is an error of a write.
func failed(err error) error {
	if e := (*azcore.ResponseError)(nil); errors.As(err, &e) && e.StatusCode == http.StatusConflict {
		return ErrReplaced
	}
	if err == nil {
		return nil
	}
	return azError(err)
}

// likeness is the properties that a blob keeps when it replaces another.
type likeness struct {
	headers  *blob.HTTPHeaders
	metadata map[string]*string
	tier     *blob.AccessTier
}

func (b *az) like(ctx context.Context, name, tag string) (l likeness, err error) {
	if tag == "" {
		return l, nil
	}
	is, err := b.client.NewBlobClient(name).GetProperties(ctx, nil)
	l.headers = &blob.HTTPHeaders{BlobCacheControl: is.CacheControl, BlobContentDisposition: is.ContentDisposition, BlobContentEncoding: is.ContentEncoding,
		BlobContentLanguage: is.ContentLanguage, BlobContentType: is.ContentType}
	l.metadata = is.Metadata
	if !value(is.AccessTierInferred) {
		l.tier = (*blob.AccessTier)(is.AccessTier)
	}
	return l, err
}

// azParts is a blob of blocks.
type azParts struct {
	*az
	one    *blockblob.Client
	tag    string
	blocks []string
	like   likeness
	source string // the address of the blob for reads by the store itself
}

func (b *az) begin(ctx context.Context, name string, _ int64, parts int, tag string) (assembly, int, error) {
	u := &azParts{az: b, one: b.client.NewBlockBlobClient(name), tag: tag, blocks: make([]string, parts)}
	this := rand.Text()[:10] // of this upload: another's blocks may lie there
	for i := range u.blocks {
		u.blocks[i] = base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%s%06d", this, i))
	}
	var err error
	if u.like, err = b.like(ctx, name, tag); err != nil {
		return nil, 0, azError(err)
	}
	if u.source, err = b.client.NewBlobClient(name).GetSASURL(sas.BlobPermissions{Read: true}, time.Now().Add(6*time.Hour), nil); err != nil {
		u.source = u.one.URL() // with a signature, or public
	}
	return u, atOnce, nil
}

func (u *azParts) keep(ctx context.Context, i int, off, n int64) error {
	o := &blockblob.StageBlockFromURLOptions{Range: blob.HTTPRange{Offset: off, Count: n},
		SourceModifiedAccessConditions: &blob.SourceModifiedAccessConditions{SourceIfMatch: (*azcore.ETag)(&u.tag)}}
	if u.who != nil && u.who.wanted.Load() {
		bearer, err := azureWho.bearer(ctx)
		if err != nil {
			return err
		}
		o.CopySourceAuthorization = &bearer
	}
	_, err := u.one.StageBlockFromURL(ctx, u.blocks[i], u.source, o)
	if e := (*azcore.ResponseError)(nil); errors.As(err, &e) && e.StatusCode != http.StatusPreconditionFailed && (e.StatusCode < 500 || e.StatusCode == http.StatusNotImplemented) {
		return final{errors.ErrUnsupported} // such as by a store that cannot read from itself
	}
	return failed(err)
}

func (u *azParts) send(ctx context.Context, i int, b []byte) error {
	_, err := u.one.StageBlock(ctx, u.blocks[i], streaming.NopCloser(bytes.NewReader(b)), nil)
	return failed(err)
}

func (u *azParts) finish(ctx context.Context) error {
	_, err := u.one.CommitBlockList(ctx, u.blocks, &blockblob.CommitBlockListOptions{
		AccessConditions: onState(u.tag), HTTPHeaders: u.like.headers, Metadata: u.like.metadata, Tier: u.like.tier})
	return failed(err)
}

// abandon does nothing: the store removes blocks that are in no list.
func (u *azParts) abandon(context.Context) {}
