package headless_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	for _, x := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"check", at("idv/good/stored.idv")}, headless.Done, "read"},
		{[]string{"check", "--json", at("idv/bad/001-short.idv")}, headless.Found, `"kind":"traffic"`},
		{[]string{"check", "--deep", at("taridx/good/gnu/" + anyOf(t, "../../testdata/taridx/good/gnu/*.taridx"))}, headless.Done, ""},
		{[]string{"get", at("idv/good/stored.idv"), "header/rowCount"}, headless.Done, "8"},
		{[]string{"table", "--rows", "0:2", at("idv/good/stored.idv"), "rows"}, headless.Done, "SByte"},
		{[]string{"set", at("idv/good/stored.idv"), "header/rowCount=8"}, headless.Failed, "say where to save"},
		{[]string{"fix", at("idv/bad/005-compatible-too-old.idv")}, headless.Found, ""},
		{[]string{"protect", at("idv/good/stored.idv")}, headless.Failed, "disk"},
		{[]string{"check", at("none.idv") + "?X-Amz-Signature=secret"}, headless.Failed, "none.idv: file does not exist"},
		{[]string{"check", "gopher://x/y"}, headless.Failed, ""},
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
