package headless_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"spandrel/model"
	"spandrel/parsers"
	"spandrel/ui/headless"
)

// An edit reads the document as it was and as it is then, and nothing twice: what is held against its errors is what was read for the edit.
func TestSetReadsOnce(t *testing.T) {
	b, err := os.ReadFile("../../testdata/idv/good/stored.idv")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.idv")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	read, formats := 0, parsers.All()
	for i, f := range formats {
		one := *f
		one.Parse = func(c *model.Cursor) {
			read++
			f.Parse(c)
		}
		formats[i] = &one
	}
	var said bytes.Buffer
	env := headless.Env{Formats: formats, In: &said, Out: &said, Err: &said, Version: "test"}
	if status := headless.Run(env, []string{"set", "--no-backup", "--table", "rows", path, "0/SByte=7"}); status != headless.Done || read != 2 {
		t.Errorf("status %d, read %d times, not before and after:\n%s", status, read, said.String())
	}
}
