package cause

import (
	"fmt"
	"path"
	"slices"

	"spandrel/model"
)

// appleDoubles tries to remove the files with metadata that macOS puts beside others; nil if there are none.
func appleDoubles(r *search) *trial {
	var names []string
	seen := map[string]bool{}
	for _, file := range filesOf(r.base.tree) {
		dir := path.Dir(file)
		if seen[dir] {
			continue
		}
		seen[dir] = true
		list, _, _ := r.base.snap.List(dir)
		for _, e := range list {
			if !e.Regular || !appleDouble(e.Name) || e.Name == r.base.snap.Primary {
				continue
			}
			if c, err := r.base.snap.Content(e.Name); err == nil && string(bytesAt(c, 0, 4)) == "\x00\x05\x16\x07" {
				names = append(names, e.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	to := r.base.snap
	for _, name := range names {
		to = to.With(name, nil)
	}
	return &trial{kind: derived, op: rewriteFile, unsure: true, strays: true, snap: to, at: Place{File: names[0], Len: 1}, label: "remove " + model.Count(int64(len(names)), "metadata files"),
		text:  fmt.Sprintf("macOS has put metadata files beside the files of the document, such as %s.", names[0]),
		means: "Readers take them for files of the document. They contain nothing of it.", evidence: []string{"their names begin with ._"}}
}
