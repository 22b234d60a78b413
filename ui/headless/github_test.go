package headless_test

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"spandrel/ui/headless"
)

var (
	workflowCommand = regexp.MustCompile(`^::(error|warning|notice) file=([^,:]+),title=([^,:]+)::(.+)$`)
	unescape        = strings.NewReplacer("%3A", ":", "%2C", ",", "%0A", "\n", "%0D", "\r", "%25", "%")
)

// annotation is a workflow command as GitHub reads it.
type annotation struct{ level, file, title, message string }

func annotations(t *testing.T, out string) (list []annotation) {
	t.Helper()
	for line := range strings.Lines(out) {
		m := workflowCommand.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Fatalf("not a workflow command: %q", line)
		}
		list = append(list, annotation{m[1], unescape.Replace(m[2]), unescape.Replace(m[3]), unescape.Replace(m[4])})
	}
	return list
}

// Annotations name the causes of all documents before findings that no cause explains, and a path that cannot be read.
func TestCheckGitHub(t *testing.T) {
	known, missing := samples+"bad/022-n-rows/train.taridx", filepath.Join(t.TempDir(), "missing.npy")
	unexplained := "../../testdata/gguf/bad/006-strings.gguf"
	status, out, said := run(nil, "check", "--format", "github", unexplained, known, missing)
	list := annotations(t, out)
	if status != headless.Failed || !strings.Contains(said, "missing.npy") || len(list) != 3 {
		t.Fatalf("status %d, %s: %s", status, said, out)
	}
	if x := list[0]; x.level != "error" || x.file != known || x.title != "proven cause" || !strings.Contains(x.message, "n_rows") ||
		!strings.Contains(x.message, "\nevidence: ") || !strings.Contains(x.message, "\nrepair 1 [") {
		t.Errorf("%+v", x)
	}
	if x := list[1]; x.level != "error" || x.file != missing || x.title != "not checked" {
		t.Errorf("%+v", x)
	}
	if x := list[2]; x.level != "error" || x.file != unexplained || x.title != "GGUF-006" || !strings.HasSuffix(x.message, "(header/metadata[1]/count at 0x6a)") {
		t.Errorf("%+v", x)
	}
	if _, out, _ := run(nil, "check", "--format", "github", "../../testdata/npy/bad/001-magic.npy"); strings.Contains(annotations(t, out)[0].message, "evidence:") {
		t.Errorf("a cause without evidence: %s", out)
	}
	if status, out, _ := run(nil, "check", "--format", "github", samples+"good/one-shard"); status != headless.Done || out != "" {
		t.Errorf("status %d: %s", status, out)
	}
}

// The name of a file starts no command of its own and keeps every character.
func TestGitHubNames(t *testing.T) {
	name := "100%25, a:b\r\n::error::forged.idv"
	if runtime.GOOS == "windows" {
		name = "100%25, a.idv"
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("not one"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, _ := run(nil, "check", "--format", "github", path)
	list := annotations(t, out)
	if status != headless.Found || len(list) == 0 {
		t.Fatalf("status %d: %s", status, out)
	}
	for _, x := range list {
		if x.file != filepath.ToSlash(path) {
			t.Errorf("file %q, want %q", x.file, path)
		}
	}
}
