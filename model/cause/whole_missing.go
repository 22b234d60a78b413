package cause

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"spandrel/model"
)

// Files that are missing from a folder, and what is said about them.

// mainRenamed is the name of the main file after which a file beside it is named like a missing one after it; "" for none.
func mainRenamed(r *search, missing string) string {
	main := path.Base(r.base.snap.Primary)
	list, _, _ := r.base.snap.List(path.Dir(missing))
	rest, named := strings.CutPrefix(path.Base(missing), stem(main))
	for _, e := range list {
		if was, ok := strings.CutSuffix(path.Base(e.Name), rest); ok && named && was != "" && withoutNamesakes(r, main, list) {
			return was + path.Ext(main)
		}
	}
	return ""
}

// missingText says which files are missing, and how many bytes if that is known.
func missingText(r *search, names []string) string {
	size, n := int64(0), len(names)
	for _, name := range names {
		size += r.extents[name].Size
	}
	exact := !slices.ContainsFunc(names, func(name string) bool { return r.extents[name].Least })
	switch {
	case n == 1 && exact:
		return names[0] + " is missing, along with " + model.Count(size, "bytes") + "."
	case n == 1:
		return names[0] + " is missing."
	}
	text := fmt.Sprintf("%d files are missing: %s", n, strings.Join(names[:min(n, maxNamed)], ", "))
	if n == maxMissing {
		text = "At least " + text
	}
	if n > maxNamed {
		text += " and others"
	}
	if exact {
		text += ", " + model.Count(size, "bytes") + " in all"
	}
	return text + "."
}

// copyMark is what browsers, file managers and programs that synchronise folders add to the name of a second copy, in front of the extension.
var copyMark = model.Pattern(`^( \(\d+\)|\(\d+\)| copy( \d+)?| - Copy( \(\d+\))?| \(.*conflicted copy.*\)|~\d+)$`)

// secondCopies are files whose names are those of missing ones, marked as second copies.
func secondCopies(r *search, missing []string) (out []string) {
	for _, name := range missing {
		list, _, _ := r.base.snap.List(path.Dir(name))
		for _, e := range list {
			mark, ok := strings.CutPrefix(strings.TrimSuffix(e.Name, path.Ext(name)), stem(name))
			if ok && e.Regular && copyMark().MatchString(mark) {
				out = append(out, path.Base(e.Name))
			}
		}
	}
	return out
}

// missingCause reports missing files, several in one sentence.
func missingCause(r *search, names []string) *Cause {
	c := &Cause{Grade: Likely, Text: missingText(r, names), Means: "Copy the missing files again from the original folder. The other files can still be read.",
		Evidence: []string{"not in the folder"}, At: Place{File: names[0]}, File: names[0], gone: true}
	if main := mainRenamed(r, names[0]); main != "" {
		c.Text = fmt.Sprintf("%s was renamed: the files beside it belong to %s.", path.Base(r.base.snap.Primary), main)
		c.Means, c.File, c.gone = "Readers look for files by the name of the main file. Rename it back.", r.base.snap.Primary, false
	}
	if copies := secondCopies(r, names); len(copies) > 0 {
		c.Means = fmt.Sprintf("%s beside it has its name, with what a program adds to that of a second copy: rename it back if it is that file. The other files can still be read.", strings.Join(copies, ", "))
	}
	for _, n := range names {
		if says := r.extents[n].Says; says != "" && !slices.Contains(c.Evidence, says) {
			c.Evidence = append(c.Evidence, says)
		}
		c.Explains = append(c.Explains, findingsOf(r, n)...)
		for i := range r.found { // findings about its folder
			if r.found[i].Path() == path.Dir(n) {
				c.Explains = append(c.Explains, i)
			}
		}
	}
	slices.Sort(c.Explains)
	if c.Explains = slices.Compact(c.Explains); len(c.Explains) > 0 {
		c.At = placeOf(r.base.tree, &r.found[c.Explains[0]])
	}
	return c
}
