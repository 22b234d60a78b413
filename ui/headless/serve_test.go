package headless_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"spandrel/parsers"
	"spandrel/ui/headless"
)

// TestServe asks one process for several things: each is answered as its command would, also after a request that cannot be carried out, and a file
// that has changed is read again.
func TestServe(t *testing.T) {
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan int)
	go func() {
		status := headless.Run(headless.Env{Formats: parsers.All(), In: in, Out: out, Err: io.Discard, Version: "test"}, []string{"serve", "--stdio"})
		out.Close()
		done <- status
	}()
	read := bufio.NewReader(answers)
	said := ""
	ask := func(line string) (body string, status int, wrong string) {
		t.Helper()
		go io.WriteString(requests, line+"\n")
		for {
			text, err := read.ReadBytes('\n')
			must(t, err)
			var a struct {
				Length, Status *int
				Said, Error    string
			}
			must(t, json.Unmarshal(text, &a))
			if a.Length == nil {
				said = a.Said
				return body, *a.Status, a.Error
			}
			b := make([]byte, *a.Length)
			_, err = io.ReadFull(read, b)
			must(t, err)
			body += string(b)
		}
	}
	of := func(command string, args ...string) string {
		b, _ := json.Marshal(map[string]any{"id": 1, "command": command, "args": args})
		return string(b)
	}
	path := filepath.Join(t.TempDir(), "a.npy")
	sound, err := os.ReadFile("../../testdata/npy/good/matrix.npy")
	must(t, err)
	must(t, os.WriteFile(path, sound, 0o600))
	for _, args := range [][]string{{"check", path}, {"table", path, "values"}, {"table", "--to", "arrow", path, "values"}, {"get", path, "header/version"}, {"version"}, {"table", path, "nothing"},
		{"table", "../../testdata/taridx/bad/054-cut/train.taridx", "rows"}, // of which repaired rows are printed: that is said each time
		{"table", "../../testdata/idv/good/stored.idv"}, {"get", "../../testdata/gguf/good/types.gguf", "version"}, {"table", "../../testdata/tiledb/good/sparse-v23", "cells"}, {"table", path, "values"},
		{"table", "../../testdata/safetensors/bad/013-shard", "tensors"}, {"dump", "--json", "../../testdata/safetensors/bad/013-shard"}} { // the shards that the first one opened are not shown open
		wantStatus, want, wantSaid := run(nil, args...)
		for range 2 {
			if body, status, _ := ask(of(args[0], args[1:]...)); body != want || status != wantStatus || said != strings.TrimSpace(wantSaid) {
				t.Errorf("%v: %d %q %q, not %d %q %q", args, status, body, said, wantStatus, want, wantSaid)
			}
		}
	}
	page, err := os.ReadFile("../../docs/scripts.md")
	must(t, err)
	_, example, _ := strings.Cut(string(page), "\n    {\"id\": 1, ")
	example, _, _ = strings.Cut(example, "\n")
	if body, status, _ := ask(strings.ReplaceAll(`{"id": 1, `+example, "idv/", "../../testdata/idv/")); status != headless.Done || !strings.HasPrefix(body, "\xff\xff\xff\xff") {
		t.Errorf("the example of docs/scripts.md: %d %.40q", status, body)
	}
	for _, line := range []string{"no JSON", `{"command":"serve","args":["--stdio"]}`, `{"command":"check","seconds":-1}`, `{"args":"x"}`, `"` + strings.Repeat("x", 5<<20) + `"`,
		`{"command":"version"}` + strings.Repeat(" ", 5<<20) + "x", `{"id":"` + strings.Repeat("x", 2000) + `","command":"version"}`,
		`{"command":"table","args":["../../testdata/scdl/good/archive"],"seconds":1e-9}`, of("check", path+".none")} {
		if _, status, wrong := ask(line); status != headless.Failed || wrong == "" {
			t.Errorf("%.40s: %d %q", line, status, wrong)
		}
	}
	changed := append(sound[:len(sound)-4:len(sound)-4], 0, 0, 0x80, 0x3f)
	must(t, os.WriteFile(path, changed, 0o600))
	if body, _, _ := ask(of("table", "--rows", "5:6", path, "values")); !strings.Contains(body, ",1\n") {
		t.Errorf("the old file: %s", body)
	}
	requests.Close()
	if status := <-done; status != headless.Done {
		t.Errorf("it ended with %d", status)
	}
}

// TestServeForgets runs many commands in one process: what one needed is free for the next.
func TestServeForgets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	header := "{'descr': '|u1', 'fortran_order': False, 'shape': (500000,), }"
	must(t, os.WriteFile(path, []byte("\x93NUMPY\x01\x00\x76\x00"+header+strings.Repeat(" ", 117-len(header))+"\n"+strings.Repeat("x", 500000)), 0o600))
	request, _ := json.Marshal(map[string]any{"command": "table", "args": []string{"--to", "arrow", "--columns", "value", path, "values"}})
	live := func(n int) uint64 {
		in := strings.NewReader(strings.Repeat(string(request)+"\n", n))
		if status := headless.Run(headless.Env{Formats: parsers.All(), In: in, Out: io.Discard, Err: io.Discard}, []string{"serve", "--stdio"}); status != headless.Done {
			t.Fatal(status)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	once := live(1)
	if often := live(40); often > once+4<<20 {
		t.Errorf("after 40 commands %d bytes are in use, after one %d", often, once)
	}
}
