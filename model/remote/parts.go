package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"spandrel/model"
)

// An object of which a small part changes is assembled in the store: unchanged parts are copied from the existing object, and the rest is sent.

const (
	wholeMost  = 8 << 20   // shorter objects are sent as a whole
	partLeast  = 5 << 20   // of S3, but for the last part
	partSent   = 8 << 20   // about as much is sent at once
	partCopied = 256 << 20 // and copied: a store answers when it is done
	partsMost  = 10_000    // of S3
)

// assembly is an object being assembled from parts, which are numbered from 0 on and may come in any order and in parallel.
type assembly interface {
	// keep copies n bytes from off on of the replaced object as a part; errors.ErrUnsupported if the store cannot.
	keep(ctx context.Context, i int, off, n int64) error
	send(ctx context.Context, i int, b []byte) error
	// finish assembles the parts to the object, if that is still in the state that was read.
	finish(ctx context.Context) error
	// abandon removes what was sent.
	abandon(ctx context.Context)
}

// segment is a part of a new object: N bytes from off on, which are at was in the old one; -1: they are sent.
type segment struct{ off, was, n int64 }

// segments divides an object, some of whose bytes are in the object that it replaces, into parts that a store accepts.
func segments(size int64, kept []model.Kept) (out []segment) {
	from := int64(0) // the bytes before it are in out
	send := func(to int64) {
		n := to - from
		for k := max(1, n/partSent); n > 0; k-- { // equal ones, none of which is too short
			out = append(out, segment{from, -1, n / k})
			from, n = from+n/k, n-n/k
		}
	}
	for _, k := range kept {
		off, was, n := k.Off, k.Was, k.N
		if off > from && off-from < partLeast { // what is sent before it is too short for a part
			more := partLeast - (off - from)
			off, was, n = off+more, was+more, n-more
		}
		if n < partLeast {
			continue // sent together with its neighbours
		}
		send(off)
		for most := max(partCopied, size/(partsMost/2)); n > 0; {
			one := n / ((n + most - 1) / most)
			out = append(out, segment{off, was, one})
			off, was, n = off+one, was+one, n-one
		}
		from = off
	}
	send(size)
	return out
}

// sentBy is how many bytes of an object are sent.
func sentBy(list []segment) (n int64) {
	for _, s := range list {
		if s.was < 0 {
			n += s.n
		}
	}
	return n
}

// assemble replaces an object by one made of parts, or makes a new one.
func (s *store) assemble(ctx context.Context, name, tag string, u model.Upload) error {
	list := segments(u.Len(), u.Kept)
	err := s.put(ctx, name, tag, u, list)
	if errors.Is(err, errors.ErrUnsupported) && sentBy(list) < u.Len() {
		return s.put(ctx, name, tag, u, segments(u.Len(), nil))
	}
	return err
}

func (s *store) put(ctx context.Context, name, tag string, u model.Upload, list []segment) error {
	if n := sentBy(list); n > model.MaxUpload || len(list) > partsMost {
		return final{fmt.Errorf("%d MiB would be uploaded, but the limit is %d MiB: save it to disk", n>>20, model.MaxUpload>>20)}
	}
	var a assembly
	lanes := 1
	err := persist(ctx, func() (err error) { a, lanes, err = s.bucket.begin(ctx, name, u.Len(), len(list), tag); return err })
	if err != nil {
		return err
	}
	err = send(ctx, a, lanes, u, list)
	if err == nil && tag != "" { // also for stores that do not check when the parts are assembled
		err = s.still(ctx, name, tag)
	}
	if err == nil {
		err = persist(ctx, func() error { return a.finish(ctx) })
	}
	if err != nil {
		a.abandon(context.WithoutCancel(ctx))
	}
	return err
}

// send uploads the parts of an object, several at once.
func send(ctx context.Context, a assembly, lanes int, u model.Upload, list []segment) error {
	part := func(i int) error {
		x := list[i]
		if x.was >= 0 {
			return persist(ctx, func() error { return a.keep(ctx, i, x.was, x.n) })
		}
		b := make([]byte, x.n)
		if n, err := u.ReadAt(b, x.off); n < len(b) {
			return final{errors.Join(err, io.ErrUnexpectedEOF)}
		}
		return persist(ctx, func() error { return a.send(ctx, i, b) })
	}
	first := slices.IndexFunc(list, func(x segment) bool { return x.was >= 0 })
	if first >= 0 { // this shows whether the store supports it
		if err := part(first); err != nil {
			return err
		}
	}
	return each(ctx, lanes, len(list), func(i int) error {
		if i == first {
			return nil
		}
		return part(i)
	})
}

// still tells whether an object is still in the state with a tag.
func (s *store) still(ctx context.Context, name, tag string) error {
	return persist(ctx, func() error {
		r, o, err := s.bucket.get(ctx, name, 0, 0, "")
		if err != nil {
			return err
		}
		r.Close()
		if o.tag != tag {
			return ErrReplaced
		}
		return nil
	})
}

// each does n things in order, so many at a time, until one fails.
func each(ctx context.Context, lanes, n int, do func(i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	free := make(chan struct{}, lanes)
	for i := range n {
		free <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		all.Go(func() {
			if err := do(i); err != nil {
				stop(err)
			}
			<-free
		})
	}
	all.Wait()
	return context.Cause(ctx)
}
