package remote

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"time"
)

// tries is how often a request is made that fails for a possibly transient reason.
const tries = 6

// firstWait is the wait after the first failure; it doubles.
var firstWait = 100 * time.Millisecond

// final is an error that another try would not change.
type final struct{ error }

func (f final) Unwrap() error { return f.error }

// persist makes a request until it succeeds, a failure is final, or there were too many.
func persist(ctx context.Context, request func() error) error {
	wait := firstWait
	for n := 1; ; n++ {
		err := request()
		if err == nil || n == tries || lasting(err) || ctx.Err() != nil {
			return err
		}
		select {
		case <-time.After(wait/2 + rand.N(wait)):
		case <-ctx.Done():
			return ctx.Err()
		}
		wait *= 2
	}
}

// lasting tells whether an error is an answer.
func lasting(err error) bool {
	var f final
	return errors.As(err, &f) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, ErrReplaced) || errors.Is(err, context.Canceled)
}

// answer is the error for the status of a response; nil for a success.
func answer(status int, text string) error {
	switch {
	case status < 300:
		return nil
	case status == 404 || status == 410:
		return fs.ErrNotExist
	case status == 401 || status == 403:
		return &denied{text}
	case status == 412:
		return ErrReplaced
	case status == 408 || status == 429 || status >= 500:
		return errors.New(text)
	}
	return final{errors.New(text)}
}

// denied means that credentials are missing or insufficient.
type denied struct{ text string }

func (d *denied) Error() string { return "the store denies access: " + d.text }
func (d *denied) Unwrap() error { return fs.ErrPermission }
