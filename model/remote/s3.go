package remote

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"spandrel/model"
)

// s3 is a bucket of Amazon S3, or of a compatible store.
type s3 struct {
	core   minio.Core
	bucket string
}

// amazon takes the endpoint from AWS_ENDPOINT_URL, as the tools of AWS do. Credentials are those of the environment, of the user's profile or of the
// machine; without any, or with AWS_NO_SIGN_REQUEST, requests are not signed.
func amazon(_ context.Context, u *url.URL) (bucket, string, error) {
	at, err := url.Parse(env("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"))
	if err != nil {
		return nil, "", err
	}
	if at.Host == "" {
		at = &url.URL{Scheme: "https", Host: "s3.amazonaws.com"}
	}
	region := env("AWS_REGION", "AWS_DEFAULT_REGION")
	if region == "" && env("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") != "" {
		region = "us-east-1" // one request less
	}
	c, err := minio.New(at.Host, &minio.Options{Creds: awsCredentials(), Secure: at.Scheme == "https", Transport: transport, Region: region, MaxRetries: 1})
	return &s3{minio.Core{Client: c}, u.Host}, u.Path, err
}

func awsCredentials() *credentials.Credentials {
	if env("AWS_NO_SIGN_REQUEST") != "" {
		return credentials.NewStatic("", "", "", credentials.SignatureAnonymous)
	}
	chain := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	if env("AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI") != "" {
		chain = append(chain, &credentials.IAM{Client: &http.Client{Transport: transport}})
	}
	return credentials.NewChainCredentials(chain) // anonymous if no source has credentials
}

func (s *s3) get(ctx context.Context, name string, off, n int64, tag string) (io.ReadCloser, object, error) {
	if n == 0 {
		is, err := s.core.StatObject(ctx, s.bucket, name, minio.StatObjectOptions{})
		return io.NopCloser(strings.NewReader("")), object{is.Size, is.LastModified, is.ETag}, s3Error(err)
	}
	var o minio.GetObjectOptions
	o.SetRange(off, off+n-1)
	if tag != "" {
		o.SetMatchETag(tag)
	}
	r, is, header, err := s.core.GetObject(ctx, s.bucket, name, o)
	if e := minio.ToErrorResponse(err); e.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		return s.get(ctx, name, 0, 0, tag) // it is empty
	}
	if err != nil {
		return nil, object{}, s3Error(err)
	}
	if _, total, ok := strings.Cut(header.Get("Content-Range"), "/"); ok {
		if is.Size, err = strconv.ParseInt(total, 10, 64); err != nil {
			r.Close()
			return nil, object{}, final{err}
		}
	}
	return r, object{is.Size, is.LastModified, is.ETag}, nil
}

// s3Error translates an error of the client, by its status.
func s3Error(err error) error {
	if err == nil {
		return nil
	}
	e := minio.ToErrorResponse(err)
	if e.StatusCode == 0 {
		return bare(err)
	}
	text := e.Message
	if e.Code != "" {
		text = e.Code + ": " + e.Message
	}
	if err := answer(e.StatusCode, text); err != nil {
		return err
	}
	return err // a success whose body could not be read
}

func (s *s3) list(ctx context.Context, prefix string, deep bool, most int) (out []model.Entry, more bool, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for o := range s.core.Client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: deep}) {
		if o.Err != nil {
			return nil, false, s3Error(o.Err)
		}
		if o.Key == prefix || deep && strings.HasSuffix(o.Key, "/") {
			continue // a folder that was made as an object
		}
		if len(out) == most {
			return out, true, nil
		}
		e := model.Entry{Name: strings.TrimSuffix(o.Key, "/"), Size: o.Size, Dir: strings.HasSuffix(o.Key, "/")}
		if e.Regular = !e.Dir; e.Regular {
			e.Stamp, e.Tag = model.Stamp{Size: o.Size, ModTime: o.LastModified}, o.ETag
		}
		out = append(out, e)
	}
	return out, false, ctx.Err()
}

func (s *s3) put(ctx context.Context, name string, b []byte, tag string) error {
	o, err := s.like(ctx, name, tag)
	if err != nil {
		return err
	}
	_, err = s.core.PutObject(ctx, s.bucket, name, bytes.NewReader(b), int64(len(b)), "", "", on(o, tag))
	return s3Error(err)
}

// like is the properties that an object keeps when it replaces another.
func (s *s3) like(ctx context.Context, name, tag string) (o minio.PutObjectOptions, err error) {
	o.SendContentMd5 = true
	if tag == "" {
		return o, nil
	}
	is, err := s.core.StatObject(ctx, s.bucket, name, minio.StatObjectOptions{})
	if err != nil {
		return o, s3Error(err)
	}
	o.UserMetadata, o.ContentType, o.StorageClass, o.Expires = is.UserMetadata, is.ContentType, is.StorageClass, is.Expires
	o.ContentEncoding, o.ContentDisposition = is.Metadata.Get("Content-Encoding"), is.Metadata.Get("Content-Disposition")
	o.ContentLanguage, o.CacheControl = is.Metadata.Get("Content-Language"), is.Metadata.Get("Cache-Control")
	return o, nil
}

// on makes a write conditional on the state with a tag; "": on there being no object of that name.
func on(o minio.PutObjectOptions, tag string) minio.PutObjectOptions {
	if tag == "" {
		o.SetMatchETagExcept("*")
	} else {
		o.SetMatchETag(tag)
	}
	return o
}

// s3Parts is an upload of parts.
type s3Parts struct {
	*s3
	name, id, tag string
	parts         []minio.CompletePart
}

func (s *s3) begin(ctx context.Context, name string, _ int64, parts int, tag string) (assembly, int, error) {
	o, err := s.like(ctx, name, tag)
	if err != nil {
		return nil, 0, err
	}
	id, err := s.core.NewMultipartUpload(ctx, s.bucket, name, o)
	return &s3Parts{s, name, id, tag, make([]minio.CompletePart, parts)}, atOnce, s3Error(err)
}

func (u *s3Parts) keep(ctx context.Context, i int, off, n int64) error {
	part, err := u.core.CopyObjectPart(ctx, u.bucket, u.name, u.bucket, u.name, u.id, i+1, off, n, map[string]string{"x-amz-copy-source-if-match": `"` + u.tag + `"`})
	if e := minio.ToErrorResponse(err); e.StatusCode == http.StatusNotImplemented {
		return final{errors.ErrUnsupported}
	}
	u.parts[i] = part
	return s3Error(err)
}

func (u *s3Parts) send(ctx context.Context, i int, b []byte) error {
	sum := md5.Sum(b)
	part, err := u.core.PutObjectPart(ctx, u.bucket, u.name, u.id, i+1, bytes.NewReader(b), int64(len(b)),
		minio.PutObjectPartOptions{Md5Base64: base64.StdEncoding.EncodeToString(sum[:])})
	u.parts[i] = minio.CompletePart{PartNumber: i + 1, ETag: part.ETag}
	return s3Error(err)
}

func (u *s3Parts) finish(ctx context.Context) error {
	_, err := u.core.CompleteMultipartUpload(ctx, u.bucket, u.name, u.id, u.parts, on(minio.PutObjectOptions{}, u.tag))
	return s3Error(err)
}

func (u *s3Parts) abandon(ctx context.Context) {
	u.core.AbortMultipartUpload(ctx, u.bucket, u.name, u.id)
}
