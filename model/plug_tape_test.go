package model

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A tape is of a disk whose plug may be pulled. It takes down what a program does to files, and makes of each moment the states
// in which the disk may be found after a power cut: what was synced is there, and of the rest anything may be there or not. The contents of a
// file go their own ways, as wholes or in parts. The names in a folder change in their order, as on ext4, XFS and btrfs; what happens in one
// folder says nothing of another, and a name is changed in two folders at once or in none. A folder that was synced may itself not be there:
// its name is in another one.

// node is a file or a folder, which has names elsewhere.
type node struct {
	mode  fs.FileMode
	data  []byte         // of a file; it is never changed
	names map[string]int // of a folder: the nodes in it
}

// nodes is all that a disk holds. The first is the folder that is looked at.
type nodes []node

// act is a change that is not on the disk before it is synced.
type act struct {
	folders []int // those whose names it changes
	names   []string
	made    int // the folder that it makes, or 0
	file    int // whose contents it changes, where it changes no names
	do      func(nodes, part)
}

// part is what there is of a content that was not synced.
type part int

const (
	whole part = iota
	front      // the first half, of more than a page to a page
	back       // the other one
	zeros      // its length
	wayCount
)

// page is how many bytes a disk writes at once.
const page = 4096

// moment is a state of the tape: how many acts there were, which are safe, and how often the program had said that it is done.
type moment struct {
	acts, said int
	safe       []bool
}

// tape is what a program did below a folder.
type tape struct {
	Root    string // where the program says that the folder is
	start   nodes
	now     nodes
	acts    []act
	safe    []bool
	said    int
	moments []moment
	Syncs   int
}

// Of begins a tape with what a folder holds.
func tapeOf(root string) (*tape, error) {
	t := &tape{Root: root}
	_, err := t.read(root)
	t.now = t.start.copy()
	t.pause()
	return t, err
}

// read reads a file or a folder with all in it.
func (t *tape) read(path string) (int, error) {
	st, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	n, id := node{mode: st.Mode()}, len(t.start)
	t.start = append(t.start, n)
	if !st.IsDir() {
		n.data, err = os.ReadFile(path)
		t.start[id] = n
		return id, err
	}
	list, err := os.ReadDir(path)
	n.names = map[string]int{}
	for _, e := range list {
		if err == nil {
			n.names[e.Name()], err = t.read(filepath.Join(path, e.Name()))
		}
	}
	t.start[id] = n
	return id, err
}

func (d nodes) copy() nodes {
	d = slices.Clone(d)
	for i := range d {
		if d[i].names != nil {
			d[i].names = maps.Clone(d[i].names)
		}
	}
	return d
}

// Find returns the node that a path leads to now; -1: there is none, or it is not below the folder.
func (t *tape) Find(path string) int {
	rel, err := filepath.Rel(t.Root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return -1
	}
	id := 0
	for name := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if next, ok := t.now[id].names[name]; ok {
			id = next
		} else if name != "." {
			return -1
		}
	}
	return id
}

// pause notes a moment.
func (t *tape) pause() {
	t.moments = append(t.moments, moment{len(t.acts), t.said, slices.Clone(t.safe)})
}

func (t *tape) add(a act) {
	a.do(t.now, whole)
	t.acts, t.safe = append(t.acts, a), append(t.safe, false)
	t.pause()
}

// name gives names in folders to nodes, in one step; -1 takes a name away.
func (t *tape) name(made int, list ...entry) {
	a := act{made: made, do: func(d nodes, _ part) {
		for _, e := range list {
			if e.node < 0 {
				delete(d[e.folder].names, e.name)
			} else {
				d[e.folder].names[e.name] = e.node
			}
		}
	}}
	for _, e := range list {
		if e.folder < 0 {
			return // it is elsewhere
		}
		a.folders, a.names = append(a.folders, e.folder), append(a.names, e.name)
	}
	t.add(a)
}

// entry is a name in a folder.
type entry struct {
	folder int
	name   string
	node   int
}

func (t *tape) entry(path string, node int) entry {
	return entry{t.Find(filepath.Dir(path)), filepath.Base(path), node}
}

// New makes a file, or a folder.
func (t *tape) New(path string, mode fs.FileMode) {
	if t.Find(filepath.Dir(path)) < 0 {
		return
	}
	id, made, n := len(t.now), 0, node{mode: mode}
	if mode.IsDir() {
		made = id
	}
	for _, d := range []*nodes{&t.start, &t.now} { // it is there all the time; what it lacks is a name
		if n.names = nil; mode.IsDir() {
			n.names = map[string]int{}
		}
		*d = append(*d, n)
	}
	t.name(made, t.entry(path, id))
}

func (t *tape) Link(from, to string) {
	if id := t.Find(from); id >= 0 {
		t.name(0, t.entry(to, id))
	}
}

func (t *tape) Rename(from, to string) {
	if id := t.Find(from); id >= 0 && t.Find(to) != id { // of two names of one file none goes
		t.name(0, t.entry(from, -1), t.entry(to, id))
	}
}

// Remove removes a file or an empty folder. A folder is not there without what happened in it before.
func (t *tape) Remove(path string) {
	switch id := t.Find(path); {
	case id >= 0 && t.now[id].names != nil:
		t.name(0, t.entry(path, -1), entry{id, "", -1})
	case id >= 0:
		t.name(0, t.entry(path, -1))
	}
}

// Write writes bytes into a file.
func (t *tape) Write(file int, b []byte, at int64) {
	if file < 0 || len(b) == 0 {
		return
	}
	b = slices.Clone(b)
	half := len(b) / 2
	if half > page {
		half -= half % page
	}
	t.add(act{file: file, do: func(d nodes, how part) {
		was := d[file].data
		data := make([]byte, max(len(was), int(at)+len(b)))
		copy(data, was)
		switch into := data[at:]; how {
		case whole:
			copy(into, b)
		case front:
			data = data[:max(len(was), int(at)+half)]
			copy(into, b[:half])
		case back:
			copy(into[half:], b[half:])
		}
		d[file].data = data
	}})
}

func (t *tape) Truncate(file int, size int64) {
	if file < 0 {
		return
	}
	t.add(act{file: file, do: func(d nodes, _ part) {
		data := make([]byte, size)
		copy(data, d[file].data)
		d[file].data = data
	}})
}

// Mode sets the mode of a file or a folder.
func (t *tape) Mode(file int, mode fs.FileMode) {
	if file < 0 {
		return
	}
	t.add(act{file: file, do: func(d nodes, _ part) { d[file].mode = d[file].mode.Type() | mode.Perm() }})
}

// Sync has what is in a file, or the names in a folder, on the disk.
func (t *tape) Sync(id int) {
	if id < 0 {
		return
	}
	t.Syncs++
	for i, a := range t.acts {
		t.safe[i] = t.safe[i] || a.folders == nil && a.file == id || slices.Contains(a.folders, id)
	}
	for i := len(t.acts) - 1; i >= 0; i-- { // what is there now has what came before with it
		for j := range i {
			t.safe[j] = t.safe[j] || t.safe[i] && share(t.acts[i].folders, t.acts[j].folders)
		}
	}
	t.pause()
}

// Say notes that the program says that it is done.
func (t *tape) Say() {
	t.said++
	t.pause()
}

// Content is what a file holds now.
func (t *tape) Content(file int) []byte { return t.now[file].data }

// Torn tells whether something that was written into a file may not be there yet.
func (t *tape) Torn(file int) bool {
	for i, a := range t.acts {
		if a.folders == nil && a.file == file && !t.safe[i] {
			return true
		}
	}
	return false
}

// Left lists the names that were changed, each with those of the same step, and may not be so yet.
func (t *tape) Left() (list [][]string) {
	for i, a := range t.acts {
		if a.folders != nil && !t.safe[i] {
			list = append(list, a.names)
		}
	}
	return list
}

// Safe lists the files that are there now whatever happens.
func (t *tape) Safe() (paths []string) {
	d := t.replay(t.safe, make([]part, len(t.acts)))
	d.walk(0, "", func(path string, id int) {
		if d[id].names == nil && !t.Torn(id) {
			paths = append(paths, path)
		}
	})
	return paths
}

func share(a, b []int) bool {
	return slices.ContainsFunc(a, func(x int) bool { return slices.Contains(b, x) })
}
