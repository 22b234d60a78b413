package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"
)

// mostParameters and mostCognitive are the limits for a function's parameters and its cognitive complexity.
const (
	mostParameters = 5
	mostCognitive  = 15
)

// allLines counts the lines of all packages, and those of the formats, without tests.
func allLines(h *house) (all, formats int) {
	for _, r := range h.rooms {
		for _, f := range r.files {
			b, err := os.ReadFile(h.fset.Position(f.Pos()).Filename)
			if err != nil {
				continue
			}
			n := bytes.Count(b, []byte("\n"))
			if all += n; r.parsers() {
				formats += n
			}
		}
	}
	return all, formats
}

// functions lists the functions over mostParameters, and those over mostCognitive.
func (h *house) functions(r *room) (parameters, cognitive []string) {
	for _, file := range r.files {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			if n := fn.Type.Params.NumFields(); n > mostParameters {
				parameters = append(parameters, fmt.Sprintf("%s %s %d", h.where(r, fn.Pos()), fn.Name.Name, n))
			}
			if n := complexity(fn); n > mostCognitive {
				cognitive = append(cognitive, fmt.Sprintf("%s %s %d", h.where(r, fn.Pos()), fn.Name.Name, n))
			}
		}
	}
	return parameters, cognitive
}

// complexity is the cognitive complexity of a function as defined by SonarSource: each branch adds 1, plus 1 for each enclosing branch; an else, a jump to a
// label, a sequence of the same logical operator and a recursive call add 1 each.
func complexity(fn *ast.FuncDecl) int {
	c := counter{name: fn.Name.Name}
	c.walk(fn.Body, 0)
	return c.n
}

type counter struct {
	name string
	n    int
}

// walk adds the complexity of a node that is inside depth branches.
func (c *counter) walk(n ast.Node, depth int) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			c.n += 1 + depth
			c.branch(n, depth)
			return false
		case *ast.ForStmt:
			return c.nested(depth, n.Body, n.Init, n.Cond, n.Post)
		case *ast.RangeStmt:
			return c.nested(depth, n.Body, n.X)
		case *ast.SwitchStmt:
			return c.nested(depth, n.Body, n.Init, n.Tag)
		case *ast.TypeSwitchStmt:
			return c.nested(depth, n.Body, n.Init)
		case *ast.SelectStmt:
			return c.nested(depth, n.Body)
		case *ast.FuncLit:
			c.walk(n.Body, depth+1)
			return false
		case *ast.BranchStmt:
			if n.Label != nil {
				c.n++
			}
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				c.n += runs(n)
				return false
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && f.Name == c.name {
				c.n++
			}
		}
		return true
	})
}

// branch adds the parts of an if that has been counted itself.
func (c *counter) branch(n *ast.IfStmt, depth int) {
	if n.Init != nil {
		c.walk(n.Init, depth)
	}
	c.walk(n.Cond, depth)
	c.walk(n.Body, depth+1)
	switch e := n.Else.(type) {
	case *ast.IfStmt:
		c.n++
		c.branch(e, depth)
	case *ast.BlockStmt:
		c.n++
		c.walk(e, depth+1)
	}
}

func (c *counter) nested(depth int, body ast.Node, heads ...ast.Node) bool {
	c.n += 1 + depth
	for _, h := range heads {
		switch h := h.(type) { // a typed nil does not equal nil
		case ast.Stmt:
			if h != nil {
				c.walk(h, depth)
			}
		case ast.Expr:
			if h != nil {
				c.walk(h, depth)
			}
		}
	}
	c.walk(body, depth+1)
	return false
}

// runs counts the sequences of the same logical operator in a condition.
func runs(e *ast.BinaryExpr) int {
	var list []token.Token
	var walk func(e ast.Expr)
	walk = func(e ast.Expr) {
		switch e := e.(type) {
		case *ast.ParenExpr:
			walk(e.X)
		case *ast.UnaryExpr:
			walk(e.X)
		case *ast.BinaryExpr:
			if e.Op == token.LAND || e.Op == token.LOR {
				walk(e.X)
				list = append(list, e.Op)
				walk(e.Y)
			}
		}
	}
	walk(e)
	return len(slices.Compact(list))
}

// embedding returns, per type, the number of methods promoted from embedded types of the project, and the depth of embedding.
func (h *house) embedding(r *room) (promoted, deep map[string]int) {
	promoted, deep = map[string]int{}, map[string]int{}
	for _, name := range r.types.Scope().Names() {
		o, ok := r.types.Scope().Lookup(name).(*types.TypeName)
		if !ok || o.IsAlias() {
			continue
		}
		st, ok := o.Type().Underlying().(*types.Struct)
		if !ok {
			continue
		}
		if deep[name] = depthOf(st, map[types.Type]bool{}); deep[name] == 0 {
			continue
		}
		set := types.NewMethodSet(types.NewPointer(o.Type()))
		for i := range set.Len() {
			if s := set.At(i); len(s.Index()) > 1 && s.Obj().Pkg() != nil && strings.HasPrefix(s.Obj().Pkg().Path(), module) {
				promoted[name]++
			}
		}
	}
	return promoted, deep
}

// depthOf is how deeply structs of the project are embedded in a struct.
func depthOf(st *types.Struct, seen map[types.Type]bool) (most int) {
	for f := range st.Fields() {
		t := f.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		n, ok := t.(*types.Named)
		if !f.Embedded() || !ok || n.Obj().Pkg() == nil || !strings.HasPrefix(n.Obj().Pkg().Path(), module) || seen[n] {
			continue
		}
		if in, ok := n.Underlying().(*types.Struct); ok {
			seen[n] = true
			most = max(most, 1+depthOf(in, seen))
			delete(seen, n)
		}
	}
	return most
}

// single lists the interfaces of the project that have methods and are implemented by exactly one type of the project.
func (h *house) single() (out []string) {
	type named struct {
		r *room
		o *types.TypeName
	}
	var faces, others []named
	for _, r := range h.rooms {
		for _, name := range r.types.Scope().Names() {
			o, ok := r.types.Scope().Lookup(name).(*types.TypeName)
			if !ok || o.IsAlias() {
				continue
			}
			if n, is := o.Type().(*types.Named); !is || n.TypeParams().Len() > 0 {
				continue
			}
			if i, ok := o.Type().Underlying().(*types.Interface); ok && i.NumMethods() > 0 {
				faces = append(faces, named{r, o})
			} else if !ok {
				others = append(others, named{r, o})
			}
		}
	}
	for _, f := range faces {
		var by []string
		i := f.o.Type().Underlying().(*types.Interface)
		for _, o := range others {
			if h.implements(o.o.Type(), i) {
				by = append(by, o.o.Name())
			}
		}
		if len(by) == 1 {
			out = append(out, fmt.Sprintf("%s: %s by %s", f.r.path, f.o.Name(), by[0]))
		}
	}
	return out
}

// implements tells whether a type or a pointer to it has the methods of an interface. It compares names and signatures as text: packages are type-checked
// separately, so the same type is not identical when seen from another one. Parameter names do not matter.
func (h *house) implements(t types.Type, i *types.Interface) bool {
	set := types.NewMethodSet(types.NewPointer(t))
	have := map[string]string{}
	for k := range set.Len() {
		have[set.At(k).Obj().Name()] = signature(set.At(k).Type())
	}
	for m := range i.Methods() {
		if have[m.Name()] != signature(m.Type()) {
			return false
		}
	}
	return true
}

// signature is the type of a method without the names of parameters and results.
func signature(t types.Type) string {
	bare := func(list *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range list.Variables() {
			vars = append(vars, types.NewParam(v.Pos(), v.Pkg(), "", v.Type()))
		}
		return types.NewTuple(vars...)
	}
	s := t.(*types.Signature)
	return types.TypeString(types.NewSignatureType(nil, nil, nil, bare(s.Params()), bare(s.Results()), s.Variadic()), nil)
}

// most returns the largest number in m, and the entries above few as text, sorted.
func most(m map[string]int, few int) (n int, list []string) {
	for k, v := range m {
		if n = max(n, v); v > few {
			list = append(list, fmt.Sprintf("%s %d", k, v))
		}
	}
	slices.Sort(list)
	return n, list
}

// shape measures the structure of the code: sizes, complexity, embedding and interfaces.
func (h *house) shape() []figure {
	var parameters, cognitive []string
	promoted, deep := map[string]int{}, map[string]int{}
	for _, r := range h.rooms {
		p, c := h.functions(r)
		parameters, cognitive = append(parameters, p...), append(cognitive, c...)
		methods, depth := h.embedding(r)
		for k, v := range methods {
			promoted[r.path+"."+k] = v
		}
		for k, v := range depth {
			deep[r.path+"."+k] = v
		}
	}
	all, formats := allLines(h)
	methods, manyMethods := most(promoted, 40)
	depth, tooDeep := most(deep, 2)
	single := h.single()
	return []figure{
		{"lines that are not tests", "110800", "≤ 90000", fmt.Sprint(all), nil},
		{"lines of the formats", "62100", "≤ 49000", fmt.Sprint(formats), nil},
		{"functions of a cognitive complexity over 15", "-", "≤ 30", fmt.Sprint(len(cognitive)), cognitive},
		{"functions with more than 5 parameters", "48", "≤ 10", fmt.Sprint(len(parameters)), parameters},
		{"most promoted methods of a type", "140", "≤ 40", fmt.Sprint(methods), manyMethods},
		{"deepest embedding of structs", "6", "≤ 2", fmt.Sprint(depth), tooDeep},
		{"interfaces with one implementation", "15", "≤ 2", fmt.Sprint(len(single)), single},
	}
}
