package headless_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/ui/headless"
)

// Each kind of find gives the place and the field of its first hit, and none is status 1.
func TestFind(t *testing.T) {
	const index, idv = samples + "good/three-shards/train.taridx", "../../testdata/idv/good/deflated.idv"
	for _, c := range []struct {
		args []string
		want string // file, space, offset, length, path
	}{
		{[]string{index, "jpg"}, "train.taridx\tfile\t0x40\t3\text[0]/name"},
		{[]string{"--bytes", index, "54 41 ?? 49"}, "train.taridx\tfile\t0x0\t4\theader/magic"},
		{[]string{"--ignore-case", index, "taridx"}, "train.taridx\tfile\t0x0\t6\theader/magic"},
		{[]string{"--regexp", index, "j[a-p]g"}, "train.taridx\tfile\t0x40\t3\text[0]/name"},
		{[]string{"--number", "u16le", index, "64"}, "train.taridx\tfile\t0xe\t2\theader/hdr_size"},
		{[]string{"--field", index, "off_arr"}, "train.taridx\tfile\t0x30\t8\theader/off_arr"},
		{[]string{"--number", "u64be", idv, "123456789012345"}, ""},
	} {
		status, out, err := run(nil, append([]string{"find"}, c.args...)...)
		first, _, _ := strings.Cut(out, "\n")
		if want := map[bool]int{true: headless.Done, false: headless.Found}[c.want != ""]; status != want || first != c.want {
			t.Errorf("%v: status %d, %q, %s", c.args, status, first, err)
		}
	}
	if _, out, _ := run(nil, "find", "--json", index, "jpg"); lines(t, out)[0]["path"] != "ext[0]/name" {
		t.Error(out)
	}
	if _, out, _ := run(nil, "find", "--field", "../../testdata/scdl/good/archive", "[1]"); !strings.Contains(out, "\tdata.npy/values[1]\n") {
		t.Error(out)
	}
	if status, _, err := run(nil, "find", "--number", "u7", index, "1"); status != headless.Failed || !strings.Contains(err, "u8 to u64") {
		t.Errorf("%d %s", status, err)
	}
}

func TestRulesCommand(t *testing.T) {
	status, out, _ := run(nil, "rules", "--json", "tix-022")
	if l := lines(t, out); status != headless.Done || len(l) != 1 || l[0]["rule"] != "TIX-022" || l[0]["format"] != "taridx" || len(l[0]["doc"].(string)) < 20 {
		t.Errorf("%d %s", status, out)
	}
	if _, out, _ := run(nil, "rules", "safetensors"); strings.Count(out, "STS-") < 10 {
		t.Error(out)
	}
	if status, _, _ := run(nil, "rules", "nothing"); status != headless.Failed {
		t.Errorf("status %d", status)
	}
}

func TestConvertLists(t *testing.T) {
	status, out, _ := run(nil, "convert", "--json", samples+"good/three-shards/train.taridx")
	if l := lines(t, out); status != headless.Done || len(l) < 3 || l[0]["action"] == "" {
		t.Errorf("%d %s", status, out)
	}
}

// Help is never an error, and tells examples.
func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"help"}, {"check", "--help"}, {"help", "check"}, {"shot", "--help"}} {
		if status, out, err := run(nil, args...); status != headless.Done || !strings.Contains(out, "spandrel") || err != "" {
			t.Errorf("%v: %d %q %q", args, status, out, err)
		}
	}
	if status, _, err := run(nil, "check", "--nope"); status != headless.Failed || strings.Count(err, "\n") != 1 {
		t.Errorf("%d %q", status, err)
	}
}

// Letters of plain text in UTF-16 match in the other byte order as well, one byte beside: that is no second hit.
func TestFindUTF16Once(t *testing.T) {
	path := filepath.Join(t.TempDir(), "some.bin")
	if err := os.WriteFile(path, []byte("abcdh\x00e\x00l\x00l\x00o\x00!\x00\x01\x02\x00h\x00e\x00l\x00l\x00o\x00 "), 0o600); err != nil {
		t.Fatal(err)
	}
	_, out, err := run(nil, "find", "--utf16", path, "hello")
	var at []string
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		at = append(at, strings.Split(line+"\t\t\t", "\t")[2])
	}
	if got := strings.Join(at, " "); got != "0x4 0x12" {
		t.Errorf("%s\n%s%s", got, out, err)
	}
}

// TestFindByPath finds a field by its path, as other commands name it.
func TestFindByPath(t *testing.T) {
	for path, want := range map[string]string{`columns["Int16"]/compression`: "toc[1]/compression", "toc[1]/compression": "toc[1]/compression"} {
		if status, out, err := run(nil, "find", "--field", samples+"../idv/good/stored.idv", path); status != 0 || !strings.HasSuffix(out, "\t"+want+"\n") {
			t.Errorf("%s: status %d: %s%s", path, status, out, err)
		}
	}
}
