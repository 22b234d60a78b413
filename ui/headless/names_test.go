//go:build unix

package headless_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
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

// A repair that was chosen by its ID is the same each time, however busy the machine is: of samples with several repairs, each makes one file in
// twenty searches at once. A number is the same one or is refused.
func TestChosenIsTheSame(t *testing.T) {
	for _, sample := range []string{"gguf/bad/013-type.gguf", "gguf/bad/016-shape.gguf", "scdl/bad/094-sample"} {
		path := filepath.Join("../../testdata", sample)
		_, printed, _ := run(nil, "check", path)
		ids := regexp.MustCompile(`repair (\d+) \[([0-9a-f]+)\]`).FindAllStringSubmatch(printed, -1)
		if len(ids) == 0 {
			t.Errorf("%s: check prints no repair: %q", sample, printed)
			continue
		}
		last := ids[len(ids)-1]
		for _, choose := range []string{last[2], last[1], last[1] + ":" + last[2]} {
			changes := make([]string, 20)
			var wait sync.WaitGroup
			for i := range changes {
				wait.Go(func() {
					status, said, why := run(nil, "fix", "--dry-run", "--choose", choose, path)
					if changes[i] = said; status == headless.Failed {
						changes[i] = "refused"
						if choose != last[1] || !strings.Contains(why, "the search was cut short") {
							t.Errorf("%s: --choose %s: %s", sample, choose, why)
						}
					}
				})
			}
			wait.Wait()
			slices.Sort(changes)
			if list := slices.DeleteFunc(slices.Compact(changes), func(s string) bool { return s == "refused" }); len(list) != 1 && choose != last[1] || len(list) > 1 {
				t.Errorf("%s: --choose %s makes %d different repairs: %q", sample, choose, len(list), list)
			}
		}
	}
}

// What names no repair is refused, with what is wrong about it.
func TestChosenIsRefused(t *testing.T) {
	path := "../../testdata/idv/bad/008-negative-rows.idv"
	_, printed, _ := run(nil, "check", path)
	id := regexp.MustCompile(`repair 1 \[([0-9a-f]+)\]`).FindStringSubmatch(printed)[1]
	for choose, want := range map[string]string{"one": "give the ID of a repair", "99": "there is no repair 99: the file now has", "00000000": "there is no repair 00000000",
		"2:" + id: "is now number 1, not 2"} {
		status, changes, said := run(nil, "fix", "--dry-run", "--choose", choose, path)
		if status != headless.Failed || changes != "" || !strings.Contains(said, want) {
			t.Errorf("--choose %s: status %d, %q, %q", choose, status, changes, said)
		}
	}
}
