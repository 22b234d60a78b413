package headless_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// phrases may not occur in what users read: they can be understood, but read as if translated. Each is followed by what to write instead.
var phrases = []struct{ never, instead string }{
	{`each other's (value|place|content)`, "swapped"},
	{`as no other has|no one knows which`, "unknown, or name what is missing"},
	{`had back|put (it |them )?right|brings? back|takes? (it )?back`, "restored, corrected, undone"},
	{`said to (lie|be|end)`, "the offset is wrong"},
	{`\bstands? (behind|in front|beside|inside|among|nowhere|elsewhere|twice|there)`, "is after, is before, occurs twice"},
	{`in front of\b|further in front`, "before"},
	{`(bytes|zeros|members|values|names|rows|header) behind\b|one behind the other`, "after"},
	{`whatever`, "always"},
	{`\b(is|are) (no (number|text|whole|JSON|file|tuple|dict|offset|path|name)|none (that|of (that|those|them)))\b`, "is not a …, is unknown"},
	{`counts? other|other rows than`, "does not match"},
	{`not there any more|any more\b`, "no longer"},
	{`of those that come|rows that come`, "new rows"},
	{`taken apart|looked at`, "parsed, checked"},
	{`\b(is|are) told\b`, "is reported"},
	{`without a word\b`, "without a warning"},
	{`loses? nothing`, "lossless"},
	{`what is left`, "the rest, the intact data"},
	{`\b(is|was) cut[^ ]|cut off`, "is truncated"},
	{`as (it|they) stands?\b`, "unchanged"},
	{`\b(object|value|line|row|record|entry|bytes) an? (line|row|sample|tensor)\b`, "per line"},
}

// internal are folders whose strings no user reads, and files that quote the software of a format.
var internal = regexp.MustCompile(`/(testdata|suite|bench|frames)$|_test\.go$|/readers?[a-z_]*\.go$|model/cause/search\.go$|model/cause/whole\.go$`)

// TestPhrases reads the strings of the code that users may see, and the pages for them.
func TestPhrases(t *testing.T) {
	never := make([]*regexp.Regexp, len(phrases))
	for i, p := range phrases {
		never[i] = regexp.MustCompile(p.never)
	}
	read := func(where, text string) {
		for i, r := range never {
			if found := r.FindString(text); found != "" {
				t.Errorf("%s: %q in %.100q: better: %s", where, found, text, phrases[i].instead)
			}
		}
	}
	for _, page := range []string{"README.md", "docs/index.md", "docs/faq.md", "docs/window.md", "docs/protection.md", "docs/messages.md"} {
		b, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		read(page, string(b))
	}
	for _, root := range []string{"model", "parsers", "ui"} {
		err := filepath.WalkDir("../../"+root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case internal.MatchString(filepath.ToSlash(path)) && d.IsDir():
				return fs.SkipDir
			case d.IsDir() || filepath.Ext(path) != ".go" || internal.MatchString(filepath.ToSlash(path)):
				return nil
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && strings.Contains(lit.Value, " ") {
					if text, err := strconv.Unquote(lit.Value); err == nil {
						read(path, text)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
