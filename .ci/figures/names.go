package main

import (
	"go/ast"
	"go/types"
)

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
