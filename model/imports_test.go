package model

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// An importRule says who may know whom: what a package must not import, or all that it may (the standard library apart).
// also are the exceptions of never.
type importRule struct{ never, only, also []string }

var importRules = map[string]importRule{
	".":      {},
	"assets": {never: []string{"spandrel"}},

	"assets/linux": {only: []string{}},

	"model":   {only: []string{"spandrel/model/correct", "spandrel/model/kinds", "spandrel/model/parallel", "golang.org/x/sys", "github.com/edsrzf/mmap-go"}},
	"parsers": {never: []string{"os", "net", "fyne.io", "spandrel/ui", arrow, parquet}},

	"parsers/idv/block":     format("idv"),
	"parsers/samediff/flat": {never: []string{"os", "net", "fyne.io", "spandrel"}, also: []string{"spandrel/model"}},

	"parsers/samediff/manifest": {never: []string{"os", "net", "fyne.io", "spandrel"}, also: []string{"spandrel/model"}},

	"parsers/scdl":            {never: []string{"os", "net", "fyne.io", "spandrel/ui", "spandrel/parsers", arrow}, also: []string{"spandrel/parsers/scdl", "spandrel/parsers/internal"}},
	"parsers/tiledb/filter":   {never: []string{"os", "net", "spandrel"}},
	"parsers/tiledb/rule":     {only: []string{"spandrel/model"}},
	"parsers/tiledb/storage":  layer("tiledb/filter", "tiledb/rule"),
	"parsers/tiledb/schema":   layer("tiledb/filter", "tiledb/rule", "tiledb/storage"),
	"parsers/tiledb/fragment": layer("tiledb/filter", "tiledb/rule", "tiledb/storage", "tiledb/schema"),

	"parsers/internal/jsontext": shared,

	"parsers/internal/npyfile": shared,

	"parsers/internal/inflate": shared,

	"parsers/internal/zipfile": shared,

	"parsers/internal/suite": {never: []string{"fyne.io", "spandrel/ui"}, also: []string{"spandrel/model"}},

	"parsers/internal/tarfile": shared,

	"ui": {never: []string{"spandrel/parsers"}},

	"ui/align":    {only: []string{"spandrel/model"}},
	"ui/bench":    {}, // for tests
	"ui/bytes":    pane(),
	"ui/compare":  pane(),
	"ui/facts":    pane(),
	"ui/problems": pane(),
	"ui/table":    pane("spandrel/ui/headless"), // writes files as the commands do
	"ui/tree":     pane("spandrel/ui/graph"),

	"ui/doc": {never: []string{"spandrel/parsers", "spandrel/ui"}, also: []string{"spandrel/ui/align", "spandrel/ui/askpath", "spandrel/ui/guard", "spandrel/ui/kit", "spandrel/ui/paint", "spandrel/ui/rows", "spandrel/ui/show"}},

	"ui/show": {only: []string{"spandrel/model"}},

	"ui/kit": {never: []string{"spandrel/parsers", "spandrel/ui"}, also: []string{"spandrel/ui/askpath", "spandrel/ui/guard", "spandrel/ui/paint", "spandrel/ui/rows"}},

	"ui/askpath": {only: []string{"github.com/sqweek/dialog"}},

	"ui/cachetime": {only: []string{"os"}},

	"ui/graph": {never: []string{"spandrel/parsers", "spandrel/ui"}, also: []string{"spandrel/ui/guard", "spandrel/ui/paint", "spandrel/ui/rows"}},

	"ui/guard": {only: []string{"spandrel/model", "fyne.io/fyne/v2"}},

	"ui/headless": {never: []string{"fyne.io", "spandrel/parsers"}},

	"ui/paint": {never: []string{"spandrel/parsers", "spandrel/ui"}},

	"ui/rows": {never: []string{"spandrel/parsers", "spandrel/ui"}, also: []string{"spandrel/ui/guard", "spandrel/ui/paint"}},

	"model/another": {only: []string{"spandrel/model"}},

	"model/protected": {only: []string{"spandrel/model", "golang.org/x/sys/unix"}},

	"model/cause": {only: []string{"spandrel/model", "github.com/klauspost/compress", "github.com/pierrec/lz4", "golang.org/x/text"}},

	"model/evidence": {only: []string{}},

	"model/correct": {only: []string{"spandrel/model/parallel"}},

	"model/protect": {only: []string{"github.com/cespare/xxhash/v2", "github.com/klauspost/reedsolomon"}},

	"model/remote": {only: []string{"spandrel/model", "github.com/Azure/azure-sdk-for-go", "github.com/cespare/xxhash/v2", "github.com/minio/minio-go/v7", "golang.org/x/oauth2"}},

	"model/parallel": {only: []string{}},

	"model/kinds": {only: []string{}},
}

// Libraries that are heavy: the export of tables needs both, SCDL's members the second, nothing else may.
const (
	arrow   = "github.com/apache/arrow-go"
	parquet = "github.com/parquet-go/parquet-go"
)

// format is the rule of a format's packages: they know the engine, what formats share, and each other, but no other format.
func format(name string) importRule {
	return importRule{never: []string{"os", "net", "fyne.io", "spandrel/ui", "spandrel/parsers", arrow, parquet}, also: []string{"spandrel/parsers/" + name, "spandrel/parsers/internal"}}
}

// layer is the rule of a part of a format that knows others of its parts, and no other.
func layer(below ...string) importRule {
	r := importRule{never: []string{"os", "net", "fyne.io", "spandrel/ui", "spandrel/parsers", arrow, parquet}, also: []string{"spandrel/parsers/internal"}}
	for _, p := range below {
		r.also = append(r.also, "spandrel/parsers/"+p)
	}
	return r
}

// pane is the rule of a room of panes: it knows the document and the kit, and no other room.
func pane(also ...string) importRule {
	return importRule{never: []string{"spandrel/parsers", "spandrel/ui"}, also: append(also, "spandrel/ui/align", "spandrel/ui/doc", "spandrel/ui/guard",
		"spandrel/ui/kit", "spandrel/ui/paint", "spandrel/ui/rows", "spandrel/ui/show")}
}

// shared is the rule of what formats share.
var shared = importRule{never: []string{"os", "net", "fyne.io", "spandrel/ui", "spandrel/parsers", arrow, parquet}, also: []string{"spandrel/parsers/internal"}}

func TestImportRules(t *testing.T) {
	files := 0
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{".git", ".ci", "build", "dist", "testdata"}, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		files++
		dir, err := filepath.Rel("..", filepath.Dir(file))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		rule, ok := importRules[dir]
		if name, below := strings.CutPrefix(dir, "parsers/"); !ok && below && !strings.Contains(name, "/") {
			rule, ok = format(name), true
		}
		if !ok {
			t.Errorf("%s: a package without an import rule", dir)
		}
		for _, path := range imports(t, file) {
			own := within(path, []string{"spandrel"})
			std := !own && !strings.Contains(strings.Split(path, "/")[0], ".")
			if within(path, rule.never) && !within(path, rule.also) || rule.only != nil && !std && !within(path, rule.only) {
				t.Errorf("%s imports %s", file, path)
			}
			if within(path, []string{"net"}) && path != "net/url" {
				onlyHere(t, file)
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files read: %v", files, err)
	}
}

// connects is how a program reaches others, and the kind of network by which it does.
var connects = regexp.MustCompile(`\b(?:net|http|rpc)\.\w*(?:Dial|Listen|Get|Post|Head|Client|Resolve|Lookup)\w*\((?:"(\w+)")?`)

// onlyHere reports ways from a file to other machines: sockets of this one, by which a second start hands over its files, are all there may be.
func onlyHere(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range connects.FindAllStringSubmatch(string(text), -1) {
		if call[1] != "unix" {
			t.Errorf("%s reaches other machines: %s", file, call[0])
		}
	}
}

// within tells whether an import path is one of roots or below it.
func within(path string, roots []string) bool {
	for _, root := range roots {
		if path == root || strings.HasPrefix(path, root+"/") {
			return true
		}
	}
	return false
}

func imports(t *testing.T, file string) []string {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}
