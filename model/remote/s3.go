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

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"spandrel/model"
)

// s3 is a bucket of Amazon S3, or of what speaks its language.
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
	return credentials.NewChainCredentials(chain) // anonymous where none has any
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

// s3Error is an error of the client, by the status behind it.
func s3Error(err error) error {
	if err == nil {
		return nil
	}
	e := minio.ToErrorResponse(err)
	if e.StatusCode == 0 {
		if failed := (*url.Error)(nil); errors.As(err, &failed) {
			return failed.Err
		}
		return err
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
			e.Stamp = model.Stamp{Size: o.Size, ModTime: o.LastModified}
		}
		out = append(out, e)
	}
	return out, false, ctx.Err()
}

func (s *s3) put(ctx context.Context, name string, b []byte, tag string) error {
	o := minio.PutObjectOptions{SendContentMd5: true}
	if tag == "" {
		o.SetMatchETagExcept("*")
	} else {
		o.SetMatchETag(tag)
	}
	_, err := s.core.PutObject(ctx, s.bucket, name, bytes.NewReader(b), int64(len(b)), "", "", o)
	return s3Error(err)
}
