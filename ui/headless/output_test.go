package headless_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"spandrel/ui/headless"
)

// TestOutput writes what a command prints to a file: whole, or not at all.
func TestOutput(t *testing.T) {
	index := samples + "good/one-shard/train.taridx"
	out := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(out, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := run(nil, "get", index, "no/such/field", "-o", out); status != headless.Failed {
		t.Errorf("status %d", status)
	}
	if b, _ := os.ReadFile(out); string(b) != "old" {
		t.Errorf("a command that failed wrote %q", b)
	}
	if status, printed, err := run(nil, "get", index, "header/n_rows", "-o", out); status != headless.Done || printed != "" {
		t.Errorf("%d %q %s", status, printed, err)
	}
	if b, _ := os.ReadFile(out); string(b) != "6\n" {
		t.Errorf("%q", b)
	}
	if st, _ := os.Stat(out); runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
	if left, _ := os.ReadDir(filepath.Dir(out)); len(left) != 1 {
		t.Errorf("files left behind: %v", left)
	}
}

// What is printed of a document that is its owner's alone is so too.
// An output is a file on this machine.
func TestOutputInStore(t *testing.T) {
	status, _, said := run(nil, "table", "../../testdata/npy/good/vector.npy", "values", "-o", "s3://lab/out.csv")
	if status != headless.Failed || !strings.Contains(said, "-o writes local files; --upload") {
		t.Errorf("%d, %s", status, said)
	}
}

// No command makes the folder of its output, whose name may be mistyped.
func TestOutputNowhere(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	for _, args := range [][]string{{"table", "../../testdata/npy/good/vector.npy", "values"}, {"set", "../../testdata/npy/good/vector.npy", "data[0]=7"}} {
		status, _, said := run(nil, append(args, "-o", filepath.Join(nowhere, "x"))...)
		if status != headless.Failed || !strings.Contains(said, "the folder "+nowhere+" does not exist") {
			t.Errorf("%s: %d, %s", args[0], status, said)
		}
	}
}

func TestOutputIsTheOwners(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes here")
	}
	dir := t.TempDir()
	index, err := os.ReadFile(samples + "good/one-shard/train.taridx")
	if err != nil {
		t.Fatal(err)
	}
	path, out := filepath.Join(dir, "train.taridx"), filepath.Join(dir, "out")
	for mode, want := range map[os.FileMode]os.FileMode{0o600: 0o600, 0o440: 0o440, 0o644: 0o644} {
		os.Remove(path)
		os.Remove(out)
		if err := os.WriteFile(path, index, mode); err != nil {
			t.Fatal(err)
		}
		if status, _, err := run(nil, "get", path, "header/n_rows", "-o", out); status != headless.Done {
			t.Fatal(status, err)
		}
		if st, err := os.Stat(out); err != nil || st.Mode().Perm() != want {
			t.Errorf("of %v: %v, %v", mode, st.Mode(), err)
		}
	}
}

// TestManyPaths checks what can be read although something else cannot.
func TestManyPaths(t *testing.T) {
	status, out, err := run(nil, "check", "--json", "no such file", samples+"bad/022-n-rows/train.taridx")
	if status != headless.Failed || !strings.Contains(err, "no such file") {
		t.Errorf("%d %s", status, err)
	}
	if found := lines(t, out); found[0]["rule"] == nil {
		t.Errorf("%s", out)
	}
}

// Errors are printed before warnings, and notes last, wherever they are in the file.
func TestWorstFirst(t *testing.T) {
	list, err := filepath.Glob("../../testdata/samediff/bad/*.fb")
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	mixed := 0
	for _, path := range list {
		_, out, _ := run(nil, "check", "--effort", "0", path)
		last, grades := 0, map[int]bool{}
		for line := range strings.Lines(out) {
			for grade, word := range []string{": error ", ": warning ", ": note "} {
				if strings.Contains(line, word) {
					if grade < last {
						t.Errorf("%s: %q", path, line)
					}
					last, grades[grade] = grade, true
				}
			}
		}
		if len(grades) > 1 {
			mixed++
		}
	}
	if mixed == 0 {
		t.Error("no sample has both errors and notes")
	}
}
