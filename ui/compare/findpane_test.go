package compare

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/align"
	"spandrel/ui/bench"
	"spandrel/ui/doc"
	"spandrel/ui/rows"
)

// open shows the pane alone, of a file.
func open(t testing.TB, path string) (*bench.Bench, *doc.Document, *Find) {
	t.Helper()
	return shown(t, bench.Open(t, path))
}

func shown(t testing.TB, b *bench.Bench) (*bench.Bench, *doc.Document, *Find) {
	t.Helper()
	p := NewFind(b.Doc, func(*doc.Document, bool) *align.Alignment { return nil })
	b.Show(t, p, p.Object)
	return b, b.Doc, p
}

// Every kind of search finds what it should, and only in the bytes that it was asked to look in. The block of a bench.Toy file holds
// "hello!!!", decoded.
func TestFindKindsAndScopes(t *testing.T) {
	b, d, p := open(t, bench.ToyFile(t, 100))
	for _, c := range []struct {
		kind, number, scope, text string
		hits                      int64
		said                      string
	}{
		{findText, "", ScopeSpace, "toy1", 1, "in sample.toy"},
		{findExact, "", ScopeSpace, "toy1", 0, "0 hits of “toy1” in"},
		{findText, "", scopeFiles, "hello", 0, "compressed content was not searched"},
		{findText, "", scopeDecoded, "hello", 1, "including decoded content"},
		{findHex, "", ScopeSpace, "54 ?? 59", 1, ""},
		{FindNumber, "u32", ScopeSpace, "990", 1, ""},
		{FindNumber, "u32 BE", ScopeSpace, "990", 0, ""},
		{FindNumber, "u16", ScopeSpace, "70000", 0, "cannot search"},
		{FindNumber, "i32 LE", ScopeSpace, "980", 1, ""},
		{findRegexp, "", ScopeSpace, "T[A-Z]{2}[0-9]", 1, ""},
		{findRegexp, "", ScopeSpace, "x*", 0, "matches the empty string"},
		{findUTF16, "", ScopeSpace, "TO", 0, ""},
		{findStrings, "", ScopeSpace, "", 0, "0 hits"},
		{findStrings, "", ScopeSpace, "4", 1, ""},
		{findStrings, "", scopeDecoded, "", 1, "including decoded content"},
		{findStrings, "", ScopeSpace, "x", 0, "a number from 2 to 1000"},
		{findText, "", ScopeSpace, "", 0, "type something to search for"},
	} {
		p.Set(nil)
		d.Sel.Path("magic", nil)
		b.Settle(t)
		p.Kind.SetSelected(c.kind)
		p.scope.SetSelected(c.scope)
		if c.number != "" {
			p.number.SetSelected(c.number)
		}
		p.Entry.SetText(c.text)
		p.Run()
		b.Settle(t)
		if p.Count() != c.hits || !strings.Contains(p.state.Text, c.said) {
			t.Errorf("%s %s %q %s: %d hits, want %d; %s", c.kind, c.number, c.text, c.scope, p.Count(), c.hits, p.state.Text)
		}
		if text := "980 i32 LE"; c.text == "980" && !strings.HasSuffix(p.Items[0].Cells[2].Text, text) {
			t.Errorf("a number is shown as %q, not %q", p.Items[0].Cells[2].Text, text)
		}
		if c.kind == findRegexp && c.hits > 0 && !strings.HasPrefix(p.Items[0].Cells[2].Text, `"TOY1"`) {
			t.Errorf("the match of an expression is shown as %q", p.Items[0].Cells[2].Text)
		}
		if c.hits > 0 && len(p.hits(p.Items[0].At.Space)) != int(c.hits) {
			t.Errorf("%s %q is not marked in the bytes", c.kind, c.text)
		}
	}
}

func TestReplaceOneAndAll(t *testing.T) {
	b, d, p := open(t, bench.ToyFile(t, 100))
	p.With.Show()
	p.Entry.SetText("TOY")
	p.With.with.SetText("TOYS")
	p.With.all()
	b.Settle(t)
	if !strings.Contains(p.state.Text, "locked") {
		t.Error("a locked document:", p.state.Text)
	}
	d.Editor.SetLocked(false)
	p.Kind.SetSelected(findHex)
	p.Entry.SetText("0a 00 00 00") // the size of row 1 and the id of row 10
	p.With.with.SetText("0b 00 00 00")
	p.With.one() // goes there
	b.Settle(t)
	if d.Sel.Now.Range.Off != 8+8+4 || d.Model.Dirty() {
		t.Fatal("first match:", d.Sel.Now.Range)
	}
	p.With.one()
	b.Settle(t)
	if got, _ := d.Tree().Bytes(t.Context(), model.Range{Space: d.Shown().Space, Off: 20, Len: 4}); !bytes.Equal(got, []byte{11, 0, 0, 0}) {
		t.Errorf("% x", got)
	}
	if d.Sel.Now.Range.Off != 8+80 {
		t.Error("next match:", d.Sel.Now.Range)
	}
	d.Editor.Undo()
	b.Settle(t)
	p.Run() // lists them, and goes to the first
	b.Settle(t)
	p.With.one()
	b.Settle(t)
	if list := d.Model.Unsaved("sample.toy"); len(list) != 1 || list[0].Off != 20 {
		t.Error("not the match that was gone to:", list)
	}
	d.Editor.Undo()
	b.Settle(t)
	p.With.all()
	b.Settle(t)
	if undo, _ := d.Model.History(); len(undo) != 1 || len(undo[0].Patches) != 2 {
		t.Errorf("%d steps; %s", len(undo), p.state.Text)
	}
}

// TestHitsFollowEdits: after an edit the hits are those of the document as it is now, for the search that was made, and nothing is selected by it.
func TestHitsFollowEdits(t *testing.T) {
	b, d, p := open(t, bench.ToyFile(t, 100))
	p.Kind.SetSelected(findHex)
	p.Entry.SetText("0a 00 00 00")
	p.Run()
	b.Settle(t)
	was := p.Count()
	p.Entry.SetText("not looked for yet")
	d.Editor.SetLocked(false)
	at := p.Items[1].At
	d.Sel.Path("magic", nil)
	b.Settle(t)
	d.Editor.Edit("insert", "", []model.Edit{model.Splice{Range: model.Range{Space: at.Space, Off: at.Off}, With: model.Memory([]byte{1}), Loose: true}}, nil)
	b.Settle(t)
	if p.Count() != was || p.Items[1].At.Off != at.Off+1 || len(p.hits(at.Space)) != int(was) {
		t.Errorf("%d hits, the second at %v instead of 0x%x: %s", p.Count(), p.Items[1].At, at.Off+1, p.state.Text)
	}
	if d.Sel.Now.Span.Path() != "magic" {
		t.Error("selected:", d.Sel.Now.Span.Path())
	}
	d.Editor.Edit("write", "", []model.Edit{model.Splice{Range: p.Items[1].At, With: model.Memory([]byte{0, 0, 0, 0}), Loose: true}}, nil)
	b.Settle(t)
	if p.Count() != was-1 || !strings.HasPrefix(p.state.Text, fmt.Sprint(was-1)) {
		t.Errorf("%d hits: %s", p.Count(), p.state.Text)
	}
	p.Set(nil)
	p.Entry.SetText("0a 00 00 00")
	p.Run()
	p.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	d.Editor.Undo()
	b.Settle(t)
	if p.Count() != 0 || p.state.Text != "the search was stopped" {
		t.Errorf("a search that was stopped is made again after an edit: %s", p.state.Text)
	}
}

// Letters of plain text in UTF-16 match in the other byte order as well, one byte beside: that is no second hit, and the hit says the order.
func TestUTF16IsFoundOnce(t *testing.T) {
	wide := func(s string, big bool) (out string) {
		for _, r := range s {
			if big {
				out += "\x00" + string(r)
			} else {
				out += string(r) + "\x00"
			}
		}
		return out
	}
	path := filepath.Join(t.TempDir(), "some.bin")
	if err := os.WriteFile(path, []byte("abcd"+wide("say hello!", false)+"\x01\x02"+wide("hello you", true)), 0o600); err != nil {
		t.Fatal(err)
	}
	b, _, p := open(t, path)
	p.Kind.SetSelected(findUTF16)
	p.Entry.SetText("hello")
	p.Run()
	b.Settle(t)
	var got []string
	for _, i := range p.Items {
		got = append(got, fmt.Sprintf("%d %s", i.At.Off, i.Cells[2].Text))
	}
	if want := "12 \"hello\"  UTF-16 LE, 26 \"hello\"  UTF-16 BE"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
}

// Behind the last match the search goes on at the first, and says so.
func TestFindGoesAround(t *testing.T) {
	b, d, p := open(t, bench.ToyFile(t, 100))
	p.Kind.SetSelected(findText)
	p.Entry.SetText("toy1")
	for _, back := range []bool{false, true} {
		size, err := d.Tree().Size(t.Context(), p.Doc.Shown().Space)
		if err != nil {
			t.Fatal(err)
		}
		from := size
		if back {
			from = 0
		}
		p.nextFrom(from, back)
		b.Settle(t)
		if p.hit.Len != 4 || !strings.Contains(p.state.Text, "continued at the") {
			t.Errorf("backwards %v: %v is found, and said: %q", back, p.hit, p.state.Text)
		}
	}
	p.Entry.SetText("nowhere")
	p.nextFrom(0, false)
	if b.Settle(t); !strings.Contains(p.state.Text, "no match") {
		t.Errorf("said: %q", p.state.Text)
	}
}

// The line above the differences counts those that are left.
func TestTakenDifferenceIsNotCounted(t *testing.T) {
	_, _, p := open(t, bench.ToyFile(t, 10))
	item := func(text string) doc.Place { return doc.Place{Cells: []rows.Cell{{Text: text}}} }
	p.Set([]doc.Place{item("a"), item("b")})
	if p.forget(item("a")); p.Count() != 1 || p.state.Text != "1 difference left" {
		t.Errorf("%d are listed below %q", p.Count(), p.state.Text)
	}
}

// TestComparisonCountsContent: an edited cell of a compressed block is one difference in content, whatever moves with it.
func TestComparisonCountsContent(t *testing.T) {
	b, d, p := shown(t, bench.Sample(t, "idv/good/deflated.idv"))
	other := bench.Sample(t, "idv/good/deflated.idv")
	table, _ := model.TableNamed(d.Tree().Tables(t.Context()), "rows")
	edits, err := table.Edits(t.Context(), d.Tree(), []model.Typed{{Row: 1, Column: table.Column("Text"), Text: "a longer text than before"}})
	if err != nil {
		t.Fatal(err)
	}
	d.Editor.SetLocked(false)
	d.Editor.Edit("edit", "", edits, nil)
	b.Settle(t)
	p.Compare(other.Doc, true)
	b.Settle(t)
	if p.Count() < 3 || !strings.Contains(p.state.Text, fmt.Sprintf(": 1 in content, %d in how it is stored", p.Count()-1)) {
		t.Errorf("%d are listed: %s", p.Count(), p.state.Text)
	}
}

// TestRowsAreTakenOneByOne: a row that only one document has is copied to the other, to where it belongs, or removed; the rows after it keep their values.
func TestRowsAreTakenOneByOne(t *testing.T) {
	texts := func(d *doc.Document) (out []string) {
		table, _ := model.TableNamed(d.Tree().Tables(t.Context()), "rows")
		read, err := table.Read(t.Context(), 0, table.Rows)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range read {
			out = append(out, fmt.Sprint(r[table.Column("Int32")], r[table.Column("Text")]))
		}
		return out
	}
	for _, take := range []bool{true, false} {
		b, d, p := shown(t, bench.Sample(t, "idv/good/deflated.idv"))
		other := bench.Sample(t, "idv/good/deflated.idv")
		whole := texts(d)
		edits, err := model.Rearranged(t.Context(), d.Tree(), "rows", 2, []model.MergedRow{{A: 3}, {A: 5}, {A: 6}})
		if err != nil {
			t.Fatal(err)
		}
		d.Editor.SetLocked(false)
		d.Editor.Edit("without rows 2, 4 and 7", "", edits, nil)
		b.Settle(t)
		short := texts(d)
		p.Compare(other.Doc, true)
		b.Settle(t)
		for range 3 {
			if label := p.Menu(0, 0).Items; len(label) < 2 || !strings.HasPrefix(label[0].Label, "Copy from") || !strings.HasPrefix(label[1].Label, "Remove from") {
				t.Fatalf("%v", p.Items)
			}
			if take {
				p.Take(0)
			} else {
				p.Give(0)
			}
			b.Settle(t)
			other.Settle(t)
			b.Settle(t)
		}
		want := whole
		if !take {
			want = short
		}
		if x, y := texts(d), texts(other.Doc); !slices.Equal(x, want) || !slices.Equal(y, want) || len(short) != len(whole)-3 {
			t.Errorf("taken %v:\n%v\n%v, not\n%v\n%s", take, x, y, want, p.state.Text)
		}
	}
}
