package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"spandrel/model"
)

// A model opens on what it means: inputs, operations with what they take and make, values, outputs; a switch leads to the bytes in their
// order. Both are the same selection, and the details say what is known of an operation.
func TestOutlineOfAModel(t *testing.T) {
	b, d := sampleBench(t, "samediff/good/inline.fb")
	o := d.left.logical
	if !d.left.there || d.left.view() != o.View {
		t.Fatal("the model opens on its bytes")
	}
	said := func() string {
		var all []string
		for _, n := range o.lines {
			all = append(all, strings.TrimSpace(n.label+" "+n.value))
		}
		return strings.Join(all, "|")
	}
	if got := said(); !strings.HasPrefix(got, "inputs 1|x placeholder FLOAT[-1,2]|operations 1|affine xw_plus_b|values 2|") {
		t.Fatal(got)
	}
	o.choose(3)
	b.settle(t)
	if s := d.sel.now.Span; s != o.lines[3].span || d.tree.Current < 0 {
		t.Error("the operation is not what every pane shows")
	}
	var facts []string
	for _, f := range d.info.facts {
		facts = append(facts, f.label+": "+f.text)
	}
	if got := strings.Join(facts, "\n"); !strings.Contains(got, "OPERATION: \nname: affine\noperation: xw_plus_b") || !strings.Contains(got, "INPUTS: \n0: x  FLOAT[-1,2]") {
		t.Error(got)
	}
	o.Key(fyne.KeyRight, 0)
	o.Key(fyne.KeyDown, 0)
	if got := said(); !strings.Contains(got, "affine xw_plus_b|inputs 3|outputs 1|") {
		t.Error(got)
	}
	o.entry.SetText("affine")
	if got := said(); !strings.Contains(got, "affine") || strings.Contains(got, "placeholder") {
		t.Error(got)
	}
	o.entry.SetText("")
	b.menus.run("logical")
	if d.left.view() != d.tree.View || d.tree.object.Visible() == o.object.Visible() {
		t.Error("no switch to the bytes")
	}
	d.sel.path(d.sel.now.Span.Parent().Path(), nil)
	b.settle(t)
	if o.Current >= 0 {
		t.Error("what is no operation is marked as one")
	}
}

// An edit that breaks a document does not change the tree under the pointer, and is what the headline offers to undo.
func TestOutlineStaysWhileEdited(t *testing.T) {
	b, d := sampleBench(t, "taridx/good/three-shards", "train.taridx")
	d.table.choose(1, 3)
	b.settle(t)
	d.table.editor.begin("")
	d.table.editor.submit("5", 0, 0)
	b.settle(t)
	if d.found.counts()[model.Error] == 0 || d.left.view() != d.left.logical.View {
		t.Error("an edit that breaks the document changes its tree")
	}
	if said := d.head.what.Text; !strings.Contains(said, "1 error since the edit “size, row 1: 1 to 5”") || !strings.HasPrefix(d.head.advice.Text, "Undo “") {
		t.Errorf("of an edit that broke the document it is said: %s [%s]", said, d.head.advice.Text)
	}
	d.head.press()
	b.settle(t)
	if !d.head.advice.Hidden {
		t.Error("there is still advice:", d.head.advice.Text)
	}
	d.hex.selectTo(0x18, false)
	for _, digit := range "0b" { // the first digit is its own
		d.hex.Typed(digit)
		b.settle(t)
	}
	if !strings.HasPrefix(d.head.advice.Text, "Undo “") {
		t.Errorf("of digits that broke it, the last after one that did not: %s [%s]", d.head.what.Text, d.head.advice.Text)
	}
	d.head.press()
	b.settle(t)
	if d.found.counts()[model.Error] != 0 || d.left.view() != d.left.logical.View {
		t.Error("taking it back changes the tree")
	}
}

// Of two nodes about the same bytes the one that has the span is marked, not one that only speaks of it.
func TestOutlineMarksTheOwner(t *testing.T) {
	_, d := newBench(t, toyFile(t, 2))
	row := d.Tree().Root.Get("rows").Child(1)
	owner := &outlineNode{label: "the operation", span: row}
	speaks := &outlineNode{label: "its reader", kids: []*outlineNode{{label: "input", at: row.Child(0).Range}}}
	o := d.left.logical
	o.roots = []*outlineNode{speaks, owner}
	if n := o.holding(Selection{Span: row.Child(0), Range: row.Child(0).Range}); n != owner {
		t.Errorf("%+v is marked", n)
	}
	again := model.Parse(context.Background(), d.Tree().Snapshot, toy).Root.Get("rows").Child(1)
	if n := o.holding(Selection{Span: again, Range: again.Range}); n != owner {
		t.Errorf("of what was read a second time %+v is marked", n)
	}
}

// A table opens on its columns. A cell that is selected in the table is marked in its block of its column, although its bytes are decoded
// from others; a row of the outline selects the bytes that it is about.
func TestOutlineOfColumns(t *testing.T) {
	was := lookTime
	lookTime = time.Minute
	defer func() { lookTime = was }()
	b, d := sampleBench(t, "idv/good/deflated.idv")
	o := d.left.logical
	if d.left.view() != o.View || o.lines[0].label != "columns" || o.lines[8].label != "UInt32" {
		t.Fatal("it does not open on its columns")
	}
	if slices.Contains(d.lower.bottom.Items, d.lower.graph) && d.lower.graph != nil {
		t.Error("it is said to have a graph")
	}
	d.table.choose(4, 8)
	b.settle(t)
	if n := o.lines[max(0, o.Current)]; n.label != "rows 3 to 5" || n.up.up.label != "UInt32" {
		t.Errorf("marked is %s", strings.ReplaceAll(n.path(), "\x00", " > "))
	}
	o.entry.SetText("uint32")
	if o.Count() < 2 || o.Count() > 8 {
		t.Errorf("the filter shows %d rows", o.Count())
	}
	o.entry.SetText("")
	at := slices.IndexFunc(o.lines, func(n *outlineNode) bool { return n.label == "Int64" })
	o.choose(int64(at))
	b.settle(t)
	if p := d.sel.now.Span.Path(); !strings.HasPrefix(p, "toc[3]") {
		t.Errorf("the column leads to %s", p)
	}
}

// What nobody has looked into is read when its branch is opened; an edit shows it anew.
func TestOutlineReadsWhenOpened(t *testing.T) {
	was, reads := toy.Outline, 0
	defer func() { toy.Outline = was }()
	many := func(_ context.Context, first, n int64) (out []model.Meaning, err error) {
		reads++
		for i := first; i < first+n; i++ {
			out = append(out, model.Meaning{Label: fmt.Sprint("thing ", i)})
		}
		return out, nil
	}
	toy.Outline = func(context.Context, *model.Tree) ([]model.Meaning, error) {
		return []model.Meaning{{Label: "things", More: model.Paged("things", 2_000_000, many)}}, nil
	}
	graph := toy.Graph
	toy.Graph = nil
	defer func() { toy.Graph = graph }()
	wait := lookTime
	lookTime = -1
	defer func() { lookTime = wait }()
	b, d := newBench(t, toyFile(t, 3))
	o := d.left.logical
	if o.Count() != 1 || reads != 0 {
		t.Fatalf("%d rows, read %d times", o.Count(), reads)
	}
	for range 3 {
		o.toggle(o.Count() - 1)
		b.settle(t)
	}
	last := o.lines[o.Count()-1]
	if last.label != "thing 1999999" || reads != 1 {
		t.Errorf("%s, read %d times", last.label, reads)
	}
}

// A sample of an index is all its rows: whichever of them is selected, it is marked.
func TestOutlineOfSamples(t *testing.T) {
	b, d := sampleBench(t, "taridx/good/three-shards/train.taridx")
	o := d.left.logical
	if o.lines[0].more != nil {
		o.toggle(0)
		b.settle(t)
	}
	n := o.lines[1]
	if n.depth != 1 || n.at.Len < 64 || n.at.Len%32 != 0 {
		t.Fatalf("%s has %d bytes of rows", n.path(), n.at.Len)
	}
	for row := range n.at.Len / 32 {
		d.table.choose(row, 2)
		b.settle(t)
		if o.Current != 1 {
			t.Errorf("row %d marks line %d", row, o.Current)
		}
	}
}

// From cell to cell, the branch of one column is open at a time; one that somebody opened stays.
func TestOutlineFollowsTheSelection(t *testing.T) {
	b, d := sampleBench(t, "idv/good/deflated.idv")
	o := d.left.logical
	open := func() (names []string) {
		for _, n := range o.lines {
			if n.depth == 1 && n.open {
				names = append(names, n.label)
			}
		}
		return names
	}
	o.toggle(int64(slices.IndexFunc(o.lines, func(n *outlineNode) bool { return n.label == "Byte" })))
	b.settle(t)
	for col := 1; col <= 3; col++ {
		d.table.choose(2, col)
		b.settle(t)
		want := []string{d.table.table.Columns[col-1].Name, "Byte"}
		if got := open(); !slices.Equal(got, want) || o.Current < 0 || !strings.HasPrefix(o.lines[o.Current].label, "rows 0") {
			t.Errorf("open: %v, want %v; line %d is marked", got, want, o.Current)
		}
	}
}

// A change that is looked at first leaves the tree what it was as well, also the first one of a document.
func TestOutlineStaysAfterATrial(t *testing.T) {
	b, d := sampleBench(t, "taridx/good/three-shards", "train.taridx")
	d.sel.path("ext[0]/name", nil)
	b.settle(t)
	d.info.editValue()
	d.info.value.submit("jpeg2000")
	b.settle(t)
	if d.trial == nil {
		t.Fatal("a longer name is not looked at first")
	}
	was := d.left.view()
	d.trial.decide(d.Document, true)
	for len(b.queue) > 0 || b.pending > 0 {
		(<-b.queue)()
		if d.left.view() != was {
			t.Fatal("the tree is another one after the change was made")
		}
	}
	if d.found.counts()[model.Error] == 0 {
		t.Error("the edit breaks nothing: nothing is tried")
	}
}
