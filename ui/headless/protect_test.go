package headless_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spandrel/ui/headless"
)

// TestProtect damages protected files without and with a trace of who wrote them. A file that has its old time may have been written to all the same: it
// is put back only when that is asked for. See TestProtectSilent.
func TestProtect(t *testing.T) {
	sound, err := os.ReadFile("../../testdata/idv/good/stored.idv")
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(sound)
	copy(damaged[0x30:], "\xff\xff")
	for name, x := range map[string]struct {
		content       []byte
		later         time.Duration // between protection and the last write
		check, fix    int
		says          string
		comes, unsafe bool // back: by fix; by --choose alone
	}{
		"sound":             {sound, 0, headless.Done, headless.Done, "", true, false},
		"its time kept":     {damaged, 0, headless.Found, headless.Found, "likely cause: 2 bytes of", false, true},
		"cut":               {sound[:1000], 0, headless.Found, headless.Found, "had 3,475", false, true},
		"longer":            {append(bytes.Clone(sound), "more"...), 0, headless.Found, headless.Found, "had 3,475", false, true},
		"written":           {append(bytes.Clone(sound), "more"...), time.Hour, headless.Done, headless.Done, "out of date", false, false},
		"written and wrong": {sound[:1000], time.Hour, headless.Found, headless.Found, "loses everything written after", false, true},
	} {
		path := filepath.Join(t.TempDir(), "a.idv")
		must(t, os.WriteFile(path, sound, 0o640))
		if status, out, err := run(nil, "protect", path); status != headless.Done || !strings.Contains(out, "3,475 bytes of 1 file") {
			t.Fatalf("%s: %s%s", name, out, err)
		}
		st, err := os.Stat(path)
		must(t, err)
		must(t, os.WriteFile(path, x.content, 0o640))
		must(t, os.Chtimes(path, st.ModTime(), st.ModTime().Add(x.later)))
		status, out, said := run(nil, "check", path)
		if status != x.check || !strings.Contains(out, x.says) {
			t.Errorf("%s: check is %d: %s%s", name, status, out, said)
		}
		if x.unsafe {
			_, rest, _ := strings.Cut(out, "restore a.idv")
			id := out[strings.LastIndex(out[:len(out)-len(rest)], "[")+1:]
			id, _, _ = strings.Cut(id, "]")
			if status, out, said := run(nil, "fix", "--choose", id, "-o", path+".restored", path); status != headless.Done {
				t.Errorf("%s: --choose %s is %d: %s%s", name, id, status, out, said)
			}
			if is, _ := os.ReadFile(path + ".restored"); !bytes.Equal(is, sound) {
				t.Errorf("%s: --choose does not restore it", name)
			}
		}
		if status, out, said = run(nil, "fix", path); status != x.fix {
			t.Errorf("%s: fix is %d: %s%s", name, status, out, said)
		}
		if is, _ := os.ReadFile(path); bytes.Equal(is, sound) != x.comes {
			t.Errorf("%s: restored is %v", name, !x.comes)
		}
	}
}

// TestProtectFolder: what is lost of a folder comes back; what was removed from a sound one on purpose does not.
func TestProtectFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	must(t, os.CopyFS(dir, os.DirFS("../../testdata/scdl/good/archive")))
	must(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o600))
	if status, out, err := run(nil, "protect", "--json", "--percent", "20", dir); status != headless.Done || !strings.Contains(out, `"kind":"protected"`) {
		t.Fatalf("%d: %s%s", status, out, err)
	}
	must(t, os.Remove(filepath.Join(dir, "notes.txt")))
	if status, out, err := run(nil, "check", dir); status != headless.Done || !strings.Contains(out, "out of date") {
		t.Errorf("a removed file that nothing misses: %d: %s%s", status, out, err)
	}
	want, err := os.ReadFile(filepath.Join(dir, "col_ptr.npy"))
	must(t, err)
	must(t, os.Remove(filepath.Join(dir, "col_ptr.npy")))
	if status, out, err := run(nil, "fix", dir); status != headless.Done {
		t.Errorf("a missing file: %d: %s%s", status, out, err)
	}
	if is, _ := os.ReadFile(filepath.Join(dir, "col_ptr.npy")); !bytes.Equal(is, want) {
		t.Error("the missing file is not what it was")
	}
}

// TestProtectSaves: protection data follow a save of what agreed with them, and stay where it did not.
func TestProtectSaves(t *testing.T) {
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS("../../testdata/taridx/good/gnu")))
	list, err := filepath.Glob(filepath.Join(dir, "*.taridx"))
	must(t, err)
	path := list[0]
	run(nil, "protect", path)
	before, err := os.ReadFile(path + ".par")
	must(t, err)
	if status, out, err := run(nil, "set", "--force", path, "header/n_rows=77"); status != headless.Done {
		t.Fatalf("%d: %s%s", status, out, err)
	}
	after, _ := os.ReadFile(path + ".par")
	if bytes.Equal(before, after) {
		t.Error("the protection data are those of before")
	}
	b, _ := os.ReadFile(path)
	b[len(b)-1]++
	must(t, os.WriteFile(path, b, 0o600))
	if status, _, err := run(nil, "set", "--force", path, "header/n_rows=2"); status != headless.Done || !strings.Contains(err, "was kept") {
		t.Errorf("%d: %s", status, err)
	}
	if now, _ := os.ReadFile(path + ".par"); !bytes.Equal(now, after) {
		t.Error("protection data of what was damaged were written over")
	}
}
