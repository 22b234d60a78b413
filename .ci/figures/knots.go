package main

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// layers are the layers of a format's package from the bottom up, by the first word of a file's name. A file may only use files of its own layer and of
// lower ones.
var layers = map[string]int{"doc": 0, "fields": 1, "rules": 1, "messages": 1, "detect": 2, "parse": 3, "check": 4, "open": 5, "deep": 6, "repair": 7, "readers": 7, "salvage": 7, "table": 7, "action": 7, "format": 8}

// layer returns the layer of a file; ok is false if its name does not determine one.
func layer(file string) (n int, ok bool) {
	word, _, _ := strings.Cut(strings.TrimSuffix(file, ".go"), "_")
	n, ok = layers[word]
	return n, ok
}

// uses maps each file of a package to the files whose names it uses.
func (h *house) uses(r *room) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, f := range r.files {
		out[h.file(f.Pos())] = map[string]bool{}
	}
	for id, o := range r.info.Uses {
		if o.Pkg() != r.types || !o.Pos().IsValid() || local(o) {
			continue
		}
		from, to := h.file(id.Pos()), h.file(o.Pos())
		if from != to && out[from] != nil && out[to] != nil {
			out[from][to] = true
		}
	}
	return out
}

// local tells whether a variable is declared inside a function.
func local(o types.Object) bool {
	v, ok := o.(*types.Var)
	return ok && !v.IsField() && o.Parent() != o.Pkg().Scope()
}

// knot is the largest set of files that all depend on each other (a strongly connected component).
func knot(uses map[string]map[string]bool) (largest []string) {
	index, low, on := map[string]int{}, map[string]int{}, map[string]bool{}
	var stack []string
	var visit func(f string)
	visit = func(f string) {
		index[f], low[f] = len(index)+1, len(index)+1
		stack, on[f] = append(stack, f), true
		for g := range uses[f] {
			if index[g] == 0 {
				visit(g)
				low[f] = min(low[f], low[g])
			} else if on[g] {
				low[f] = min(low[f], index[g])
			}
		}
		if low[f] != index[f] {
			return
		}
		at := slices.Index(stack, f)
		if got := stack[at:]; len(got) > len(largest) {
			largest = slices.Clone(got)
		}
		for _, g := range stack[at:] {
			on[g] = false
		}
		stack = stack[:at]
	}
	for _, f := range slices.Sorted(keys(uses)) {
		if index[f] == 0 {
			visit(f)
		}
	}
	slices.Sort(largest)
	return largest
}

func keys(m map[string]map[string]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// back lists the dependencies from a lower layer to a higher one, and the files without a layer.
func back(uses map[string]map[string]bool) (arrows, nameless []string) {
	for f, to := range uses {
		n, ok := layer(f)
		if !ok {
			nameless = append(nameless, f)
			continue
		}
		for g := range to {
			if m, ok := layer(g); ok && m > n {
				arrows = append(arrows, f+" → "+g)
			}
		}
	}
	slices.Sort(arrows)
	slices.Sort(nameless)
	return arrows, nameless
}

// floors is the length of the longest import chain among the project's packages.
func (h *house) floors() int {
	by, depth := map[string]*room{}, map[string]int{}
	for _, r := range h.rooms {
		by[r.path] = r
	}
	var floor func(path string) int
	floor = func(path string) int {
		r := by[path]
		if r == nil {
			return 0
		}
		if depth[path] == 0 {
			most := 0
			for _, p := range r.own {
				most = max(most, floor(p))
			}
			depth[path] = most + 1
		}
		return depth[path]
	}
	most := 0
	for _, r := range h.rooms {
		most = max(most, floor(r.path))
	}
	return most
}

// size lists the functions over 60 lines and the types with more than 30 methods.
func (h *house) size(r *room) (long, wide []string) {
	methods := map[string]int{}
	for _, f := range r.files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := fn.Name.Name
			if fn.Recv != nil {
				on := strings.TrimLeft(types.ExprString(fn.Recv.List[0].Type), "*")
				on, _, _ = strings.Cut(on, "[")
				methods[on]++
				name = on + "." + name
			}
			if h.lines(fn) > 60 {
				long = append(long, r.path+": "+name)
			}
		}
	}
	for t, n := range methods {
		if n > 30 {
			wide = append(wide, r.path+": "+t)
		}
	}
	slices.Sort(wide)
	return long, wide
}
