package headless

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"spandrel/model"
	"spandrel/model/remote"
)

// output passes write the destination given by -o: standard output for nothing and "-".
func (c *call) output(write func(io.Writer) error) error {
	if c.out == "" || c.out == "-" {
		return write(c.Out)
	}
	like := ""
	if len(c.args) > 0 && !remote.Is(c.args[0]) {
		like = c.args[0]
	}
	return WriteFile(c.out, like, write)
}

// inFolder rejects an output in a folder that does not exist: it is not created, because its name may be mistyped.
func inFolder(out string) error {
	if remote.Is(out) {
		return fmt.Errorf("%s: -o writes local files; --upload changes a document in its store", out)
	}
	if dir := filepath.Dir(filepath.Clean(out)); !isFolder(dir) {
		return fmt.Errorf("%s: the folder %s does not exist", out, dir)
	}
	return nil
}

// WriteFile passes write a file: a device or pipe directly. A regular file appears, or replaces an old one, when write has
// succeeded, because write may read the old one. It gets the mode and owner of the old one, or of the document it is made from.
func WriteFile(path, document string, write func(io.Writer) error) error {
	if st, err := os.Stat(path); err == nil {
		if !st.Mode().IsRegular() {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			return errors.Join(write(f), f.Close())
		}
		document = path
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	if err := inFolder(path); err != nil {
		return err
	}
	f, err := model.CreateBeside(path)
	if err != nil {
		return err
	}
	if err = errors.Join(write(f), model.Like(f.Name(), document), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	return model.SyncDir(filepath.Dir(path))
}

// printed makes a printing command respect -o, and fail if it could not read everything it prints.
func printed(c *call, run func() (int, error)) func() (int, error) {
	return func() (status int, err error) {
		failed := c.output(func(w io.Writer) error {
			c.Out = w
			status, err = run()
			return errors.Join(err, c.unread())
		})
		if failed != nil {
			status = Failed
		}
		return status, failed
	}
}

// traffic reports the requests and bytes exchanged with stores since the given counts, because they take time, and may cost money.
func (c *call) traffic(before, read, wrote int64) {
	requests, bytes, sent := remote.Spent()
	requests, bytes, sent = requests-before, bytes-read, sent-wrote
	if requests == 0 || c.quiet {
		return
	}
	if c.json {
		c.line(map[string]any{"kind": "traffic", "requests": requests, "bytes": bytes, "sent": sent})
		return
	}
	text := model.Count(requests, "requests") + ", " + model.Count(bytes, "bytes") + " read"
	if c.upload {
		text += ", " + model.Count(sent, "bytes") + " sent"
	}
	linef(c.Err, "spandrel: %s", text)
}
