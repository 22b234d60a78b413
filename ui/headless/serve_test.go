package headless_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
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
	ask := func(line string) (body string, status int, wrong string) {
		t.Helper()
		go io.WriteString(requests, line+"\n")
		for {
			text, err := read.ReadBytes('\n')
			must(t, err)
			var a struct {
				Length, Status *int
				Error          string
			}
			must(t, json.Unmarshal(text, &a))
			if a.Length == nil {
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
	for _, args := range [][]string{{"check", path}, {"table", path, "values"}, {"table", "--to", "arrow", path, "values"}, {"get", path, "header/version"}, {"version"}, {"table", path, "nothing"}} {
		wantStatus, want, _ := run(nil, args...)
		for range 2 {
			if body, status, _ := ask(of(args[0], args[1:]...)); body != want || status != wantStatus {
				t.Errorf("%v: %d %q, not %d %q", args, status, body, wantStatus, want)
			}
		}
	}
	for _, line := range []string{"no JSON", `{"command":"serve","args":["--stdio"]}`, `{"command":"check","seconds":-1}`, `{"args":"x"}`, `"` + strings.Repeat("x", 5<<20) + `"`, of("check", path+".none")} {
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
