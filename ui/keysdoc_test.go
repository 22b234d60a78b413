package ui

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var updateKeys = flag.Bool("keys", false, "write the list of keys in docs/window.md again")

// TestKeysPage holds the list of keys in docs/window.md against the commands.
func TestKeysPage(t *testing.T) {
	const path, begin, end = "../docs/window.md", "<!-- keys -->\n", "<!-- end -->"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), begin)
	have, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("the page has no place for the keys")
	}
	wb, _ := newBench(t, toyFile(t, 1))
	var want strings.Builder
	want.WriteString("| Key | Menu | Does |\n|---|---|---|\n")
	for _, c := range wb.menus.commands {
		if c.key != "" {
			fmt.Fprintf(&want, "| %s | %s | %s |\n", c.keyText(), c.menu, strings.TrimSuffix(c.label, "…"))
		}
	}
	if have == want.String() {
		return
	}
	if !*updateKeys {
		t.Fatal("docs/window.md has other keys than the window: go test ./ui -run KeysPage -keys")
	}
	if err := os.WriteFile(path, []byte(before+begin+want.String()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
