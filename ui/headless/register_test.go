//go:build linux

package headless_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/parsers"
	"spandrel/ui/headless"
)

// register writes an entry that starts this program, the types of its files and its icon; unregister leaves nothing of them.
func TestRegister(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	t.Setenv("PATH", "")
	var out bytes.Buffer
	env := headless.Env{Formats: parsers.All(), Out: &out, Err: &out}
	if status := headless.Run(env, []string{"register"}); status != headless.Failed {
		t.Errorf("a build without a window registers: %s", out.String())
	}
	env.Icon = []byte("a picture")
	files := func() (n int) {
		filepath.WalkDir(dir, func(_ string, e os.DirEntry, _ error) error {
			if !e.IsDir() {
				n++
			}
			return nil
		})
		return n
	}
	if status := headless.Run(env, []string{"register"}); status != headless.Done || files() != 3 {
		t.Fatalf("%d files: %s", files(), out.String())
	}
	entry, err := os.ReadFile(filepath.Join(dir, "applications", "org.spandrel.Spandrel.desktop"))
	own, _ := os.Executable()
	if err != nil || strings.Count(string(entry), "\nExec=\""+own+"\"") != 2 {
		t.Errorf("%v\n%s", err, entry)
	}
	for range 2 { // also where there is nothing to take back
		if status := headless.Run(env, []string{"unregister"}); status != headless.Done || files() != 0 {
			t.Errorf("%d files stay: %s", files(), out.String())
		}
	}
}
