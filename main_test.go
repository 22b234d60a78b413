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

// The types of files stand in five places: what the formats say, the entry of the desktop, the database of MIME types, the metadata of
// the package, and the bundle for macOS. They say the same.
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
	got := map[string][]string{"the entry of the desktop": strings.Split(desktop[1], ";")}
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
