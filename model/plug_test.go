package model

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// stands is what is in a folder: files and their modes, backups too, and folders without files. What saving works with is left out.
func stands(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		st, err := e.Info()
		switch {
		case err != nil:
		case ours(e.Name()) && e.IsDir():
			return filepath.SkipDir
		case ours(e.Name()), strings.HasSuffix(name, ".recovery.new"):
		case e.IsDir():
			var list []os.DirEntry
			if list, err = os.ReadDir(path); len(list) == 0 {
				out[filepath.ToSlash(name)+"/"] = ""
			}
		default:
			var b []byte
			b, err = os.ReadFile(path)
			out[filepath.ToSlash(name)] = fmt.Sprintf("%o %s", st.Mode().Perm(), b)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// pulling is saves, one after the other, in a folder whose disk may lose its power.
type pulling struct {
	name  string
	dir   string // that is looked at
	open  string // what is opened in it
	saves []func(disk) error
	on    func(*plugDisk)     // how the disk is
	wants []map[string]string // what is in the folder before them and after each

	states, told, wrong, nested int
	shown                       map[string]bool
	lax                         bool // empty files and folders, and backups that are not complete, may come before what they are for
}

// TestPlugPulledAnywhere pulls the plug at any moment of any save: each file is old or new as a whole, or a record or a journal is there, which
// the next open tells and which leads to all old or all new, even if the plug is pulled again. What was said to be saved is there.
func TestPlugPulledAnywhere(t *testing.T) {
	fixed := func(d *plugDisk) { d.fixed = syscall.EXDEV }
	unlinked := func(d *plugDisk) { d.unlinked = true }
	both := func(d *plugDisk) { d.fixed, d.unlinked = syscall.EXDEV, true }
	disks := map[string]func(*plugDisk){"": func(*plugDisk) {}, ", no renames": fixed, ", no links": unlinked, ", no links and no renames": both}
	states, told := 0, 0
	for how, on := range disks {
		if os.Getenv("SPANDREL_FAULTS") == "" && (how == ", no links" || how == ", no renames") {
			continue // the last of them does both
		}
		for _, p := range pullings(t) {
			if p.on = on; p.name == "unsaved edits" && strings.Contains(how, "rename") {
				continue // they are with the settings, and an error says where they cannot be
			}
			t.Run(p.name+how, func(t *testing.T) { p.run(t) })
			states, told = states+p.states+p.nested, told+p.told
		}
	}
	t.Logf("power cuts: %d states of disks, %d of them told", states, told)
}

func (p *pulling) run(t *testing.T) {
	d := plugged(t, p.dir)
	p.on(d)
	p.lax = p.lax || d.fixed != nil
	p.shown = map[string]bool{}
	p.wants = []map[string]string{stands(t, p.dir)}
	for i, save := range p.saves {
		if err := save(d); err != nil {
			t.Fatalf("save %d: %v", i, err)
		}
		d.tape.Say()
		p.wants = append(p.wants, stands(t, p.dir))
	}
	for s := range d.tape.States() {
		at := t.TempDir()
		if err := s.Put(at); err != nil {
			t.Fatal(err)
		}
		p.states++
		if why := p.look(t, at, s.Said); why != "" {
			p.wrong++
			if !p.shown[why] {
				p.shown[why] = true
				t.Errorf("%d saves done: %s", s.Said, why)
			}
		}
		os.RemoveAll(at)
	}
	t.Logf("%d syncs, %d states and %d of recovering, %d of them told, %d wrong", d.tape.Syncs, p.states, p.nested, p.told, p.wrong)
}

// look says what is wrong with a folder after a power cut.
func (p *pulling) look(t *testing.T, at string, said int) string {
	doc := filepath.Join(at, p.open)
	last := said == len(p.saves)
	allowed := p.wants[said:min(said+2, len(p.wants))]
	x, over := InterruptedSave(doc), InterruptedInPlace(at)
	switch {
	case x == nil && len(over) == 0:
		return p.differs(stands(t, at), allowed)
	case last:
		return "it was saved, and yet it is said to be interrupted"
	}
	p.told++
	if why := p.tells(t, at); why != "" {
		return why
	}
	if x == nil {
		return p.leads(t, at, "roll back", allowed[0], func(on disk, at string) error {
			for _, path := range InterruptedInPlace(at) {
				j, err := readJournal(path)
				if err != nil {
					return err
				}
				if err := rollBack(on, path, j); err != nil {
					return err
				}
			}
			return nil
		})
	}
	ways := map[string]func(*commit, disk) error{"take back": (*commit).takeBack}
	if x.Finishable() {
		ways["finish"] = (*commit).finish
	}
	for way, do := range ways {
		want := allowed[0]
		if way == "finish" {
			want = allowed[1]
		}
		if why := p.leads(t, at, way, want, func(on disk, at string) error {
			x := InterruptedSave(filepath.Join(at, p.open))
			if x == nil {
				return nil
			}
			return do(x.c, on)
		}); why != "" {
			return why
		}
	}
	return ""
}

// differs says how a folder differs from all that it may be. Where nothing is renamed a new file has its name before it is written.
func (p *pulling) differs(got map[string]string, allowed []map[string]string) string {
	why := ""
	for _, want := range allowed {
		rest := maps.Clone(got)
		maps.DeleteFunc(rest, func(name, text string) bool { // a backup may be there before it is needed
			_, wanted := want[name]
			return !wanted && (p.lax && (IsBackup(name) || len(text) <= len("600 ")) ||
				IsBackup(name) && slices.Contains(slices.Collect(maps.Values(allowed[0])), text))
		})
		if maps.Equal(rest, want) {
			return ""
		}
		why = ""
		for _, name := range slices.Sorted(maps.Keys(joined(rest, want))) {
			if rest[name] != want[name] {
				why += fmt.Sprintf(" %s is %.20q, not %.20q;", name, rest[name], want[name])
			}
		}
	}
	return why
}

func joined(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// tells says what is wrong when what is interrupted is opened.
func (p *pulling) tells(t *testing.T, at string) string {
	path := filepath.Join(at, p.open)
	if over := InterruptedInPlace(at); len(over) > 0 {
		path = over[0]
	}
	d, err := Open(bg, path, []*Format{folderFormat, dirFormat, toy}, nil)
	switch {
	case errors.Is(err, ErrInterrupted):
		return ""
	case err != nil:
		return "it is not opened: " + err.Error()
	}
	defer d.Close()
	found, _ := d.Tree.Findings()
	if !slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == RuleInterrupted || f.Rule == RuleJournal }) {
		return "opening it says nothing"
	}
	return ""
}

// leads says what is wrong with a way out of an interrupted save. Of the first the plug is pulled again, and the way is gone once more.
func (p *pulling) leads(t *testing.T, from, way string, want map[string]string, do func(on disk, at string) error) string {
	at := t.TempDir()
	defer os.RemoveAll(at)
	start, err := tapeOf(from)
	if err != nil {
		t.Fatal(err)
	}
	for s := range start.States() { // the only one
		if err := s.Put(at); err != nil {
			t.Fatal(err)
		}
	}
	d := plugged(t, at)
	p.on(d)
	if err := do(d, at); err != nil {
		return way + ": " + err.Error()
	}
	d.tape.Say()
	if why := p.differs(stands(t, at), []map[string]string{want}); why != "" {
		return way + ": " + why
	}
	if p.told > 1 && os.Getenv("SPANDREL_FAULTS") == "" {
		return "" // one is enough to see that it works; `make faults` tries them all
	}
	for s := range d.tape.States() {
		again := t.TempDir()
		if err := s.Put(again); err != nil {
			t.Fatal(err)
		}
		p.nested++
		plain, err := plugged(t, again), error(nil)
		p.on(plain)
		if s.Said == 0 {
			err = do(plain, again)
		}
		why := p.differs(stands(t, again), []map[string]string{want})
		if still := InterruptedSave(filepath.Join(again, p.open)) != nil || len(InterruptedInPlace(again)) > 0; still {
			why = "it is interrupted still"
		}
		os.RemoveAll(again)
		if why != "" || err != nil {
			return fmt.Sprintf("%s, cut again: %s %v", way, why, err)
		}
	}
	return ""
}

// pullings are all kinds of saves.
func pullings(t *testing.T) []*pulling {
	one := openToy(t, toyFile("one", "two"))
	one.set(t, "names[0]/text", S("longer than it was"))
	undo := func(d *Document) func(disk) error {
		return func(on disk) error {
			d.Undo(bg)
			_, err := d.save(bg, SaveOptions{NoBackup: true}, on)
			return err
		}
	}
	save := func(d *Document, o SaveOptions) func(disk) error {
		return func(on disk) error { _, err := d.save(bg, o, on); return err }
	}
	place := openToy(t, toyFile("one", "two"))
	place.set(t, "rows[1]/b", I(-5))
	place.set(t, "rows[8]/b", I(77))
	p, err := place.Plan(bg, "add", Splice{Range: Range{Off: int64(len(place.bytes(t)))}, With: Memory([]byte("behind the end")), Loose: true})
	if err != nil {
		t.Fatal(err)
	}
	place.Apply(bg, p, nil)
	several := edited(t, put(t, before))
	mixed := edited(t, put(t, before))
	list := []*pulling{
		{name: "one file", dir: one.dir, open: "a.toy", saves: []func(disk) error{save(one, SaveOptions{}), undo(one)}},
		{name: "in place", dir: place.dir, open: "a.toy", saves: []func(disk) error{place.saveInPlace}},
		{name: "several files", dir: several.dir, open: "main", saves: []func(disk) error{save(several, SaveOptions{}), undo(several)}},
		{name: "several files, one in place", dir: mixed.dir, open: "main", saves: []func(disk) error{mixed.saveMain}},
	}
	for _, folder := range []bool{false, true} {
		out, d := t.TempDir(), editedFolder(t, put(t, before))
		x := &pulling{name: "a folder elsewhere", dir: out, open: "out"}
		if !folder {
			x.name, d = "a file elsewhere", openToy(t, toyFile("one", "two"))
			d.set(t, "names[0]/text", S("longer than it was"))
			if err := os.WriteFile(filepath.Join(out, "out"), toyFile("x"), 0o640); err != nil {
				t.Fatal(err)
			}
		}
		x.saves = append(x.saves, save(d, SaveOptions{Out: filepath.Join(out, "out")}))
		list = append(list, x)
	}
	for name, files := range map[string]map[string]string{"a file salvaged": {"out": "a file"}, "a folder salvaged": {"main": "more", "a/two": "files", "a/b/three": ""}} {
		s, out := &Salvaged{Files: map[string]Source{}}, t.TempDir()
		for name, text := range files {
			s.Files[name] = Memory([]byte(text))
		}
		list = append(list, &pulling{name: name, dir: out, open: "out", saves: []func(disk) error{func(on disk) error {
			return s.write(&saver{ctx: bg, fs: on, progress: func(int64) {}}, filepath.Join(out, "out"), len(files) > 1)
		}}})
	}
	records, noted := t.TempDir(), openToy(t, toyFile("one", "two"))
	note := func(at int64) func(disk) error {
		return func(on disk) error {
			noted.set(t, "rows[3]/b", I(at))
			return noted.Recording().write(filepath.Join(records, "config", "unsaved"), on)
		}
	}
	list = append(list, &pulling{name: "unsaved edits", dir: records, lax: true, saves: []func(disk) error{note(-9), note(-7)}})
	return append(list, single(t)...)
}

// single are saves of one file that make a folder or leave one empty, and one whose backup lies in another folder.
func single(t *testing.T) (list []*pulling) {
	aside := *folderFormat
	aside.Dataset = &Dataset{Beside: true, Prune: true, Aside: func(name string) string { return strings.ReplaceAll(name, "/", "-") }}
	for name, edit := range map[string]Edit{
		"a file in new folders":        FileEdit{File: "new/deep/file", Create: Memory([]byte("made"))},
		"the last file of a folder":    FileEdit{File: "gone/only", Delete: true},
		"a backup in another folder":   FileEdit{File: "a/one", Create: Memory([]byte("other"))},
		"a file without a backup goes": FileEdit{File: "a/one", Delete: true},
	} {
		d, err := Open(bg, filepath.Join(put(t, before), "main"), []*Format{&aside}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Close)
		p, err := d.Plan(bg, name, edit)
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(bg, p, nil)
		list = append(list, &pulling{name: name, dir: d.dir, open: "main", saves: []func(disk) error{func(on disk) error {
			_, err := d.save(bg, SaveOptions{NoBackup: strings.Contains(name, "without")}, on)
			return err
		}}})
	}
	return list
}
