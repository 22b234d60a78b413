package main

import (
	"encoding/xml"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spandrel/parsers"
)

// The types of files are listed in six places: what the formats say, FyneApp.toml, the desktop entry, the database of MIME types, the metadata of
// the package, and the bundle for macOS. All lists are equal.
func TestFileTypes(t *testing.T) {
	read := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var want []string
	database := read("assets/linux/org.spandrel.Spandrel.xml")
	for _, f := range parsers.All() {
		if want = append(want, f.MIME...); len(f.MIME) == 0 {
			t.Errorf("%s: no MIME type", f.Name)
		}
		for _, ext := range f.Exts {
			if !strings.Contains(database, ext+`"`) {
				t.Errorf("no pattern for %s of %s", ext, f.Name)
			}
		}
	}
	slices.Sort(want)
	want = slices.Compact(want)
	desktop := regexp.MustCompile(`(?m)^MimeType=(.*);$`).FindStringSubmatch(read("assets/linux/org.spandrel.Spandrel.desktop"))
	fyne := regexp.MustCompile(`(?m)^MimeTypes = "(.*);"$`).FindStringSubmatch(metadata)
	got := map[string][]string{"the desktop entry": strings.Split(desktop[1], ";"), "FyneApp.toml": strings.Split(fyne[1], ";")}
	for name, in := range map[string][2]string{
		"the database of MIME types":  {"assets/linux/org.spandrel.Spandrel.xml", `<mime-type type="([^"]+)"`},
		"the metadata of the package": {"assets/linux/org.spandrel.Spandrel.metainfo.xml", `<mediatype>([^<]+)</mediatype>`},
		"the bundle for macOS":        {"assets/mac/Info.plist", `<string>(application/[^<]+)</string>`},
	} {
		for _, m := range regexp.MustCompile(in[1]).FindAllStringSubmatch(read(in[0]), -1) {
			got[name] = append(got[name], m[1])
		}
	}
	got["the bundle for macOS"] = append(got["the bundle for macOS"], "application/x-tar") // public.tar-archive is the system's
	for name, list := range got {
		if slices.Sort(list); !slices.Equal(list, want) {
			t.Errorf("%s has %q, the formats say %q", name, list, want)
		}
	}
	for _, path := range []string{"assets/linux/org.spandrel.Spandrel.xml",
		"assets/linux/org.spandrel.Spandrel.metainfo.xml", "assets/mac/Info.plist", "assets/windows/spandrel.manifest"} {
		if err := xml.Unmarshal([]byte(read(path)), new(struct{ XMLName xml.Name })); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

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
