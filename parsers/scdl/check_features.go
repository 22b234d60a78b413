package scdl

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// background is for small reads that are not worth cancelling.
var background = context.Background()

// features is what a feature folder says (section 5).
type features struct {
	dir     string
	genes   bool
	parquet []string // every Parquet file below the folder, sorted: what the reference takes for block 0, 1, 2 …
	blocks  []string // those that are meant: without the stale ones, where the numbering tells
	stale   []string
	cum     []int64
}

// rows returns which cells block k covers.
func (f *features) rows(k int) (from, to int64) { return max(0, f.cum[k]), f.cum[k+1] }

// readFolders returns the gene folder and the cell folder, as far as they exist.
func (a *archive) readFolders() (out []features) {
	dirs := []string{"var_features", "obs_features"}
	if len(a.dirs["var_features"]) == 0 && len(a.dirs["features"]) > 0 {
		dirs[0] = "features"
	}
	for _, dir := range dirs {
		if len(a.dirs[dir]) == 0 { // an empty folder is as good as none
			continue
		}
		f := features{dir: dir, genes: dir != "obs_features"}
		for _, name := range a.below(dir) {
			if strings.HasSuffix(name, ".parquet") {
				f.parquet = append(f.parquet, name)
			}
		}
		if b := a.read(dir+"/cumulative_sum_index.npy", 64<<20); b != nil {
			f.cum, _ = cumulative(b)
		}
		f.sortBlocks()
		out = append(out, f)
	}
	return out
}

// below returns the files below a folder in name order.
func (a *archive) below(dir string) []string {
	from := sort.SearchStrings(a.order, dir+"/")
	to := from
	for to < len(a.order) && strings.HasPrefix(a.order[to], dir+"/") {
		to++
	}
	return a.order[from:to]
}

// sortBlocks finds the blocks by the names that a folder of as many blocks has; the other Parquet files are stale.
func (f *features) sortBlocks() {
	f.blocks = f.parquet
	n := len(f.cum) - 1
	if n < 1 || n >= len(f.parquet) {
		return
	}
	var meant []string
	for k := range n {
		name := fmt.Sprintf("%s/dataframe_%0*d.parquet", f.dir, len(strconv.Itoa(n)), k)
		if _, ok := slices.BinarySearch(f.parquet, name); !ok {
			return
		}
		meant = append(meant, name)
	}
	f.blocks = meant
	for _, name := range f.parquet {
		if _, ok := slices.BinarySearch(meant, name); !ok {
			f.stale = append(f.stale, name)
		}
	}
}

// cumulative decodes a one-dimensional NPY of signed integers.
func cumulative(b []byte) ([]int64, error) {
	h, err := npyfile.Parse(b)
	if err != nil {
		return nil, err
	}
	codec := npyfile.CodecOf(h.Descr)
	if len(h.Shape) != 1 || codec == nil || codec.Kind() != model.Int {
		return nil, fmt.Errorf("not one-dimensional signed integers: %s", h.Descr)
	}
	w := int64(codec.Size())
	if h.Count > (int64(len(b))-h.Data)/w {
		return nil, fmt.Errorf("%d elements declared, %d bytes are there", h.Count, int64(len(b))-h.Data)
	}
	out := make([]int64, h.Count)
	for i := range out {
		v, _, _ := codec.Decode(b[h.Data+int64(i)*w:])
		out[i] = v.Int()
	}
	return out, nil
}

// widthsOf returns the different digit counts of block files, and whether one of them is nested.
func widthsOf(dir string, files []string) (widths []int, nested bool) {
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
func (a *archive) checkFeatures(c *model.Cursor) {
	if len(a.dirs["var_features"]) == 0 && len(a.dirs["features"]) == 0 {
		c.Report(model.Finding{Rule: noFolder, Span: a.root, Found: "neither var_features nor features"})
	}
	if len(a.dirs["var_features"]) > 0 && len(a.dirs["features"]) > 0 {
		c.Report(model.Finding{Rule: bothFolders, Span: a.folder("features")})
	}
	for _, dir := range []string{"var_features", "obs_features"} {
		if files, ok := a.dirs[dir]; ok && len(files) == 0 && !a.emptied(dir) {
			c.Wrong(badIndex, a.root, dir+" is an empty folder", nil,
				model.Saying("%s is empty: readers open it because it is there, and refuse the archive", dir))
		}
	}
	rows, known := a.rows()
	for _, f := range a.folders {
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
		if model.Clean(dir) != nil {
			continue
		}
		if len(a.dirs[dir]) == 0 {
			c.Report(model.Finding{Rule: noFolder, Span: fi.name.Span, Found: dir + " is not a folder of the archive"})
			continue
		}
		a.checkListed(c, fi, dir)
	}
}

// emptied tells whether the files of a folder are gone by an edit: the folder goes with them when that is saved.
func (a *archive) emptied(dir string) bool {
	return slices.ContainsFunc(a.t.Snapshot.Edited(), func(name string) bool { return strings.HasPrefix(name, a.name(dir)+"/") })
}

func (a *archive) checkIndex(c *model.Cursor, f features, rows int64, known bool) {
	name := f.dir + "/cumulative_sum_index.npy"
	cum, err := cumulative(a.read(name, 64<<20))
	if err != nil {
		d := a.at(badIndex, name)
		d.Found = err.Error()
		c.Report(d)
		return
	}
	elem := func(i int) *model.Span {
		s := a.spans[name]
		if s == nil || a.t.Open(background, s) != nil || s.Get("data") == nil {
			return s
		}
		return s.Get("data").Child(int64(i))
	}
	for i, n := range cum {
		if i == 0 && n != -1 || i > 0 && (n < 0 || n < cum[i-1]) {
			d := model.Finding{Rule: indexOrder, Span: elem(i), Found: fmt.Sprint(n)}
			if i == 0 {
				d.Expected = "-1"
				if d.Span.Shape == model.Leaf {
					d.Fixes = []model.Fix{model.SetTo(d.Span, model.I(-1))}
				}
			}
			c.Report(d)
			break
		}
	}
	if len(cum) == 0 {
		d := a.at(indexOrder, name)
		d.Found = "no elements"
		c.Report(d)
		return
	}
	if last := cum[len(cum)-1]; known && last != rows && len(cum) > 1 {
		d := model.Finding{Rule: indexEnd, Span: elem(len(cum) - 1), Found: fmt.Sprint(last), Expected: fmt.Sprint(rows)}
		if !f.genes {
			d.Severity = model.Warning
		}
		if cum[len(cum)-2] <= rows && d.Span.Shape == model.Leaf {
			d.Fixes = []model.Fix{{Label: fmt.Sprintf("set the last entry to %d", rows), Edits: []model.Edit{model.SetValue(d.Span, model.I(rows))}}}
		}
		c.Report(d)
	}
	if blocks := len(cum) - 1; blocks != len(f.parquet) {
		c.Report(model.Finding{Rule: blockCount, Span: a.folder(f.dir), Found: fmt.Sprintf("%d parquet files", len(f.parquet)),
			Expected: fmt.Sprintf("%d blocks", blocks)})
	}
}

// folder returns the span of a sub-folder.
func (a *archive) folder(dir string) *model.Span {
	if s := a.spans[dir]; s != nil {
		return s
	}
	return a.root
}

func (a *archive) checkLabels(c *model.Cursor, f features) {
	blocks := max(0, len(f.cum)-1)
	asJSON, asNPY := f.dir+"/labels.json", f.dir+"/labels.npy"
	write := func(label string, labels []*string) []model.Fix {
		text, _ := json.Marshal(labels)
		return []model.Fix{{Label: label, Edits: a.create(f.dir, asJSON, text)}}
	}
	var labels []*string
	switch b := a.read(asJSON, jsonLimit); {
	case a.entries[asJSON].Regular:
		d := a.at(badLabels, asJSON)
		d.Found, d.Expected = "no list of texts", fmt.Sprintf("%d labels", blocks)
		if err := parseJSON(b, &labels); err == nil {
			d.Found = fmt.Sprintf("%d labels", len(labels))
			if len(labels) == blocks || len(f.cum) == 0 { // or nobody knows how many blocks there are
				break
			}
			if missing := blocks - len(labels); missing > 0 {
				d.Fixes = write("fill the labels up with null", append(labels, make([]*string, missing)...))
			}
		}
		c.Report(d)
	case a.entries[asNPY].Regular:
		a.checkOldLabels(c, f, asNPY, write)
	default:
		d := a.at(badLabels, asJSON)
		d.Found, d.Fixes = "no label file", write("write "+asJSON+" with null labels", make([]*string, blocks))
		c.Report(d)
	}
	name := f.dir + "/version.npy"
	if h, err := npyfile.Parse(a.peek(name, 1<<16)); err != nil || len(h.Shape) != 0 || !strings.HasPrefix(h.Descr, "<U") {
		d := a.at(folderVersion, name)
		if err != nil {
			d.Found = err.Error()
		}
		d.Fixes = []model.Fix{{Label: "write " + name, Edits: a.create(f.dir, name, npyfile.Text("0.1.3"))}}
		c.Report(d)
	}
}

// create makes a file of a feature folder, and lists it in the header where the folder's other files are.
func (a *archive) create(dir, file string, b []byte) []model.Edit {
	edits := []model.Edit{model.FileEdit{File: a.name(file), Create: model.Memory(b)}}
	if a.header == nil {
		return edits
	}
	for i := range a.header.fis {
		fi := &a.header.fis[i]
		if fi.name.Text() == dir && !slices.ContainsFunc(fi.paths, func(p model.Node) bool { return p.Text() == file }) {
			w := &writer{}
			w.text(file)
			edits = append(edits, appendTo(fi.list.Span, w.b), model.SetValue(fi.files.Span, model.U(uint64(len(fi.paths)+1))))
		}
	}
	return edits
}

// checkOldLabels checks labels.npy, which releases before April 2026 wrote; with a null label it is a pickle.
func (a *archive) checkOldLabels(c *model.Cursor, f features, name string, write func(string, []*string) []model.Fix) {
	blocks := max(0, len(f.cum)-1)
	h, err := npyfile.Parse(a.peek(name, 1<<16))
	d := a.at(oldLabels, name)
	if err == nil && d.Span != a.root {
		d.Range = model.Range{Space: d.Span.Range.Space, Off: h.Data, Len: max(0, d.Span.Range.Len-h.Data)}
	}
	switch {
	case err == nil && h.Descr == "|O":
		d.Severity, d.Message = model.Error, name+" holds pickled objects; they are never decoded"
	case err != nil:
		d.Severity, d.Message = model.Error, name+": "+err.Error()
	case h.Count != int64(blocks) && len(f.cum) > 0:
		e := a.at(badLabels, name)
		e.Found, e.Expected = fmt.Sprintf("%d labels", h.Count), fmt.Sprint(blocks)
		c.Report(e)
	}
	d.Fixes = write("write labels.json beside "+name, a.oldLabels(name, h, blocks))
	c.Report(d)
}

// oldLabels returns the labels of a legacy file, or null labels where they are pickled or not one a block.
func (a *archive) oldLabels(name string, h npyfile.Head, blocks int) []*string {
	labels := make([]*string, blocks)
	codec, ok := npyfile.CodecOf(h.Descr).(npyfile.Ucs4)
	b := a.read(name, jsonLimit)
	if !ok || h.Count != int64(blocks) || h.Count > (int64(len(b))-h.Data)/int64(codec) {
		return labels
	}
	for i := range labels {
		v, _, _ := codec.Decode(b[h.Data+int64(i)*int64(codec):])
		s := v.Text()
		labels[i] = &s
	}
	return labels
}

func (a *archive) checkBlocks(c *model.Cursor, f features) {
	widths, nested := widthsOf(f.dir, f.parquet)
	if len(widths) > 1 || nested {
		d := model.Finding{Rule: staleTables, Span: a.folder(f.dir), Found: fmt.Sprintf("%d digit widths", len(widths))}
		if len(f.stale) > 0 {
			d.Message = "stale block files: the number of blocks got another digit, and the old files stayed; the reference reads them as blocks " +
				"and shifts those behind"
			fix := model.Fix{Label: "delete the stale " + shorten(f.stale)}
			for _, name := range f.stale {
				fix.Edits = append(fix.Edits, model.FileEdit{File: a.name(name), Delete: true})
			}
			d.Fixes = []model.Fix{fix}
		}
		c.Report(d)
	}
}

// shorten lists names, but not too many.
func shorten(names []string) string {
	if len(names) > 4 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

// checkListed compares a feature index of the header with its folder.
func (a *archive) checkListed(c *model.Cursor, fi *featureIndex, dir string) {
	for _, f := range a.folders {
		if f.dir == dir && len(f.cum) > 1 {
			if last := f.cum[len(f.cum)-1]; last >= 0 && uint64(last) != fi.len_.Uint() {
				fix := model.SetTo(fi.len_.Span, model.I(last))
				rows, known := a.rows()
				fix.Safe = known && rows == last
				c.Report(model.Finding{Rule: folderLength, Span: fi.len_.Span, Found: fi.len_.Value.String(), Expected: fmt.Sprint(last),
					Fixes: []model.Fix{fix}})
			}
		}
	}
	var listed []string
	for _, p := range fi.paths {
		listed = append(listed, p.Text())
	}
	disk := a.below(dir)
	sorted := slices.Sorted(slices.Values(listed))
	if slices.Equal(sorted, disk) {
		return
	}
	d := model.Finding{Rule: fileList, Span: fi.span, Found: fmt.Sprintf("%d paths", len(listed)), Expected: fmt.Sprintf("%d files",
		len(disk))}
	var text []byte
	for _, p := range disk {
		text = append(append(text, byte(len(p)>>24), byte(len(p)>>16), byte(len(p)>>8), byte(len(p))), p...)
	}
	stale := slices.ContainsFunc(a.folders, func(f features) bool { return f.dir == dir && len(f.stale) > 0 })
	d.Fixes = []model.Fix{{Label: "list the files of the folder", Safe: !stale, Edits: []model.Edit{
		model.Splice{Range: fi.list.Range, With: model.Memory(text), Into: fi.list.Path()}, model.SetValue(fi.files.Span,
			model.U(uint64(len(disk))))}}}
	c.Report(d)
}
