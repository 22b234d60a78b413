//go:build unix

package headless_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"spandrel/model/protect"
	"spandrel/ui/headless"
)

// TestProtectSilent damages a file of which the system notes no change, as a disk does: its protection data have the times that it has now. It is restored
// without being asked for, and left alone where the system has noted a change.
func TestProtectSilent(t *testing.T) {
	sound, err := os.ReadFile("../../testdata/idv/good/stored.idv")
	must(t, err)
	damaged := bytes.Clone(sound)
	copy(damaged[0x30:], "\xff\xff")
	for name, x := range map[string]struct {
		later  int64 // nanoseconds between protection and the last change
		status int
		says   string
		comes  bool
	}{"silent": {0, headless.Done, "proven cause: 2 bytes of", true}, "written": {1, headless.Found, "likely cause: 2 bytes of", false}} {
		path := filepath.Join(t.TempDir(), "a.idv")
		must(t, os.WriteFile(path, damaged, 0o640))
		st, err := os.Stat(path)
		must(t, err)
		var now unix.Stat_t
		must(t, unix.Stat(path, &now))
		var par bytes.Buffer
		was := protect.Source{Name: "a.idv", Content: bytes.NewReader(sound), Size: int64(len(sound)), Time: st.ModTime(), Changed: now.Ctim.Nano() - x.later}
		must(t, protect.Write(t.Context(), &par, []protect.Source{was}, false, 5))
		must(t, os.WriteFile(path+".par", par.Bytes(), 0o640))
		if _, out, said := run(nil, "check", path); !strings.Contains(out, x.says) {
			t.Errorf("%s: %s%s", name, out, said)
		}
		if status, out, said := run(nil, "fix", path); status != x.status {
			t.Errorf("%s: fix is %d: %s%s", name, status, out, said)
		}
		if is, _ := os.ReadFile(path); bytes.Equal(is, sound) != x.comes {
			t.Errorf("%s: restored is %v", name, !x.comes)
		}
	}
}
