package remote

import (
	"bytes"
	"context"
	"errors"
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

	"spandrel/model"
)

// az is a container of Azure Blob Storage.
type az struct{ client *container.Client }

// azure takes the account from AZURE_STORAGE_CONNECTION_STRING, or from AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN or
// neither, as the tools of Azure do.
func azure(_ context.Context, u *url.URL) (bucket, string, error) {
	o := &container.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: &http.Client{Transport: transport}, Retry: policy.RetryOptions{MaxRetries: -1}}}
	if text := env("AZURE_STORAGE_CONNECTION_STRING"); text != "" {
		c, err := container.NewClientFromConnectionString(text, u.Host, o)
		return &az{c}, u.Path, err
	}
	account := env("AZURE_STORAGE_ACCOUNT")
	if account == "" {
		return nil, "", errors.New("an address of Azure does not name the account: set AZURE_STORAGE_ACCOUNT or AZURE_STORAGE_CONNECTION_STRING")
	}
	at := "https://" + account + ".blob.core.windows.net/" + u.Host
	if key := env("AZURE_STORAGE_KEY"); key != "" {
		shared, err := container.NewSharedKeyCredential(account, key)
		if err != nil {
			return nil, "", err
		}
		c, err := container.NewClientWithSharedKeyCredential(at, shared, o)
		return &az{c}, u.Path, err
	}
	if sas := env("AZURE_STORAGE_SAS_TOKEN"); sas != "" {
		at += "?" + strings.TrimPrefix(sas, "?")
	}
	c, err := container.NewClientWithNoCredential(at, o)
	return &az{c}, u.Path, err
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

// azError is an error of the client, by the status behind it.
func azError(err error) error {
	if e := (*azcore.ResponseError)(nil); errors.As(err, &e) {
		text := e.ErrorCode
		if text == "" {
			text = http.StatusText(e.StatusCode)
		}
		return answer(e.StatusCode, text)
	}
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		return failed.Err
	}
	return err
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
	is := &blob.ModifiedAccessConditions{IfMatch: (*azcore.ETag)(&tag)}
	if tag == "" {
		any := azcore.ETagAny
		is = &blob.ModifiedAccessConditions{IfNoneMatch: &any}
	}
	_, err := b.client.NewBlockBlobClient(name).Upload(ctx, streaming.NopCloser(bytes.NewReader(data)),
		&blockblob.UploadOptions{AccessConditions: &blob.AccessConditions{ModifiedAccessConditions: is}})
	if e := (*azcore.ResponseError)(nil); errors.As(err, &e) && e.StatusCode == http.StatusConflict {
		return ErrReplaced
	}
	if err == nil {
		return nil
	}
	return azError(err)
}
