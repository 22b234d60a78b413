package headless

import (
	"errors"
	"flag"
	"fmt"

	"spandrel/model"
	"spandrel/model/protected"
	"spandrel/model/remote"
)

// protect writes protection data beside a file or folder.
func protect(f *flag.FlagSet, c *call) func() (int, error) {
	percent := f.Int("percent", protected.Percent, "percentage of the bytes that can be restored: 1 to 20")
	return func() (int, error) {
		path := c.args[0]
		if remote.Is(path) {
			return Failed, of(path, errors.New("only local files can be protected"))
		}
		if path == "-" {
			return Failed, errors.New("protection data always goes beside the file: PATH" + protected.Ext)
		}
		if err := c.warns(path); err != nil {
			return Failed, err
		}
		w, err := protected.Write(c.ctx, path, *percent)
		if err != nil {
			return Failed, of(path, err)
		}
		data := map[string]any{"kind": "protected", "document": path, "path": path, "data": w.Path, "files": w.Files, "bytes": w.Bytes, "size": w.Taken, "percent": *percent}
		return Done, c.either(data, "%s: %s protect %s of %s; up to %d %% of them can be restored", w.Path, model.Count(w.Taken, "bytes"),
			model.Count(w.Bytes, "bytes"), model.Count(int64(w.Files), "files"), *percent)
	}
}

// warns lists errors that are protected with the document, because restoring it later restores them too.
func (c *call) warns(path string) error {
	d, err := c.open(path)
	if errors.Is(err, model.ErrNoFormat) {
		return nil
	}
	if err != nil || d.Format == nil {
		return err
	}
	found, err := change{call: c, d: d}.errors()
	if err != nil || len(found) == 0 {
		return err
	}
	return c.aside("warning", fmt.Sprintf("%s has errors, which are now protected too: %s", path, first(found)))
}
