package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/doc"
	"spandrel/ui/facts"
)

// lostFile opens a sample of TileDB of which a file of an attribute is missing, or was cut, and returns what that was.
func lostFile(t *testing.T, cut bool) (b *testBench, d *tab, path string, was []byte) {
	t.Helper()
	dir := bench.CopySample(t, "tiledb/good/sparse-v22")
	files, err := filepath.Glob(filepath.Join(dir, "__fragments", "*", "a0.tdb"))
	if err != nil || len(files) == 0 {
		t.Fatal("no file to take away", err)
	}
	path = files[0]
	if was, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	if err = os.Remove(path); cut {
		err = os.WriteFile(path, was[:len(was)/2], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	b = emptyBench(t)
	b.causeTime = doc.CauseTime
	return b, b.open(t, dir), path, was
}

func (b *testBench) labels(d *tab) (head string, list []string) {
	for _, o := range d.problem.Fixes.Offers {
		list = append(list, o.Text)
	}
	return d.head.Advice.Text, list
}

// What is missing is asked for, what is truncated replaced: under the same name in headline, list and details, none of it in blue. Another file
// than the one that is missing is refused; nothing is written before the document is saved, and what was not proven is not said to be sound.
func TestMissingFileIsLocated(t *testing.T) {
	for _, cut := range []bool{false, true} {
		b, d, path, was := lostFile(t, cut)
		head, list := b.labels(d)
		want := map[bool]string{false: "Locate n (a0.tdb)…", true: doc.ReplaceText}[cut]
		if head != want || len(list) == 0 || list[0] != want || d.head.Advice.Importance == 1 {
			t.Fatalf("cut %v: the headline has %q (importance %v), the list %q; %s", cut, head, d.head.Advice.Importance, list, d.head.What.Text)
		}
		if !slices.ContainsFunc(d.info.Facts, func(f facts.Fact) bool { return f.Label == "repair" && f.Text == want && f.Do != nil }) {
			t.Errorf("cut %v: the details do not say %q", cut, want)
		}
		for _, c := range b.menus.commands {
			if kind := map[bool]string{false: "locate", true: "replace-copy"}[cut]; c.name == kind && !c.able(d) {
				t.Errorf("cut %v: the menu does not have it", cut)
			}
		}
		name := d.Causes.List[0].File
		copied, wrong := filepath.Join(t.TempDir(), "copy"), filepath.Join(t.TempDir(), "wrong")
		if os.WriteFile(copied, was, 0o600) != nil || os.WriteFile(wrong, []byte("another file"), 0o600) != nil {
			t.Fatal("not written")
		}
		if !cut {
			d.TakeCopy("Locate", name, wrong)
			b.settle(t)
			if d.Preview != nil || !b.Shell.Modal() {
				t.Error("another file is shown as the missing one")
			}
			b.press(fyne.KeyEscape)
		}
		d.TakeCopy("Locate", name, copied)
		b.settle(t)
		if d.Preview == nil || b.win.Canvas().Focused() == fyne.Focusable(d.trialBar.apply) {
			t.Fatalf("cut %v: previewed %v, and Enter applies it", cut, d.Preview != nil)
		}
		d.Preview.Decide(d.Document, true)
		b.settle(t)
		if now, _ := os.ReadFile(path); cut && len(now) != len(was)/2 || !cut && now != nil {
			t.Error("written before it was saved")
		}
		if n := d.Found.Counts(); n[model.Error] != 0 || !strings.Contains(d.head.What.Text, doc.NotVerified) || !strings.Contains(b.status.problem.Text, doc.NotVerified) || d.item.Icon == nil {
			t.Errorf("cut %v: %v, the headline says %q, the status %q", cut, n, d.head.What.Text, b.status.problem.Text)
		}
		b.saver.save(d, b.saver.options(), nil)
		b.settle(t)
		if now, _ := os.ReadFile(path); string(now) != string(was) || !strings.Contains(b.status.problem.Text, doc.NotVerified) {
			t.Errorf("cut %v: saved as %d bytes, the status says %q", cut, len(now), b.status.problem.Text)
		}
		d.Editor.Undo()
		b.settle(t)
		if strings.Contains(b.status.problem.Text, doc.NotVerified) || d.item.Icon != nil {
			t.Errorf("undone, and the status says %q", b.status.problem.Text)
		}
	}
}

// searching opens a damaged file whose cause is being looked for.
func searching(t *testing.T) (*testBench, *tab) {
	t.Helper()
	b := emptyBench(t)
	b.causeTime = doc.CauseTime
	b.files.show(filepath.Join(bench.CopySample(t, "taridx/bad/022-n-rows"), "train.taridx"))
	for asked := false; !asked; asked = b.current != nil && b.current.Causes.Cancel != nil {
		(<-b.queue)()
	}
	if len(b.current.Found.All) == 0 || !b.current.Causes.Pending() {
		t.Fatal("nothing is looked for")
	}
	return b, b.current
}

// As long as a cause is looked for, the headline and the details go on saying what is wrong; repairs follow with the cause.
func TestProblemsWhileSearching(t *testing.T) {
	b, d := searching(t)
	f, said, listed := &d.Found.All[0], false, false
	d.head.What.SetText("")
	d.head.Changed()
	d.info.Facts = nil
	d.info.Selected(doc.Selection{Span: f.Span, Range: f.Where()})
	for d.Causes.Pending() && !(said && listed) {
		(<-b.queue)()
		said = said || d.Causes.Pending() && strings.Contains(d.head.What.Text, f.Text()[1:])
		listed = listed || d.info.Facts != nil && !slices.ContainsFunc(d.info.Facts, func(f facts.Fact) bool { return f.Label == "repair" })
	}
	if !said || !listed {
		t.Errorf("the headline says the problem: %v, the details without a repair: %v", said, listed)
	}
	b.settle(t)
}

// As long as a cause is looked for nothing makes a repair: neither the headline nor the list, the details, the keys, the menus, the palette.
func TestNoRepairBeforeTheSearchEnds(t *testing.T) {
	b, d := searching(t)
	f := &d.Found.All[0]
	fixes := d.Tree().Fixes(t.Context(), f)
	if len(fixes) == 0 {
		t.Fatal("no repair follows from the problem")
	}
	d.problem.Fixes.Offer(f, fixes)
	if len(d.problem.Fixes.Offers) > 0 {
		t.Error("the list offers repairs")
	}
	d.Causes.PreviewFix(fixes[0]) // of the list
	d.head.Press()
	for _, name := range []string{"preview", "repairs", "locate", "replace-copy"} {
		b.menus.run(name) // as keys, menus and the palette do
	}
	if m := d.problem.Menu(0, 0); m != nil {
		m.Items[0].Action()
	}
	if d.Preview != nil || b.Shell.Modal() || d.Editor.Dirty {
		t.Error("a repair is on its way")
	}
	b.settle(t)
	if !slices.ContainsFunc(d.info.Facts, func(f facts.Fact) bool { return f.Label == "evidence" && strings.HasPrefix(f.Text, "• ") }) {
		t.Error("the evidence is not a list")
	}
	if d.Preview != nil || d.Editor.Dirty || d.head.Advice.Hidden || !strings.HasPrefix(d.head.Advice.Text, "Repair: ") {
		t.Errorf("the search ended: previewed %v, the headline has %q", d.Preview != nil, d.head.Advice.Text)
	}
}

// A file that is missing is asked for first, though an index could be made that does without it. One repair alone that may be wrong is named by what it does,
// and its button shows it at once.
func TestMissingBeforeGuesses(t *testing.T) {
	dir := bench.CopySample(t, "scdl/good/archive")
	if err := os.Remove(filepath.Join(dir, "var_features", "labels.json")); err != nil {
		t.Fatal(err)
	}
	b := emptyBench(t)
	b.causeTime = doc.CauseTime
	d := b.open(t, dir)
	if head, list := b.labels(d); head != "Locate labels.json…" {
		t.Errorf("the headline has %q, the list %q", head, list)
	}
	guess, ok := d.Causes.Advised(doc.Guesses)
	if !ok || !strings.HasPrefix(guess.Label, "Possible repair: ") || guess.Kind == doc.Proven {
		t.Fatalf("the guess is %q, %v", guess.Label, ok)
	}
	guess.Do()
	b.settle(t)
	if d.Preview == nil || !d.Preview.Guess {
		t.Error("it is not looked at, or taken for proven")
	}
}

// A cause that is about a folder, not a file, asks for no file: it has no name.
func TestFolderIsNotLocated(t *testing.T) {
	b := emptyBench(t)
	b.causeTime = doc.CauseTime
	head, list := b.labels(b.open(t, bench.CopySample(t, "tiledb/bad/174-array")))
	if !strings.HasPrefix(head, "Possible repair: ") || slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(s, "Locate") }) {
		t.Errorf("the headline has %q, the list %q", head, list)
	}
}

// Of several repairs that may be wrong, the one that alone undoes a usual slip is named, and one step away; all of them are in the list.
func TestBestGuessComesFirst(t *testing.T) {
	dir := bench.CopySample(t, "scdl/good/archive")
	path := filepath.Join(dir, "row_ptr.npy")
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := slices.Clone(was)
	flipped[2] ^= 64
	if err := os.WriteFile(path, flipped, 0o600); err != nil {
		t.Fatal(err)
	}
	b := emptyBench(t)
	b.causeTime = doc.CauseTime
	d := b.open(t, dir)
	head, list := b.labels(d)
	if !strings.HasPrefix(head, "Possible repair: set values[") || !slices.ContainsFunc(list, func(s string) bool { return strings.HasSuffix(s, " possible repairs…") }) {
		t.Fatalf("the headline has %q, the list %q; %s", head, list, d.head.What.Text)
	}
	if all, ok := d.Causes.Advised(doc.Guesses); !ok || !strings.HasSuffix(all.Label, " possible repairs…") {
		t.Errorf("the menu leads to %q", all.Label)
	}
	d.head.Press()
	b.settle(t)
	if d.Preview == nil || !d.Preview.Guess {
		t.Fatal("it is not looked at, or taken for proven")
	}
	d.Preview.Decide(d.Document, true)
	b.settle(t)
	b.saver.save(d, b.saver.options(), nil)
	b.settle(t)
	if now, _ := os.ReadFile(path); string(now) != string(was) {
		t.Errorf("% x is saved, not % x", now, was)
	}
}

// A search that ran out of time says so, and can be given more.
func TestSearchLonger(t *testing.T) {
	b := emptyBench(t)
	b.causeTime = 1
	d := b.open(t, filepath.Join(bench.CopySample(t, "taridx/bad/022-n-rows"), "train.taridx"))
	found := &d.Found.All[0]
	d.problem.Fixes.Offer(found, nil)
	head, list := b.labels(d)
	if !d.Causes.Cut() || !slices.Contains(list, "Search longer for the cause") {
		t.Fatalf("the headline has %q, the list %q", head, list)
	}
	d.CauseTime = doc.CauseTime
	d.Causes.Longer().Do()
	b.settle(t)
	if head, _ = b.labels(d); d.Causes.Cut() || !strings.HasPrefix(head, "Repair: ") {
		t.Errorf("with more time the headline has %q", head)
	}
}

// Another file that makes fewer errors than none is not taken for the missing one without a word: what is wrong with it is said before it is applied.
func TestAnotherFileIsSaidToHaveErrors(t *testing.T) {
	dir := bench.CopySample(t, "taridx/good/three-shards")
	index := filepath.Join(dir, "train.taridx")
	if err := os.Remove(filepath.Join(dir, "train_0001.tar")); err != nil {
		t.Fatal(err)
	}
	b := emptyBench(t)
	d := b.open(t, index)
	d.TakeCopy("Locate", "train_0001.tar", index)
	b.settle(t)
	if d.Preview == nil || !strings.Contains(d.trialBar.text.Text, "▲ With this copy") || !strings.Contains(d.trialBar.text.Text, "train_0001.tar") {
		t.Errorf("previewed %v, said of an index in place of a shard: %s", d.Preview != nil, d.trialBar.text.Text)
	}
}
