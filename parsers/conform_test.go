package parsers

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// The suite that every format passes, over the samples of testdata/<format>/good and bad. A sample is a file, or a folder: an
// archive, or an index with its companions.

// sample is one document of testdata.
type sample struct {
	format *model.Format
	name   string // of the entry in good or bad
	path   string
	good   bool
}

// samples lists the samples of a format; with SPANDREL_QUICK one good and one damaged.
func samples(t testing.TB, f *model.Format) (out []sample) {
	t.Helper()
	for _, kind := range []string{"good", "bad"} {
		dir := filepath.Join("..", "testdata", f.Name, kind)
		entries, _ := os.ReadDir(dir)
		quick := len(out)
		for _, e := range entries {
			if os.Getenv("SPANDREL_QUICK") != "" && len(out) > quick {
				break
			}
			if strings.HasSuffix(e.Name(), ".tree") || strings.HasSuffix(e.Name(), ".md") {
				continue
			}
			for _, path := range documents(f, filepath.Join(dir, e.Name())) {
				out = append(out, sample{f, e.Name(), path, kind == "good"})
			}
		}
	}
	return out
}

// documents returns what is opened of an entry: itself, or the files of the format in a folder.
func documents(f *model.Format, path string) (out []string) {
	if st, err := os.Stat(path); err != nil || !st.IsDir() {
		return []string{path}
	}
	if d, err := model.Open(context.Background(), path, All(), nil); err == nil {
		defer d.Close()
		if d.Format == f {
			return []string{path}
		}
	}
	entries, _ := os.ReadDir(path)
	for _, e := range entries {
		if slices.Contains(f.Exts, filepath.Ext(e.Name())) {
			out = append(out, filepath.Join(path, e.Name()))
		}
	}
	return out
}

// eachSample runs f as a subtest for every sample of every format, several at a time.
func eachSample(t *testing.T, f func(t *testing.T, s sample)) {
	t.Parallel()
	inEachSample(t, f)
}

// inEachSample is eachSample for a test that has something to say of all samples together: it runs this in a subtest.
func inEachSample(t *testing.T, f func(t *testing.T, s sample)) {
	for _, format := range All() {
		t.Run(format.Name, func(t *testing.T) {
			t.Parallel()
			for _, s := range samples(t, format) {
				t.Run(s.name, func(t *testing.T) {
					t.Parallel()
					f(t, s)
				})
			}
		})
	}
}

func (s sample) open(t testing.TB) *model.Document {
	t.Helper()
	d, err := model.Open(context.Background(), s.path, All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// TestEveryFormatHasSamples keeps the suite from passing a format that it never looked at.
func TestEveryFormatHasSamples(t *testing.T) {
	for _, f := range All() {
		good, bad := 0, 0
		for _, s := range samples(t, f) {
			if s.good {
				good++
			} else {
				bad++
			}
		}
		if good == 0 || bad == 0 {
			t.Errorf("%s has %d good and %d bad samples", f.Name, good, bad)
		}
	}
}

func TestTile(t *testing.T) {
	eachSample(t, func(t *testing.T, s sample) { suite.Tiles(t, s.open(t).Tree) })
}

// TestGoodIsGood checks that good samples have no error, deep checks included.
func TestGoodIsGood(t *testing.T) {
	eachSample(t, func(t *testing.T, s sample) {
		d := s.open(t)
		if err := d.Deep(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		suite.NoDefect(t, d.Tree)
		found, _ := d.Tree.Findings()
		for i := range found {
			if s.good && found[i].Grade() == model.Error {
				t.Errorf("%s at %s: %s (found %s, expected %s)", found[i].Rule.ID, found[i].Path(), found[i].Text(), found[i].Found, found[i].Expected)
			}
		}
		if d.Format != s.format {
			t.Errorf("detected as %v", d.Format)
		}
	})
}

// TestSame checks that saving without an edit writes the same bytes.
func TestSame(t *testing.T) {
	eachSample(t, func(t *testing.T, s sample) {
		d := s.open(t)
		if d.Tree.Snapshot.Primary == "" {
			if list, err := d.SavePlan(model.SaveOptions{}); err != nil || len(list) > 0 {
				t.Fatalf("an unedited folder would write %v, %v", list, err)
			}
			return
		}
		out := filepath.Join(t.TempDir(), "out")
		if _, err := d.Save(context.Background(), model.SaveOptions{Out: out}); err != nil {
			t.Fatal(err)
		}
		err := filepath.WalkDir(s.path, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			a, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if b, err := os.ReadFile(out + strings.TrimPrefix(path, s.path)); err != nil || !bytes.Equal(a, b) {
				t.Errorf("%s: %d bytes became %d, %v", path, len(a), len(b), err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// mainBytes returns the bytes of a sample's main file, or nil for a folder without one.
func (s sample) mainBytes(t testing.TB) []byte {
	d := s.open(t)
	if d.Tree.Snapshot.Primary == "" {
		return nil
	}
	c, err := d.Tree.Snapshot.Content(d.Tree.Snapshot.Primary)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, c.Len())
	c.ReadAt(b, 0)
	return b
}

func TestGolden(t *testing.T) {
	eachSample(t, func(t *testing.T, s sample) {
		if !s.good {
			return
		}
		golden := filepath.Join(filepath.Dir(s.path), filepath.Base(s.path)+".tree")
		d := s.open(t)
		var b bytes.Buffer
		if err := d.Tree.Dump(context.Background(), &b, d.Tree.Root, model.DumpOptions{Depth: -1, Elements: 8, All: true}); err != nil {
			t.Fatal(err)
		}
		if *suite.Update {
			if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatalf("%v: run make golden and read what it wrote", err)
		}
		if !bytes.Equal(want, b.Bytes()) {
			have := strings.Split(b.String(), "\n")
			for i, line := range strings.Split(string(want), "\n") {
				if i >= len(have) || have[i] != line {
					t.Fatalf("line %d of %s:\n want %s\n have %s", i+1, golden, line, have[min(i, len(have)-1)])
				}
			}
			t.Fatalf("%s: there are more lines than expected", golden)
		}
	})
}
