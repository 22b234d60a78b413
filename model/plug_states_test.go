package model

import (
	"crypto/sha256"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// diskState is how a disk may be found.
type diskState struct {
	Said  int // how often the program had said that it is done
	nodes nodes
}

// States are those of all moments, each once. It is what the program had said it had done that a state has to answer to.
func (t *tape) States() iter.Seq[diskState] {
	return func(yield func(diskState) bool) {
		seen := map[[32]byte]bool{}
		for _, m := range t.moments {
			for kept, how := range t.kept(m) {
				s := diskState{m.said, t.replay(kept, how)}
				if key := s.key(); !seen[key] {
					seen[key] = true
					if !yield(s) {
						return
					}
				}
			}
		}
	}
}

// kept chooses what there is of a moment: which acts, and how much of each.
func (t *tape) kept(m moment) iter.Seq2[[]bool, []part] {
	var names, contents []int // that are not safe
	for i, a := range t.acts[:m.acts] {
		switch {
		case m.safe[i]:
		case a.folders != nil:
			names = append(names, i)
		default:
			contents = append(contents, i)
		}
	}
	with := func(lists ...[]int) []bool {
		out := make([]bool, m.acts)
		copy(out, m.safe)
		for _, i := range slices.Concat(lists...) {
			out[i] = true
		}
		return out
	}
	return func(yield func([]bool, []part) bool) {
		none, sound := true, make([]part, m.acts)
		try := func(how []part, lists ...[]int) { none = none && yield(with(lists...), how) }
		try(sound)
		try(sound, names)
		try(sound, contents)
		for how := range wayCount {
			torn := slices.Clone(sound)
			for _, i := range contents {
				torn[i] = how
			}
			try(torn, names, contents)
		}
		for k := range names {
			lost, alone := t.without(names, k), t.before(names, k)
			try(sound, lost)
			try(sound, lost, contents)
			try(sound, alone)
			try(sound, alone, contents)
		}
		for k, i := range contents {
			others := slices.Delete(slices.Clone(contents), k, k+1)
			try(sound, names, others)
			try(sound, names, contents[k:k+1])
			try(sound, others)
			try(sound, contents[k:k+1])
			for how := front; how < wayCount; how++ {
				torn := slices.Clone(sound)
				torn[i] = how
				try(torn, names, contents)
				try(torn, contents)
			}
		}
	}
}

// follows tells whether a change of names cannot be there without an earlier one: it is of the same folder, or in the one that was made.
func (t *tape) follows(later, earlier int) bool {
	a, b := t.acts[later], t.acts[earlier]
	return share(a.folders, b.folders) || b.made > 0 && slices.Contains(a.folders, b.made)
}

// without is a list of changes of names without one of them, and those that need it.
func (t *tape) without(list []int, k int) []int {
	gone := []int{list[k]}
	out := slices.Clone(list[:k])
	for _, i := range list[k+1:] {
		if slices.ContainsFunc(gone, func(g int) bool { return t.follows(i, g) }) {
			gone = append(gone, i)
		} else {
			out = append(out, i)
		}
	}
	return out
}

// before is one of a list of changes of names with those that it needs.
func (t *tape) before(list []int, k int) []int {
	out := []int{list[k]}
	for _, i := range slices.Backward(list[:k]) {
		if slices.ContainsFunc(out, func(o int) bool { return t.follows(o, i) }) {
			out = append(out, i)
		}
	}
	return out
}

// replay makes the state in which some of the acts are there.
func (t *tape) replay(kept []bool, how []part) nodes {
	d := t.start.copy()
	for i, is := range kept {
		if is {
			t.acts[i].do(d, how[i])
		}
	}
	return d
}

// walk visits what has a name, folders before what is in them.
func (d nodes) walk(id int, path string, visit func(path string, id int)) {
	visit(path, id)
	names := d[id].names
	for _, name := range slices.Sorted(maps.Keys(names)) {
		d.walk(names[name], filepath.Join(path, name), visit)
	}
}

func (s diskState) key() (key [32]byte) {
	h := sha256.New()
	fmt.Fprintln(h, s.Said)
	first := map[int]string{}
	s.nodes.walk(0, "", func(path string, id int) {
		fmt.Fprintf(h, "%q %v ", path, s.nodes[id].mode)
		if other, ok := first[id]; ok {
			fmt.Fprintf(h, "%q", other)
			return
		}
		first[id] = path
		fmt.Fprintf(h, "%x\n", sha256.Sum256(s.nodes[id].data))
	})
	h.Sum(key[:0])
	return key
}

// Put makes the state in a folder that is empty.
func (s diskState) Put(dir string) (err error) {
	first, modes := map[int]string{}, []func() error{}
	s.nodes.walk(0, dir, func(path string, id int) {
		n := s.nodes[id]
		switch other, ok := first[id]; {
		case err != nil || id == 0:
			return
		case ok:
			err = os.Link(other, path)
		case n.mode.IsDir():
			err = os.Mkdir(path, 0o700)
		default:
			err = os.WriteFile(path, n.data, 0o600)
		}
		first[id] = path
		modes = append(modes, func() error { return os.Chmod(path, n.mode.Perm()) })
	})
	for _, set := range slices.Backward(modes) {
		if err == nil {
			err = set()
		}
	}
	return err
}
