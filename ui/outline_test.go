package ui

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/parsers"
)

// A model opens on what it means: inputs, operations with what they take and make, values, outputs; a switch leads to the bytes in their
// order. Both are the same selection, and the details say what is known of an operation.
func TestOutlineOfAModel(t *testing.T) {
	b, toyDoc := newWindowBench(t, toyFile(t, 1))
	b.formats = parsers.All()
	b.close(toyDoc.Document)
	b.files.show("../testdata/samediff/good/inline.fb")
	b.settle(t)
	d := sidesOf(b.current)
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
