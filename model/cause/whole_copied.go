package cause

import (
	"fmt"
	"path"
	"slices"

	"spandrel/model"
)

// A file that was overwritten by another one of the document.

// leastCopied is how long a file must be for equal bytes elsewhere to be a copy and not a coincidence.
const leastCopied = 64

// copies is a search for files that were overwritten by other files.
type copies struct {
	*search
	blames  map[string]int      // problems about each file, counted once: there may be thousands of files
	folders map[string][]string // files with problems in each folder
}

// copiedFiles reports files with the same bytes as another file of the folder that has fewer problems or none; and files that something is wrong with
// and that have the same bytes as one of the same name in another folder of the document, in which nothing is wrong.
func copiedFiles(r *search) (told []*Cause) {
	x := &copies{search: r, blames: map[string]int{}, folders: map[string][]string{}}
	for _, f := range graded(r.found, model.Warning) {
		name := r.base.tree.FileName(f.Where())
		if dir := path.Dir(name); !slices.Contains(x.folders[dir], name) {
			x.folders[dir] = append(x.folders[dir], name)
		}
	}
	seen := map[string]bool{}
	for _, name := range filesOf(r.base.tree) {
		if seen[name] || len(seen) == maxFiles || x.blame(name) == 0 { // the same bytes are no damage in themselves
			continue
		}
		seen[name] = true
		if c := x.cause(name); c != nil {
			told = append(told, c)
		}
	}
	return told
}

// blame is how many problems a file has.
func (x *copies) blame(name string) int {
	if _, ok := x.blames[name]; !ok {
		x.blames[name] = findingsAbout(x.search, name)
	}
	return x.blames[name]
}

// cause reports a file that was overwritten by another one; nil for any other.
func (x *copies) cause(name string) *Cause {
	c, err := x.base.snap.Content(name)
	if err != nil || c.Len() < leastCopied || c.Len() > x.front || name == x.base.snap.Primary {
		return nil
	}
	same := func(like string) bool {
		other, err := x.base.snap.Content(like)
		return err == nil && like != name && other.Len() == c.Len() && firstDifference(x.ctx, c, other, 0) < 0
	}
	dir := path.Dir(name)
	list, _, _ := x.base.snap.List(dir)
	for _, e := range list {
		if e.Size == c.Len() && x.blame(e.Name) < x.blame(name) && same(e.Name) {
			return overwritten(x.search, name, e.Name, c.Len(), "")
		}
	}
	// Files of the same name often have the same content. One was overwritten only if that explains all that is wrong in its folder: only the file
	// itself has problems, or several others have, which it describes.
	wrong := x.folders[dir]
	if others := len(wrong) - b2i(slices.Contains(wrong, name)); len(wrong) == 0 || others == 1 {
		return nil
	}
	for _, like := range namesakes(x.search, name) {
		if path.Dir(like) != dir && len(x.folders[path.Dir(like)]) == 0 && same(like) {
			return overwritten(x.search, name, like, c.Len(), dir)
		}
	}
	return nil
}

// overwritten says that a file has the content of another one, which explains the problems in a folder; in all if it is "".
func overwritten(r *search, name, like string, n int64, dir string) *Cause {
	c := &Cause{Grade: Likely, Text: name + " contains the same bytes as " + like + "; its own content is missing.",
		Means: "Copy it again from the original folder.", Evidence: []string{"every byte of both"}, At: Place{File: name, Len: min(1, n)}, File: name, gone: true}
	for i, f := range graded(r.found, model.Warning) {
		if dir == "" || path.Dir(r.base.tree.FileName(f.Where())) == dir {
			c.Explains = append(c.Explains, i)
		}
	}
	r.lost = append(r.lost, Place{File: name, Len: n})
	return c
}

// copiesInPlace tries each second copy of a file in place of the file itself: programs that synchronise folders keep both, and call the newer one a copy.
func copiesInPlace(r *search) (out []*trial) {
	seen := map[string]bool{}
	for _, file := range filesOf(r.base.tree) {
		if dir := path.Dir(file); !seen[dir] {
			seen[dir] = true
			list, _, _ := r.base.snap.List(dir)
			for _, e := range list {
				if t := inPlaceOf(r, e); t != nil && len(out) < maxStrays {
					out = append(out, t)
				}
			}
		}
	}
	return out
}

// inPlaceOf is the trial of a second copy in place of a file of the document that is there too and has other bytes; nil for any other file.
func inPlaceOf(r *search, e model.Entry) *trial {
	name := copyOf(e.Name)
	was, err := r.base.snap.Content(name)
	if name == "" || err != nil || !e.Regular || was.Len() > r.front {
		return nil
	}
	c, err := r.base.snap.Content(e.Name)
	if err != nil || c.Len() == 0 || c.Len() > r.front || c.Len() == was.Len() && firstDifference(r.ctx, was, c, 0) < 0 {
		return nil
	}
	t := &trial{kind: legal, op: rewriteFile, unsure: true, snap: r.base.snap.With(name, c).With(e.Name, nil), at: Place{File: name, Len: min(1, was.Len())},
		text:  fmt.Sprintf("%s is another version of the file: %s beside it is the one that fits the other files.", name, path.Base(e.Name)),
		means: "Programs that synchronise folders keep both if a file was changed in two places.", label: "put " + path.Base(e.Name) + " in place of " + path.Base(name),
		loses: model.Words("the %s bytes of the other version", model.Thousands(was.Len()))}
	if was.Len() == 0 {
		t.text, t.loses = fmt.Sprintf("%s is empty: its bytes are in %s beside it.", name, path.Base(e.Name)), ""
	}
	return t
}

// namesakes are the files of the document with the same name in other folders.
func namesakes(r *search, name string) (out []string) {
	return slices.DeleteFunc(filesOf(r.base.tree), func(f string) bool { return f == name || path.Base(f) != path.Base(name) })
}
