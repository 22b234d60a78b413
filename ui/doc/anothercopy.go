package doc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"spandrel/model"
	"spandrel/ui/align"
	"spandrel/ui/askpath"
	"spandrel/ui/kit"
	"spandrel/ui/show"
)

// mostCopied is the size of the largest replacement for a file: it is kept in memory until it is saved.
const mostCopied = 256 << 20

// askCopy asks for another copy of a missing or damaged file, and previews the document with it. Nothing is written
// before the document is saved. name is the file's name for people.
func (d *Document) askCopy(file, name string) {
	if d.Causes.Waits() {
		return
	}
	title := "Replace " + name + " from another copy"
	if _, err := d.Tree().Snapshot.Content(file); err != nil {
		title = "Locate " + name
	}
	dir := d.Nearby()
	take := func(at string) { d.TakeCopy(title, file, at) }
	kinds := []askpath.Kind{{Name: "All files"}}
	d.Window.Choose(func() (string, error) { return askpath.File(dir, title, kinds) }, take, func() {
		d.Window.Ask(title, "Open", "The path of the copy:", dir+string(filepath.Separator), func(at string, done func(error)) {
			st, err := os.Stat(at)
			if err == nil && !st.Mode().IsRegular() {
				err = errors.New("it is not a file")
			}
			if done(err); err == nil {
				take(at)
			}
		})
	})
}

// TakeCopy reads a file in the background, replaces a file of the document by it, and previews the result. A replacement of a missing file
// must reduce the errors.
func (d *Document) TakeCopy(title, file, at string) {
	t := d.Tree()
	kit.Work(d.Window, title, model.Edited, func(ctx context.Context) (*model.Plan, error) {
		b, err := readCopy(at)
		if err != nil {
			return nil, err
		}
		return replaced(ctx, t, title, file, b)
	}, kit.OrFail(d.Window.Host, title, func(p *model.Plan) { d.Editor.Try(p, nil, false) }))
}

// readCopy reads a whole file.
func readCopy(at string) ([]byte, error) {
	st, err := os.Stat(at) // before it is opened: a pipe would wait for a writer
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", at)
	case st.Size() > mostCopied:
		return nil, fmt.Errorf("%s has %s; the limit here is %s. Copy it outside Spandrel, and reload", at, show.Size(st.Size()), show.Size(mostCopied))
	}
	f, err := os.Open(at)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, mostCopied)) // it may be growing
}

// replaced plans a document in which one file has other content.
func replaced(ctx context.Context, t *model.Tree, label, file string, b []byte) (*model.Plan, error) {
	from := t.Snapshot
	to := from.With(file, model.BytesContent(b))
	p := &model.Plan{Label: label, From: from, To: to}
	was, missing := from.Content(file)
	if missing != nil {
		p.Patches = []model.Patch{{File: file, With: model.Memory(b), Why: "located"}}
	} else {
		now, err := to.Content(file)
		if err != nil {
			return nil, err
		}
		for _, c := range align.Exactly(ctx, now, was, now.Diff(was)) {
			p.Patches = append(p.Patches, model.Patch{File: file, Off: c.OldOff, Del: c.Old, With: model.Memory(b[c.Off : c.Off+c.New]), Why: "replaced"})
		}
	}
	before, err := wrongIn(ctx, from, t.Format)
	if err != nil {
		return nil, err
	}
	after, err := wrongIn(ctx, to, t.Format)
	if err != nil {
		return nil, err
	}
	if len(after) == 0 {
		return p, nil
	}
	left := fmt.Sprintf("With this copy the document has %s, without it %s: %s", show.Counted(int64(len(after)), "error"), show.Counted(int64(len(before)), "error"), after[0])
	if missing != nil && len(after) >= len(before) {
		return nil, errors.New("it is not the missing file. " + left)
	}
	p.Warnings = append(p.Warnings, left)
	return p, nil
}

// wrongIn parses and checks a state of a document, and returns its errors.
func wrongIn(ctx context.Context, s *model.Snapshot, format *model.Format) (out []string, err error) {
	t := model.Parse(ctx, s, format)
	d := &model.Document{Path: s.Primary, Format: format, Tree: t}
	if t.Root.Range.Len <= CheckSize {
		if err := d.Deep(ctx, func(int64, int64, string) {}); err != nil {
			return nil, err
		}
	}
	found, _ := t.Findings()
	for i := range found {
		if found[i].Grade() == model.Error {
			out = append(out, found[i].Text())
		}
	}
	return out, ctx.Err()
}
