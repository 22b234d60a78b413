package headless_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/ui/headless"
)

// TestFixWith restores damaged files from whole ones and from ones that are damaged elsewhere, and a folder of which a file is missing.
func TestFixWith(t *testing.T) {
	dir := t.TempDir()
	sound, err := os.ReadFile("../../testdata/idv/good/stored.idv")
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, change func([]byte) []byte) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, change(bytes.Clone(sound)), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	same := func(b []byte) []byte { return b }
	wiped := func(b []byte) []byte { clear(b[0x20:0x40]); return b }
	for name, x := range map[string]struct {
		damage, copied func([]byte) []byte
		status         int
		says           string
	}{
		"wiped":     {wiped, same, headless.Done, "1 file restored from"},
		"cut":       {func(b []byte) []byte { return b[:len(b)/2] }, same, headless.Done, "restored from"},
		"two":       {wiped, func(b []byte) []byte { copy(b[len(b)-100:], "written over"); return b }, headless.Done, "more range"},
		"the same":  {wiped, wiped, headless.Found, "does not help"},
		"not wrong": {same, same, headless.Done, "nothing to repair"},
		"empty": {wiped, func([]byte) []byte {
			b, _ := os.ReadFile("../../testdata/idv/good/no-columns.idv")
			return b
		}, headless.Failed, ""},
		"other": {wiped, func([]byte) []byte {
			b, _ := os.ReadFile("../../testdata/idv/good/deflated.idv")
			return b
		}, headless.Failed, "may be of other data"},
	} {
		a, b := put(name+".idv", x.damage), put(name+"-copy.idv", x.copied)
		before, _ := os.ReadFile(a)
		dry, shown, said := run(nil, "fix", "--with", b, "--dry-run", a)
		if now, _ := os.ReadFile(a); !bytes.Equal(now, before) {
			t.Fatalf("%s: --dry-run wrote", name)
		}
		status, _, err := run(nil, "fix", "--with", b, a)
		now, _ := os.ReadFile(a)
		if restored := bytes.Equal(now, sound); status != x.status || dry != status || restored != (x.status == headless.Done) || !strings.Contains(err, x.says) {
			t.Errorf("%s: status %d, dry %d, restored %v: %s%s%s", name, status, dry, restored, shown, said, err)
		}
	}
	if kept, _ := filepath.Glob(filepath.Join(dir, "wiped.idv.*.bak")); len(kept) != 1 {
		t.Errorf("backups: %v", kept)
	}
}

// TestFixWithFolder: a file that is missing from a folder, and one that is damaged, come from the same folder elsewhere.
func TestFixWithFolder(t *testing.T) {
	from := "../../testdata/scdl/good/archive"
	dir := filepath.Join(t.TempDir(), "archive")
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func([]byte) []byte{"col_ptr.npy": nil, "row_ptr.npy": func(b []byte) []byte { return b[:len(b)/2] }} {
		p := filepath.Join(dir, name)
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if change == nil {
			err = os.Remove(p)
		} else {
			err = os.WriteFile(p, change(b), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if status, out, err := run(nil, "fix", "--with", from, dir); status != headless.Done {
		t.Fatalf("status %d: %s%s", status, out, err)
	}
	for _, name := range []string{"col_ptr.npy", "row_ptr.npy"} {
		is, _ := os.ReadFile(filepath.Join(dir, name))
		want, _ := os.ReadFile(filepath.Join(from, name))
		if !bytes.Equal(is, want) {
			t.Errorf("%s is not what it was", name)
		}
	}
}
