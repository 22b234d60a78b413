package headless_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/ui/headless"
)

// TestRemote: commands read files of a server by their addresses, and write only to the disk.
func TestRemote(t *testing.T) {
	t.Setenv("SPANDREL_CACHE", "off")
	server := httptest.NewServer(http.FileServer(http.Dir("../../testdata")))
	defer server.Close()
	at := func(name string) string { return server.URL + "/" + name }
	whole, err := os.ReadFile("../../testdata/idv/good/stored.idv")
	must(t, err)
	out := filepath.Join(t.TempDir(), "out.idv")
	where, err := filepath.Abs("../../testdata/idv/good/stored.idv")
	must(t, err)
	for _, x := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"check", at("idv/good/stored.idv")}, headless.Done, "read"},
		{[]string{"check", "--json", at("idv/bad/001-short.idv")}, headless.Found, `"kind":"traffic"`},
		{[]string{"check", "--deep", at("taridx/good/gnu/" + anyOf(t, "../../testdata/taridx/good/gnu/*.taridx"))}, headless.Done, "a deep check reads up to"},
		{[]string{"get", at("idv/good/stored.idv"), "header/rowCount"}, headless.Done, "8"},
		{[]string{"table", "--rows", "0:2", at("idv/good/stored.idv"), "rows"}, headless.Done, "SByte"},
		{[]string{"set", at("idv/good/stored.idv"), "header/rowCount=8"}, headless.Failed, "--upload"},
		{[]string{"fix", at("idv/bad/005-compatible-too-old.idv")}, headless.Found, ""},
		{[]string{"protect", at("idv/good/stored.idv")}, headless.Failed, "local files"},
		{[]string{"check", at("none.idv") + "?X-Amz-Signature=secret"}, headless.Failed, "none.idv: file does not exist"},
		{[]string{"check", "--json", at("none.idv") + "?X-Amz-Signature=secret"}, headless.Failed, `"document":"` + at("none.idv") + `"`},
		{[]string{"check", "gopher://x/y"}, headless.Failed, "gopher:// is not supported; s3://"},
		{[]string{"check", "file://" + filepath.ToSlash(where)}, headless.Done, ""},
	} {
		status, printed, said := run(nil, x.args...)
		if status != x.status || !strings.Contains(printed+said, x.says) || strings.Contains(printed+said, "secret") {
			t.Errorf("%v: status %d: %s%s", x.args, status, printed, said)
		}
	}
	damaged := filepath.Join(t.TempDir(), "a.idv")
	must(t, os.WriteFile(damaged, append(make([]byte, 64), whole[64:]...), 0o600))
	if status, printed, said := run(nil, "fix", "--with", at("idv/good/stored.idv"), "-o", out, damaged); status != headless.Done {
		t.Errorf("fix --with: %d: %s%s", status, printed, said)
	}
	if is, _ := os.ReadFile(out); !bytes.Equal(is, whole) {
		t.Error("the copy of the server restores something else")
	}
}

func anyOf(t *testing.T, pattern string) string {
	t.Helper()
	list, err := filepath.Glob(pattern)
	if err != nil || len(list) == 0 {
		t.Fatal(pattern, err)
	}
	return filepath.Base(list[0])
}

// TestRemoteArchive: of an archive whose members lie far apart only their heads are read, without what lies between them, and nothing is read to see
// whether sizes that are written twice agree, as numpy writes them.
func TestRemoteArchive(t *testing.T) {
	t.Setenv("SPANDREL_CACHE", "off")
	const members, size = 20, 300_000
	head := "\x93NUMPY\x01\x00\x76\x00" + fmt.Sprintf("%-117s\n", fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }", size))
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range members {
		h := &zip.FileHeader{Name: fmt.Sprintf("a%d.npy", i), Method: zip.Store}
		h.Extra = binary.LittleEndian.AppendUint64([]byte{1, 0, 16, 0}, uint64(size+len(head)))
		h.Extra = binary.LittleEndian.AppendUint64(h.Extra, uint64(size+len(head)))
		h.CRC32 = crc32.ChecksumIEEE(append([]byte(head), make([]byte, size)...))
		h.CompressedSize64, h.UncompressedSize64 = uint64(size+len(head)), uint64(size+len(head))
		f, err := w.CreateRaw(h)
		must(t, err)
		_, err = f.Write(append([]byte(head), make([]byte, size)...))
		must(t, err)
	}
	must(t, w.Close())
	for at, local := 0, []byte("PK\x03\x04"); bytes.Contains(b.Bytes()[at:], local); {
		at += bytes.Index(b.Bytes()[at:], local) + len(local)
		copy(b.Bytes()[at+14:], bytes.Repeat([]byte{0xff}, 8)) // the sizes stand in the extra field alone
	}
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a.npz"), b.Bytes(), 0o600))
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	status, printed, said := run(nil, "table", "--json", server.URL+"/a.npz")
	if status != headless.Done || strings.Count(printed, `"kind":"table"`) != members+1 {
		t.Errorf("status %d, %d tables: %s", status, strings.Count(printed, `"kind":"table"`), said)
	}
	var traffic struct{ Requests, Bytes int64 }
	_, last, _ := strings.Cut(printed, `{"bytes":`)
	must(t, json.Unmarshal([]byte(`{"bytes":`+last), &traffic))
	if traffic.Requests > members+10 || traffic.Bytes > 1<<20 {
		t.Errorf("%d requests and %d bytes to list the arrays of %d members", traffic.Requests, traffic.Bytes, members)
	}
}

// TestRemoteDeflated: a deep check reads what is compressed once, though it is inflated for its structure and for its sum, and does not fit into memory.
func TestRemoteDeflated(t *testing.T) {
	t.Setenv("SPANDREL_CACHE", "off")
	const members, size = 36, 4 << 20
	noise := make([]byte, size)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	head := "\x93NUMPY\x01\x00\x76\x00" + fmt.Sprintf("%-117s\n", fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }", size))
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.HuffmanOnly) })
	for i := range members {
		f, err := w.Create(fmt.Sprintf("a%02d.npy", i))
		must(t, err)
		_, err = f.Write(append([]byte(head), noise...))
		must(t, err)
	}
	must(t, w.Close())
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a.npz"), b.Bytes(), 0o600))
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	status, printed, said := run(nil, "check", "--deep", "--json", server.URL+"/a.npz")
	var traffic struct{ Requests, Bytes int64 }
	_, last, _ := strings.Cut(printed, `{"bytes":`)
	must(t, json.Unmarshal([]byte(`{"bytes":`+last), &traffic))
	if status != headless.Done || traffic.Bytes > int64(b.Len())*11/10 {
		t.Errorf("status %d: %d bytes of %d: %s", status, traffic.Bytes, b.Len(), said)
	}
}

// hub serves files of testdata as those of the repository lab/all.
func hub(t *testing.T, files map[string]string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, ok := strings.CutPrefix(r.URL.Path, "/lab/all/resolve/main/"); ok && files[name] != "" {
			http.ServeFile(w, r, filepath.Join("../../testdata", files[name]))
			return
		}
		under, ok := strings.CutPrefix(r.URL.Path, "/api/models/lab/all/tree/main")
		if under = strings.TrimPrefix(under+"/", "/"); !ok {
			http.NotFound(w, r)
			return
		}
		var list []map[string]any
		for name, path := range files {
			rest, ok := strings.CutPrefix(name, under)
			dir, _, deeper := strings.Cut(rest, "/")
			if !ok {
				continue
			}
			if st, err := os.Stat(filepath.Join("../../testdata", path)); err == nil && (!deeper || r.URL.RawQuery != "") {
				list = append(list, map[string]any{"type": "file", "path": name, "size": st.Size()})
			} else {
				list = append(list, map[string]any{"type": "directory", "path": under + dir})
			}
		}
		if list == nil {
			http.NotFound(w, r)
			return
		}
		json.NewEncoder(w).Encode(list)
	}))
	t.Cleanup(server.Close)
	t.Setenv("SPANDREL_CACHE", "off")
	t.Setenv("HF_ENDPOINT", server.URL)
}

// TestRemoteFolder: of a folder of a store that is no document, what is in it and below is checked.
func TestRemoteFolder(t *testing.T) {
	hub(t, map[string]string{"a.idv": "idv/good/stored.idv", "sub/b.idv": "idv/bad/008-negative-rows.idv", "sub/c.npy": "npy/good/vector.npy", "README.md": "SOURCES.md"})
	status, out, said := run(nil, "check", "hf://lab/all")
	if status != headless.Found || !strings.Contains(out, "hf://lab/all/sub/b.idv") || strings.Contains(out+said, "README") {
		t.Errorf("status %d: %s%s", status, out, said)
	}
	if status, out, said = run(nil, "catalogue", "--json", "hf://lab/all"); strings.Count(out, `"kind":"dataset"`) != 3 {
		t.Errorf("status %d: %s%s", status, out, said)
	}
}

// hubOf serves what is in a folder of testdata, and returns its size.
func hubOf(t *testing.T, at string) (size int64) {
	files := map[string]string{}
	must(t, filepath.WalkDir(filepath.Join("../../testdata", at), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			name, _ := filepath.Rel("../../testdata", path)
			files[strings.TrimPrefix(filepath.ToSlash(name), at+"/")] = filepath.ToSlash(name)
			st, err := e.Info()
			must(t, err)
			size += st.Size()
		}
		return err
	}))
	hub(t, files)
	return size
}

// TestRemoteAmount: what a deep check says that it reads counts the files that nothing has opened yet.
func TestRemoteAmount(t *testing.T) {
	size := hubOf(t, "tiledb/good/sparse-v22")
	if _, out, said := run(nil, "check", "--deep", "hf://lab/all"); !strings.Contains(said, "reads up to "+model.SizeText(uint64(size))+" of") {
		t.Errorf("%d bytes: %s%s", size, out, said)
	}
}

// TestRemoteArray: a document of several files in a store is repaired into a folder on the disk, and its files are named by their addresses.
func TestRemoteArray(t *testing.T) {
	hubOf(t, "tiledb/bad/174-array")
	_, out, said := run(nil, "check", "hf://lab/all")
	if !strings.Contains(out, "\nhf://lab/all/__schema/") || strings.Contains(out, "hf:/l") {
		t.Errorf("%s%s", out, said)
	}
	to := filepath.Join(t.TempDir(), "out")
	if status, out, said := run(nil, "fix", "--choose", "1", "-o", to, "hf://lab/all"); status != headless.Done {
		t.Errorf("status %d: %s%s", status, out, said)
	}
	if status, out, said := run(nil, "check", to); status != headless.Done {
		t.Errorf("status %d: %s%s", status, out, said)
	}
}
