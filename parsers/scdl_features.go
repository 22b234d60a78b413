package parsers

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"spandrel/model"
)

// scdlBackground is for small reads that are not worth cancelling.
var scdlBackground = context.Background()

// scdlFeatures is what a feature folder says (section 5).
type scdlFeatures struct {
	dir     string
	genes   bool
	parquet []string
	cum     []int64
}

// features returns the gene folder and the cell folder, as far as they exist.
func (a *scdlArchive) features() (out []scdlFeatures) {
	dirs := []string{"var_features", "obs_features"}
	if !a.dirs["var_features"] && a.dirs["features"] {
		dirs[0] = "features"
	}
	for _, dir := range dirs {
		if !a.dirs[dir] {
			continue
		}
		f := scdlFeatures{dir: dir, genes: dir != "obs_features"}
		for name := range a.entries {
			if strings.HasPrefix(name, dir+"/") && strings.HasSuffix(name, ".parquet") {
				f.parquet = append(f.parquet, name)
			}
		}
		sort.Strings(f.parquet)
		if b := a.read(dir+"/cumulative_sum_index.npy", 64<<20); b != nil {
			f.cum, _ = scdlCumulative(b)
		}
		out = append(out, f)
	}
	return out
}

// scdlCumulative decodes a one-dimensional NPY of signed integers.
func scdlCumulative(b []byte) ([]int64, error) {
	h, err := npyParse(b)
	if err != nil {
		return nil, err
	}
	codec := npyCodec(h.descr)
	if len(h.shape) != 1 || codec == nil || codec.Kind() != model.Int {
		return nil, fmt.Errorf("not one-dimensional signed integers: %s", h.descr)
	}
	w := int64(codec.Size())
	if h.count > (int64(len(b))-h.data)/w {
		return nil, fmt.Errorf("%d elements declared, %d bytes are there", h.count, int64(len(b))-h.data)
	}
	out := make([]int64, h.count)
	for i := range out {
		v, _, _ := codec.Decode(b[h.data+int64(i)*w:])
		out[i] = v.Int()
	}
	return out, nil
}

// scdlWidths returns the different digit counts of block files, and whether one of them is nested.
func scdlWidths(dir string, files []string) (widths []int, nested bool) {
	for _, f := range files {
		if path.Dir(f) != dir {
			nested = true
		}
		digits := strings.TrimSuffix(strings.TrimPrefix(path.Base(f), "dataframe_"), ".parquet")
		if !slices.Contains(widths, len(digits)) {
			widths = append(widths, len(digits))
		}
	}
	return widths, nested
}

// checkFeatures runs the rules of section 8.3.
func (a *scdlArchive) checkFeatures(c *model.Cursor) {
	features := a.features()
	if !a.dirs["var_features"] && !a.dirs["features"] {
		c.Report(model.Diagnostic{Rule: scdl060, Span: a.root, Found: "neither var_features nor features"})
	}
	if a.dirs["var_features"] && a.dirs["features"] {
		c.Report(model.Diagnostic{Rule: scdl072, Span: a.root})
	}
	rows, known := a.rows()
	for _, f := range features {
		a.checkIndex(c, f, rows, known)
		a.checkLabels(c, f)
		a.checkBlocks(c, f)
	}
	if a.header == nil {
		return
	}
	for i := range a.header.fis {
		fi := &a.header.fis[i]
		dir := fi.name.Text()
		if model.Clean(dir) == nil && !a.dirs[dir] {
			c.Report(model.Diagnostic{Rule: scdl060, Span: fi.name.Span, Found: dir + " is not a folder of the archive"})
			continue
		}
		for _, f := range features {
			if f.dir == dir {
				a.checkListed(c, fi, f)
			}
		}
	}
}

func (a *scdlArchive) checkIndex(c *model.Cursor, f scdlFeatures, rows int64, known bool) {
	name := f.dir + "/cumulative_sum_index.npy"
	cum, err := scdlCumulative(a.read(name, 64<<20))
	if err != nil {
		d := a.at(scdl061, name)
		d.Found = err.Error()
		c.Report(d)
		return
	}
	elem := func(i int) *model.Span {
		s := a.spans[name]
		if s == nil || a.t.Open(scdlBackground, s) != nil || s.Get("data") == nil {
			return s
		}
		return s.Get("data").Child(int64(i))
	}
	for i, n := range cum {
		if i == 0 && n != -1 || i > 0 && (n < 0 || n < cum[i-1]) {
			d := model.Diagnostic{Rule: scdl062, Span: elem(i), Found: fmt.Sprint(n)}
			if i == 0 {
				d.Expected = "-1"
				d.Fixes = []model.Fix{model.SetTo(d.Span, model.I(-1))}
			}
			c.Report(d)
			break
		}
	}
	if len(cum) == 0 {
		d := a.at(scdl062, name)
		d.Found = "no elements"
		c.Report(d)
		return
	}
	if last := cum[len(cum)-1]; known && last != rows && (f.genes || last != -1) {
		d := model.Diagnostic{Rule: scdl067, Span: elem(len(cum) - 1), Found: fmt.Sprint(last), Expected: fmt.Sprint(rows)}
		if !f.genes {
			d.Severity = model.Warning
		}
		if len(cum) > 1 && cum[len(cum)-2] <= rows {
			d.Fixes = []model.Fix{{Label: fmt.Sprintf("set the last entry to %d", rows), Edits: []model.Edit{model.SetValue(d.Span, model.I(rows))}}}
		}
		c.Report(d)
	}
	if blocks := len(cum) - 1; blocks != len(f.parquet) {
		c.Report(model.Diagnostic{Rule: scdl063, Span: a.folder(f.dir), Found: fmt.Sprintf("%d parquet files", len(f.parquet)), Expected: fmt.Sprintf("%d blocks", blocks)})
	}
}

// folder returns the span of a sub-folder.
func (a *scdlArchive) folder(dir string) *model.Span {
	for name, s := range a.spans {
		if path.Dir(name) == dir && s != nil {
			return s.Parent()
		}
	}
	return a.root
}

func (a *scdlArchive) checkLabels(c *model.Cursor, f scdlFeatures) {
	blocks := max(0, len(f.cum)-1)
	asJSON, asNPY := f.dir+"/labels.json", f.dir+"/labels.npy"
	var labels []*string
	switch b := a.read(asJSON, jsonLimit); {
	case b != nil:
		if json.Unmarshal(b, &labels) != nil || len(labels) != blocks {
			d := a.at(scdl064, asJSON)
			d.Found, d.Expected = fmt.Sprintf("%d labels", len(labels)), fmt.Sprint(blocks)
			if len(labels) < blocks {
				for len(labels) < blocks {
					labels = append(labels, nil)
				}
				text, _ := json.Marshal(labels)
				d.Fixes = []model.Fix{{Label: "fill the labels up with null", Edits: []model.Edit{{File: a.name(asJSON), Create: model.Memory(text)}}}}
			}
			c.Report(d)
		}
	case a.entries[asNPY].Regular:
		h, err := npyParse(a.peek(asNPY, 1<<16))
		d := a.at(scdl065, asNPY)
		switch {
		case err == nil && h.descr == "|O":
			d.Severity, d.Message = model.Error, asNPY+" holds pickled objects; they are never decoded"
		case err != nil:
			d.Severity, d.Message = model.Error, asNPY+": "+err.Error()
		case h.count != int64(blocks):
			e := a.at(scdl064, asNPY)
			e.Found, e.Expected = fmt.Sprintf("%d labels", h.count), fmt.Sprint(blocks)
			c.Report(e)
		}
		if text := a.labelsJSON(asNPY, h, blocks); text != nil {
			d.Fixes = []model.Fix{{Label: "write " + asJSON, Edits: []model.Edit{{File: a.name(asJSON), Create: model.Memory(text)}}}}
		}
		c.Report(d)
	default:
		d := a.at(scdl064, asJSON)
		d.Found = "no label file"
		c.Report(d)
	}
	name := f.dir + "/version.npy"
	if h, err := npyParse(a.peek(name, 1<<16)); err != nil || len(h.shape) != 0 || !strings.HasPrefix(h.descr, "<U") {
		d := a.at(scdl066, name)
		if err != nil {
			d.Found = err.Error()
		}
		c.Report(d)
	}
}

// labelsJSON returns the labels of a legacy file as JSON, or null labels where they are pickled.
func (a *scdlArchive) labelsJSON(name string, h npyHead, blocks int) []byte {
	labels := make([]*string, blocks)
	if codec, ok := npyCodec(h.descr).(ucs4); ok && h.count == int64(blocks) {
		b := a.read(name, jsonLimit)
		for i := range labels {
			at := h.data + int64(i)*int64(codec)
			if at+int64(codec) > int64(len(b)) {
				return nil
			}
			v, _, _ := codec.Decode(b[at:])
			s := v.Text()
			labels[i] = &s
		}
	}
	text, _ := json.Marshal(labels)
	return text
}

func (a *scdlArchive) checkBlocks(c *model.Cursor, f scdlFeatures) {
	widths, nested := scdlWidths(f.dir, f.parquet)
	if len(widths) > 1 || nested {
		d := model.Diagnostic{Rule: scdl071, Span: a.folder(f.dir), Found: fmt.Sprintf("%d digit widths", len(widths))}
		want := len(fmt.Sprint(max(1, len(f.cum)-1)))
		if len(f.cum)-1 <= 10 {
			want = 1
		}
		var edits []model.Edit
		var stale []string
		for _, name := range f.parquet {
			digits := strings.TrimSuffix(strings.TrimPrefix(path.Base(name), "dataframe_"), ".parquet")
			if path.Dir(name) != f.dir || len(digits) != want {
				edits = append(edits, model.Edit{File: a.name(name), Delete: true})
				stale = append(stale, name)
			}
		}
		if len(f.parquet)-len(edits) == len(f.cum)-1 {
			d.Fixes = []model.Fix{{Label: "delete the stale " + strings.Join(stale, ", "), Edits: edits}}
		}
		c.Report(d)
	}
}

// checkListed compares a feature index of the header with its folder.
func (a *scdlArchive) checkListed(c *model.Cursor, fi *scdlFeatureIndex, f scdlFeatures) {
	if len(f.cum) > 0 {
		if last := f.cum[len(f.cum)-1]; last >= 0 && uint64(last) != fi.len_.Uint() {
			c.Report(model.Diagnostic{Rule: scdl068, Span: fi.len_.Span, Found: fi.len_.Value.String(), Expected: fmt.Sprint(last), Fixes: []model.Fix{model.SetTo(fi.len_.Span, model.I(last))}})
		}
	}
	var listed, disk []string
	for _, p := range fi.paths {
		listed = append(listed, p.Text())
	}
	for name := range a.entries {
		if strings.HasPrefix(name, f.dir+"/") {
			disk = append(disk, name)
		}
	}
	sort.Strings(disk)
	sorted := slices.Sorted(slices.Values(listed))
	if slices.Equal(sorted, disk) {
		return
	}
	d := model.Diagnostic{Rule: scdl069, Span: fi.list.Span, Found: fmt.Sprintf("%d paths", len(listed)), Expected: fmt.Sprintf("%d files", len(disk))}
	var text []byte
	for _, p := range disk {
		text = append(append(text, byte(len(p)>>24), byte(len(p)>>16), byte(len(p)>>8), byte(len(p))), p...)
	}
	d.Fixes = []model.Fix{{Label: "list the files of the folder", Safe: true, Edits: []model.Edit{
		{Range: fi.list.Range, With: model.Memory(text), Into: fi.list.Path()}, model.SetValue(fi.files.Span, model.U(uint64(len(disk))))}}}
	c.Report(d)
}
