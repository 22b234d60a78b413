package suite

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// Damaged is damaged documents by name: each call makes a new copy, in a writable folder of its own.
type Damaged map[string]func(t testing.TB) *model.Document

// BadSamples are the damaged documents of testdata/<format>/bad.
func BadSamples(t testing.TB, f *model.Format) Damaged {
	t.Helper()
	dir := filepath.Join("..", "..", "testdata", f.Name, "bad")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := Damaged{}
	for _, e := range entries {
		from := filepath.Join(dir, e.Name())
		if e.IsDir() {
			all[e.Name()] = func(t testing.TB) *model.Document { return openFolder(t, f, from) }
			continue
		}
		all[e.Name()] = func(t testing.TB) *model.Document {
			b, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), filepath.Base(from))
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
			return opened(t, f, path)
		}
	}
	return all
}

// openFolder opens a copy of a folder, or of the one file of the format in it.
func openFolder(t testing.TB, f *model.Format, from string) *model.Document {
	dir := filepath.Join(t.TempDir(), filepath.Base(from))
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if f.Dataset != nil && f.Dataset.Detect != nil {
		return opened(t, f, dir)
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if slices.Contains(f.Exts, filepath.Ext(e.Name())) {
			return opened(t, f, filepath.Join(dir, e.Name()))
		}
	}
	t.Fatalf("%s holds no file of %s", from, f.Name)
	return nil
}

func opened(t testing.TB, f *model.Format, path string) *model.Document {
	t.Helper()
	d, err := model.Open(context.Background(), path, []*model.Format{f}, f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// checked runs all checks of a document and returns the findings in display order.
func checked(t testing.TB, d *model.Document) []model.Finding {
	t.Helper()
	if err := d.Deep(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	found, _ := d.Tree.Findings()
	return found
}

// temporary is the folder of a document, which must not appear in a transcript.
var temporary = regexp.MustCompile(`/[^ ]*/[0-9]{3}/`)

// Transcript compares the findings in damaged documents, with their places, texts and repairs, with testdata/<format>/rules.txt;
// -update writes it. It fails if no document violates a rule of the format.
func Transcript(t *testing.T, f *model.Format, docs Damaged) {
	t.Helper()
	var out strings.Builder
	unseen := map[string]bool{}
	for _, r := range f.Rules.All() {
		unseen[r.ID] = true
	}
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		d := docs[name](t)
		found := checked(t, d)
		lines := make([]string, 0, len(found))
		for i := range found {
			delete(unseen, found[i].Rule.ID)
			lines = append(lines, transcribed(d.Tree, &found[i]))
		}
		slices.Sort(lines) // parallel checks report in any order
		fmt.Fprintf(&out, "%s\n%s\n", name, strings.Join(shortened(lines), "\n"))
	}
	path := filepath.Join("..", "..", "testdata", f.Name, "rules.txt")
	if Quick() {
		compare(t, path, out.String(), only(t, path, docs))
		return
	}
	for _, id := range slices.Sorted(maps.Keys(unseen)) {
		t.Errorf("no damaged document breaks %s: %s", id, f.Rule(id).Title)
	}
	Golden(t, path, out.String())
}

// Quick tells whether slow tests are skipped.
func Quick() bool { return os.Getenv("SPANDREL_QUICK") != "" }

// only is the part of a transcript about some documents.
func only(t *testing.T, path string, docs Damaged) string {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	in := false
	for line := range strings.Lines(string(b)) {
		if !strings.HasPrefix(line, " ") && line != "\n" {
			_, in = docs[strings.TrimSuffix(line, "\n")]
		}
		if in {
			out.WriteString(line)
		}
	}
	return out.String()
}

// shortened drops findings beyond a dozen, except the first of each rule.
func shortened(lines []string) []string {
	const most = 12
	if len(lines) <= most {
		return lines
	}
	told := map[string]bool{}
	out := make([]string, 0, most)
	for i, line := range lines {
		rule := strings.Fields(line)[0]
		if i < most || !told[rule] {
			out = append(out, line)
		}
		told[rule] = true
	}
	return append(out, fmt.Sprintf("  and %d more", len(lines)-len(out)))
}

// transcribed is one finding as a line, followed by a line for each of its repairs.
func transcribed(tree *model.Tree, f *model.Finding) string {
	line := fmt.Sprintf("  %s %s at %s %d+%d: %s", f.Rule.ID, f.Grade(), f.Path(), f.Where().Off, f.Where().Len, f.Text())
	if f.Found != "" {
		line += "; found " + f.Found
	}
	if f.Expected != "" {
		line += "; expected " + f.Expected
	}
	fixes := tree.Fixes(context.Background(), f)
	safe := tree.Safe(f, fixes)
	for i := range fixes {
		line += "\n    " + map[bool]string{true: "always", false: "on request"}[safe == &fixes[i]] + ": " + fixes[i].Label
		if fixes[i].Loses != "" {
			line += " (loses " + fixes[i].Loses + ")"
		}
	}
	return temporary.ReplaceAllString(line, "")
}

// Golden compares a text with a file of testdata; -update writes it.
func Golden(t *testing.T, path, got string) {
	t.Helper()
	if *Update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, path, got, string(b))
}

func compare(t *testing.T, path, got, expected string) {
	t.Helper()
	have, want := strings.Split(got, "\n"), strings.Split(expected, "\n")
	for i := range max(len(have), len(want)) {
		if i >= len(have) || i >= len(want) || have[i] != want[i] {
			t.Fatalf("%s, line %d:\n%s\nwant\n%s\nIf this is meant, rewrite it with -update and review the diff.", path, i+1, at(have, i), at(want, i))
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(the end)"
}

// Repairs tries every repair of every finding of damaged documents, each on a copy of its own: it can be applied, and leaves no error
// of a rule that was not violated before, unless it says what it loses. Per document, only the first repair with a given rule and label is tried.
func Repairs(t *testing.T, docs Damaged) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		tried := map[string]bool{}
		for again := true; again; {
			again = repaired(t, name, docs[name](t), tried)
		}
	}
}

// repaired applies the first repair that has not been tried yet, and tells whether there was one.
func repaired(t *testing.T, name string, d *model.Document, tried map[string]bool) bool {
	t.Helper()
	ctx := context.Background()
	found := checked(t, d)
	before := errorsOf(found)
	for i := range found {
		for _, fix := range d.Tree.Fixes(ctx, &found[i]) {
			id := found[i].Rule.ID + ": " + fix.Label
			if tried[id] {
				continue
			}
			tried[id] = true
			repair(t, name+": "+id, d, fix, before)
			return true
		}
	}
	return false
}

// repair applies repair id to a document that has the given number of errors of each rule before.
func repair(t *testing.T, id string, d *model.Document, fix model.Fix, before map[string]int) {
	t.Helper()
	ctx := context.Background()
	edits, err := fix.Make(ctx, d.Tree)
	var p *model.Plan
	if err == nil {
		p, err = d.Plan(ctx, fix.Label, edits...)
	}
	if err != nil {
		t.Errorf("%s: it cannot be made: %v", id, err)
		return
	}
	if p.Empty() {
		t.Errorf("%s: it changes nothing", id)
		return
	}
	d.Apply(ctx, p, nil)
	NoDefect(t, d.Tree)
	for rule, n := range errorsOf(checked(t, d)) {
		if before[rule] == 0 && fix.Loses == "" {
			t.Errorf("%s: it brings %d errors of %s", id, n, rule)
		}
	}
}

// errorsOf counts errors by rule.
func errorsOf(found []model.Finding) map[string]int {
	n := map[string]int{}
	for i := range found {
		if found[i].Grade() == model.Error {
			n[found[i].Rule.ID]++
		}
	}
	return n
}
