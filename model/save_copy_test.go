package model

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// What is whole in the old file is copied by the system, from the place where it stands; where another file took its name meanwhile the
// bytes that are open are written.
func TestPour(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "old")
	old := bytes.Repeat([]byte("0123456789abcdef"), 5<<16)
	if err := os.WriteFile(path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := NewContent(f).Splice(3<<20, 7, Memory([]byte("other"))).Splice(0, 1, Memory([]byte("first")))
	want := append([]byte("first"), old[1:3<<20]...)
	want = append(append(want, "other"...), old[3<<20+7:]...)
	for _, replaced := range []bool{false, true} {
		if replaced {
			if err := os.Rename(path, path+".away"); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, bytes.Repeat([]byte{1}, len(old)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := c.pull(nil, 5); n != 0 || err != nil {
			t.Errorf("%d bytes are copied to nowhere: %v", n, err)
		}
		out, err := os.Create(filepath.Join(dir, "new"))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := c.pull(out, 5); err != nil || (n > 0) == replaced {
			t.Errorf("the system copies %d bytes, %v", n, err)
		}
		if _, err := out.Seek(0, 0); err != nil {
			t.Fatal(err)
		}
		told := int64(0)
		w := &saver{ctx: bg, progress: func(n int64) { told = n }}
		if err := w.checked(out, out, c); err != nil || told != c.Len() {
			t.Errorf("%d of %d bytes: %v", told, c.Len(), err)
		}
		if got, err := os.ReadFile(out.Name()); err != nil || !bytes.Equal(got, want) {
			t.Errorf("replaced %v: something else was written: %v", replaced, err)
		}
		if _, err := out.WriteAt([]byte{'x'}, 4<<20); err != nil {
			t.Fatal(err)
		}
		if err := verify(bg, out.Name(), c, []Changed{{New: c.Len()}}); err == nil {
			t.Error("a wrong byte is not seen")
		}
		out.Close()
	}
}
