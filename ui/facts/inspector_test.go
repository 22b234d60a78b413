package facts

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/doc"
	"spandrel/ui/show"
)

// open shows the pane alone, of a file.
func open(t testing.TB, path string) (*bench.Bench, *doc.Document, *Pane) {
	t.Helper()
	return shown(t, bench.Open(t, path))
}

func shown(t testing.TB, b *bench.Bench) (*bench.Bench, *doc.Document, *Pane) {
	t.Helper()
	p := New(b.Doc)
	b.Show(t, p, p.Object)
	return b, b.Doc, p
}

func TestInterpret(t *testing.T) {
	got := map[string]string{}
	for _, f := range interpret([]byte{0xff, 0x3c, 0x80, 0x3f, 0, 0, 0xf0, 0x3f}, false) {
		got[f.Label] = strings.TrimSuffix(f.Text+"  BE "+f.Other, "  BE ")
	}
	for label, want := range map[string]string{"u8": "255  0xff  0b11111111", "i8": "-1", "u16": "15615  BE 65340", "i16": "15615  BE -196",
		"uleb128": "7807  (2 bytes)", "sleb128": "7807", "utf-8": "not valid"} {
		if got[label] != want {
			t.Errorf("%s: %q, want %q", label, got[label], want)
		}
	}
	if len(interpret([]byte{1}, true)) == 0 {
		t.Error("one byte says nothing")
	}
	for u, want := range map[uint16]float64{0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 1: 0x1p-24, 0xfc00: math.Inf(-1)} {
		if got, _, _ := model.F16LE.Decode(binary.LittleEndian.AppendUint16(nil, u)); got.Float() != want {
			t.Errorf("half %04x: %g, want %g", u, got.Float(), want)
		}
	}
	if show.Sleb([]byte{0x7f}) != -1 || show.Sleb([]byte{0x80, 0x7f}) != -128 {
		t.Error("signed LEB128")
	}
}

// Both byte orders stand side by side in a narrow pane too: a long value is broken in its column.
func TestByteOrdersSideBySide(t *testing.T) {
	_, _, p := open(t, bench.ToyFile(t, 100))
	n := p
	n.Facts = []Fact{{Label: "u64", Text: "4503599627370496", Other: "72057594037931008"}, {Label: "u16", Text: "1", Other: "256"}}
	for _, width := range []float32{500, 260, 200} {
		n.View.Resize(fyne.NewSize(width, 400))
		n.Show(0, 0)
		whole := map[string]bool{}
		for _, l := range n.Lines {
			whole[l.Text], whole[l.Other] = true, true
		}
		for _, f := range n.Facts {
			if !whole[f.Text] || !whole[f.Other] {
				t.Errorf("%v units: %s and %s are broken: %+v", width, f.Text, f.Other, n.Lines)
			}
		}
		if most := n.Columns[0].Width + 2*n.Columns[1].Width; most > width {
			t.Errorf("columns of %v units in %v", most, width)
		}
	}
}

// A long text stands below its label in a narrow pane, and beside it in another.
func TestLongFactsStandBelow(t *testing.T) {
	_, _, p := open(t, bench.ToyFile(t, 100))
	n := p
	long := strings.Repeat("a sentence of some words ", 8)
	n.Facts = []Fact{{Label: "why", Text: long}, {Text: long}, {Text: "short"}, {Label: "size", Text: "4 bytes"}}
	for width, below := range map[float32]bool{190: true, 700: false} {
		n.View.Resize(fyne.NewSize(width, 400))
		n.Show(0, 0)
		if got := n.Lines[1].under; got != below || n.Lines[len(n.Lines)-1].under {
			t.Errorf("%v units: below its label: %v; %+v", width, got, n.Lines)
		}
		if got := n.Lines[len(n.Lines)-2]; got.Text != "short" || got.under != below {
			t.Errorf("%v units: what goes on with it is below: %v", width, got.under)
		}
		if slices.ContainsFunc(n.Lines, func(f Fact) bool { return f.Label == "" && f.Text == "" }) {
			t.Errorf("%v units: an empty line stands between two texts of one label: %+v", width, n.Lines)
		}
	}
}

// What a field refers to is called the same, whatever was opened before: the field that the bytes are in, not one around it that is known by now.
func TestRelationsAreTheSameBeforeAndAfter(t *testing.T) {
	b, d, p := shown(t, bench.Sample(t, "taridx/good/three-shards", "train.taridx"))
	place := func() string {
		d.Sel.Path("rows[3]/offset", nil)
		b.Settle(t)
		for _, f := range p.Facts {
			if f.Label == "refers to" {
				return f.Text
			}
		}
		return ""
	}
	fresh := place()
	d.Sel.Path("train_0000.tar/members[3]/header", nil)
	b.Settle(t)
	d.Sel.Path("train_0000.tar/members[3]/data", nil)
	b.Settle(t)
	if after := place(); fresh != after || !strings.Contains(fresh, "members[3]") {
		t.Errorf("%q before the shard was opened, %q after", fresh, after)
	}
}

// Bytes are edited whole: what is not changed is no error.
func TestBytesAreEditedWhole(t *testing.T) {
	b := bench.Sample(t, "idv/good/stored.idv")
	b, d, p := shown(t, b)
	d.Editor.SetLocked(false)
	d.Sel.Path("header/unused", nil)
	b.Settle(t)
	text := p.Value.Entry.Text
	if p.Value.Entry.Hidden || len(text) != 2*204 {
		t.Fatalf("%d digits of 204 bytes", len(text))
	}
	p.Value.Submit("01" + text[2:])
	b.Settle(t)
	if v, err := d.Tree().Value(t.Context(), d.Sel.Now.Span); err != nil || v.JSON() != "01"+text[2:] {
		t.Errorf("%v: %v", v, err)
	}
}
