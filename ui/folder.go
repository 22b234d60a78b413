package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/ui/paint"
)

// filesMost is how many files of a folder are offered at most.
const filesMost = 1000

// filesIn returns the files of a folder that are of a known format by their names, in order.
func filesIn(folder string, formats []*model.Format) (names []string) {
	list, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range list {
		known := func(f *model.Format) bool {
			return slices.Contains(f.Exts, strings.ToLower(filepath.Ext(e.Name())))
		}
		if !e.IsDir() && len(names) < filesMost && slices.ContainsFunc(formats, known) {
			names = append(names, e.Name())
		}
	}
	return names
}

// mainsIn returns the files of a folder that are each the main file of a document there, as indexes of several shards are; none where the
// folder is one document.
func mainsIn(folder string, formats []*model.Format) []string {
	var of []*model.Format
	for _, f := range formats {
		if s := f.Dataset; s != nil && s.Beside && s.Detect != nil && s.Home == nil {
			of = append(of, f)
		}
	}
	names := filesIn(folder, of)
	if len(names) < 2 {
		return nil
	}
	return names
}

// openIn opens a file of a folder that is no document as a whole: the only one that may be one, or one that is asked for. It
// tells whether there was any.
func (o *opener) openIn(folder string, names []string, then func(*tab)) bool {
	switch {
	case len(names) == 1:
		o.open(filepath.Join(folder, names[0]), then)
	case len(names) == 0:
		return false
	default:
		o.wb.Pick("Open which file of "+paint.Shorten(filepath.Base(folder), 40)+"?", names, func(i int) { o.show(filepath.Join(folder, names[i])) })
		if then != nil {
			then(nil) // what else was to be opened does not wait for the answer
		}
	}
	return true
}
