package scdl

import (
	"fmt"
	"strings"

	"spandrel/model"
)

// foreign says how a complete header contradicts its files, if it describes others than these: they agree with each other in types and
// numbers of elements that differ from the header in two arrays, or in one and in a feature folder, and nothing else confirms the header
// more often than the files.
func (a judge) foreign() (fit fitting, found, want string, ok bool) {
	h := a.header
	if h == nil || !h.whole || h.chunked || len(h.inline) > 0 {
		return fit, "", "", false
	}
	var is, should []string
	for i, f := range a.fits() {
		if x, y := a.contradicted(&f); i == 0 || len(x) < len(is) {
			fit, is, should = f, x, y
		}
	}
	n := len(is)
	for i := range h.fis {
		if lastOf(a.archive, h.fis[i].name.Text()) == fit.rows && uint64(fit.rows) != h.fis[i].len_.Uint() {
			n++
		}
	}
	ok = len(is) > 0 && n > 1 && confirms(a.archive, fit.rows) >= against(a.archive, fit.rows)
	return fit, strings.Join(is, ", "), strings.Join(should, ", "), ok
}

// contradicted are the main arrays that the header describes differently from a reading of the files, and what they are according to that.
func (a judge) contradicted(f *fitting) (is, should []string) {
	for _, k := range keys[:3] {
		d := a.desc(k.key)
		w, n := f.width(k.key)
		if d != nil && widthOf(d.dtype.Uint()) == w && (k.key == "DATA" || d.dtype.Uint() <= 4) && d.len_.Uint() == uint64(n) {
			continue
		}
		should = append(should, model.Words("%s: %d × %d bytes", k.key, n, w))
		if d == nil {
			is = append(is, "no "+k.key)
		} else {
			is = append(is, fmt.Sprintf("%s: %d × %s", k.key, d.len_.Uint(), dtype.Said(d.dtype.Value)))
		}
	}
	return is, should
}

// confirms is how many of metadata.json and the block indexes state a number of cells.
func confirms(a *archive, rows int64) (n int) {
	if a.statedRows() == rows && rows >= 0 {
		n++
	}
	for i := range a.folders {
		if a.folders[i].last() == rows && rows >= 0 {
			n++
		}
	}
	return n
}

// against is how many of them state the number of cells in the header, if it differs.
func against(a *archive, rows int64) int {
	d := a.desc("ROWPTR")
	if d == nil || d.len_.Uint() > 1<<50 || d.len_.Int()-1 == rows {
		return 0
	}
	return confirms(a, d.len_.Int()-1)
}

// lastOf is the cell up to which the blocks of a folder extend; −1 if that is unknown.
func lastOf(a *archive, dir string) int64 {
	for i := range a.folders {
		if a.folders[i].dir == dir {
			return a.folders[i].last()
		}
	}
	return -1
}
