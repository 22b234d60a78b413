package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// `fyne package` writes a desktop entry of its own, from FyneApp.toml. It describes the program as the entry of the packages does.
func TestFyneDesktopEntry(t *testing.T) {
	entry, err := os.ReadFile("assets/linux/org.spandrel.Spandrel.desktop")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"Name", "GenericName", "Comment", "Categories", "Keywords"} {
		ours := regexp.MustCompile(`(?m)^` + key + `=(.*)$`).FindStringSubmatch(string(entry))
		fyne := regexp.MustCompile(`(?m)^` + key + ` = (.*)$`).FindStringSubmatch(metadata)
		if ours == nil || fyne == nil {
			t.Fatalf("%s is missing: %q, %q", key, ours, fyne)
		}
		want := strings.Trim(fyne[1], `"`)
		if list, ok := strings.CutPrefix(fyne[1], "["); ok {
			want = strings.NewReplacer(`", "`, ";", `"]`, ";", `"`, "").Replace(list)
		}
		if ours[1] != want {
			t.Errorf("%s is %q, should be %q as in FyneApp.toml", key, ours[1], want)
		}
	}
	if strings.Contains(metadata, "ExecParams") { // fyne adds %F because of CanOpen
		t.Error("with ExecParams the desktop entry names the files twice")
	}
}
