package cause

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/model/evidence"
)

// What happened to a folder: a file is missing or renamed, or two files have each other's name.

const (
	maxMissing = 8  // missing files that are reported
	maxStrays  = 16 // files of a folder that are tried as a renamed missing one
	maxSwapped = 6  // files that are tried with each other's content
)

// folderCauses tries files under other names, and reports those that are missing.
func folderCauses(r *search, blamed []string) (told []*Cause) {
	if r.base.format == nil || !r.base.snap.Folder() {
		return nil
	}
	before := len(r.hits)
	if t := appleDoubles(r); t != nil && r.run([]*trial{t}) && len(r.hits) > before {
		return nil
	}
	if list := mainsSwapped(r); len(list) > 0 && r.run(list) && len(r.hits) > before {
		return nil
	}
	missing := missingFiles(r)
	var trials []*trial
	for _, name := range missing {
		trials = append(append(trials, renamedTo(r, name)...), misspeltNames(r, name)...)
	}
	if trials = append(trials, copiesInPlace(r)...); len(trials) == 0 {
		trials = filesSwapped(r, blamed)
	}
	r.run(trials)
	if len(r.hits) > before {
		return nil
	}
	if told = copiedFiles(r); len(missing) > 0 {
		told = append(told, missingCause(r, missing))
	}
	return told
}

// missingFiles lists the files whose length others state and that are not there.
func missingFiles(r *search) (out []string) {
	for _, name := range slices.Sorted(maps.Keys(r.extents)) {
		if _, err := r.base.snap.Content(name); err != nil && model.Clean(name) == nil && !strings.ContainsRune(name, utf8.RuneError) && len(out) < maxMissing { // otherwise the name is damaged
			out = append(out, name)
		}
	}
	return out
}

// renamedTo tries every unused file beside a missing one under its name.
func renamedTo(r *search, name string) (out []*trial) {
	list, _, err := r.base.snap.List(path.Dir(name))
	if err != nil {
		return nil
	}
	want := r.extents[name]
	for _, e := range list {
		if t := packedUnder(r, name, e); t != nil {
			return []*trial{t}
		}
		_, known := r.extents[e.Name]
		if !e.Regular || known || e.Size == 0 || e.Name == r.base.snap.Primary || len(out) == maxStrays || !want.Least && want.Size != e.Size {
			continue
		}
		if c, err := r.base.snap.Content(e.Name); err == nil && c.Len() <= r.front && (len(want.Magics) == 0 || beginsLike(r, name, c)) {
			out = append(out, renamedFrom(r, e.Name, c, name, list))
		}
	}
	return out
}

// renamedFrom is the trial of a missing file that is in the folder under another name; list is what the folder contains.
func renamedFrom(r *search, other string, c *model.Content, name string, list []model.Entry) *trial {
	was, is, main := path.Base(other), path.Base(name), path.Base(r.base.snap.Primary)
	t := &trial{kind: derived, op: rewriteFile, snap: r.base.snap.With(name, c).With(other, nil), at: Place{File: other, Len: 1},
		text: was + " is " + is + " under another name.", label: "rename " + was + " to " + is, means: "Readers find it by name."}
	if misspelt(was, is) && nameStored(r, is) {
		t.unsure, t.text = true, fmt.Sprintf("%s is missing, and %s has almost the same name: either the file was renamed, or the name that refers to it is wrong.", is, was)
	}
	if withoutNamesakes(r, main, list) && strings.HasPrefix(is, stem(main)) && !strings.HasPrefix(was, stem(main)) {
		t.kind, t.unsure, t.text = legal, true, fmt.Sprintf("%s needs %s, but the folder has %s: either the first or %s was renamed.", main, is, was, was)
	}
	return t
}

// nameStored tells whether the name of a file is stored in the document, and may be damaged there, rather than fixed by the format.
func nameStored(r *search, name string) bool {
	return slices.ContainsFunc(filesOf(r.base.tree), func(file string) bool {
		c, err := r.base.snap.Content(file)
		return err == nil && c.Len() <= maxRegular && bytes.Contains(bytesAt(c, 0, c.Len()), []byte(name))
	})
}

// withoutNamesakes tells whether no file beside the main one is named after it: then the main file may have been renamed.
func withoutNamesakes(r *search, main string, list []model.Entry) bool {
	return stem(main) != "" && !slices.ContainsFunc(list, func(e model.Entry) bool {
		return e.Regular && e.Name != r.base.snap.Primary && strings.HasPrefix(path.Base(e.Name), stem(main))
	})
}

// stem is the name of a file without its extension.
func stem(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

// misnamed reports a main file whose name differs from the one stored in it. That of several joined files is none of theirs.
func misnamed(r *search) (told []*Cause) {
	name := path.Base(r.base.snap.Primary)
	for i, f := range graded(r.found, model.Error) {
		if f.Found == name && f.Expected != "" && len(joinedAt(r.ctx, r.base.snap, r.base.format, 0)) < 2 {
			return []*Cause{{Grade: Likely, Text: fmt.Sprintf("The file was renamed: its name is %s, but its content says %s.", name, f.Expected), Means: "Readers look for the original name. Rename it back.",
				Evidence: []string{f.Text()}, At: placeOf(r.base.tree, f), Explains: []int{i}}}
		}
	}
	return nil
}

// packedUnder tries a file with the name of a missing one and the extension of a compression.
func packedUnder(r *search, name string, e model.Entry) *trial {
	ending, ok := strings.CutPrefix(e.Name, name+".")
	if !ok || e.Size > maxTransform {
		return nil
	}
	c, err := r.base.snap.Content(e.Name)
	if err != nil {
		return nil
	}
	for _, w := range wrappers {
		b, bad := w.unpack(c)
		if bad != nil || len(b) == 0 {
			continue
		}
		return &trial{kind: derived, op: rewriteFile, snap: r.base.snap.With(name, model.BytesContent(b)).With(e.Name, nil), at: Place{File: e.Name, Len: 1},
			text: fmt.Sprintf("%s exists only as %s, compressed with %s.", name, path.Base(name)+"."+ending, w.name), label: "unpack the file", means: "Readers do not unpack it themselves."}
	}
	return nil
}

// mainsSwapped is the trial that exchanges the main file with that of another document in the folder, if both documents have problems and neither has any
// afterwards; the only other files of the two documents may have been exchanged instead.
func mainsSwapped(r *search) []*trial {
	main := r.base.snap.Primary
	list, _, _ := r.base.snap.List(path.Dir(main))
	clean := func(snap *model.Snapshot, name string) bool {
		of := *snap
		of.Primary = name
		return r.checked(r.ctx, &of, r.base.format).clean()
	}
	tried := 0
	for _, e := range list {
		if !e.Regular || path.Ext(e.Name) != path.Ext(main) || belongs(r, e.Name) || len(filesOf(r.base.tree)) < 2 || tried == maxSwapped {
			continue
		}
		if t := swapFiles(r, main, e.Name); t != nil {
			if tried++; clean(t.snap, main) && clean(t.snap, e.Name) && !clean(r.base.snap, e.Name) {
				t.text, t.means = fmt.Sprintf("%s and %s have each other's name.", main, e.Name), "Each fits the files of the other."
				u := othersSwapped(r, e.Name)
				if u == nil || !clean(u.snap, main) || !clean(u.snap, e.Name) {
					return []*trial{t}
				}
				t.unsure, u.unsure = true, true
				t.label = fmt.Sprintf("swap %s and %s back", main, e.Name)
				return []*trial{t, u}
			}
		}
	}
	return nil
}

// othersSwapped is the trial that exchanges the only other file of a document with that of another main file; nil if there is none.
func othersSwapped(r *search, main string) *trial {
	others := slices.DeleteFunc(slices.Clone(filesOf(r.base.tree)), func(name string) bool { return name == r.base.snap.Primary })
	if len(others) != 1 || stem(others[0]) != stem(r.base.snap.Primary) {
		return nil
	}
	twin := stem(main) + path.Ext(others[0])
	t := swapFiles(r, others[0], twin)
	if t != nil {
		t.text, t.label = fmt.Sprintf("%s and %s have each other's name.", others[0], twin), fmt.Sprintf("swap %s and %s back", others[0], twin)
	}
	return t
}

// filesSwapped tries every two files with problems under each other's name, and each file of the wrong length with every
// other file; if only one file has problems, that one with every other file.
func filesSwapped(r *search, blamed []string) (out []*trial) {
	wrong := wrongLengths(r)
	for i, a := range wrong {
		for _, b := range wrong[i+1:] { // also in different folders of the document
			if a.is == b.should && b.is == a.should {
				out = append(out, swapsWith(r, a.name, []string{b.name})...)
			}
		}
	}
	for _, t := range out {
		t.crossed = true
	}
	some := blamed[:min(len(blamed), maxSwapped)]
	for i, a := range some {
		asLong := slices.DeleteFunc(filesAsLong(r, a), func(b string) bool { return slices.Contains(blamed, b) })
		out = append(out, swapsWith(r, a, slices.Concat(some[i+1:], asLong))...)
	}
	if len(out) == 0 {
		named := namedFiles(r) // they have the same length
		for i, a := range named {
			out = append(out, swapsWith(r, a, named[i+1:])...)
		}
	}
	if len(out) == 0 && len(blamed) == 1 { // what replaced it may be sound in its place
		out = swapsWith(r, blamed[0], filesOf(r.base.tree))
	}
	return out[:min(len(out), maxStrays)]
}

// swapsWith are the trials that swap a file with each of some others.
func swapsWith(r *search, name string, others []string) (out []*trial) {
	for _, other := range others {
		t := swapFiles(r, name, other)
		if t == nil {
			continue
		}
		out = append(out, t)
		if n := swapNames(r, name, other); n != nil {
			t.unsure, t.text, t.means = true, n.text, ""
			out = append(out, n)
		}
	}
	return out
}

// swapNames is the trial that gives two files each other's name where the main file stores both; nil if it does not, or stores the names of all in order.
func swapNames(r *search, name, other string) *trial {
	c, err := r.base.snap.Content(r.base.snap.Primary)
	if err != nil || c.Len() > maxRegular {
		return nil
	}
	is, main := string(bytesAt(c, 0, c.Len())), path.Base(r.base.snap.Primary)
	a, b := path.Base(name), path.Base(other)
	if !strings.Contains(is, a) || !strings.Contains(is, b) || inOrder(r, is) {
		return nil
	}
	was := strings.NewReplacer(a, b, b, a).Replace(is)
	return &trial{kind: legal, op: rewriteFile, unsure: true, snap: r.base.snap.With(r.base.snap.Primary, model.BytesContent([]byte(was))), at: Place{File: r.base.snap.Primary, Len: 1},
		event: &evidence.Event{Kind: evidence.Exchanged, What: a + " and " + b, Place: 2 * evidence.Log(float64(len(r.base.tree.Spaces())))},
		text:  fmt.Sprintf("%s and %s are swapped: either the files were exchanged, or their names in %s.", name, other, main), label: "swap the two names in " + main}
}

// leastInOrder is how many names must be in order for that to be no chance.
const leastInOrder = 3

// inOrder tells whether a text that mentions files of the document begins to do so in the order of their names: then two of these were not exchanged in it.
func inOrder(r *search, text string) bool {
	n, last := 0, 0
	for _, name := range slices.Sorted(slices.Values(filesOf(r.base.tree))) {
		if at := strings.Index(text, path.Base(name)); at >= 0 && name != r.base.snap.Primary {
			if at < last {
				return false
			}
			n, last = n+1, at
		}
	}
	return n >= leastInOrder
}

// swapFiles is the trial that gives two files each other's content; nil if one is empty, or both begin as their names require.
func swapFiles(r *search, a, b string) *trial {
	x, xerr := r.base.snap.Content(a)
	y, yerr := r.base.snap.Content(b)
	if a == b || xerr != nil || yerr != nil || max(x.Len(), y.Len()) > r.front || min(x.Len(), y.Len()) == 0 {
		return nil
	}
	if beginsLike(r, a, x) && !beginsLike(r, a, y) || beginsLike(r, b, y) && !beginsLike(r, b, x) {
		return nil
	}
	return &trial{kind: legal, op: rewriteFile, snap: r.base.snap.With(a, y).With(b, x), at: Place{File: a, Len: min(1, x.Len())},
		text: a + " and " + b + " have swapped content.", label: "swap the two files back", means: "Their names were swapped."}
}

// filesAsLong are the other files of the document, in the same folder, that have exactly the length that a file of the wrong length should have.
func filesAsLong(r *search, name string) (out []string) {
	want, ok := r.extents[name]
	if c, err := r.base.snap.Content(name); !ok || want.Least || err != nil || c.Len() == want.Size {
		return nil
	}
	list, _, _ := r.base.snap.List(path.Dir(name))
	for _, e := range list {
		if e.Regular && e.Size == want.Size && belongs(r, e.Name) {
			out = append(out, e.Name)
		}
	}
	return out
}

// misfit is a file with another length than it should have.
type misfit struct {
	name       string
	is, should int64
}

// wrongLengths lists the files with another length than others state.
func wrongLengths(r *search) (out []misfit) {
	for _, name := range slices.Sorted(maps.Keys(r.extents)) {
		want := r.extents[name]
		if c, err := r.base.snap.Content(name); err == nil && !want.Least && c.Len() != want.Size && len(out) < maxStrays {
			out = append(out, misfit{name, c.Len(), want.Size})
		}
	}
	return out
}

// beginsLike tells whether a content begins as a file of that name does.
func beginsLike(r *search, name string, c *model.Content) bool {
	magics := r.extents[name].Magics
	if name == r.base.snap.Primary {
		magics = r.base.format.Magics
	}
	return slices.ContainsFunc(magics, func(m model.Magic) bool {
		return m.At >= 0 && len(m.Bytes) >= 3 && string(bytesAt(c, m.At, int64(len(m.Bytes)))) == m.Bytes
	})
}

// namedFiles lists the companion files that findings mention.
func namedFiles(r *search) (out []string) {
	for _, name := range filesOf(r.base.tree) {
		if name != r.base.snap.Primary && len(out) < maxSwapped && !slices.Contains(out, name) && findingsAbout(r, name) > 0 {
			out = append(out, name)
		}
	}
	return out
}

// findingsAbout counts the findings that are in a file or mention it.
func findingsAbout(r *search, name string) (n int) {
	for _, i := range findingsOf(r, name) {
		n += b2i(r.found[i].Grade() != model.Note)
	}
	return n
}

// findingsOf lists the findings that are in a file or mention it.
func findingsOf(r *search, name string) (out []int) {
	base := path.Base(name)
	for i := range r.found {
		f := &r.found[i]
		if r.base.tree.FileName(f.Where()) == name || strings.Contains(f.Text(), base) || strings.Contains(f.Found, base) || strings.Contains(f.Expected, base) {
			out = append(out, i)
		}
	}
	return out
}

// belongs tells whether a file belongs to the document and is not just in the same folder.
func belongs(r *search, name string) bool {
	_, ok := r.extents[name]
	return ok || spaceOf(r.base.tree, name) != nil
}

// maxNamed is how many missing files a sentence mentions.
const maxNamed = 4
