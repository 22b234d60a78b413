// Command licenses prints docs/third-party.txt: the licenses of everything linked into the programs, each text once, with the modules it covers. A test
// fails if the file differs from the output of `go run ./.ci/licenses`.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// builds are the released programs: the window and the commands, for each system.
var builds = []struct{ os, cgo, tags string }{
	{"linux", "1", "migrated_fynedo,no_emoji"},
	{"windows", "1", "migrated_fynedo,no_emoji"},
	{"darwin", "1", "migrated_fynedo,no_emoji"},
	{"linux", "0", "headless"},
	{"windows", "0", "headless"},
	{"darwin", "0", "headless"},
}

// component is a license file of a module, or of a part of it.
type component struct{ name, file, text string }

func main() {
	text, err := list()
	if err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
	fmt.Print(text)
}

// list returns the text of docs/third-party.txt.
func list() (string, error) {
	components, err := linked()
	if err != nil {
		return "", err
	}
	var texts []string
	covers := map[string][]string{}
	for _, c := range components {
		if covers[c.text] == nil {
			texts = append(texts, c.text)
		}
		covers[c.text] = append(covers[c.text], c.name)
	}
	var out strings.Builder
	out.WriteString("Spandrel contains these third-party components. `make licenses` writes this file.\n\n")
	for _, c := range components {
		fmt.Fprintf(&out, "  %s: %s\n", c.name, c.file)
	}
	for _, text := range texts {
		fmt.Fprintf(&out, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(covers[text], "\n"), text)
	}
	return out.String(), nil
}

// linked returns the components of all builds: the standard library of Go first, the others by name.
func linked() ([]component, error) {
	found := map[string]component{}
	for _, b := range builds {
		cmd := exec.Command("go", "list", "-deps", "-json=Dir,Standard,Module", "-tags", b.tags, "spandrel")
		cmd.Env = append(os.Environ(), "GOOS="+b.os, "GOARCH=amd64", "CGO_ENABLED="+b.cgo)
		var complaint bytes.Buffer
		cmd.Stderr = &complaint
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s with %s: %w\n%s", b.os, b.tags, err, complaint.String())
		}
		for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
			var pkg struct {
				Dir      string
				Standard bool
				Module   *struct {
					Path, Version, Dir string
					Main               bool
				}
			}
			if err := dec.Decode(&pkg); err != nil {
				return nil, err
			}
			if pkg.Standard || pkg.Module == nil || pkg.Module.Main {
				continue
			}
			if err := collect(found, pkg.Module.Path+" "+pkg.Module.Version, pkg.Module.Dir, pkg.Dir); err != nil {
				return nil, err
			}
		}
	}
	names := slices.Sorted(maps.Keys(found))
	// golang.org/x/sys has the same license text as Go, whose own file a distribution may omit.
	same := slices.IndexFunc(names, func(name string) bool {
		return strings.HasPrefix(name, "golang.org/x/sys ") && strings.HasSuffix(name, " LICENSE")
	})
	if same < 0 {
		return nil, fmt.Errorf("golang.org/x/sys is not linked: where is the licence of Go?")
	}
	sorted := []component{{"Go standard library", "LICENSE", found[names[same]].text}}
	for _, name := range names {
		sorted = append(sorted, found[name])
	}
	return sorted, nil
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([._-].*)?$`)

// carried are subfolders with data or C sources that Go embeds or compiles into the package; their licenses count too.
var carried = []string{"font", "glfw"}

// collect adds the licenses that apply to a package: those in its folder, its carried subfolders, and its parent folders up to the module's root. A module
// without any is an error, because it may not be distributed.
func collect(found map[string]component, module, root, dir string) error {
	if !strings.HasPrefix(dir, root) {
		return fmt.Errorf("%s: %s is not below %s", module, dir, root)
	}
	dirs := []string{}
	for _, sub := range carried {
		dirs = append(dirs, filepath.Join(dir, sub))
	}
	for d := dir; ; d = filepath.Dir(d) {
		if dirs = append(dirs, d); d == root {
			break
		}
	}
	any := false
	for _, d := range dirs {
		entries, _ := os.ReadDir(d)
		for _, e := range entries {
			if e.IsDir() || !licenceFile.MatchString(e.Name()) || strings.Contains(e.Name(), "Emoji") { // built with no_emoji
				continue
			}
			text, err := os.ReadFile(filepath.Join(d, e.Name()))
			if err != nil {
				return err
			}
			any = true
			name, file := module, strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(filepath.Join(d, e.Name()), root)), "/")
			found[name+" "+file] = component{name, file, tidy(text)}
		}
	}
	if !any {
		return fmt.Errorf("%s has no licence", module)
	}
	return nil
}

// tidy normalizes line endings and removes surrounding white space, so that equal licenses are listed once.
func tidy(text []byte) string {
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\f")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
