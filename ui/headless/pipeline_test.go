package headless_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"spandrel/parsers"
	"spandrel/ui/headless"
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

// Paths come from a list too, with any character where they end with NUL.
func TestCheckFilesFrom(t *testing.T) {
	bad, odd := samples+"bad/022-n-rows/train.taridx", filepath.Join(t.TempDir(), "two words *.idv")
	for _, x := range []struct {
		list   string
		args   []string
		status int
		want   []string
	}{
		{bad + "\r\n" + odd + "\n\n", []string{"--files-from", "-"}, headless.Failed, []string{"n_rows", "two words *.idv"}},
		{bad + "\x00", []string{"--files-from", "-", "-0"}, headless.Found, []string{"n_rows"}},
		{bad + "\n", []string{"--files-from", "-", samples + "good/one-shard"}, headless.Found, []string{"n_rows"}},
		{"", []string{"--files-from", "-"}, headless.Done, nil},
		{bad, []string{"--files-from", "-", "-"}, headless.Failed, []string{"standard input"}},
		{"", []string{"--files-from", "-", "--format", "sarif"}, headless.Done, []string{`"results":[]`}},
		{"", nil, headless.Failed, []string{"usage"}},
		{bad, []string{"-0", bad}, headless.Failed, []string{"--files-from"}},
	} {
		var out bytes.Buffer
		env := headless.Env{Formats: parsers.All(), In: strings.NewReader(x.list), Out: &out, Err: &out, Version: "test"}
		if status := headless.Run(env, append([]string{"check"}, x.args...)); status != x.status {
			t.Errorf("%q %q: status %d: %s", x.list, x.args, status, &out)
		}
		for _, want := range x.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q %q: no %q: %s", x.list, x.args, want, &out)
			}
		}
	}
}
