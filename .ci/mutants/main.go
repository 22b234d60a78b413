// Command mutants applies one fault at a time to the program and checks whether the tests notice it. Each file in .ci/mutants/faults is a fault: a line that
// describes it, "file:" and the path, "tests:" and arguments of go test, and the old and the new text between lines of <<<, === and >>>. The source files
// are not modified: the compiler gets the changed file as an overlay.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	dir  = ".ci/mutants/faults"
	tags = "migrated_fynedo,no_emoji,ci"
)

// fault is a deliberate defect.
type fault struct {
	name, what, file string
	tests            []string
	old, new         string
}

func main() {
	faults, err := load(dir, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	sound := map[string]error{} // by tests: those that fail without the fault prove nothing
	noticed := 0
	for _, f := range faults {
		what := strings.Join(f.tests, " ")
		if _, known := sound[what]; !known {
			sound[what] = f.plain()
		}
		if err := sound[what]; err != nil {
			fmt.Fprintf(os.Stderr, "mutants: %s: %v\n", f.name, err)
			os.Exit(2)
		}
		began := time.Now()
		how, err := f.try()
		if err != nil {
			fmt.Fprintf(os.Stderr, "mutants: %s: %v\n", f.name, err)
			os.Exit(2)
		}
		if how != "" {
			noticed++
		} else {
			how = "NOT NOTICED"
		}
		fmt.Printf("%-24s %5.0fs  %s\n%26s%s\n", f.name, time.Since(began).Seconds(), f.what, "", how)
	}
	fmt.Printf("noticed %d of %d\n", noticed, len(faults))
	if noticed < len(faults) || len(faults) == 0 {
		os.Exit(1)
	}
}

// load reads the faults of a folder with the given names, or all if there are none.
func load(dir string, names []string) (out []fault, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		name := strings.TrimSuffix(filepath.Base(p), ".txt")
		if len(names) > 0 && !strings.Contains(" "+strings.Join(names, " ")+" ", " "+name+" ") {
			continue
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		f, err := parse(name, string(b))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		out = append(out, f)
	}
	return out, nil
}

func parse(name, text string) (f fault, err error) {
	head, body, ok := strings.Cut(text, "\n<<<\n")
	f.name = name
	lines := strings.Split(head, "\n")
	f.what = lines[0]
	for _, l := range lines[1:] {
		if s, is := strings.CutPrefix(l, "file: "); is {
			f.file = s
		}
		if s, is := strings.CutPrefix(l, "tests: "); is {
			f.tests = strings.Fields(s)
		}
	}
	var done bool
	if f.old, f.new, ok = strings.Cut(body, "\n===\n"); ok {
		f.new, _, done = strings.Cut("\n"+f.new, "\n>>>\n")
		f.new = strings.TrimPrefix(f.new, "\n")
	}
	if !done || f.file == "" || len(f.tests) == 0 || f.old == f.new {
		return f, errors.New("no fault: see the comment of main.go")
	}
	return f, nil
}

// plain runs the tests on the unchanged program.
func (f fault) plain() error {
	switch said, failed, err := f.run(); {
	case err != nil:
		return err
	case failed:
		return fmt.Errorf("its tests fail without the fault: %s", symptom(said))
	case strings.Contains(said, "no tests to run"):
		return fmt.Errorf("go test %s: a package runs no test", strings.Join(f.tests, " "))
	}
	return nil
}

// try returns how the fault was noticed, or "" if it was not. A fault that does not fit the code, or does not compile, is an error, because it says nothing
// about the tests.
func (f fault) try() (string, error) {
	changed, err := f.changed(".")
	if err != nil {
		return "", err
	}
	temp, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	abs, err := filepath.Abs(f.file)
	if err != nil {
		return "", err
	}
	source, overlay := filepath.Join(temp, "changed.go"), filepath.Join(temp, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {abs: source}})
	if err = errors.Join(err, os.WriteFile(source, []byte(changed), 0o600), os.WriteFile(overlay, list, 0o600)); err != nil {
		return "", err
	}
	said, failed, err := f.run("-overlay", overlay)
	if err != nil || !failed {
		return "", err
	}
	return symptom(said), nil
}

// changed is the source file with the fault. It is an error if the file has changed so that the fault no longer fits.
func (f fault) changed(root string) (string, error) {
	b, err := os.ReadFile(filepath.Join(root, f.file))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(b), f.old); n != 1 {
		return "", fmt.Errorf("the text to replace occurs %d times in %s: the code has changed, and the fault has to follow", n, f.file)
	}
	return strings.Replace(string(b), f.old, f.new, 1), nil
}

// run runs the tests of a fault; failed tells whether a test failed. It is an error if they do not compile.
func (f fault) run(more ...string) (said string, failed bool, err error) {
	args := append([]string{"test", "-tags", tags, "-vet=off", "-short", "-failfast", "-count=1", "-timeout", "5m"}, more...)
	cmd := exec.Command("go", append(args, f.tests...)...)
	if f.windowless() {
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	}
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return "", false, err
	}
	said = string(out)
	if strings.Contains(said, "[build failed]") || strings.Contains(said, "[setup failed]") {
		return "", false, fmt.Errorf("it does not compile:\n%s", said)
	}
	return said, err != nil, nil
}

// windowless tells whether the tests need no C compiler.
func (f fault) windowless() bool {
	for _, t := range f.tests {
		if strings.HasPrefix(t, "./ui") && t != "./ui/headless" {
			return false
		}
	}
	return true
}

// symptom is the name of the deepest test that failed, or the first line of a panic.
func symptom(said string) (out string) {
	out = "it fails"
	for _, l := range strings.Split(said, "\n") {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "--- FAIL: ") {
			out = strings.TrimPrefix(l, "--- FAIL: ")
		}
		if strings.HasPrefix(l, "panic: ") {
			return l
		}
	}
	return out
}
