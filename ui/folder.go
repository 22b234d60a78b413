package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/ui/paint"
)

// filesMost is how many files of a folder are offered.
const filesMost = 1000

// filesIn returns the files of a folder whose names belong to a known format, in order.
func filesIn(folder string, formats []*model.Format) (names []string) {
	list, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range list {
		known := func(f *model.Format) bool {
			return slices.Contains(f.Exts, strings.ToLower(filepath.Ext(e.Name())))
		}
		macOS := strings.HasPrefix(e.Name(), "._") // metadata of the file without that, which macOS puts beside it
		if !e.IsDir() && !macOS && len(names) < filesMost && slices.ContainsFunc(formats, known) {
			names = append(names, e.Name())
		}
	}
	return names
}

// mainsIn returns the files of a folder that may each be meant: those like the main file of the document that the folder was opened as, such as
// indexes of several sets of shards. None if there is no other, or if the files of that kind are parts of the document.
func mainsIn(folder string, m *model.Document) []string {
	if m.Format == nil {
		return nil
	}
	names := filesIn(folder, []*model.Format{m.Format})
	if len(names) < 2 || !slices.Contains(names, m.Tree.Snapshot.Primary) {
		return nil
	}
	return names
}

// openIn opens the only file of a folder that may be a document, if the folder as a whole is none; for several files it shows the catalogue. It tells
// whether there was any.
func (o *opener) openIn(folder string, names []string, then func(*tab)) bool {
	switch len(names) {
	case 0:
		return false
	case 1:
		o.open(filepath.Join(folder, names[0]), then)
	default:
		o.wb.catalogue(folder)
		if then != nil {
			then(nil)
		}
	}
	return true
}

// pickIn asks which of the main files of a folder is meant.
func (o *opener) pickIn(folder string, mains []string, then func(*tab)) {
	o.wb.Pick("Open which file of "+paint.Shorten(filepath.Base(folder), 40)+"?", "Open", mains, func(i int) { o.show(filepath.Join(folder, mains[i])) })
	if then != nil {
		then(nil) // what else was to be opened does not wait for the answer
	}
}
