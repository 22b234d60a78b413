package model

import (
	"cmp"
	"fmt"
	"io"
	"os"
)

// saveStep is how many bytes are copied at a time, kernelStep how many if the system copies.
const (
	saveStep   = int64(1 << 20)
	kernelStep = int64(32 << 20)
)

// checked writes a content through to into f, reads it back and compares it, while the system writes it to disk.
func (w *saver) checked(f diskFile, to io.Writer, c *Content) error {
	if err := w.pour(f, to, c); err != nil {
		return err
	}
	compared := make(chan error, 1)
	go func() {
		compared <- written(Contain(func() error { return verify(w.ctx, f.Name(), c, []Changed{{New: c.Len()}}) }))
	}()
	err := f.Sync()
	return cmp.Or(err, <-compared)
}

// pour writes a content through to into f. Pieces of other files are copied by the system if possible.
func (w *saver) pour(f diskFile, to io.Writer, c *Content) error {
	direct, _ := to.(*os.File)
	for off := int64(0); off < c.Len(); {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		n, err := c.pull(direct, off)
		if n == 0 && err == nil {
			n = min(saveStep, c.Len()-off)
			err = w.push(to, c, off, n)
		}
		if err != nil {
			return err
		}
		startWriting(f, off, n)
		off += n
		w.progress(off)
	}
	return nil
}

// push writes n bytes of a content.
func (w *saver) push(to io.Writer, c *Content, off, n int64) error {
	c.willNeed(off, saveStep)
	return Guard(func() error {
		b, err := c.view(off, n)
		if err == nil {
			_, err = to.Write(b)
		}
		return err
	})
}

// pull lets the system copy what is at an offset of a content into a file, and returns how many bytes; none if they are not from one
// file, or too few.
func (c *Content) pull(to *os.File, off int64) (int64, error) {
	i, start := c.find(off)
	src, ok := c.pieces[i].src.(*File)
	n := min(kernelStep, c.ends[i]-off)
	if to == nil || !ok || n < saveStep || src.aside.Load() != nil {
		return 0, nil
	}
	in, err := openShared(src.Path)
	if err != nil {
		return 0, nil // it was renamed or removed, but the mapped bytes still exist
	}
	defer in.Close()
	at := c.pieces[i].at + off - start
	st, err := in.Stat()
	if err != nil || !os.SameFile(st, src.info) || at+n > st.Size() {
		return 0, nil
	}
	if _, err := in.Seek(at, io.SeekStart); err != nil {
		return 0, nil
	}
	got, err := io.CopyN(to, in, n)
	if err == nil && got < n || err == io.EOF {
		return got, fmt.Errorf("%s: %w", src.Path, ErrShrunk)
	}
	return got, err
}
