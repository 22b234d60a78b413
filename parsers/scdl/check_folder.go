package scdl

import (
	"fmt"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// check runs the rules of section 8.2 and 8.3 that need the folder's listing, sizes and small files only.
func (a *archive) check(c *model.Cursor) {
	if a.header == nil {
		d := model.Finding{Rule: noHeader, Span: a.root}
		if a.dirs["header.sch"] != nil {
			d.Message = "header.sch is not a file"
		}
		c.Report(d)
	} else {
		a.checkArrays(c)
	}
	if a.header == nil || !a.header.chunked {
		a.checkFiles(c)
	} else {
		a.checkChunks(c)
	}
	a.checkOthers(c)
	a.checkMembers(c)
	a.checkFeatures(c)
}

// at is a finding at a whole file.
func (a *archive) at(r *model.Rule, file string) model.Finding {
	d := model.Finding{Rule: r, Span: a.spans[file], Message: fmt.Sprintf("%s: %s", file, r.Title)}
	if d.Span == nil {
		d.Span = a.root
	}
	return d
}

func (a *archive) checkArrays(c *model.Cursor) {
	listed := map[string]*desc{}
	for i := range a.header.arrays {
		d := &a.header.arrays[i]
		key := d.name.Text()
		if fileOf(key) == "" {
			f := model.Finding{Rule: unknownArray, Span: d.name.Span, Found: d.name.Value.String(),
				Expected: "DATA, ROWPTR, COLPTR or a neighbour array"}
			for _, k := range keys {
				if k.file == key {
					f.Fixes = []model.Fix{model.SetTo(d.name.Span, model.S(k.key))}
				}
			}
			c.Report(f)
			continue
		}
		dtype := d.dtype.Uint()
		if dtype == 8 || dtype == 9 {
			c.Report(model.Finding{Rule: textArray, Span: d.dtype.Span, Found: dtypes[dtype], About: judged{a, d}})
		}
		if (key == "ROWPTR" || key == "COLPTR") && dtype >= 5 && dtype <= 7 {
			c.Report(model.Finding{Rule: signedPointer, Span: d.dtype.Span, Found: dtypes[dtype], Expected: "an unsigned integer",
				About: judged{a, d}})
		}
		if listed[key] == nil && dtype <= 7 {
			listed[key] = d
		}
	}
	for _, k := range keys[:3] {
		if listed[k.key] == nil {
			c.Report(model.Finding{Rule: unlistedArray, Span: a.header.count.Span, Found: k.key + " is missing", About: unlisted{a, k.key}})
		}
	}
	if d, p := listed["DATA"], listed["COLPTR"]; d != nil && p != nil && d.len_.Uint() != p.len_.Uint() {
		c.Wrong(valueCount, p.len_, nil, d.len_.Value.String(), model.Beside(d.len_))
	}
}

// unlisted is a main array that the header does not list.
type unlisted struct {
	a   *archive
	key string
}

// addFix offers the descriptor of a main array that is not listed, when the files say what it must be.
func (a *archive) addFix(key string) (fixes []model.Fix) {
	list := a.header.list.Span
	fits := a.fits()
	if list == nil || len(fits) != 1 || !a.header.whole || a.desc(key) != nil || a.desc(fileOf(key)) != nil {
		return nil
	}
	width, n := fits[0].width(key)
	for _, t := range ofWidth(width, key != "DATA") {
		w := &writer{}
		w.desc(key, uint64(n), uint32(t))
		w.shape(nil)
		fixes = append(fixes, model.Fix{Label: fmt.Sprintf("add %s: %d × %s", key, n, dtypes[t]), Edits: []model.Edit{appendTo(list, w.b)}})
	}
	return fixes
}

func (a *archive) checkFiles(c *model.Cursor) {
	for i, k := range keys {
		e, ok := a.entries[k.file]
		r := a.raws[k.file]
		switch {
		case !ok && i < 3:
			d := a.at(missingArray, k.file)
			d.Message = k.file + " is missing"
			if a.dirs[k.file] != nil {
				d.Message = k.file + " is a folder, not a file"
			}
			c.Report(d)
		case ok && r != nil:
			a.checkRaw(c, r, e.Size)
			a.checkDesc(c, k.key, r, e.Size)
		}
	}
	ptr, data, col := a.raws["row_ptr.npy"], a.raws["data.npy"], a.raws["col_ptr.npy"]
	if data.whole() && col.whole() && data.count != col.count && !data.cut && !col.cut && data.desc != nil && col.desc != nil {
		d := a.at(valueCount, "col_ptr.npy")
		d.Found, d.Expected = fmt.Sprintf("%d columns", col.count), fmt.Sprintf("%d, as many as values", data.count)
		c.Report(d)
	}
	if !ptr.lost() && !data.lost() {
		a.checkEnds(c, ptr, data)
	}
}

// checkOthers checks what may lie beside the matrix: leftovers (053) and neighbours.
func (a *archive) checkOthers(c *model.Cursor) {
	for _, name := range a.order {
		if strings.HasSuffix(name, ".tmp") {
			d := a.at(leftover, name)
			d.Fixes = []model.Fix{{Label: "delete " + name, Edits: []model.Edit{model.FileEdit{File: a.name(name), Delete: true}}}}
			c.Report(d)
		}
	}
	a.checkNeighbors(c)
}

// checkRaw checks an array file alone: its size (046), and that it is no NPY (048).
func (a *archive) checkRaw(c *model.Cursor, r *rawArray, size int64) {
	w := widthOf(r.dtype)
	if size == 0 || size%w != 0 {
		d := a.at(partialElement, r.file)
		d.Found, d.Expected = fmt.Sprintf("%d bytes", size), fmt.Sprintf("a multiple of %d", w)
		if r.desc != nil {
			d.About = judged{a, r.desc}
			if v := a.judge(r.desc); v.cut {
				r.cut, d.Message = true, v.text
			}
		}
		c.Report(d)
	}
	if b := a.peek(r.file, 6); string(b) == "\x93NUMPY" {
		d := a.at(npyHeader, r.file)
		if h, err := npyfile.Parse(a.peek(r.file, 1<<16)); err == nil && r.span != nil {
			d.Range = model.Range{Space: r.span.Range.Space, Len: 6}
			safe := r.desc != nil && r.size-h.Data == int64(min(r.desc.len_.Uint(), 1<<50))*w
			d.Fixes = []model.Fix{{Label: "strip the NPY header", Safe: safe,
				Edits: []model.Edit{model.Replace(model.Range{Space: r.span.Range.Space, Len: h.Data}, nil)}}}
		}
		c.Report(d)
	}
}

// checkDesc compares an array file with its descriptor (047, 055).
func (a *archive) checkDesc(c *model.Cursor, key string, r *rawArray, size int64) {
	if r.desc == nil {
		return
	}
	w := widthOf(r.dtype)
	if n := r.desc.len_.Uint(); n > 1<<60 || int64(n)*w != size {
		v := a.judge(r.desc)
		r.cut = v.cut
		at := model.Spot{Span: r.desc.len_.Span, Range: model.Range{Space: r.desc.len_.Span.Range.Space, Off: r.desc.len_.Span.Range.Off,
			Len: 12}}
		more := []model.Detail{model.About(judged{a, r.desc})}
		if v.text != "" {
			more = append(more, model.Saying("%s", v.text))
		}
		c.Wrong(arrayLength, at, fmt.Sprintf("%d × %d bytes", n, w), fmt.Sprintf("%d bytes of %s", size, r.file), more...)
	}
	if need := a.needWidth(key); need > 0 && need < w && r.whole() {
		c.Report(model.Finding{Rule: wideType, Span: r.desc.dtype.Span, Found: dtypes[r.dtype],
			Expected: fmt.Sprintf("%d bytes hold every pointer", need)})
	}
}

// checkEnds reads the first and the last row pointer (080, 082).
func (a *archive) checkEnds(c *model.Cursor, ptr, data *rawArray) {
	if !unsigned(ptr) || !ptr.whole() {
		return
	}
	w := widthOf(ptr.dtype)
	first, last := a.slice(ptr.file, 0, w), a.slice(ptr.file, (ptr.count-1)*w, w)
	if first == nil || last == nil {
		return
	}
	values := ptr.span.Range.Space
	if n := numbers(nil, first, w)[0]; n != 0 {
		c.Report(model.Finding{Rule: firstPointer, Span: ptr.span, Range: model.Range{Space: values, Len: w}, Found: fmt.Sprint(n),
			Expected: "0"})
	}
	if n := numbers(nil, last, w)[0]; data.whole() && n != uint64(data.count) {
		d := model.Finding{Rule: lastPointer, Span: ptr.span, Range: model.Range{Space: values, Off: (ptr.count - 1) * w, Len: w},
			Found: fmt.Sprint(n), Expected: fmt.Sprint(data.count)}
		if w > 1 && a.swappedEnds(ptr, data) {
			d.Message, d.About = "the last row pointer is the number of values only when it is read big-endian", a
		}
		c.Report(d)
	}
}

// needWidth returns the narrowest unsigned width for row pointers, or 0 for other arrays and when it is not known.
func (a *archive) needWidth(key string) int64 {
	data := a.raws["data.npy"]
	if key != "ROWPTR" || !data.whole() {
		return 0
	}
	for w := int64(1); w < 8; w *= 2 {
		if data.count < 1<<(8*w) {
			return w
		}
	}
	return 8
}

// rows returns the number of cells.
func (a *archive) rows() (int64, bool) {
	if a.header != nil && a.header.chunked {
		return int64(min(a.header.rows, 1<<62)), true
	}
	r := a.raws["row_ptr.npy"]
	if r == nil || r.count == 0 || r.size%widthOf(r.dtype) != 0 {
		return 0, false
	}
	return r.count - 1, true
}

func (a *archive) peek(file string, n int64) []byte {
	return a.slice(file, 0, min(n, a.entries[file].Size))
}

func (a *archive) slice(file string, off, n int64) []byte {
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

func (a *archive) checkNeighbors(c *model.Cursor) {
	ptr, idx, val := a.raws["neighbor_indptr.npy"], a.raws["neighbor_indices.npy"], a.raws["neighbor_values.npy"]
	n := 0
	for _, r := range []*rawArray{ptr, idx, val} {
		if r != nil {
			n++
		}
	}
	if n > 0 && n < 3 {
		c.Report(model.Finding{Rule: someNeighbors, Span: a.root, Found: fmt.Sprintf("%d of 3", n)})
	}
	rows, ok := a.rows()
	if ptr != nil && ok && ptr.count != rows+1 {
		d := a.at(neighborRows, ptr.file)
		d.Found, d.Expected = fmt.Sprint(ptr.count), fmt.Sprint(rows+1)
		c.Report(d)
	}
	if idx.whole() && val.whole() && idx.count != val.count {
		d := a.at(neighborValues, val.file)
		d.Found, d.Expected = fmt.Sprint(val.count), fmt.Sprint(idx.count)
		c.Report(d)
	}
}
