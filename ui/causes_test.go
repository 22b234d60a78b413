package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/doc"
	"spandrel/ui/facts"
	"spandrel/ui/kit"
)

// newTaridxBench opens the index of a sample of TARIDX, a copy, with all formats; causes are looked for.
func newTaridxBench(t *testing.T, sample string) (*testBench, *tab) {
	t.Helper()
	b := emptyBench(t)
	b.causeTime = doc.CauseTime
	return b, b.open(t, filepath.Join(bench.CopySample(t, "taridx/"+sample), "train.taridx"))
}

// A broken file opens on what happened to it: the cause comes first with its repair, what it explains is folded below it, and the
// repair is an ordinary step that can be undone.
func TestCauseComesFirst(t *testing.T) {
	b, d := newTaridxBench(t, "bad/022-n-rows")
	p := d.problem
	if len(d.Causes.List) == 0 || p.Line(0).Cause != d.Causes.List[0] {
		t.Fatalf("%d causes, the first row is %+v", len(d.Causes.List), p.Line(0))
	}
	if p.Grid.Current != 0 || p.Fixes.Cause == nil || d.Sel.Now.Span.Path() != "header/n_rows" {
		t.Errorf("row %d is chosen, %q selected", p.Grid.Current, d.Sel.Now.Span.Path())
	}
	if !strings.Contains(d.head.What.Text, d.Causes.List[0].Text) || d.head.Advice.Hidden {
		t.Errorf("the headline says %q", d.head.What.Text)
	}
	if !strings.Contains(d.head.What.Text, `glzn refuses this file: "n_rows in data do not match header!"`) {
		t.Errorf("the headline does not say what a reader makes of it: %q", d.head.What.Text)
	}
	folded := p.Count()
	p.Key(fyne.KeyRight, 0)
	if p.Count() <= folded {
		t.Error("what the cause explains is not listed when it is opened")
	}
	p.Key(fyne.KeyLeft, 0)
	if p.Count() != folded {
		t.Error("closing the cause leaves its findings")
	}
	b.menus.run("preview")
	b.settle(t)
	b.press(fyne.KeyReturn)
	b.settle(t)
	if n := d.Found.Counts(); n[1] != 0 || !d.Editor.Dirty || len(d.Causes.List) != 0 {
		t.Errorf("after the repair: %v findings, %d causes", n, len(d.Causes.List))
	}
	d.Editor.Undo()
	b.settle(t)
	if len(d.Causes.List) == 0 {
		t.Error("undo brings the damage back and not its cause")
	}
}

// What is said to a repair that has to wait for the cause is not said any more once it is found.
func TestNothingWaitsForAFoundCause(t *testing.T) {
	b, d := newTaridxBench(t, "bad/022-n-rows")
	d.Causes.Longer().Do()
	if !d.Causes.Waits() || b.Line.Said == "" {
		t.Fatal("the cause is not looked for")
	}
	b.settle(t)
	if b.Line.Said != "" {
		t.Errorf("still said: %q", b.Line.Said)
	}
}

// F8 goes through the cause and all problems that are folded below it, and round; Shift+F8 the other way.
func TestStepsIntoFolds(t *testing.T) {
	b, d := newTaridxBench(t, "bad/058-order")
	p, want := d.problem, len(d.Found.All)
	if want < 2 || p.Count() > int64(want) {
		t.Fatalf("%d rows, %d problems", p.Count(), want)
	}
	for _, key := range []string{"next-problem", "previous-problem"} {
		seen := map[*model.Finding]bool{}
		for range want + 1 {
			b.menus.run(key)
			b.settle(t)
			seen[p.Line(p.Grid.Current).Found] = true
		}
		if len(seen) != want+1 || p.Line(p.Grid.Current).Cause == nil { // round, to the cause
			t.Errorf("%s: %d of %d problems, then row %d", key, len(seen)-1, want, p.Grid.Current)
		}
		p.Unfold(p.Line(p.Grid.Current), false)
	}
}

// The caret stays where someone types, also when that breaks the file and its cause is found: only the list shows the cause. What was
// said of a locked document, or of repairs, is not left standing when it is not true any more.
func TestCausesLeaveTheCaret(t *testing.T) {
	b, d := newTaridxBench(t, "good/three-shards")
	d.hex.SelectTo(0, false)
	d.hex.Typed('5')
	if said := b.Line.Said; !strings.HasPrefix(said, doc.LockedSaid) {
		t.Fatalf("said: %q", said)
	}
	b.menus.run("unlock")
	if b.Line.Said != "" {
		t.Errorf("unlocked, and it says %q", b.Line.Said)
	}
	for i, r := range "55555555" {
		d.hex.Typed(r)
		b.settle(t)
		if want := int64(i+1) / 2; d.hex.Caret != want || d.Sel.Now.Range.Off != want {
			t.Fatalf("after %d digits the caret is at %d, and 0x%x selected", i+1, d.hex.Caret, d.Sel.Now.Range.Off)
		}
	}
	if len(d.Causes.List) == 0 || d.problem.Line(d.problem.Grid.Current).Cause == nil || d.problem.Fixes.Cause == nil {
		t.Errorf("%d causes, row %d is marked", len(d.Causes.List), d.problem.Grid.Current)
	}
	b.menus.run("fix-all")
	b.settle(t)
	if !strings.HasPrefix(b.Line.Said, doc.FixesSaid) {
		t.Errorf("said: %q", b.Line.Said)
	}
	d.Editor.Undo()
	b.settle(t)
	if b.Line.Said != "" {
		t.Errorf("undone, and it says %q", b.Line.Said)
	}
}

// What happened is said before the line ends, also where it happened to a file with a long path: of that the last name is enough, after that of
// the attribute.
func TestLongPathsLeaveRoomForWhatHappened(t *testing.T) {
	dir := bench.CopySample(t, "tiledb/good/sparse-v22")
	files, err := filepath.Glob(filepath.Join(dir, "__fragments", "*", "a0.tdb"))
	if err != nil || len(files) == 0 {
		t.Fatal("no file to cut", err)
	}
	st, err := os.Stat(files[0])
	if err != nil || os.Truncate(files[0], st.Size()-7) != nil {
		t.Fatal("not cut", err)
	}
	b := emptyBench(t)
	b.causeTime = doc.CauseTime
	d := b.open(t, dir)
	for _, said := range []string{d.head.What.Text, d.problem.Items[0].Cells[0].Text} {
		if !strings.Contains(said, "n (a0.tdb) is truncated") {
			t.Errorf("said %q", said)
		}
	}
}

// Where there is no room for all repairs none is cut: the first stands there, and the others in a list.
func TestRepairsThatHaveNoRoom(t *testing.T) {
	b, d := newWindowBench(t, toyFile(t, 10))
	f, made := d.problem.Fixes, ""
	for _, label := range []string{"Preview: set the number of rows", "Preview: take all rows from their members", "Preview: count again"} {
		f.Offers = append(f.Offers, kit.NewButton(b.Host, label, func() { made = label }))
	}
	f.Object.Resize(fyne.NewSize(900, 40))
	if f.Fold(); len(f.Box.Objects) != 3 {
		t.Errorf("%d of 3 are there where there is room", len(f.Box.Objects))
	}
	f.Object.Resize(fyne.NewSize(350, 40))
	f.Fold()
	if len(f.Box.Objects) != 2 || f.Box.MinSize().Width > 350 || f.Box.Objects[1].(*kit.Button).Text != "2 more…" {
		t.Fatalf("%d buttons, %v wide", len(f.Box.Objects), f.Box.MinSize().Width)
	}
	f.Box.Objects[1].(*kit.Button).OnTapped()
	b.press(fyne.KeyDown, fyne.KeyReturn)
	if made != "Preview: count again" {
		t.Errorf("the second of the list is %q", made)
	}
}

// The details of a problem begin with what it comes from: of a file that is cut they do not offer to lead elsewhere before they say so.
func TestDetailsOfACutFileNameTheCut(t *testing.T) {
	path := bench.CopySample(t, "samediff/good/inline.fb")
	if err := os.Truncate(path, 700); err != nil {
		t.Fatal(err)
	}
	b := emptyBench(t)
	b.causeTime = doc.CauseTime
	d := b.open(t, path)
	b.settle(t)
	seen := 0
	for _, f := range d.Found.All {
		if f.Span == nil || f.Path() == "" {
			continue
		}
		d.Sel.Set(doc.Selection{Span: f.Span})
		b.settle(t)
		seen++
		at := func(heading string) int {
			return slices.IndexFunc(d.info.Facts, func(f facts.Fact) bool { return f.Heading && f.Label == heading })
		}
		if i := at("CAUSE"); i < 0 || i > at("PROBLEMS") || !strings.Contains(d.info.Facts[i+1].Text, "truncated") {
			t.Errorf("at %s: the cause is fact %d, the problems %d", f.Path(), i, at("PROBLEMS"))
		}
	}
	if seen == 0 {
		t.Error("nothing is wrong")
	}
}

// What could not be read may be what a repair takes for missing: one that was offered before is neither shown nor made then.
func TestUnreadIsNotRepaired(t *testing.T) {
	for _, late := range []bool{false, true} {
		b, d := newTaridxBench(t, "bad/022-n-rows")
		dir := filepath.Dir(d.Model.Path)
		fail := func() {
			unread(t, dir, func(name string) error { _, err := d.Tree().Snapshot.Content(name); return err })
			if d.Tree().Snapshot.Fault() == nil {
				t.Fatal("no fault")
			}
		}
		if !late {
			fail()
		}
		b.menus.run("preview")
		b.settle(t)
		if (d.Preview != nil) != late {
			t.Fatalf("late %v: the repair is shown: %v", late, d.Preview != nil)
		}
		if late {
			fail()
			b.press(fyne.KeyReturn)
			b.settle(t)
		}
		if d.Editor.Dirty || d.Preview != nil || d.Editor.Busy || len(b.Shell.(*kit.WindowShell).Boxes) != 1 {
			t.Errorf("late %v: edited %v, shown %v, busy %v, %d boxes", late, d.Editor.Dirty, d.Preview != nil, d.Editor.Busy, len(b.Shell.(*kit.WindowShell).Boxes))
		}
	}
}

// unread has a read of a new file in a folder fail, as on a disk that is broken. Root may read all, so that someone else asks.
func unread(t *testing.T, dir string, read func(name string) error) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "unread"), nil, 0); err != nil {
		t.Fatal(err)
	}
	if root, other := os.Geteuid() == 0, 65534; root {
		if err := syscall.Seteuid(other); err != nil {
			t.Fatal(err)
		}
		defer syscall.Seteuid(0)
	}
	if err := read("unread"); err == nil {
		t.Skip("this system lets everybody read everything")
	}
}

// A problem of which no cause is known is the sentence that a document opens on, and not that there is one; so is a warning.
func TestWorstProblemIsSaidFirst(t *testing.T) {
	for path, want := range map[string]string{"idv/bad/066-date.idv": "A date is before year 1", "npy/bad/006-long-header.npy": "The header"} {
		b := emptyBench(t)
		d := b.open(t, bench.CopySample(t, path))
		if said := d.head.What.Text; !strings.HasPrefix(said, want) || !strings.Contains(said, "(1 ") {
			t.Errorf("%s: the headline says %q", path, said)
		}
	}
}

// TestWarningOffersItsRepair opens a file with a warning only: the button is the repair of what the headline says.
func TestWarningOffersItsRepair(t *testing.T) {
	raw, err := os.ReadFile("../testdata/npy/good/vector.npy")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.npy")
	if err := os.WriteFile(path, append(raw, raw[len(raw)-8:]...), 0o600); err != nil { // another element, or two
		t.Fatal(err)
	}
	b := emptyBench(t)
	d := b.open(t, path)
	if said := d.head.What.Text; !strings.HasPrefix(said, "Extra bytes follow the last element (1 warning)") {
		t.Errorf("the headline says %q", said)
	}
	if a := d.head.Advice; a.Hidden || !strings.HasPrefix(a.Text, "Possible repair: set dimension 0 to ") || a.Importance == widget.HighImportance {
		t.Errorf("hidden: %v, the button says %q", a.Hidden, a.Text)
	}
}
