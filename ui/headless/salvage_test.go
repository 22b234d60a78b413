package headless_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/ui/headless"
)

// TestSalvage saves a sound index, one without its end, and one of which nothing is left, never in place.
func TestSalvage(t *testing.T) {
	path := copyOf(t, "good/three-shards")
	out := filepath.Join(t.TempDir(), "saved.taridx")
	if status, said, err := run(nil, "salvage", path, "-o", out); status != headless.Done || !strings.Contains(said, "rows") {
		t.Fatalf("status %d: %s %s", status, said, err)
	}
	if status, said, _ := run(nil, "check", out); status == headless.Failed {
		t.Errorf("what was saved cannot be read: %s", said)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"salvage", path}, {"salvage", path, "-o", path}} {
		if status, _, err := run(nil, args...); status != headless.Failed || strings.Count(err, "\n") != 1 {
			t.Errorf("%v: status %d, %s", args, status, err)
		}
	}
	if now, _ := os.ReadFile(path); string(now) != string(before) {
		t.Error("salvage changed the file itself")
	}
	gone := filepath.Join(t.TempDir(), "gone.taridx")
	if err := os.WriteFile(gone, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if status, _, err := run(nil, "salvage", gone, "-o", out+"2"); status != headless.Failed || !strings.Contains(err, "nothing could be saved") {
		t.Errorf("status %d: %s", status, err)
	}
}

// What a copy will contain is said before it is written, and that no checksum vouches for what is left of a section that was cut; what nothing is left of is refused, and nothing is written.
func TestSalvageDryRun(t *testing.T) {
	b, err := os.ReadFile("../../testdata/samediff/good/arrays.sdc")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, x := range []struct {
		left     int
		status   int
		contains string
	}{{len(b) - 29, headless.Found, "2 of 4 variables, 0 of 1 operations, 1 of 2 arrays"}, {len(b) / 3, headless.Failed, ""}, {len(b), headless.Done, "4 of 4 variables, 1 of 1 operations, 2 of 2 arrays"}} {
		path := filepath.Join(dir, "c.sdc")
		if err := os.WriteFile(path, b[:x.left], 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"--dry-run"}, {"-o", filepath.Join(dir, "out.sdc")}} {
			status, said, wrong := run(nil, append([]string{"salvage", "--json", path}, args...)...)
			_, err := os.Stat(filepath.Join(dir, "out.sdc"))
			if written := err == nil; status != x.status || written != (args[0] == "-o" && x.contains != "") {
				t.Errorf("%d bytes, %v: status %d, written: %v; %s", x.left, args, status, written, wrong)
			}
			os.Remove(filepath.Join(dir, "out.sdc"))
			if x.contains == "" {
				if strings.Count(wrong, "\n") != 1 || said != "" {
					t.Errorf("%d bytes: %q %q", x.left, wrong, said)
				}
				continue
			}
			if l := lines(t, said)[0]; l["contains"] != x.contains || l["valid"] != true || (l["unvouched"] == float64(0)) != (x.left == len(b)) || l["dry_run"] != (args[0] == "--dry-run") || len(l["problems"].([]any)) > 0 {
				t.Errorf("%d bytes: %v", x.left, l)
			}
		}
	}
}

// Where bytes are missing inside a file whose values have no checksum cannot be known: what follows a guessed place is not called intact. A format that finds
// what follows them by itself leaves out the values in doubt.
func TestSalvageGuess(t *testing.T) {
	for _, x := range []struct {
		sample string
		at     []int
		itself bool
	}{{"idv/good/stored.idv", []int{300, 500, 700, 900}, true}, {"samediff/good/blobs.sdnb", []int{417}, false}} {
		b, err := os.ReadFile("../../testdata/" + x.sample)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range x.at {
			path := filepath.Join(t.TempDir(), filepath.Base(x.sample))
			if err := os.WriteFile(path, append(append([]byte{}, b[:at]...), b[at+4:]...), 0o644); err != nil {
				t.Fatal(err)
			}
			status, said, _ := run(nil, "salvage", path, "-o", path+".saved")
			if status == headless.Done || strings.Contains(said, "is a guess") == x.itself {
				t.Errorf("%s: 4 bytes missing at %d: status %d: %s", x.sample, at, status, said)
			}
		}
	}
}

// The beginning of an archive that was packed with gzip and truncated is unpacked, and its members are saved.
func TestSalvageOfCutPacking(t *testing.T) {
	b, err := os.ReadFile("../../testdata/tar/good/ustar.tar")
	if err != nil {
		t.Fatal(err)
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	for part := range slices.Chunk(b, 512) {
		_, _ = w.Write(part)
		w.Flush()
	}
	w.Close()
	path, out := filepath.Join(t.TempDir(), "x.tar"), filepath.Join(t.TempDir(), "out.tar")
	if err := os.WriteFile(path, zipped.Bytes()[:zipped.Len()*3/4], 0o600); err != nil {
		t.Fatal(err)
	}
	_, said, failed := run(nil, "salvage", path, "-o", out)
	is, err := os.ReadFile(out)
	if err != nil || len(is) < 1024 || !bytes.Equal(is[:1024], b[:1024]) {
		t.Errorf("%v: %s%s", err, said, failed)
	}
}

// A file that has another name is salvaged under its own, which the search has found.
func TestSalvageAfterRepair(t *testing.T) {
	in, out := filepath.Join(t.TempDir(), "x"), filepath.Join(t.TempDir(), "y")
	if err := os.CopyFS(in, os.DirFS("../../testdata/scdl/good/archive")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(in, "data.npy"), filepath.Join(in, ".data.npy.Qk3v9Z")); err != nil {
		t.Fatal(err)
	}
	_, said, failed := run(nil, "salvage", in, "-o", out)
	if _, err := os.Stat(filepath.Join(out, "data.npy")); err != nil || !strings.Contains(said, "not proven: rename .data.npy.Qk3v9Z") {
		t.Errorf("%v: %s%s", err, said, failed)
	}
}
