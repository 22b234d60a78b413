package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// room is a package of the project, type-checked from source without its tests.
type room struct {
	path  string // relative to the module: parsers/idv
	files []*ast.File
	types *types.Package
	info  *types.Info
	own   []string // paths of the project's packages that it imports
}

// house is the set of all packages of the project.
type house struct {
	fset  *token.FileSet
	rooms []*room
}

// module is the import path of the project's module.
const module = "spandrel"

// listed is the output of `go list` for a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, Imports        []string
}

// load lists the packages with the build tags, and type-checks those of the project against the export data of the others.
func load(tags string) (*house, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Imports", "-tags", tags, "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	h := &house{fset: token.NewFileSet()}
	exports := map[string]string{}
	var own []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if p.ImportPath == module || strings.HasPrefix(p.ImportPath, module+"/") {
			own = append(own, p)
		}
	}
	imp := importer.ForCompiler(h.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range own {
		r, err := h.check(p, imp)
		if err != nil {
			return nil, err
		}
		h.rooms = append(h.rooms, r)
	}
	return h, nil
}

// check parses and type-checks a package.
func (h *house) check(p listed, imp types.Importer) (*room, error) {
	r := &room{path: strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/"), info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}}}
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(h.fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		r.files = append(r.files, f)
	}
	for _, path := range p.Imports {
		if rest, ok := strings.CutPrefix(path, module+"/"); ok {
			r.own = append(r.own, rest)
		}
	}
	var err error
	r.types, err = (&types.Config{Importer: imp, FakeImportC: true}).Check(p.ImportPath, h.fset, r.files, r.info)
	return r, err
}

// parsers tells whether a package belongs to a format.
func (r *room) parsers() bool { return r.path == "parsers" || strings.HasPrefix(r.path, "parsers/") }

// file is the base name of the file that contains a position.
func (h *house) file(p token.Pos) string { return filepath.Base(h.fset.Position(p).Filename) }

// lines is the number of lines of a node.
func (h *house) lines(n ast.Node) int {
	return h.fset.Position(n.End()).Line - h.fset.Position(n.Pos()).Line + 1
}

// where formats a position: parsers/idv/blocks.go:12.
func (h *house) where(r *room, p token.Pos) string {
	at := h.fset.Position(p)
	return fmt.Sprintf("%s:%d", filepath.Join(r.path, filepath.Base(at.Filename)), at.Line)
}

// isModel tells whether a type is the one with this name in package model, or a pointer to it.
func isModel(t types.Type, name string) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := t.(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == module+"/model"
}

// each calls f with every node of a package.
func (r *room) each(f func(ast.Node)) {
	for _, file := range r.files {
		ast.Inspect(file, func(n ast.Node) bool {
			if n != nil {
				f(n)
			}
			return true
		})
	}
}

// sorted returns the keys of a set in ascending order.
func sorted(m map[string]bool) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
