package headless

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/model/remote"
)

// misused says which arguments a command takes, after too few or too many.
func (c *call) misused() error { return fmt.Errorf("usage: spandrel %s", c.usage) }

// forced is the format given by --format, or nil.
func (c *call) forced() (*model.Format, error) {
	if c.format == "" {
		return nil, nil
	}
	for _, f := range c.Formats {
		if f.Name == c.format {
			return f, nil
		}
	}
	return nil, fmt.Errorf("no format %q; available: %s", c.format, strings.Join(formatNames(c.Formats), ", "))
}

// maxStdin is how much is read from standard input.
const maxStdin = 1 << 30

// open opens a file or folder, or reads standard input for "-", or a pipe.
func (c *call) open(path string) (d *model.Document, err error) {
	force, err := c.forced()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err == nil {
			c.opened = append(c.opened, d)
		}
	}()
	if remote.Is(path) {
		thriftier()
	}
	if remote.Is(path) && c.kept == nil {
		err = model.Contain(func() (err error) { d, err = remote.Open(c.ctx, path, c.Formats, force); return err })
		return d, err
	}
	if passes(path) {
		return c.read(path, force)
	}
	if c.kept != nil {
		return c.kept.open(c.ctx, path, c.Formats, force)
	}
	err = model.Contain(func() (err error) { d, err = c.lists.Open(c.ctx, path, c.Formats, force); return err })
	return d, err
}

// passes tells whether a path is standard input or a pipe that the shell opened, such as <(zcat train.idv.gz): what passes through it
// is read once, and kept in memory. A pipe with a name in a folder may have no writer, and opening it would wait for one: the shell
// can do that (- < PIPE).
func passes(path string) bool {
	st, err := os.Stat(path)
	return path == "-" || err == nil && st.Mode()&os.ModeNamedPipe != 0 && (strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/"))
}

// read opens what passes through standard input or a pipe.
func (c *call) read(path string, force *model.Format) (*model.Document, error) {
	in, err := c.input(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, maxStdin+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxStdin {
		return nil, fmt.Errorf("%s: more than %d bytes", path, maxStdin)
	}
	name := filepath.Base(path)
	if path == "-" {
		name = "stdin"
	}
	return model.OpenBytes(c.ctx, name, b, c.Formats, force)
}

// spooled copies what passes through standard input or a pipe to a new file, for what reads it more than once.
func (c *call) spooled(path string) (string, error) {
	in, err := c.input(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.CreateTemp("", "spandrel-*.rows")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close(), c.ctx.Err()); err != nil {
		os.Remove(out.Name())
		return "", err
	}
	return out.Name(), nil
}

// openAll opens the documents that the arguments name, which share the cache of decoded bytes of one, until done is called.
func openAll(c *call) (docs []*model.Document, done func(), err error) {
	whole := model.DecodedBudget()
	model.SetCacheBudget(whole / int64(len(c.args)))
	for _, path := range c.args {
		var d *model.Document
		if d, err = c.open(path); err != nil {
			err = of(path, err)
			break
		}
		docs = append(docs, d)
	}
	return docs, func() { model.SetCacheBudget(whole) }, err
}

// unread is why parts of the documents could not be read, or changed while being read: what was said about them may be wrong.
func (c *call) unread() error {
	for _, d := range c.opened {
		if err := d.Unread(); err != nil {
			return err
		}
	}
	return nil
}

// withFormat is open for commands that need a known format.
func (c *call) withFormat(path string) (*model.Document, error) {
	d, err := c.open(path)
	if err == nil && d.Format == nil {
		if k := cause.Known(c.ctx, d); k != "" {
			return nil, fmt.Errorf("%s: %w. It is %s", path, model.ErrNoFormat, k)
		}
		return nil, fmt.Errorf("%s: %w", path, model.ErrNoFormat)
	}
	return d, err
}

// progress returns a function that shows progress on standard error, if that is a terminal.
func (c *call) progress() func(done, total int64, what string) {
	f := terminal(c.Err)
	if f == nil || c.quiet || c.many {
		return func(int64, int64, string) {}
	}
	last := int64(-1)
	return func(done, total int64, what string) {
		if total > 0 && done*100/total != last {
			last = done * 100 / total
			fmt.Fprintf(f, "\r%s %d %%\x1b[K", what, last)
			if done >= total {
				fmt.Fprint(f, "\r\x1b[K")
			}
		}
	}
}

// progressOf shows the progress of one task.
func (c *call) progressOf(what string) func(done, total int64) {
	progress := c.progress()
	return func(done, total int64) { progress(done, total, what) }
}
