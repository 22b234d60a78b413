package model

import (
	"cmp"
	"fmt"
	"io"
	"os"
)

// saveStep is how many bytes are copied at a time, kernelStep how many of them where the system copies.
const (
	saveStep   = int64(1 << 20)
	kernelStep = int64(32 << 20)
)

// checked writes a content through to into f, reads back what was written, and compares it, while the system brings it to the disk.
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

// pour writes a content through to into f. What is whole in another file is copied by the system where it can be.
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
func (w *saver) push(to io.Writer, c *Content, off, n int64) (err error) {
	c.willNeed(off, saveStep)
	fault := Guard(func() {
		var b []byte
		if b, err = c.view(off, n); err == nil {
			_, err = to.Write(b)
		}
	})
	if fault != nil {
		return fault
	}
	return err
}

// pull has the system copy what stands at an offset of a content into a file, and returns how many bytes; none where they are not of one
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
		return 0, nil // it was renamed or removed, and what is mapped is still there
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
