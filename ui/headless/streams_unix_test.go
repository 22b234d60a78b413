//go:build unix

package headless_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPipes reads documents and rows from pipes as a shell passes them: <(zcat train.idv.gz).
func TestPipes(t *testing.T) {
	const idv = "../../testdata/idv/good/stored.idv"
	_, rows, _ := run(nil, "table", "--to", "csv", "--columns", "Int16,Text", idv, "rows")
	out := filepath.Join(t.TempDir(), "out.idv")
	for _, c := range []struct {
		from, args, want string
		status           int
	}{
		{idv, "get PIPE header/rowCount", "8\n", 0},
		{idv, "diff PIPE " + idv, "", 0},
		{idv, "set PIPE --table rows 0/Text=new", "a stream cannot be replaced: give the output file with -o", 2},
		{idv, "set PIPE -o " + out + " --table rows 0/Text=new", "read back and compared", 0},
		{"../../testdata/idv/bad/013-tail-outside.idv", "salvage --dry-run PIPE", "2 of 2 rows", 0},
		{"", "table " + idv + " rows --from PIPE --to csv --key Int16 --dry-run", "0 cells of 0 rows would change", 0},
	} {
		b := []byte(rows)
		if c.from != "" {
			var err error
			if b, err = os.ReadFile(c.from); err != nil {
				t.Fatal(err)
			}
		}
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		path := fmt.Sprintf("/dev/fd/%d", r.Fd())
		if _, err := os.Stat(path); err != nil {
			t.Skip("no /dev/fd here")
		}
		go func() {
			w.Write(b)
			w.Close()
		}()
		status, printed, said := run(nil, strings.Fields(strings.ReplaceAll(c.args, "PIPE", path))...)
		if r.Close(); status != c.status || !strings.Contains(printed+said, c.want) {
			t.Errorf("%s: status %d: %s%s", c.args, status, printed, said)
		}
	}
}
