package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"
)

func graph(arrows ...string) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for i := 0; i+1 < len(arrows); i += 2 {
		for _, f := range arrows[i : i+2] {
			if out[f] == nil {
				out[f] = map[string]bool{}
			}
		}
		out[arrows[i]][arrows[i+1]] = true
	}
	return out
}

// A knot is files that all need each other; what hangs on it is none of it.
func TestKnot(t *testing.T) {
	g := graph("a", "b", "b", "c", "c", "a", "c", "d", "d", "e", "e", "d", "x", "a")
	if got := knot(g); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("%v", got)
	}
}

// Arrows run from the format's value down to its fields; the others are told.
func TestBack(t *testing.T) {
	arrows, nameless := back(graph("format.go", "parse_head.go", "parse_head.go", "fields.go", "rules.go", "parse_head.go", "check.go", "repair_rows.go", "more.go", "format.go"))
	if !slices.Equal(arrows, []string{"check.go → repair_rows.go", "rules.go → parse_head.go"}) || !slices.Equal(nameless, []string{"more.go"}) {
		t.Errorf("%v, %v", arrows, nameless)
	}
}

// A method is the one of an interface whatever it calls its parameters and results.
func TestSignature(t *testing.T) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", "package p\nfunc f(a int, b string) (n int, err error) { return }\nfunc g(int, string) (int, error) { return 0, nil }\n"+
		"func h(a string, b int) (n int, err error) { return }", 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := new(types.Config).Check("p", set, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	of := func(name string) string { return signature(p.Scope().Lookup(name).Type()) }
	if of("f") != of("g") || of("f") == of("h") {
		t.Errorf("%s, %s, %s", of("f"), of("g"), of("h"))
	}
}

// Cognitive complexity is that of the paper: nesting costs, a flat switch does not.
func TestComplexity(t *testing.T) {
	for src, want := range map[string]int{
		"func f() { switch a { case 1: case 2: case 3: } }": 1,
		"func f() { if a { for b { if c {} } } }":           6,
		"func f() { if a {} else if b {} else {} }":         3,
		"func f() { x := a && b && c || d; f() }":           3,
		"func f() { g(func() { if a {} }) }":                2,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+src, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := complexity(file.Decls[0].(*ast.FuncDecl)); got != want {
			t.Errorf("%s: %d, want %d", src, got, want)
		}
	}
}

// A figure may not get worse, and a ratchet holds a figure that there is.
func TestWorse(t *testing.T) {
	var list []figure
	for name, n := range ratchets {
		list = append(list, figure{name: name, got: fmt.Sprint(n)})
	}
	if got := worse(list); len(got) > 0 {
		t.Error(got)
	}
	list[0].got = "100000"
	if got := worse(list[:len(list)-1]); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

// The program counts itself: the house is read, and every figure has a number.
func TestMeasure(t *testing.T) {
	if testing.Short() {
		t.Skip("it lists and checks all packages")
	}
	t.Chdir("../..")
	h, err := load("migrated_fynedo,ci")
	if err != nil {
		t.Fatal(err)
	}
	if len(h.rooms) < 10 || h.floors() < 3 {
		t.Errorf("%d packages on %d floors", len(h.rooms), h.floors())
	}
	for _, f := range measure(h) {
		if f.got == "" || f.wanted == "" {
			t.Errorf("%+v", f)
		}
	}
}
