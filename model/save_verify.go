package model

import (
	"context"
	"fmt"
)

// verify reads back the runs of a file that were written and compares them. The error describes the difference.
func verify(ctx context.Context, path string, c *Content, runs []Changed) error {
	f, err := OpenFile(path)
	if err != nil {
		return fmt.Errorf("cannot be read back: %w", err)
	}
	defer f.Close()
	if f.Len() != c.Len() {
		return fmt.Errorf("has %d bytes instead of %d", f.Len(), c.Len())
	}
	for _, r := range runs {
		if err := same(ctx, f, c, r.Off, r.Off+r.New); err != nil {
			return err
		}
	}
	return nil
}

func same(ctx context.Context, f *File, c *Content, from, to int64) error {
	for off := from; off < to; off += saveStep {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(saveStep, to-off)
		if err := Guard(func() error {
			want, err := c.view(off, n)
			switch {
			case err != nil:
				return fmt.Errorf("cannot be verified near 0x%x: %w", off, err)
			case string(f.View(off, n)) != string(want):
				return fmt.Errorf("differs from the intended content near 0x%x", off)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// reread verifies the size and the runs of a file that was overwritten. The journal is kept
// until then.
func reread(path string, size int64, runs []run) error {
	f, err := OpenFile(path)
	if err != nil {
		return written(fmt.Errorf("cannot be read back: %w", err))
	}
	defer f.Close()
	if f.Len() != size {
		return written(fmt.Errorf("has %d bytes instead of %d", f.Len(), size))
	}
	return Guard(func() error {
		for _, r := range runs {
			if string(f.View(r.off, int64(len(r.old)))) != string(r.old) {
				return written(fmt.Errorf("differs from the intended content near 0x%x", r.off))
			}
		}
		return nil
	})
}

// written describes what is wrong with a file after writing.
func written(err error) error {
	if err != nil {
		err = fmt.Errorf("the written file %w", err)
	}
	return err
}
