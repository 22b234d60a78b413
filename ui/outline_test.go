package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
	"spandrel/ui/tree"
)

// A model opens on what it means: inputs, operations with what they take and make, values, outputs; a switch leads to the bytes in their
// order. Both are the same selection, and the details say what is known of an operation.
func TestOutlineOfAModel(t *testing.T) {
	b, d := sampleBench(t, "samediff/good/inline.fb")
	o := d.left.Logical
	if !d.left.There || d.left.View() != o.View {
		t.Fatal("the model opens on its bytes")
	}
	said := func() string {
		var all []string
		for _, n := range o.Lines {
			all = append(all, strings.TrimSpace(n.Label+" "+n.Value))
		}
		return strings.Join(all, "|")
	}
	if got := said(); !strings.HasPrefix(got, "inputs 1|x placeholder FLOAT[-1,2]|operations 1|affine xw_plus_b|values 2|") {
		t.Fatal(got)
	}
	o.Choose(3)
	b.settle(t)
	if s := d.Sel.Now.Span; s != o.Lines[3].Span || d.tree.Current < 0 {
		t.Error("the operation is not what every pane shows")
	}
	var facts []string
	for _, f := range d.info.Facts {
		facts = append(facts, f.Label+": "+f.Text)
	}
	if got := strings.Join(facts, "\n"); !strings.Contains(got, "OPERATION: \nname: affine\noperation: xw_plus_b") || !strings.Contains(got, "INPUTS: \n0: x  FLOAT[-1,2]") {
		t.Error(got)
	}
	o.Key(fyne.KeyRight, 0)
	o.Key(fyne.KeyDown, 0)
	if got := said(); !strings.Contains(got, "affine xw_plus_b|inputs 3|outputs 1|") {
		t.Error(got)
	}
	o.Entry.SetText("affine")
	if got := said(); !strings.Contains(got, "affine") || strings.Contains(got, "placeholder") {
		t.Error(got)
	}
	o.Entry.SetText("")
	b.menus.run("logical")
	if d.left.View() != d.tree.View || d.tree.Object.Visible() == o.Object.Visible() {
		t.Error("no switch to the bytes")
	}
	d.Sel.Path(d.Sel.Now.Span.Parent().Path(), nil)
	b.settle(t)
	if o.Current >= 0 {
		t.Error("what is no operation is marked as one")
	}
}

// An edit that breaks a document does not change the tree under the pointer, and is what the headline offers to undo.
func TestOutlineStaysWhileEdited(t *testing.T) {
	b, d := sampleBench(t, "taridx/good/three-shards", "train.taridx")
	d.table.Choose(1, 3)
	b.settle(t)
	d.table.Editor.Begin("")
	d.table.Editor.Submit("5", 0, 0)
	b.settle(t)
	if d.Found.Counts()[model.Error] == 0 || d.left.View() != d.left.Logical.View {
		t.Error("an edit that breaks the document changes its tree")
	}
	if said := d.head.What.Text; !strings.Contains(said, "1 error since the edit “size, row 1: 1 to 5”") || !strings.HasPrefix(d.head.Advice.Text, "Undo “") {
		t.Errorf("of an edit that broke the document it is said: %s [%s]", said, d.head.Advice.Text)
	}
	d.head.Press()
	b.settle(t)
	if !d.head.Advice.Hidden {
		t.Error("there is still advice:", d.head.Advice.Text)
	}
	d.hex.SelectTo(0x18, false)
	for _, digit := range "0b" { // the first digit is its own
		d.hex.Typed(digit)
		b.settle(t)
	}
	if !strings.HasPrefix(d.head.Advice.Text, "Undo “") {
		t.Errorf("of digits that broke it, the last after one that did not: %s [%s]", d.head.What.Text, d.head.Advice.Text)
	}
	d.head.Press()
	b.settle(t)
	if d.Found.Counts()[model.Error] != 0 || d.left.View() != d.left.Logical.View {
		t.Error("taking it back changes the tree")
	}
}

// A table opens on its columns. A cell that is selected in the table is marked in its block of its column, although its bytes are decoded
// from others; a row of the outline selects the bytes that it is about.
func TestOutlineOfColumns(t *testing.T) {
	was := tree.LookTime
	tree.LookTime = time.Minute
	defer func() { tree.LookTime = was }()
	b, d := sampleBench(t, "idv/good/deflated.idv")
	o := d.left.Logical
	if d.left.View() != o.View || o.Lines[0].Label != "columns" || o.Lines[8].Label != "UInt32" {
		t.Fatal("it does not open on its columns")
	}
	if slices.Contains(d.Lower.Bottom.Items, d.Lower.Graph) && d.Lower.Graph != nil {
		t.Error("it is said to have a graph")
	}
	d.table.Choose(4, 8)
	b.settle(t)
	if n := o.Lines[max(0, o.Current)]; n.Label != "rows 3 to 5" || n.Up.Up.Label != "UInt32" {
		t.Errorf("marked is %s", strings.ReplaceAll(n.Path(), "\x00", " > "))
	}
	o.Entry.SetText("uint32")
	if o.Count() < 2 || o.Count() > 8 {
		t.Errorf("the filter shows %d rows", o.Count())
	}
	o.Entry.SetText("")
	at := slices.IndexFunc(o.Lines, func(n *tree.OutlineNode) bool { return n.Label == "Int64" })
	o.Choose(int64(at))
	b.settle(t)
	if p := d.Sel.Now.Span.Path(); !strings.HasPrefix(p, "toc[3]") {
		t.Errorf("the column leads to %s", p)
	}
}

// A sample of an index is all its rows: whichever of them is selected, it is marked.
func TestOutlineOfSamples(t *testing.T) {
	b, d := sampleBench(t, "taridx/good/three-shards/train.taridx")
	o := d.left.Logical
	if o.Lines[0].More != nil {
		o.Toggle(0)
		b.settle(t)
	}
	n := o.Lines[1]
	if n.Depth != 1 || n.At.Len < 64 || n.At.Len%32 != 0 {
		t.Fatalf("%s has %d bytes of rows", n.Path(), n.At.Len)
	}
	o.Choose(1)
	b.settle(t)
	if menu := o.Menu(1, 0); menu == nil || len(menu.Items) < 5 || menu.Items[0].Label != "Copy name" {
		t.Errorf("the menu of a sample is %+v", menu)
	}
	for row := range n.At.Len / 32 {
		d.table.Choose(row, 2)
		b.settle(t)
		if o.Current != 1 {
			t.Errorf("row %d marks line %d", row, o.Current)
		}
	}
}

// From cell to cell, the branch of one column is open at a time; one that someone opened stays.
func TestOutlineFollowsTheSelection(t *testing.T) {
	b, d := sampleBench(t, "idv/good/deflated.idv")
	o := d.left.Logical
	open := func() (names []string) {
		for _, n := range o.Lines {
			if n.Depth == 1 && n.Open {
				names = append(names, n.Label)
			}
		}
		return names
	}
	o.Toggle(int64(slices.IndexFunc(o.Lines, func(n *tree.OutlineNode) bool { return n.Label == "Byte" })))
	b.settle(t)
	for col := 1; col <= 3; col++ {
		d.table.Choose(2, col)
		b.settle(t)
		want := []string{d.table.Table.Columns[col-1].Name, "Byte"}
		if got := open(); !slices.Equal(got, want) || o.Current < 0 || !strings.HasPrefix(o.Lines[o.Current].Label, "rows 0") {
			t.Errorf("open: %v, want %v; line %d is marked", got, want, o.Current)
		}
	}
}

// A change that is looked at first leaves the tree what it was as well, also the first one of a document.
func TestOutlineStaysAfterATrial(t *testing.T) {
	b, d := sampleBench(t, "taridx/good/three-shards", "train.taridx")
	d.Sel.Path("ext[0]/name", nil)
	b.settle(t)
	d.info.EditValue()
	d.info.Value.Submit("jpeg2000")
	b.settle(t)
	if d.Preview == nil {
		t.Fatal("a longer name is not looked at first")
	}
	was := d.left.View()
	d.Preview.Decide(d.Document, true)
	for len(b.queue) > 0 || b.Pending > 0 {
		(<-b.queue)()
		if d.left.View() != was {
			t.Fatal("the tree is another one after the change was made")
		}
	}
	if d.Found.Counts()[model.Error] == 0 {
		t.Error("the edit breaks nothing: nothing is tried")
	}
}

// A tensor that is chosen in the logical view, or in the graph, has its values in the table.
func TestTensorsLeadToTheirValues(t *testing.T) {
	b, d := sampleBench(t, "safetensors/good/model.safetensors")
	o := d.left.Logical
	o.Choose(int64(slices.IndexFunc(o.Lines, func(n *tree.OutlineNode) bool { return n.Label == "ids" })))
	b.settle(t)
	if x := d.table.Table; x.Of == nil || x.Of.Name != "ids" {
		t.Errorf("the table is %s", x.Name)
	}
	b, d = sampleBench(t, "samediff/good/arrays.sdc")
	b.menus.run("graph")
	b.settle(t)
	d.graph.Find.OnSubmitted("VARIABLE")
	b.settle(t)
	if x := d.table.Table; x.Of == nil || x.Of.Name != "w" {
		t.Errorf("the table is %s", x.Name)
	}
}

// Names are whole where there is room for them beside what they are.
func TestOutlineNamesWhole(t *testing.T) {
	_, d := sampleBench(t, "gguf/good/types.gguf")
	o := d.left.Logical
	o.View.Resize(fyne.NewSize(240, 600))
	for _, n := range o.Lines {
		if need := kit.WholeColumn(n.Label) + float32(n.Depth)*13 + rows.BranchBox; need > o.ColumnWidth(0) && o.ColumnWidth(1) > kit.WholeColumn(n.Value)+1 {
			t.Errorf("%q is cut at %g units, with %g beside it", n.Label, o.ColumnWidth(0), o.ColumnWidth(1))
		}
	}
	o.Lines[0].Value = strings.Repeat("long ", 40) // as the type of a structure is
	o.View.Resize(fyne.NewSize(0, 0))              // as before it is laid out
	o.Entry.OnChanged("")
	o.View.Resize(fyne.NewSize(200, 600))
	if need := kit.WholeColumn("tensors") + rows.BranchBox; o.ColumnWidth(0) < min(need, 90) {
		t.Errorf("beside a long value names have %g units", o.ColumnWidth(0))
	}
}

// The headline has the size of all files, not of the first of them.
func TestHeadlineSize(t *testing.T) {
	_, d := sampleBench(t, "safetensors/good/checkpoint")
	if text := d.head.What.Text; !strings.Contains(text, "  ·  5 files, 830 B  ·  ") {
		t.Error(text)
	}
}
