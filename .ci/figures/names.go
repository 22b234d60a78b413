package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// prefixes match the prefixes that names had when all formats shared one package.
var prefixes = map[string]*regexp.Regexp{
	"taridx": regexp.MustCompile(`^(tix|Tix|taridx|tar)[A-Z]`), "scdl": regexp.MustCompile(`^(scdl|Scdl)[A-Z]`),
	"idv": regexp.MustCompile(`^(idv|tdv)[A-Z]`), "tiledb": regexp.MustCompile(`^(tdb|tiledb)[A-Z]`), "samediff": regexp.MustCompile(`^(sd|sdf|SD)[A-Z]`),
}

// prefixed lists the uses of names that repeat the name of their package.
func (h *house) prefixed(r *room) (out []string) {
	_, rest, _ := strings.Cut(r.path, "/")
	format, _, _ := strings.Cut(rest, "/")
	prefix := prefixes[format]
	if prefix == nil || !r.parsers() {
		return nil
	}
	r.each(func(n ast.Node) {
		if id, ok := n.(*ast.Ident); ok && prefix.MatchString(id.Name) {
			out = append(out, h.where(r, id.Pos())+" "+id.Name)
		}
	})
	return out
}

var endsInNumber = regexp.MustCompile(`[0-9]{2,3}$`)

// numbered lists the places that refer to a rule by number: as an argument, index or field that selects a rule, or in the name of a rule. Declarations,
// which give a rule its number, do not count.
func (h *house) numbered(r *room) (out []string) {
	takes := h.takesNumbers(r)
	add := func(n ast.Node) { out = append(out, h.where(r, n.Pos())) }
	r.each(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.CallExpr:
			f := r.called(n)
			if f == nil || f.Pkg() != nil && f.Pkg().Path() == module+"/model" {
				return // declares rules
			}
			for i, a := range n.Args {
				if takes[f][i] && number(a) {
					add(a)
				}
			}
		case *ast.IndexExpr:
			if tv, ok := r.info.Types[n]; ok && isModel(tv.Type, "Rule") && number(n.Index) {
				add(n)
			}
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok && strings.EqualFold(id.Name, "rule") && number(n.Value) {
				add(n)
			}
		case *ast.Ident:
			if o := r.info.Uses[n]; o != nil && isModel(o.Type(), "Rule") && endsInNumber.MatchString(n.Name) {
				add(n)
			}
		}
	})
	return out
}

// takesNumbers finds the parameters of the package's functions that are rule numbers.
func (h *house) takesNumbers(r *room) map[*types.Func]map[int]bool {
	takes := map[*types.Func]map[int]bool{}
	mark := func(f *types.Func, i int) bool {
		if takes[f] == nil {
			takes[f] = map[int]bool{}
		}
		was := takes[f][i]
		takes[f][i] = true
		return !was
	}
	var funcs []*ast.FuncDecl
	for _, file := range r.files {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			funcs = append(funcs, fn)
			f := r.info.Defs[fn.Name].(*types.Func)
			if s := f.Signature(); s.Results().Len() == 1 && isModel(s.Results().At(0).Type(), "Rule") {
				for i := range s.Params().Len() {
					if b, ok := s.Params().At(i).Type().Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
						mark(f, i)
					}
				}
			}
		}
	}
	for again := true; again; {
		again = false
		for _, fn := range funcs {
			f := r.info.Defs[fn.Name].(*types.Func)
			for i := range r.handsOn(fn, f, takes) {
				again = mark(f, i) || again
			}
		}
	}
	return takes
}

// handsOn finds the parameters that a function passes on as rule numbers, or uses to look up a rule.
func (r *room) handsOn(fn *ast.FuncDecl, f *types.Func, takes map[*types.Func]map[int]bool) map[int]bool {
	out := map[int]bool{}
	see := func(e ast.Expr) {
		id, ok := e.(*ast.Ident)
		if !ok {
			return
		}
		for i := range f.Signature().Params().Len() {
			if r.info.Uses[id] == f.Signature().Params().At(i) {
				out[i] = true
			}
		}
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if g := r.called(n); g != nil {
				for i, a := range n.Args {
					if takes[g][i] {
						see(a)
					}
				}
			}
		case *ast.IndexExpr:
			if tv, ok := r.info.Types[n]; ok && isModel(tv.Type, "Rule") {
				see(n.Index)
			}
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok && id.Name == "rule" {
				if b, ok := r.info.TypeOf(n.Value).Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
					see(n.Value)
				}
			}
		}
		return true
	})
	return out
}

// called is the function that a call refers to, or nil.
func (r *room) called(c *ast.CallExpr) *types.Func {
	var id *ast.Ident
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return nil
	}
	f, _ := r.info.Uses[id].(*types.Func)
	return f
}

// number tells whether an expression is an integer literal.
func number(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return ok && l.Kind == token.INT
}

// findings lists the literals of findings, unchecked the links marked Unchecked, contexts the contexts that cannot be canceled.
func (h *house) findings(r *room) (out []string) {
	r.each(func(n ast.Node) {
		if l, ok := n.(*ast.CompositeLit); ok && len(l.Elts) > 0 && isModel(r.info.TypeOf(l), "Finding") {
			out = append(out, h.where(r, l.Pos()))
		}
	})
	return out
}

func (h *house) unchecked(r *room) (out []string) {
	return h.calls(r, func(f *types.Func) bool {
		recv := f.Signature().Recv()
		return f.Name() == "Unchecked" && recv != nil && isModel(recv.Type(), "Link")
	})
}

func (h *house) contexts(r *room) (out []string) {
	return h.calls(r, func(f *types.Func) bool {
		return f.Pkg() != nil && f.Pkg().Path() == "context" && (f.Name() == "Background" || f.Name() == "TODO")
	})
}

// calls lists the calls of functions for which is returns true.
func (h *house) calls(r *room, is func(*types.Func) bool) (out []string) {
	r.each(func(n ast.Node) {
		if c, ok := n.(*ast.CallExpr); ok {
			if f := r.called(c); f != nil && is(f) {
				out = append(out, h.where(r, c.Pos()))
			}
		}
	})
	return out
}
