package parsers

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"spandrel/model"
)

// check runs the rules of section 8.2 and 8.3 that need the folder's listing, sizes and small files only.
func (a *scdlArchive) check(c *model.Cursor) {
	if a.header == nil {
		c.Report(model.Diagnostic{Rule: scdl040, Span: a.root})
	} else {
		a.checkArrays(c)
	}
	if a.header == nil || !a.header.chunked {
		a.checkFiles(c)
	} else {
		a.checkChunks(c)
	}
	a.checkMembers(c)
	a.checkFeatures(c)
}

// at is a finding at a whole file.
func (a *scdlArchive) at(r *model.Rule, file string) model.Diagnostic {
	d := model.Diagnostic{Rule: r, Span: a.spans[file], Message: fmt.Sprintf("%s: %s", file, r.Title)}
	if d.Span == nil {
		d.Span = a.root
	}
	return d
}

func (a *scdlArchive) checkArrays(c *model.Cursor) {
	listed := map[string]*scdlDesc{}
	for i := range a.header.arrays {
		d := &a.header.arrays[i]
		key := d.name.Text()
		if scdlFileOf(key) == "" {
			f := model.Diagnostic{Rule: scdl041, Span: d.name.Span, Found: d.name.Value.String(), Expected: "DATA, ROWPTR, COLPTR or a neighbour array"}
			for _, k := range scdlKeys {
				if k.file == key {
					f.Fixes = []model.Fix{model.SetTo(d.name.Span, model.S(k.key))}
				}
			}
			c.Report(f)
			continue
		}
		dtype := d.dtype.Uint()
		if dtype == 8 || dtype == 9 {
			c.Report(model.Diagnostic{Rule: scdl042, Span: d.dtype.Span, Found: scdlDtypes[dtype], Fixes: a.dtypeFix(d)})
		}
		if (key == "ROWPTR" || key == "COLPTR") && dtype >= 5 && dtype <= 7 {
			c.Report(model.Diagnostic{Rule: scdl044, Span: d.dtype.Span, Found: scdlDtypes[dtype], Expected: "an unsigned integer", Fixes: a.dtypeFix(d)})
		}
		if listed[key] == nil && dtype <= 7 {
			listed[key] = d
		}
	}
	for _, k := range scdlKeys[:3] {
		if listed[k.key] == nil {
			c.Report(model.Diagnostic{Rule: scdl043, Span: a.header.count.Span, Found: k.key + " is missing"})
		}
	}
	if d, p := listed["DATA"], listed["COLPTR"]; d != nil && p != nil && d.len_.Uint() != p.len_.Uint() {
		c.Report(model.Diagnostic{Rule: scdl049, Span: p.len_.Span, Found: p.len_.Value.String(), Expected: d.len_.Value.String(), Related: []model.Range{d.len_.Range}})
	}
}

// dtypeFix offers the dtypes under which a file's size is right.
func (a *scdlArchive) dtypeFix(d *scdlDesc) (fixes []model.Fix) {
	e, ok := a.entries[scdlFileOf(d.name.Text())]
	if !ok || e.Size == 0 {
		return nil
	}
	for dtype := uint64(1); dtype <= 7; dtype++ {
		if w := scdlWidth(dtype); w > 0 && uint64(e.Size/w) == d.len_.Uint() && e.Size%w == 0 {
			fixes = append(fixes, model.Fix{Label: "set the dtype to " + scdlDtypes[dtype], Edits: []model.Edit{model.SetValue(d.dtype.Span, model.U(dtype))}})
		}
	}
	if len(fixes) == 1 {
		fixes[0].Safe = true
	}
	return fixes
}

func (a *scdlArchive) checkFiles(c *model.Cursor) {
	for i, k := range scdlKeys {
		e, ok := a.entries[k.file]
		r := a.raws[k.file]
		switch {
		case !ok && i < 3:
			d := a.at(scdl045, k.file)
			d.Message = k.file + " is missing"
			c.Report(d)
		case ok && r != nil:
			a.checkRaw(c, k.key, r, e.Size)
		}
	}
	data, col := a.raws["data.npy"], a.raws["col_ptr.npy"]
	if data != nil && col != nil && data.count != col.count && data.size%scdlWidth(data.dtype) == 0 && col.size%scdlWidth(col.dtype) == 0 {
		d := a.at(scdl049, "col_ptr.npy")
		d.Found, d.Expected = fmt.Sprintf("%d columns", col.count), fmt.Sprintf("%d, as many as values", data.count)
		c.Report(d)
	}
	for name := range a.entries {
		if strings.HasSuffix(name, ".tmp") {
			d := a.at(scdl053, name)
			d.Fixes = []model.Fix{{Label: "delete " + name, Edits: []model.Edit{{File: a.name(name), Delete: true}}}}
			c.Report(d)
		}
	}
	a.checkNeighbors(c)
}

func (a *scdlArchive) checkRaw(c *model.Cursor, key string, r *scdlRaw, size int64) {
	w := scdlWidth(r.dtype)
	if size == 0 || size%w != 0 {
		d := a.at(scdl046, r.file)
		d.Found, d.Expected = fmt.Sprintf("%d bytes", size), fmt.Sprintf("a multiple of %d", w)
		if r.desc != nil {
			d.Fixes = a.dtypeFix(r.desc)
		}
		c.Report(d)
	}
	if b := a.peek(r.file, 6); string(b) == "\x93NUMPY" {
		d := a.at(scdl048, r.file)
		if h, err := npyParse(a.peek(r.file, 1<<16)); err == nil && r.span != nil {
			d.Range = model.Range{Space: r.span.Range.Space, Len: 6}
			d.Fixes = []model.Fix{{Label: "strip the NPY header", Edits: []model.Edit{model.Replace(model.Range{Space: r.span.Range.Space, Len: h.data}, nil)}}}
		}
		c.Report(d)
	}
	if r.desc == nil {
		return
	}
	if n := r.desc.len_.Uint(); n > 1<<60 || int64(n)*w != size {
		d := model.Diagnostic{Rule: scdl047, Span: r.desc.len_.Span, Found: fmt.Sprintf("%d × %d bytes", n, w), Expected: fmt.Sprintf("%d bytes of %s", size, r.file)}
		d.Range = model.Range{Space: d.Span.Range.Space, Off: d.Span.Range.Off, Len: 12}
		d.Fixes = a.staleFix(key, r)
		c.Report(d)
	}
	if key == "ROWPTR" || key == "COLPTR" {
		if need := a.needWidth(key); need > 0 && need < w && size%w == 0 {
			c.Report(model.Diagnostic{Rule: scdl055, Span: r.desc.dtype.Span, Found: fmt.Sprintf("%d bytes", w), Expected: fmt.Sprintf("%d bytes hold every value", need)})
		}
	}
}

// needWidth returns the narrowest unsigned width for the pointers of an array, or 0 when it is not known cheaply.
func (a *scdlArchive) needWidth(key string) int64 {
	data := a.raws["data.npy"]
	if key != "ROWPTR" || data == nil {
		return 0
	}
	switch n := data.count; {
	case n < 1<<8:
		return 1
	case n < 1<<16:
		return 2
	case n < 1<<32:
		return 4
	}
	return 8
}

// staleFix repairs a header that is older than its files (section 9): the length follows the file, or the element size does,
// when the row pointers say how many values there are.
func (a *scdlArchive) staleFix(key string, r *scdlRaw) (fixes []model.Fix) {
	w := scdlWidth(r.dtype)
	nnz, known := a.last()
	switch {
	case key == "DATA" && known && nnz > 0 && r.size%nnz == 0 && r.size/nnz != w:
		for dtype := uint64(1); dtype <= 7; dtype++ {
			if scdlWidth(dtype) == r.size/nnz {
				fixes = append(fixes, model.Fix{Label: fmt.Sprintf("the header is stale after a cast: set the dtype to %s and the length to %d", scdlDtypes[dtype], nnz),
					Edits: []model.Edit{model.SetValue(r.desc.dtype.Span, model.U(dtype)), model.SetValue(r.desc.len_.Span, model.I(nnz))}})
			}
		}
	case r.size > 0 && r.size%w == 0:
		fixes = []model.Fix{model.SetTo(r.desc.len_.Span, model.I(r.size/w))}
		fixes[0].Label = fmt.Sprintf("the header is stale: set the length to %d", r.size/w)
	}
	return fixes
}

// last returns the last row pointer: the number of values.
func (a *scdlArchive) last() (int64, bool) {
	r := a.raws["row_ptr.npy"]
	if r == nil || r.count == 0 {
		return 0, false
	}
	w := scdlWidth(r.dtype)
	b := a.slice("row_ptr.npy", (r.count-1)*w, w)
	if b == nil {
		return 0, false
	}
	v, _, err := scdlCodec(r.dtype).Decode(b)
	return v.Int(), err == nil
}

// rows returns the number of cells.
func (a *scdlArchive) rows() (int64, bool) {
	if a.header != nil && a.header.chunked {
		return int64(min(a.header.rows, 1<<62)), true
	}
	r := a.raws["row_ptr.npy"]
	if r == nil || r.count == 0 || r.size%scdlWidth(r.dtype) != 0 {
		return 0, false
	}
	return r.count - 1, true
}

func (a *scdlArchive) peek(file string, n int64) []byte {
	return a.slice(file, 0, min(n, a.entries[file].Size))
}

func (a *scdlArchive) slice(file string, off, n int64) []byte {
	c, err := a.t.Snapshot.Content(a.name(file))
	if err != nil || off < 0 || n > c.Len()-off {
		return nil
	}
	b := make([]byte, n)
	if k, _ := c.ReadAt(b, off); int64(k) < n {
		return nil
	}
	return b
}

func (a *scdlArchive) checkNeighbors(c *model.Cursor) {
	ptr, idx, val := a.raws["neighbor_indptr.npy"], a.raws["neighbor_indices.npy"], a.raws["neighbor_values.npy"]
	n := 0
	for _, r := range []*scdlRaw{ptr, idx, val} {
		if r != nil {
			n++
		}
	}
	if n > 0 && n < 3 {
		c.Report(model.Diagnostic{Rule: scdl090, Span: a.root, Found: fmt.Sprintf("%d of 3", n)})
	}
	rows, ok := a.rows()
	if ptr != nil && ok && ptr.count != rows+1 {
		d := a.at(scdl091, ptr.file)
		d.Found, d.Expected = fmt.Sprint(ptr.count), fmt.Sprint(rows+1)
		c.Report(d)
	}
	if idx != nil && val != nil && idx.count != val.count {
		d := a.at(scdl093, val.file)
		d.Found, d.Expected = fmt.Sprint(val.count), fmt.Sprint(idx.count)
		c.Report(d)
	}
}

// checkMembers checks metadata.json and version.json.
func (a *scdlArchive) checkMembers(c *model.Cursor) {
	rows, known := a.rows()
	write := func(name, text string) []model.Fix {
		return []model.Fix{{Label: "write " + name, Safe: true, Edits: []model.Edit{{File: a.name(name), Create: model.Memory([]byte(text))}}}}
	}
	text := fmt.Sprintf(`{"num_rows": %d}`, rows)
	var meta map[string]any
	if b := a.read("metadata.json", jsonLimit); b == nil || json.Unmarshal(b, &meta) != nil || meta == nil {
		d := a.at(scdl050, "metadata.json")
		if known {
			d.Fixes = write("metadata.json", text)
		}
		c.Report(d)
	} else if known {
		if n, ok := meta["num_rows"].(float64); !ok || int64(n) != rows {
			d := a.at(scdl051, "metadata.json")
			d.Found, d.Expected = fmt.Sprint(meta["num_rows"]), fmt.Sprint(rows)
			if s := a.member("metadata.json", "num_rows"); s != nil && ok {
				d.Fixes = []model.Fix{model.SetTo(s, model.I(rows))}
			} else if len(meta) == 0 {
				d.Fixes = write("metadata.json", text)
			}
			c.Report(d)
		}
	}
	var version string
	if b := a.read("version.json", jsonLimit); b == nil || json.Unmarshal(b, &version) != nil {
		d := a.at(scdl052, "version.json")
		d.Fixes = write("version.json", `"0.1.3"`)
		d.Fixes[0].Safe = false
		c.Report(d)
	}
}

// member returns a field of a JSON member file, opening the file.
func (a *scdlArchive) member(file, name string) *model.Span {
	s := a.spans[file]
	if s == nil || a.t.Open(scdlBackground, s) != nil {
		return nil
	}
	return s.Get(name)
}

func (a *scdlArchive) checkChunks(c *model.Cursor) {
	h := a.header
	total := map[string]int64{}
	for i := uint64(0); i < min(h.chunks, 100_000); i++ {
		dir := fmt.Sprintf("chunk_%05d", i)
		whole := true
		for _, k := range scdlKeys[:3] {
			r := a.raws[path.Join(dir, k.file)]
			if r == nil {
				whole = false
				continue
			}
			n := r.count
			if k.key == "ROWPTR" {
				want := int64(min(h.chunkSize, h.rows-min(h.rows, i*h.chunkSize))) + 1
				if n != want {
					d := a.at(scdl101, r.file)
					d.Found, d.Expected = fmt.Sprint(n), fmt.Sprint(want)
					c.Report(d)
				}
				n--
			}
			total[k.key] += n
		}
		if !whole {
			c.Report(model.Diagnostic{Rule: scdl100, Span: a.root, Found: dir + " is missing or incomplete"})
		}
	}
	for i := range h.arrays {
		d := &h.arrays[i]
		got, ok := total[d.name.Text()]
		if d.name.Text() == "ROWPTR" {
			got++
		}
		if ok && uint64(got) != d.len_.Uint() {
			c.Report(model.Diagnostic{Rule: scdl102, Span: d.len_.Span, Found: d.len_.Value.String(), Expected: fmt.Sprint(got), Fixes: []model.Fix{model.SetTo(d.len_.Span, model.I(got))}})
		}
	}
}
