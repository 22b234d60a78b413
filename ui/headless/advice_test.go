package headless_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spandrel/ui/headless"
)

// TestAdvice has fix do nothing with damaged samples, and does what it advises then: each command that it names works on that file.
func TestAdvice(t *testing.T) {
	samples, err := filepath.Glob("../../testdata/*/bad/*")
	if err != nil || len(samples) == 0 {
		t.Fatal("no samples", err)
	}
	samples = slices.DeleteFunc(samples, func(p string) bool { return strings.HasSuffix(p, ".tree") || strings.HasSuffix(p, ".txt") })
	order := func(p string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(filepath.ToSlash(p)))) }
	slices.SortFunc(samples, func(a, b string) int { return strings.Compare(order(a), order(b)) })
	most := 150
	if testing.Short() {
		most = 6
	}
	// What no sample has: a damaged stream in a file that has no other.
	lost := filepath.Join(t.TempDir(), "schema.tdb")
	b, err := os.ReadFile("../../testdata/tiledb/good/schema-v23.tdb")
	must(t, err)
	clear(b[0x60:0x90])
	must(t, os.WriteFile(lost, b, 0o600))
	left := filepath.Join(t.TempDir(), "rows.idv") // … and in one with others
	if b, err = os.ReadFile("../../testdata/idv/good/deflated.idv"); err == nil {
		clear(b[0x2a1:0x2a9])
		must(t, os.WriteFile(left, b, 0o600))
	}
	tried := map[string]int{}
	for _, p := range append([]string{lost, left}, samples[:most]...) {
		tried[adviceOf(t, p)]++
	}
	for _, kind := range []string{"salvage", "check"} {
		if tried[kind] == 0 {
			t.Errorf("no sample is advised to %s: %v", kind, tried)
		}
	}
}

var printedID = regexp.MustCompile(`repair \d+ \[([0-9a-f]{8})\]`)

// adviceOf follows the advice of fix on a copy of a sample, and returns which it is.
func adviceOf(t *testing.T, sample string) string {
	dir := t.TempDir()
	doc := filepath.Join(dir, filepath.Base(sample))
	if st, err := os.Stat(sample); err == nil && st.IsDir() {
		must(t, os.CopyFS(doc, os.DirFS(sample)))
		if index, _ := filepath.Glob(filepath.Join(doc, "*.taridx")); len(index) > 0 {
			doc = index[0]
		}
	} else if b, err := os.ReadFile(sample); err == nil {
		must(t, os.WriteFile(doc, b, 0o600))
	}
	status, _, errs := run(nil, "fix", "--dry-run", doc)
	_, message, _ := strings.Cut(lastLine(errs), ": ")
	switch {
	case status == headless.Failed:
		return errs
	case strings.Contains(message, "would be made"):
		return "made"
	case strings.Contains(message, "--choose"):
		_, listed, _ := run(nil, "check", "--quiet", doc)
		id := printedID.FindStringSubmatch(listed)
		if id == nil {
			t.Errorf("%s: %s; but check lists none", sample, message)
		} else if status, _, errs = run(nil, "fix", "--no-backup", "--quiet", "--choose", id[1], doc); status == headless.Failed {
			t.Errorf("%s: %s; but it says: %s", sample, message, errs)
		}
		return "choose"
	case strings.Contains(message, "salvage"):
		if status, _, errs = run(nil, "salvage", "--quiet", "-o", filepath.Join(dir, "saved"), doc); status == headless.Failed {
			t.Errorf("%s: %s; but it says: %s", sample, message, errs)
		}
		if _, _, errs = run(nil, "fix", "-o", filepath.Join(dir, "same"), doc); strings.Contains(errs, "compared") || !strings.Contains(errs, "unchanged copy") {
			t.Errorf("%s: of an unchanged copy, fix says: %s", sample, errs)
		}
		return "salvage"
	case strings.Contains(message, "check"):
		if _, listed, _ := run(nil, "check", "--quiet", doc); listed == "" {
			t.Errorf("%s: %s; but check says nothing", sample, message)
		}
		return "check"
	case strings.Contains(message, "nothing"):
		return "nothing"
	}
	t.Errorf("%s: no advice in %q", sample, message)
	return ""
}

func lastLine(s string) string {
	list := strings.Split(strings.TrimSpace(s), "\n")
	return list[len(list)-1]
}
