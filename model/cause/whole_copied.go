package cause

import (
	"path"
	"slices"

	"spandrel/model"
)

// A file that was overwritten by another one of the document.

// leastCopied is how long a file must be for equal bytes elsewhere to be a copy and not a coincidence.
const leastCopied = 64

// copiedFiles reports files with the same bytes as another file of the folder that has fewer problems or none; and files that something is wrong with
// and that have the same bytes as one of the same name in another folder of the document, in which nothing is wrong.
func copiedFiles(r *search) (told []*Cause) {
	seen, blames, folders := map[string]bool{}, map[string]int{}, map[string][]string{} // files with problems in each folder
	for i := range r.found {
		name := r.base.tree.FileName(r.found[i].Where())
		if dir := path.Dir(name); r.found[i].Grade() != model.Note && !slices.Contains(folders[dir], name) {
			folders[dir] = append(folders[dir], name)
		}
	}
	blame := func(name string) int { // once per file: there may be thousands
		if _, ok := blames[name]; !ok {
			blames[name] = findingsAbout(r, name)
		}
		return blames[name]
	}
	for _, s := range r.base.tree.Spaces() {
		name, dir := s.File, path.Dir(s.File)
		if s.Derived() || seen[name] || len(seen) == maxFiles || blame(name) == 0 && len(folders[dir]) == 0 {
			continue
		}
		seen[name] = true
		c, err := r.base.snap.Content(name)
		if err != nil || c.Len() < leastCopied || c.Len() > r.front || name == r.base.snap.Primary {
			continue
		}
		same := func(like string) bool {
			other, err := r.base.snap.Content(like)
			return err == nil && like != name && other.Len() == c.Len() && firstDifference(r.ctx, c, other, 0) < 0
		}
		list, _, _ := r.base.snap.List(dir)
		i := slices.IndexFunc(list, func(e model.Entry) bool { return e.Size == c.Len() && blame(e.Name) < blame(name) && same(e.Name) })
		if i >= 0 {
			told = append(told, overwritten(r, name, list[i].Name, c.Len(), ""))
			continue
		}
		// Files of the same name often have the same content. One was overwritten only if that explains all that is wrong in its folder: only the file
		// itself has problems, or several others have, which it describes.
		others := len(slices.DeleteFunc(slices.Clone(folders[dir]), func(f string) bool { return f == name }))
		if len(folders[dir]) == 0 || others == 1 {
			continue
		}
		for _, like := range namesakes(r, name) {
			if path.Dir(like) != dir && len(folders[path.Dir(like)]) == 0 && same(like) {
				told = append(told, overwritten(r, name, like, c.Len(), dir))
				break
			}
		}
	}
	return told
}

// overwritten says that a file has the content of another one, which explains the problems in a folder; in all if it is "".
func overwritten(r *search, name, like string, n int64, dir string) *Cause {
	c := &Cause{Grade: Likely, Text: name + " contains the same bytes as " + like + "; its own content is missing.",
		Means: "Copy it again from the original folder.", Evidence: []string{"every byte of both"}, At: Place{File: name, Len: min(1, n)}, File: name, gone: true}
	for i := range r.found {
		if f := &r.found[i]; f.Grade() != model.Note && (dir == "" || path.Dir(r.base.tree.FileName(f.Where())) == dir) {
			c.Explains = append(c.Explains, i)
		}
	}
	r.lost = append(r.lost, Place{File: name, Len: n})
	return c
}

// namesakes are the files of the document with the same name in other folders.
func namesakes(r *search, name string) (out []string) {
	for _, s := range r.base.tree.Spaces() {
		if !s.Derived() && s.File != name && path.Base(s.File) == path.Base(name) {
			out = append(out, s.File)
		}
	}
	return out
}
