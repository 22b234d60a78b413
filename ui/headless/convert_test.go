package headless_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConvertOut writes what a conversion creates to -o, to a file and to a pipe, and leaves what it comes from alone.
func TestConvertOut(t *testing.T) {
	was, err := os.ReadFile("../../testdata/samediff/good/deflated.sdz")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.sdz")
	if err := os.WriteFile(path, was, 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "model.fb")
	if status, _, text := run(nil, "convert", "-o", out, path, "convert-fb"); status != 0 {
		t.Fatalf("%d %s", status, text)
	}
	if status, text, _ := run(nil, "check", out); status != 0 {
		t.Error(text)
	}
	status, piped, told := run(nil, "convert", "-o", "-", path, "convert-fb")
	if b, _ := os.ReadFile(out); status != 0 || piped != string(b) || len(b) == 0 {
		t.Errorf("the pipe has %d bytes, not %d: %s", len(piped), len(b), told)
	}
	list, _ := os.ReadDir(filepath.Dir(path))
	if is, _ := os.ReadFile(path); !bytes.Equal(is, was) || len(list) != 1 {
		t.Errorf("the model changed, or %d files lie in its folder", len(list))
	}
}

// TestConvertWarns says what of an archive is not in the converted model.
func TestConvertWarns(t *testing.T) {
	nb, err := os.ReadFile("../../testdata/samediff/good/blobs.sdnb")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range map[string][]byte{"model": nb, "tokenizer.json": []byte("{}")} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "m.sdz")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	status, out, text := run(nil, "convert", "--json", "-o", filepath.Join(dir, "m.fb"), path, "convert-fb")
	if status != 0 || !strings.Contains(out+text, "tokenizer.json") || !strings.Contains(out+text, `"warning"`) {
		t.Errorf("%d %s%s", status, out, text)
	}
}

// TestDamageKeepsItsChecksum: no edit gives damaged bytes a new checksum unless that is asked for, because nothing would notice the damage any more.
func TestDamageKeepsItsChecksum(t *testing.T) {
	b, err := os.ReadFile("../../testdata/samediff/good/plain.sdc")
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, []byte("tiny"))
	b[at] ^= 1 // a character of a value in the metadata
	path := filepath.Join(t.TempDir(), "m.sdc")
	key := "records[1]/data/entries[0]/key/text=nama"
	for _, x := range []struct {
		args    []string
		refused bool
	}{
		{[]string{"convert", path, "set-metadata", "key=k", "value=v"}, true},
		{[]string{"convert", "--path", "records[1]", path, "compress"}, true},
		{[]string{"convert", path, "convert-normal"}, true},
		{[]string{"convert", "-o", path + ".sdc", path, "set-metadata", "key=k", "value=v"}, true},
		{[]string{"convert", "--force", path, "set-metadata", "key=k", "value=v"}, false},
		{[]string{"set", path, key}, false}, // the checksum is left as it was
		{[]string{"set", path, "records[1]/crc=1"}, false},
		{[]string{"set", path, "records[2]/flags=0"}, false},
	} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		status, out, text := run(nil, x.args...)
		is, _ := os.ReadFile(path)
		if x.refused != (status == 2) || x.refused != bytes.Equal(is, b) {
			t.Errorf("%q: %d %s%s", x.args, status, out, text)
		}
	}
}

// TestConvertSaysWhatIsNoLongerFound: a change may remove what was wrong, or only the signs of it.
func TestConvertSaysWhatIsNoLongerFound(t *testing.T) {
	b, err := os.ReadFile("../../testdata/tar/good/ustar.tar")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.tar")
	if err := os.WriteFile(path, b[:700], 0o600); err != nil { // in the first member
		t.Fatal(err)
	}
	if status, out, text := run(nil, "convert", "--path", "members[0]", path, "drop-member"); status != 0 || !strings.Contains(text, "no longer found: the archive ends inside a member") {
		t.Errorf("%d %s%s", status, out, text)
	}
}

// TestConvertReadsNoLess: what can still be read of a damaged document can be read after a change.
func TestConvertReadsNoLess(t *testing.T) {
	b, err := os.ReadFile("../../testdata/idv/good/deflated.idv")
	if err != nil {
		t.Fatal(err)
	}
	clear(b[526:]) // the directory and the end
	path := filepath.Join(t.TempDir(), "a.idv")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, text := run(nil, "convert", path, "compact"); status != 2 || !strings.Contains(text, "could be read before the change, and 0 after it") {
		t.Errorf("%d %s%s", status, out, text)
	}
}

// TestConvertInsideArchive: a member of an archive is a document of its own, and its damage stays visible.
func TestConvertInsideArchive(t *testing.T) {
	b, err := os.ReadFile("../../testdata/idv/good/model.zip")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.zip")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, text := run(nil, "convert", "--path", "entry[3]/content", path, "set-compression", "kind=none"); status != 0 {
		t.Errorf("%d %s%s", status, out, text)
	}
	if b, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	sum := make([]byte, 4)
	binary.LittleEndian.PutUint32(sum, r.File[3].CRC32)
	b = bytes.ReplaceAll(b, sum, []byte{1, 2, 3, 4}) // as if other bytes had been stored
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, text := run(nil, "convert", "--path", "entry[3]/content", path, "compact"); status != 2 || !strings.Contains(text, "would get a new checksum") {
		t.Errorf("%d %s%s", status, out, text)
	}
}
