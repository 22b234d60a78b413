package ui

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/testdata"
	"spandrel/ui/kit"
)

// inTheMiddle is what a document is in the middle of when another program comes.
var inTheMiddle = []struct {
	what string
	do   func(u *user)
}{
	{"a scroll", func(u *user) {
		for _, v := range u.views() {
			v.ScrollTo(u.Int63n(v.Rows.Count() + 1))
		}
		u.b.win.Canvas().Capture()
	}},
	{"a check of everything", func(u *user) { u.b.menus.run("check") }},
	{"a save", func(u *user) {
		u.d.Editor.SetLocked(false)
		u.d.Editor.Replace(func() model.Range { return model.Range{Space: u.d.hex.Space, Off: u.d.hex.Size - 1, Len: 1} }, model.Memory([]byte{0x5a}), "edit", nil)
		u.b.saver.save(u.d, model.SaveOptions{NoBackup: true}, nil)
	}},
	{"an export", func(u *user) {
		if t := u.d.table.Table; t != nil {
			u.d.table.Export(t, filepath.Join(u.out, "rows.csv"))
			u.d.table.Export(t, filepath.Join(u.out, "rows.parquet"))
		}
	}},
	{"a graph", func(u *user) { u.b.menus.run("graph") }},
	{"statistics", func(u *user) {
		if t := u.d.table.Table; t != nil && len(t.Columns) > 0 {
			u.d.table.Statistics(u.Intn(len(t.Columns)))
		}
	}},
	{"repairs", func(u *user) { u.b.menus.run("fix-all") }},
	{"something", func(u *user) { u.act() }},
}

// hearing is no one before the window, who notes what the window says.
type hearing struct {
	kit.Silent
	said []string
}

func (l *hearing) Box(title string, body fyne.CanvasObject, _ fyne.Size, _ ...any) *kit.Dialog {
	l.said = append(l.said, title+": "+words(body))
	return nil
}

// words is the text of what is shown.
func words(o fyne.CanvasObject) (all string) {
	switch o := o.(type) {
	case *widget.Label:
		return o.Text
	case *container.Scroll:
		return words(o.Content)
	case *fyne.Container:
		for _, one := range o.Objects {
			all += words(one)
		}
	}
	return all
}

// A file of an open document is emptied, cut, grown, replaced or deleted at any moment of what is done with the document: the window lives on, shows
// what was there or that it is gone, says in plain words what could not be done, and lets go of the document.
func TestFilesChangeUnderTheWindow(t *testing.T) {
	rounds := 1
	if testing.Short() {
		rounds = 0
	}
	if os.Getenv("SPANDREL_SOAK") != "" {
		rounds = 20
	}
	said, all, hears := map[string]int{}, map[string]func() bool{}, &hearing{}
	b := emptyBench(t)
	b.Shell = hears
	for i, sample := range testdata.Samples {
		at := rand.New(rand.NewSource(int64(i)))
		for round := range 1 + rounds*len(inTheMiddle) {
			middle, change := inTheMiddle[(i+round)%len(inTheMiddle)], testdata.Others[at.Intn(len(testdata.Others))]
			path, err := sample.Copy(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			u := &user{Rand: at, b: b, d: b.open(t, path), out: t.TempDir()}
			victim, old := u.someFile(t, path)
			what := fmt.Sprintf("%s: %s of %s is %s in the middle of %s", sample.Format, filepath.Base(victim), filepath.Base(path), change.What, middle.what)
			done, delay := make(chan error, 1), time.Duration(at.Int63n(int64(20*time.Millisecond)))
			go func() {
				time.Sleep(delay)
				done <- change.Do(victim)
			}()
			for range 3 {
				middle.do(u)
				for len(b.queue) > 0 {
					(<-b.queue)()
				}
			}
			if err := <-done; err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(what, err)
			}
			b.settle(t)
			b.disk.lookAtDisk()
			b.settle(t)
			for range 3 {
				inTheMiddle[0].do(u)
				b.settle(t)
				if shown := u.d.hex.Page; u.d.Tree().Space(shown.Space) != nil && !u.d.Tree().Space(shown.Space).Derived() && u.d.Tree().Space(shown.Space).File == filepath.Base(victim) && !u.d.Editor.Dirty && middle.what != "a save" &&
					change.What != "written over" { // its bytes are those of the other program
					for k := range shown.Bytes {
						if at := shown.Off + int64(k); !shown.Kind[k].Gone && (at >= int64(len(old)) || shown.Bytes[k] != old[at]) {
							t.Fatalf("%s: byte %d is shown as %02x", what, at, shown.Bytes[k])
						}
					}
				}
			}
			for _, f := range u.d.Found.All {
				if f.Rule == model.RuleInternal {
					t.Errorf("%s: %s %s", what, f.Text(), f.Found)
				}
			}
			for _, line := range append(hears.said, b.Line.Said) {
				for _, word := range []string{"defect", "runtime error", "goroutine", "panic", "invalid memory"} {
					if strings.Contains(line, word) {
						t.Errorf("%s: %s", what, line)
					}
				}
				said[strings.ReplaceAll(strings.ReplaceAll(line, filepath.Dir(path), "DIR"), u.out, "OUT")]++
			}
			hears.said = nil
			all[what] = held(u.d.Document)
			b.close(u.d)
			b.settle(t)
		}
	}
	b.forgotten(t, all)
	for line, n := range said {
		t.Logf("%d %q", n, line)
	}
}

// someFile is one of the files of a document, and what it holds.
func (u *user) someFile(t *testing.T, path string) (name string, old []byte) {
	t.Helper()
	var all []string
	dir := path
	if st, err := os.Stat(path); err == nil && !st.IsDir() {
		dir = filepath.Dir(path)
	}
	if err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all = append(all, name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	name = all[u.Intn(len(all))]
	old, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return name, bytes.Clone(old)
}
