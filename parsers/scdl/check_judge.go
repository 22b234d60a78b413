package scdl

import (
	"math"
	"slices"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// verdict is what happened to an array whose file does not have the length in the header, and what can be done.
type verdict struct {
	text  string
	cut   bool // the file has lost values
	blind bool // or it is read by a type that is too wide, which looks the same to the others
	typed bool // … and is nothing else
	fixes []model.Fix
}

// judge compares what the header says about arrays with their files, and lets other evidence decide.
type judge struct{ *archive }

// of judges an array. A header that others confirm is not rewritten: then the file is truncated, or has something after it.
func (a judge) of(d *desc) (v verdict) {
	key := d.name.Text()
	e, ok := a.entries[fileOf(key)]
	w, n := widthOf(d.dtype.Uint()), d.len_.Uint()
	if !ok || e.Size == 0 {
		return v
	}
	file, known := fileOf(key), w > 0 && n > 0 && n < 1<<50 && a.bearsOut(key, n)
	switch {
	case string(a.peek(file, 6)) == npyfile.Magic:
		v.text = file + " has a header of its own before its values, so its size does not match"
		return v
	case known && e.Size < int64(n)*w:
		return a.shorter(d, e.Size, w)
	case known && e.Size > int64(n)*w:
		return a.longer(d, e.Size, w)
	}
	if width, count, ok := a.reading(key); ok && width == w && count != d.len_.Int() {
		set := model.SetTo(d.len_.Span, model.I(count))
		set.Loses = a.raws[file].fewer(count)
		v.fixes = []model.Fix{set}
	}
	v.fixes = append(v.fixes, a.retypes(d)...)
	return v
}

// shorter judges an array whose file is shorter than the header says, where others confirm the header.
func (a judge) shorter(d *desc, size, w int64) (v verdict) {
	key, n := d.name.Text(), d.len_.Int()
	file := fileOf(key)
	if fixes := a.retypes(d); len(fixes) > 0 {
		return verdict{fixes: fixes, blind: true, typed: len(fixes) == 1 && fixes[0].Safe,
			text: model.Words("%s has fewer bytes for its %s values than the header says", file, model.Thousands(n))}
	}
	v.cut = true
	v.text = model.Words("%s is truncated: %s of its %s values are left", file, model.Thousands(size/w), model.Thousands(n))
	if key == "ROWPTR" && size == (n-1)*w {
		if v.fixes = a.pointerFixes(file, w); !a.beginsAtZero(file) {
			v.text = model.Words("%s lacks its first value, 0: it begins with the end of the first cell, so every cell has the values of the next one", file)
		}
	}
	return v
}

// longer judges an array whose file is longer than the header says, where others confirm the header.
func (a judge) longer(d *desc, size, w int64) (v verdict) {
	key, n := d.name.Text(), d.len_.Int()
	file := fileOf(key)
	if v.fixes = a.retypes(d); len(v.fixes) > 0 {
		v.text = model.Words("%s has more bytes for its %s values than the header says, as after a cast of a loaded archive", file, model.Thousands(n))
		return v
	}
	v.text = model.Words("%d bytes follow the %s values of %s", size-n*w, model.Thousands(n), file)
	if s := a.spans[file]; s != nil {
		at := model.Range{Space: s.Range.Space, Off: n * w, Len: size - n*w}
		v.fixes = []model.Fix{{Label: model.Words("remove the last %d bytes of %s", at.Len, file), Safe: true,
			Edits: []model.Edit{model.Splice{Range: at, With: model.Memory(nil), Loose: true}}}}
	}
	return v
}

// bearsOut tells whether others confirm the header's length of an array: for values the other header entry, the other file and the
// last row pointer, for row pointers the numbers of cells stored elsewhere.
func (a judge) bearsOut(key string, n uint64) bool {
	said := func(key string) bool {
		d := a.desc(key)
		return d != nil && d.len_.Uint() == n
	}
	count := func(file string) bool {
		r := a.raws[file]
		return r != nil && r.size == r.count*widthOf(r.dtype) && uint64(r.count) == n
	}
	var votes []bool
	switch key {
	case "DATA":
		votes = []bool{said("COLPTR"), count("col_ptr.npy"), a.endsAt(n)}
	case "COLPTR":
		votes = []bool{said("DATA"), count("data.npy"), a.endsAt(n)}
	case "ROWPTR":
		votes = []bool{a.statedRows() == int64(n)-1}
		for _, f := range a.folders {
			votes = append(votes, len(f.cum) > 1 && f.cum[len(f.cum)-1] == int64(n)-1)
		}
	}
	return len(slices.DeleteFunc(votes, func(agrees bool) bool { return !agrees })) >= 2
}

// endsAt tells whether the row pointers end at a value: their file, or those that the header counts, if only zeros follow them.
func (a judge) endsAt(n uint64) bool {
	r, d := a.raws["row_ptr.npy"], a.desc("ROWPTR")
	if a.lastPointer("row_ptr.npy") == n || !unsigned(r) || d == nil || d.len_.Uint() == 0 || d.len_.Uint() > uint64(r.count) {
		return a.lastPointer("row_ptr.npy") == n
	}
	last := int64(d.len_.Uint())
	v := a.elements(r, last-1, min(r.count, last+glance))
	return v != nil && v[0] == n && !slices.ContainsFunc(v[1:], func(x uint64) bool { return x != 0 })
}

// lastPointer is the last row pointer in a file, or 0.
func (a *archive) lastPointer(file string) uint64 {
	r := a.raws[file]
	if r == nil || r.count == 0 || r.dtype > 4 {
		return 0
	}
	if v := a.elements(r, r.count-1, r.count); v != nil {
		return v[0]
	}
	return 0
}

// fewer is what a repair loses that leaves an array with so many values; "" if it has no more now.
func (r *rawArray) fewer(count int64) string {
	if r == nil || count >= r.count {
		return ""
	}
	return model.Words("reading %s as %s values: it then has %s", r.file, model.Thousands(r.count), model.Thousands(count))
}

// retypes offers plausible types under which a file of this size contains as many values as the header says. Types
// of another family come last; narrower ones are uncertain, because the file may be truncated at just that place.
func (a judge) retypes(d *desc) (fixes []model.Fix) {
	types, sure := a.readAs(d)
	for _, t := range types {
		fixes = append(fixes, model.Fix{Label: "set the type of " + d.name.Text() + " to " + dtypes[t], Safe: sure,
			Edits: []model.Edit{model.SetValue(d.dtype.Span, model.U(t))}})
	}
	return fixes
}

// readAs are the types of which the values of an array may be, because its file has another length than the header says of its type; sure
// means that there is only one.
func (a judge) readAs(d *desc) (types []uint64, sure bool) {
	if grown(a) {
		return nil, false
	}
	key, n := d.name.Text(), int64(min(d.len_.Uint(), 1<<62))
	if _, count, ok := a.reading(key); ok && !a.bearsOut(key, d.len_.Uint()) {
		n = count
	}
	return a.otherTypes(d, n, a.entries[fileOf(key)].Size)
}

// otherTypes are the plausible types under which a file of this size contains n values, if it does not under the type in the header; sure
// means that no other reading is plausible.
func (a judge) otherTypes(d *desc, n, size int64) (types []uint64, sure bool) {
	key, now := d.name.Text(), d.dtype.Uint()
	wide := widthOf(now)
	if n < 1 || size%n != 0 || size/n == wide {
		return nil, false
	}
	types = ofWidth(size/n, key != "DATA")
	if now >= 5 { // floats first where they were floats
		slices.Reverse(types)
	}
	if key == "DATA" {
		types = a.likely(types, n)
	}
	types = slices.DeleteFunc(types, func(t uint64) bool { return !a.sensible(key, t, n) })
	return types, len(types) == 1 && (size/n > wide || key != "DATA" && (now > 4 || !a.sensible(key, now, size/wide)))
}

// glance is how many elements are examined to see whether a type is plausible.
const glance = 4096

// sensible tells whether the values of an array are plausible under a type: columns ascend within rows, floats are of ordinary size,
// integers leave their highest bits unused.
func (a judge) sensible(key string, dtype uint64, n int64) bool {
	w := widthOf(dtype)
	b := a.slice(fileOf(key), 0, min(n, glance)*w)
	if b == nil || key == "ROWPTR" {
		v := numbers(nil, b, w)
		return b != nil && isAscending(v) && (n > glance || a.counts(v[len(v)-1]))
	}
	if key == "COLPTR" {
		v := numbers(nil, b, w)
		genes, known := a.genes()
		return a.columnsAscend(v) && (!known || len(v) == 0 || slices.Max(v) < genes)
	}
	return 10*sensible(b, dtype, 1e12) >= 9*(len(b)/int(w))
}

// sensible is how many numbers are typical of archives: floats of ordinary size, integers that leave their highest bits unused.
func sensible(b []byte, dtype uint64, below float64) (good int) {
	w, codec := widthOf(dtype), codecOf(dtype)
	for ; int64(len(b)) >= w; b = b[w:] {
		v, _, _ := codec.Decode(b)
		x := math.Abs(v.Float())
		if x == 0 || x > 1e-9 && x < below && (dtype > 4 || w == 1 || x < math.Ldexp(1, int(6*w))) {
			good++
		}
	}
	return good
}

// counts tells whether one of the arrays of values has this length according to the header.
func (a judge) counts(n uint64) bool {
	data, col := a.desc("DATA"), a.desc("COLPTR")
	return data == nil && col == nil || data != nil && data.len_.Uint() == n || col != nil && col.len_.Uint() == n
}

func isAscending(v []uint64) bool {
	return len(v) > 0 && v[0] == 0 && slices.IsSorted(v)
}

// columnsAscend tells whether most of the first rows have their columns in order.
func (a judge) columnsAscend(cols []uint64) bool {
	ptr := a.raws["row_ptr.npy"]
	if !unsigned(ptr) {
		return true
	}
	ends := a.elements(ptr, 0, min(ptr.count, glance))
	good, all := 0, 0
	for i := 1; i < len(ends) && ends[i] <= uint64(len(cols)) && ends[i-1] <= ends[i]; i++ {
		row := cols[ends[i-1]:ends[i]]
		if len(row) < 2 {
			continue
		}
		if all++; slices.IsSorted(row) && len(slices.Compact(slices.Clone(row))) == len(row) {
			good++
		}
	}
	return good*10 >= all*9
}
