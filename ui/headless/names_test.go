//go:build unix

package headless_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"spandrel/ui/headless"
)

// A name in a folder may have been given by anybody: no command prints it so that it ends a line, moves the cursor or colours what follows.
func TestNamesAreEscapedByEveryCommand(t *testing.T) {
	const hostile = "a\nFORGED: no problems\x1b[31m.idv"
	dir := t.TempDir()
	put := func(name, sample string) string {
		b, err := os.ReadFile("../../testdata/idv/" + sample)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bad, good := put(hostile, "bad/008-negative-rows.idv"), put("b"+hostile, "good/stored.idv")
	text := put("c"+hostile, "good/stored.idv")
	if err := os.WriteFile(text, []byte("no format knows that"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "o"+hostile)
	for _, args := range [][]string{
		{"dump", bad}, {"dump", text}, {"check", bad}, {"check", "--all", bad, text}, {"check", dir}, {"fix", "--dry-run", bad}, {"fix", "-o", out, bad}, {"fix", text},
		{"fix", "--dry-run", "--choose", "1", bad}, {"fix", "--choose", "99", bad}, {"fix", "--dry-run", "--rule", "IDV-001", bad}, {"fix", good},
		{"get", bad, "header/no"}, {"get", bad, "header"}, {"set", "--dry-run", good, "header/rowCount=7"}, {"set", good, "header/rowCount=x"},
		{"set", "--force", "--no-backup", good, "header/rowCount=7"}, {"table", bad}, {"table", bad, "rows"}, {"table", bad, "none"}, {"diff", bad, good},
		{"salvage", bad, "-o", out + "2"}, {"salvage", text, "-o", out + "3"}, {"find", bad, "CML"}, {"find", text, "format"}, {"recover", bad}, {"convert", bad},
		{"convert", text}, {"slice", bad, "-o", out + "4"}, {"report", bad, "-o", out + "5"}, {"check", bad + "/none"}, {"dump", dir},
	} {
		_, printed, said := run(nil, args...)
		for _, s := range []string{printed, said} {
			if regexp.MustCompile(`(?m)^FORGED|\x1b\[31m`).MatchString(s) {
				t.Errorf("%q prints %q", args[0:1:1], s)
			}
		}
	}
}

// A number chooses a repair of the search that fix makes, and says which that is; with the ID beside it, that repair or none.
func TestChosenByNumberAndID(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.idv")
	b, err := os.ReadFile("../../testdata/idv/bad/008-negative-rows.idv")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	_, printed, _ := run(nil, "check", path)
	m := regexp.MustCompile(`repair 1 \[([0-9a-f]+)\]`).FindStringSubmatch(printed)
	if m == nil {
		t.Fatalf("check prints %q", printed)
	}
	for choose, want := range map[string]int{"1": headless.Done, m[1]: headless.Done, "1:" + m[1]: headless.Done, "2:" + m[1]: headless.Failed, "1:00000000": headless.Failed} {
		status, changes, said := run(nil, "fix", "--dry-run", "--choose", choose, path)
		if made := strings.Contains(changes, "header/rowCount"); made != (want == headless.Done) || (status == headless.Failed) == made || made && !strings.Contains(said, "repair 1 ["+m[1]+"]") {
			t.Errorf("--choose %s: status %d, %q, said %q", choose, status, changes, said)
		}
	}
}
