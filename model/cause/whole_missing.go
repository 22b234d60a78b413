package cause

import (
	"fmt"
	"maps"
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
var copyMark = model.Pattern(`( \(\d+\)|\(\d+\)| copy( \d+)?| - Copy( \(\d+\))?| \([^()]*conflicted copy[^()]*\)|~\d+)$`)

// copyOf is the name of the file that a second copy is of, by its name; "" if it has no such mark.
func copyOf(name string) string {
	mark := copyMark().FindStringIndex(stem(name))
	if mark == nil || path.Base(name[:mark[0]]) == "." {
		return ""
	}
	return name[:mark[0]] + path.Ext(name)
}

// secondCopies are the files whose names are those of missing ones, marked as second copies, by the name of the missing one; if there are several of one, none of them.
func secondCopies(r *search, missing []string) map[string]string {
	return onlyStray(r, missing, func(name string, e model.Entry) bool { return copyOf(e.Name) == name })
}

// asLong are the files whose length nothing states and that have exactly the length of a missing one, by its name.
func asLong(r *search, missing []string) map[string]string {
	return onlyStray(r, missing, func(name string, e model.Entry) bool {
		_, known := r.extents[e.Name]
		return !known && e.Name != r.base.snap.Primary && e.Size > 0 && !r.extents[name].Least && r.extents[name].Size == e.Size
	})
}

// onlyStray gives each missing file the only file of its folder that may be it; none if there are several.
func onlyStray(r *search, missing []string, may func(name string, e model.Entry) bool) map[string]string {
	out := map[string]string{}
	for _, name := range missing {
		list, _, _ := r.base.snap.List(path.Dir(name))
		list = slices.DeleteFunc(slices.Clone(list), func(e model.Entry) bool { return !e.Regular || !may(name, e) })
		if len(list) == 1 {
			out[name] = list[0].Name
		}
	}
	return out
}

// renamedBack is the trial that renames second copies back; nil if something is wrong with them under the names of the missing files. It is judged by
// them alone: other files, which may be damaged as well, are checked only once it has been made.
func renamedBack(r *search, copies map[string]string) *trial {
	names := slices.Sorted(maps.Keys(copies))
	t := &trial{op: rewriteFile, kind: legal, unsure: true, snap: r.base.snap, label: "rename " + path.Base(copies[names[0]]) + " to " + path.Base(names[0])}
	if len(names) > 1 {
		t.label = "rename " + model.Count(int64(len(names)), "files")
	}
	for _, name := range names {
		c, err := r.base.snap.Content(copies[name])
		if err != nil {
			return nil
		}
		t.snap = t.snap.With(name, c).With(copies[name], nil)
	}
	t.at = Place{File: copies[names[0]], Len: 1}
	if t.res = r.checked(r.ctx, t.snap, r.base.format); t.res.failed {
		return nil
	}
	found, _ := t.res.tree.Findings()
	for _, f := range graded(found, model.Error) {
		if copies[t.res.tree.FileName(f.Where())] != "" || copies[f.Path()] != "" {
			return nil
		}
	}
	return t
}

// missingCause reports missing files, several in one sentence.
func missingCause(r *search, names []string) *Cause {
	c := &Cause{Grade: Likely, Text: missingText(r, names), Means: "Copy the missing files again from the original folder. The other files can still be read.",
		Evidence: []string{"not in the folder"}, At: Place{File: names[0]}, File: names[0], gone: true}
	main := mainRenamed(r, names[0])
	if main != "" {
		c.Text = fmt.Sprintf("%s was renamed: the files beside it belong to %s.", path.Base(r.base.snap.Primary), main)
		c.Means, c.File, c.gone = "Readers look for files by the name of the main file. Rename it back.", r.base.snap.Primary, false
	}
	copies, has := secondCopies(r, names), "name, with what a program adds to that of a second copy"
	if len(copies) == 0 {
		copies, has = asLong(r, names), "length"
	}
	if len(copies) > 0 && main == "" {
		r.back = renamedBack(r, copies)
	}
	if r.back != nil {
		c.Means = fmt.Sprintf("%s beside it has its %s: rename it back if it is that file. The other files can still be read.", strings.Join(slices.Sorted(maps.Values(copies)), ", "), has)
		c.Repairs = append(c.Repairs, r.offer(r.back, false))
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

// doWithout adds to causes that report missing files the repairs with which a document does without them, whatever they lose.
func (r *search) doWithout(told []*Cause) {
	for _, c := range told {
		if !c.gone || len(c.Repairs) > 0 {
			continue
		}
		for _, t := range sorted(r.hits) {
			heals := slices.ContainsFunc(c.Explains, func(i int) bool { return t.res.fewer(key(&r.found[i]), r.base) })
			if heals && t.op == makeRepair && t.res.fresh(r.base, model.Error) == 0 && len(c.Repairs) < maxOffered {
				c.Repairs = append(c.Repairs, r.offer(t, false))
			}
		}
	}
}
