package compare

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/show"
)

// mostFile is the size of the largest file that is copied to the other document: it is kept in memory until it is saved.
const mostFile = 256 << 20

// side is a document with the state of its files that is compared.
type side struct {
	doc   *doc.Document
	files *model.Snapshot
}

// oneFile is the difference that only one of two documents has a file, as a row. It can be copied to the other, or removed.
func oneFile(has side, name, here, there string) doc.Place {
	row := differing(name, "file", here, there, nil)
	row.Take, row.Give = bothWays(has, []string{name}, here == absent)
	return row
}

// bothWays makes the edits that end a difference in files that only one document has: of this document, which lacks them or has them, and of the other.
func bothWays(has side, names []string, lacks bool) (take, give doc.Making) {
	if lacks {
		return copyFiles(has, names), removeFiles(names)
	}
	return removeFiles(names), copyFiles(has, names)
}

// copyFiles makes the edits that create files of another document.
func copyFiles(from side, names []string) doc.Making {
	return func(context.Context, *model.Tree) (edits []model.Edit, err error) {
		release, open := from.doc.Window.Hold()
		if !open {
			return nil, errClosed
		}
		defer release()
		for _, name := range names {
			c, err := from.files.Content(name)
			if err != nil {
				return nil, errGone
			}
			if c.Len() > mostFile {
				return nil, fmt.Errorf("%s has %s; the limit here is %s. Copy it outside Spandrel, and reload", name, show.Size(c.Len()), show.Size(mostFile))
			}
			b := make([]byte, c.Len())
			if _, err := c.ReadAt(b, 0); err != nil && err != io.EOF {
				return nil, err
			}
			edits = append(edits, model.FileEdit{File: name, Create: model.Memory(b)})
		}
		return edits, nil
	}
}

// removeFiles makes the edits that remove files of the document.
func removeFiles(names []string) doc.Making {
	return func(context.Context, *model.Tree) ([]model.Edit, error) {
		return model.Map(names, func(name string) model.Edit { return model.FileEdit{File: name, Delete: true} }), nil
	}
}

// withFiles lets fields that stand for files of one document alone be taken with all of them, and adds rows for the other such files. Documents that
// are not whole folders share theirs with others.
func withFiles(fields []doc.Place, here, there side) ([]doc.Place, error) {
	a, b := here.files, there.files
	if a.Primary != "" || b.Primary != "" || !a.Folder() || !b.Folder() {
		return fields, nil
	}
	x, err := a.Files()
	if err != nil {
		return fields, err
	}
	y, err := b.Files()
	if err != nil {
		return fields, err
	}
	fields = alone(fields, here, without(x, y), false)
	return alone(fields, there, without(y, x), true), nil
}

// alone does so for the files that only one document has; lacks tells whether it is the other.
func alone(fields []doc.Place, has side, left []string, lacks bool) []doc.Place {
	here, there := present, absent
	if lacks {
		here, there = absent, present
	}
	for i := range fields {
		c := fields[i].Cells
		if (c[2].Text == absent) != lacks || (c[3].Text == absent) == lacks {
			continue
		}
		var mine []string
		if mine, left = below(left, path.Base(c[0].Text)); len(mine) > 0 {
			c[1].Text = show.Counted(int64(len(mine)), "file")
			fields[i].Take, fields[i].Give = bothWays(has, mine, lacks)
		}
	}
	for _, name := range left[:min(len(left), doc.FindMost)] {
		fields = append(fields, oneFile(has, name, here, there))
	}
	return fields
}

// without are the names that another list does not have.
func without(names, others []string) (out []string) {
	slices.Sort(others)
	for _, name := range names {
		if _, ok := slices.BinarySearch(others, name); !ok {
			out = append(out, name)
		}
	}
	return out
}

// below divides names of files into those that are or are inside a file or folder with a name, and the others.
func below(names []string, base string) (in, out []string) {
	for _, name := range names {
		if slices.Contains(strings.Split(name, "/"), base) {
			in = append(in, name)
		} else {
			out = append(out, name)
		}
	}
	return in, out
}
