package headless_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/parsers"
	"spandrel/ui/headless"
)

var updateDocs = flag.Bool("update", false, "rewrite the output of the commands in docs")

// Every command of a console block or a table of the documentation is run over a copy of the samples, and prints what they say.
func TestDocs(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	of, _ := filepath.Glob("../../docs/formats/*.md")
	for _, page := range append(append(pages, of...), "../../README.md") {
		page, err := filepath.Abs(page)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS("../../testdata")); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			for _, row := range strings.Split(string(text), "\n") {
				shows(t, row)
			}
			got := ran(string(text))
			if *updateDocs {
				if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(text) {
				t.Errorf("the commands print something else (-update writes it):\n%s", difference(string(text), got))
			}
		})
	}
}

// ran is a page with the output of its console blocks as it is now.
func ran(text string) string {
	parts := strings.Split(text, "```")
	for i := 1; i < len(parts); i += 2 {
		if !strings.HasPrefix(parts[i], "console\n") {
			continue
		}
		var b strings.Builder
		b.WriteString("console\n")
		for _, line := range strings.Split(parts[i], "\n") {
			command, ok := strings.CutPrefix(line, "$ spandrel ")
			if !ok {
				continue
			}
			b.WriteString(line + "\n" + printed(command))
		}
		parts[i] = b.String()
	}
	return strings.Join(parts, "```")
}

// shows runs the command in a row of a table, and tells what of the last cell it does not print.
func shows(t *testing.T, row string) {
	cells := strings.Split(strings.Trim(row, "| "), " | ")
	command, ok := strings.CutPrefix(cells[max(0, len(cells)-2)], "`spandrel ")
	if !ok || len(cells) != 3 {
		return
	}
	out := printed(strings.TrimSuffix(command, "`"))
	for i, want := range strings.Split(cells[2], "`") {
		if i%2 == 1 && !strings.Contains(out, want) {
			t.Errorf("%s does not print %q, but %.300q", cells[1], want, out)
		}
	}
}

// printed is what a command prints, on both of its outputs.
func printed(command string) string {
	var out bytes.Buffer
	headless.Run(headless.Env{Formats: parsers.All(), In: strings.NewReader(""), Out: &out, Err: &out, Version: "test"}, words(command))
	return strings.ReplaceAll(out.String(), string(filepath.Separator), "/")
}

// words divides a command as a shell does that knows quotes alone: '…'.
func words(command string) (out []string) {
	for i, part := range strings.Split(command, "'") {
		switch {
		case i%2 == 0:
			more := strings.Fields(part)
			if joined := part != "" && part[0] != ' ' && len(out) > 0 && i > 0; joined {
				out[len(out)-1] += more[0]
				more = more[1:]
			}
			out = append(out, more...)
		case len(out) > 0 && i > 0 && !strings.HasSuffix(strings.Split(command, "'")[i-1], " "):
			out[len(out)-1] += part
		default:
			out = append(out, part)
		}
	}
	return out
}

// difference is the first line that differs.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return "want " + w[i] + "\ngot  " + g[i]
		}
	}
	return "one of the two is longer"
}
