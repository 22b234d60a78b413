package facts

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/bench"
	"spandrel/ui/doc"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

func said(p *Pane) string {
	var out []string
	for _, f := range p.Facts {
		out = append(out, strings.TrimSpace(f.Label+" "+f.Text))
	}
	return strings.Join(out, "\n")
}

// The document as a whole has a card; its bytes are read as numbers only where one of them is selected.
func TestCard(t *testing.T) {
	for path, want := range map[string][]string{
		"npy/good/matrix.npy":                       {"DOCUMENT", "kind NumPy array", "shape [2, 3], 6 values", "read by numpy 1.0.5 and later (format 1)", "order the last index changes fastest (C)", "types f32", "size 152 bytes", "checksums none found", "VALUES", "min 0", "mean 1.25", "max 2.5"},
		"idv/good/deflated.idv":                     {"version 1.1.1.6", "read by ML.NET, with readers of format 1.1.1.6 and later", "shape 8 rows × 20 columns", "FIRST ROW", "SByte -68", "Text \"\"", "and 4 more columns"},
		"safetensors/good/small-floats.safetensors": {"shape 9 tensors", "types F8_E4M3FNUZ, F8_E5M2FNUZ"},
		"idv/bad/016-unused.idv":                    {"FIRST ROWS c\n0 7\n1 0"},
		"idv/bad/008-negative-rows.idv":             {"reader ML.NET refuses this file: \"Row count cannot be negative\""},
		"npy/good/arrays.npz":                       {"shape 2 arrays, 10 values", "types f32, i32", "checksums 4 × CRC-32", "FIRST ROWS descr · shape", "weights.npy <f4 · 2, 3"},
		"tiledb/good/sparse-v23":                    {"read by TileDB 2.31 and later", "made of 1 dimension, 2 attributes, 1 fragment"},
		"tiledb/good/sparse-v22":                    {"n · word · part · day", "0 -30 · \"\" · 0 · 2022-01-08"},
		"gguf/good/types.gguf":                      {"architecture "},
		"taridx/good/three-shards":                  {"size 4 files"},
		"tar/good/pax.tar":                          {"shape 2 members", "ключ.txt file · 1 · 2023-11-14 22:13:20"},
	} {
		b, d, p := shown(t, bench.Sample(t, path))
		text := said(p)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in\n%s", path, w, text)
			}
		}
		if strings.Contains(text+"\n", "·\n") {
			t.Errorf("%s: something follows the last value: %s", path, text)
		}
		if slices.ContainsFunc(p.Lines, func(f Fact) bool { return f.Heading && f.Text != "" && !p.beside(f.Label) }) {
			t.Errorf("%s: the heading of the first rows is cut", path)
		}
		if strings.Contains(text, "BYTES AS") {
			t.Errorf("%s: bytes of the whole as numbers", path)
		}
		if d.Tree().Root.Range.Space == model.NoSpace {
			continue
		}
		d.Sel.Bytes(model.Range{Space: d.Tree().Root.Range.Space, Off: 1, Len: 1}, nil)
		b.Settle(t)
		if text := said(p); !strings.Contains(text, "BYTES AS") || strings.Contains(text, "DOCUMENT") {
			t.Errorf("%s: of a byte: %s", path, text)
		}
		if first := d.Tree().Root.Child(0); first.Shape != model.Leaf && first.Range.Len > mostRead {
			d.Sel.Set(doc.Selection{Span: first})
			b.Settle(t)
			if text := said(p); strings.Contains(text, "BYTES AS") {
				t.Errorf("%s: of all of %s: %s", path, first.Path(), text)
			}
		}
	}
}

// A histogram counts all values, and those that are none apart.
func TestSpread(t *testing.T) {
	tab := model.Table{Rows: 3 * model.SpreadMost, Columns: model.Columns("value u64")}
	tab.Read = model.RowsOf(tab.Rows, func(ctx context.Context, i int64) (model.Row, error) {
		return model.Row{{Value: model.U(uint64(i % 100))}}, nil
	})
	s, err := model.SpreadOf(t.Context(), &tab, 0, model.SpreadMost, nil)
	if err != nil || s.Min != 0 || s.Max != 99 || s.Read > 2*model.SpreadMost || s.Of != tab.Rows {
		t.Fatalf("%+v %v", s, err)
	}
	n := int64(0)
	counts, wide := s.Histogram(10)
	if wide != 10 || len(counts) != 10 {
		t.Errorf("100 integers are in %d ranges of %g", len(counts), wide)
	}
	for _, k := range counts {
		if n += k; k == 0 {
			t.Error("an empty range")
		}
	}
	if n == 0 {
		t.Error("nothing is counted")
	}
}

// What speaks for a cause and against it is folded below it: a click shows it, another hides it.
func TestReasonsAreFolded(t *testing.T) {
	_, _, p := open(t, bench.ToyFile(t, 10))
	p.Facts = []Fact{{Label: "why", Text: "reasons", fold: []string{"for it", "against it"}}}
	for _, want := range []int{1, 3, 1} {
		p.Show(0, 0)
		if len(p.Lines) != want {
			t.Errorf("%d lines, not %d", len(p.Lines), want)
		}
		p.followLink(0)
	}
}

// No label is cut: those that have no room beside their texts stand above them.
func TestLabelsWhole(t *testing.T) {
	_, _, p := shown(t, bench.Sample(t, "gguf/good/types.gguf"))
	for _, width := range []float32{500, 350, 220} {
		p.View.Resize(fyne.NewSize(width, 600))
		p.Show(0, 0)
		a, said := paint.AtlasAt(p.View.Scale), ""
		for i, f := range p.Lines {
			cells, _ := p.Line(int64(i))
			if said += f.Label + "\n"; f.Label != "" && !cells[0].Wide && float32(a.Text.Width(f.Label))/a.Scale > p.ColumnWidth(0)-2*rows.CellPad {
				t.Errorf("%g units: %q is cut", width, f.Label)
			}
		}
		if !strings.Contains(said, "number.float32\n") || !strings.Contains(said, "architecture\n") {
			t.Errorf("%g units: %s", width, said)
		}
	}
}

// The ranges of integers begin at integers, whatever their number.
func TestHistogramOfIntegers(t *testing.T) {
	tab := model.Table{Rows: 5, Columns: model.Columns("value u64")}
	tab.Read = model.RowsOf(tab.Rows, func(ctx context.Context, i int64) (model.Row, error) {
		return model.Row{{Value: model.U(uint64(3 + i))}}, nil
	})
	s, err := model.SpreadOf(t.Context(), &tab, 0, model.SpreadMost, nil)
	if counts, wide := s.Histogram(3); err != nil || wide != 2 || fmt.Sprint(counts) != "[2 2 1]" {
		t.Errorf("%v of %g, %v", counts, wide, err)
	}
}

// A histogram over both sides of zero begins a range at zero, not at what rounding leaves of it.
func TestHistogramZero(t *testing.T) {
	values := []float64{-0.99988306, 0.9998839, 0.5}
	tab := model.Table{Rows: 3, Columns: model.Columns("value f64"), Tensor: &model.Tensor{Shape: []int64{3}}}
	tab.Read = model.RowsOf(tab.Rows, func(_ context.Context, i int64) (model.Row, error) {
		return model.Row{{Value: model.F(values[i])}}, nil
	})
	var labels []string
	for _, f := range spreadFacts(t.Context(), &tab, model.SpreadMost) {
		labels = append(labels, f.Label)
	}
	if !slices.Contains(labels, "0") {
		t.Error(labels)
	}
}

// The size of a folder counts files that no one has opened.
func TestCardSizesTheFolder(t *testing.T) {
	dir := bench.CopySample(t, "tiledb/good/sparse-v23")
	if err := os.MkdirAll(filepath.Join(dir, "member", "__group"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "member", "__group", "unread"), make([]byte, 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	var count, size int64
	err := filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			st, err := e.Info()
			count, size = count+1, size+st.Size()
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	_, _, p := shown(t, bench.At(t, dir))
	if want := fmt.Sprintf("size %d files, %s bytes", count, model.Thousands(size)); !strings.Contains(said(p), want) {
		t.Errorf("no %q in\n%s", want, said(p))
	}
}

// A cell without a value is shown as in the table, not as an empty text.
func TestCardOfMissingCell(t *testing.T) {
	tab := model.Table{Columns: model.Columns("name utf8, node utf8")}
	row := model.Row{{Value: model.S("")}, {}}
	if got := firstRow(&tab, row, []int{0, 1}); got[1].Text != `""` || got[2].Text != "–" {
		t.Errorf("%+v", got)
	}
}
