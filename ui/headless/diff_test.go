package headless_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDiffEncodings compares documents that hold the same in other ways: nothing differs, and with --layout much.
func TestDiffEncodings(t *testing.T) {
	dir := t.TempDir()
	npy := func(name, header, data string) string {
		head := "\x93NUMPY\x01\x00" + string(rune(len(header))) + "\x00" + header + data
		path := filepath.Join(dir, name)
		os.WriteFile(path, []byte(head), 0o600)
		return path
	}
	little := npy("a.npy", "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }"+strings.Repeat(" ", 60)+"\n", "\x01\x00\x02\x00")
	big := npy("b.npy", "{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }"+strings.Repeat(" ", 60)+"\n", "\x00\x01\x00\x02")
	rows := npy("r.npy", "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }"+strings.Repeat(" ", 58)+"\n", "\x01\x02\x03\x04\x05\x06")
	columns := npy("s.npy", "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }"+strings.Repeat(" ", 59)+"\n", "\x01\x04\x02\x05\x03\x06")
	other := npy("c.npy", "{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }"+strings.Repeat(" ", 60)+"\n", "\x00\x01\x00\x03")
	const idv = "../../testdata/idv/good/"
	for _, c := range []struct {
		a, b string
		want int
	}{{little, big, 0}, {rows, columns, 0}, {big, other, 1}, {idv + "stored.idv", idv + "deflated.idv", 0}, {idv + "stored.idv", idv + "no-rows.idv", 1}} {
		if status, out, err := run(nil, "diff", c.a, c.b); status != c.want || (out == "") != (c.want == 0) {
			t.Errorf("%s and %s: status %d: %s%s", filepath.Base(c.a), filepath.Base(c.b), status, out, err)
		}
		if status, out, _ := run(nil, "diff", "--layout", c.a, c.b); status != 1 || out == "" {
			t.Errorf("%s and %s, layout: status %d: %s", filepath.Base(c.a), filepath.Base(c.b), status, out)
		}
	}
}

// TestDiffRows finds the rows that come and go, and those that change, whatever stands around them.
func TestDiffRows(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/idv/good")); err != nil {
		t.Fatal(err)
	}
	path, old := filepath.Join(dir, "deflated.idv"), "../../testdata/idv/good/stored.idv"
	for _, args := range [][]string{
		{"convert", "--no-backup", path, "drop-rows", "first=2"},
		{"set", "--no-backup", "--table", "rows", path, "0/Text=new", "4/Int16=99"},
		{"convert", "--no-backup", path, "add-rows"},
	} {
		if status, _, err := run(nil, args...); status != 0 {
			t.Fatal(err)
		}
	}
	for flags, want := range map[string]string{
		"": "rows[0]/Text:  -> new|rows[2]: (|rows[5]/Int16: 17 -> 99|rows[7]: missing -> (",
		// two rows have 0 there: the order tells
		"--key Byte": "rows[0]/Text:  -> new|rows[2]: (|rows[5]/Int16: 17 -> 99|rows[7]: missing -> (",
		"--stat":     "rows: 2 cells, 1 row added, 1 row dropped",
		"--limit 1":  "rows[0]/Text:  -> new",
	} {
		status, out, _ := run(nil, append(append([]string{"diff"}, strings.Fields(flags)...), old, path)...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		for i, begin := range strings.Split(want, "|") {
			if status != 1 || i >= len(lines) || !strings.HasPrefix(lines[i], begin) {
				t.Errorf("%q: status %d, line %d should begin with %q:\n%s", flags, status, i, begin, out)
			}
		}
		if len(lines) != strings.Count(want, "|")+1 {
			t.Errorf("%q: %s", flags, out)
		}
	}
}

// TestDiffPayload sees bytes of members that no table shows.
func TestDiffPayload(t *testing.T) {
	path := "../../testdata/tar/good/ustar.tar"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[520] ^= 1
	other := filepath.Join(t.TempDir(), "b.tar")
	os.WriteFile(other, b, 0o600)
	if status, out, _ := run(nil, "diff", path, other); status != 1 || !strings.Contains(out, `members["`) || !strings.Contains(out, "/payload: ") {
		t.Errorf("status %d: %s", status, out)
	}
}

// TestDiffContainers: the same model in another container differs in keys of its metadata that describe the container, and only with --layout.
func TestDiffContainers(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.fb")
	if err := copied("../../testdata/samediff/good/inline.fb", path); err != nil {
		t.Fatal(err)
	}
	for action, name := range map[string]string{"convert-sdz": "m.sdz", "convert-container": "m.sdc"} {
		if status, _, err := run(nil, "convert", path, action, "name="+name); status != 0 {
			t.Fatalf("%s: %s", action, err)
		}
		if status, out, err := run(nil, "diff", path, filepath.Join(dir, name)); status != 0 || out != "" {
			t.Errorf("%s: status %d: %s%s", name, status, out, err)
		}
	}
}
