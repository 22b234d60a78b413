package headless_test

import (
	"os"
	"regexp"
	"testing"

	"spandrel/parsers"
)

// The hook for pre-commit is run for files of every format.
func TestHookKnowsAllFormats(t *testing.T) {
	text, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^  files: '(.+)'$`).FindSubmatch(text)
	if m == nil {
		t.Fatal("the hook has no pattern of files")
	}
	files := regexp.MustCompile(string(m[1]))
	for _, f := range parsers.All() {
		for _, ext := range f.Exts {
			if !files.MatchString("data/train" + ext) {
				t.Errorf("%s: the hook passes over files named *%s", f.Name, ext)
			}
		}
	}
	if files.MatchString("README.md") || files.MatchString("npy") {
		t.Errorf("%s matches too much", files)
	}
}
