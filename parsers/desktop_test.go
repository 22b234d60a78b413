package parsers

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDesktopTypes keeps what a desktop is told in step with the formats: their MIME types and no others stand in the
// application's metadata and in the MIME database's file, which knows their extensions.
func TestDesktopTypes(t *testing.T) {
	read := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	metadata, database := read("../FyneApp.toml"), read("../assets/linux/org.spandrel.Spandrel.xml")
	known := map[string]bool{}
	for _, f := range All() {
		if len(f.MIME) == 0 {
			t.Errorf("%s: no MIME type", f.Name)
		}
		for _, mime := range f.MIME {
			known[mime] = true
			if !strings.Contains(metadata, mime+";") {
				t.Errorf("FyneApp.toml: [CanOpen] lacks %s of %s", mime, f.Name)
			}
			if !strings.Contains(database, `type="`+mime+`"`) {
				t.Errorf("assets/linux/*.xml lacks %s of %s", mime, f.Name)
			}
		}
		for _, ext := range f.Exts {
			if !strings.Contains(database, ext+`"`) {
				t.Errorf("assets/linux/*.xml: no pattern for %s of %s", ext, f.Name)
			}
		}
	}
	for _, told := range regexp.MustCompile(`application/[\w.-]+`).FindAllString(metadata+strings.ReplaceAll(database, "application/zip", ""), -1) {
		if !known[told] {
			t.Errorf("%s is told to desktops, and no format has it", told)
		}
	}
}
