package scdl

import (
	"fmt"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// checker runs the rules of sections 8.2 and 8.3 on an archive: those that need only its listing, sizes and small files.
type checker struct {
	*archive
	c *model.Cursor
}

// read creates the spans of a document and runs the checks of opening it.
func read(c *model.Cursor) {
	parse(c)
	for _, a := range archivesOf(c.Tree()) {
		(&checker{a, c}).check()
	}
}

func (k *checker) check() {
	switch {
	case k.header != nil:
		k.foreign()
		k.descriptors()
	case k.dirs["header.sch"] != nil:
		k.c.Wrong(noHeader, k.root, nil, nil, model.Saying("header.sch is not a file"))
	default:
		k.c.Wrong(noHeader, k.root, nil, nil)
	}
	if k.header == nil || !k.header.chunked {
		k.arrayFiles()
	} else {
		k.chunks()
	}
	k.leftovers()
	k.neighbors()
	k.metadata()
	k.version()
	k.features()
}

// wrong reports a rule about a whole file.
func (k *checker) wrong(r *model.Rule, file string, found, want any, more ...model.Detail) {
	k.c.Wrong(r, k.at(file), found, want, append([]model.Detail{model.Saying("%s: %s", file, r.Title)}, more...)...)
}

// foreign reports a header that describes other files (056).
func (k *checker) foreign() {
	if _, found, want, ok := (judge{k.archive}).foreign(); ok {
		k.c.Wrong(foreignHeader, k.at("header.sch"), found, want, model.About(k.archive), model.Saying(
			"the header does not describe these files: it belongs to another archive, is older than they are, or is damaged; rebuild it from the files"))
	}
}

// descriptors checks what the header says of the arrays.
func (k *checker) descriptors() {
	listed := map[string]*desc{}
	for i := range k.header.arrays {
		d := &k.header.arrays[i]
		key, dtype := d.name.Text(), d.dtype.Uint()
		switch {
		case fileOf(key) == "":
			k.unknownArray(d)
			continue
		case dtype == 8 || dtype == 9:
			k.c.Wrong(textArray, d.dtype.Span, dtypes[dtype], nil, model.About(judged{k.archive, d}))
		case (key == "ROWPTR" || key == "COLPTR") && dtype >= 5 && dtype <= 7:
			k.c.Wrong(signedPointer, d.dtype.Span, dtypes[dtype], "an unsigned integer", model.About(judged{k.archive, d}))
		}
		if listed[key] == nil && dtype <= 7 {
			listed[key] = d
		}
	}
	for _, m := range keys[:3] {
		if listed[m.key] == nil {
			k.c.Wrong(unlistedArray, k.header.count.Span, m.key+" is missing", nil, model.About(unlisted{k.archive, m.key}))
		}
	}
	if d, p := listed["DATA"], listed["COLPTR"]; d != nil && p != nil && d.len_.Uint() != p.len_.Uint() {
		k.c.Wrong(valueCount, p.len_, nil, d.len_.Value.String(), model.Beside(d.len_))
	}
}

// unknownArray reports a name that no reader knows. A file name should be its key instead.
func (k *checker) unknownArray(d *desc) {
	var want any = "DATA, ROWPTR, COLPTR or a neighbour array"
	for _, known := range keys {
		if known.file == d.name.Text() {
			want = model.S(known.key)
		}
	}
	k.c.Wrong(unknownArray, d.name, nil, want)
}

// unlisted is a main array that the header does not list.
type unlisted struct {
	a   *archive
	key string
}

// arrayFiles checks the files of the arrays, individually and against each other.
func (k *checker) arrayFiles() {
	if x, several := joinedOf(judge{k.archive}); several {
		x.report(k.c)
		return
	}
	x, stopped := judge{k.archive}.appended()
	for i, m := range keys {
		if !stopped || m.key != "DATA" && m.key != "COLPTR" {
			k.arrayFile(m, i < 3)
		}
	}
	if stopped {
		x.report(k.c)
		return
	}
	ptr, data, col := k.raws["row_ptr.npy"], k.raws["data.npy"], k.raws["col_ptr.npy"]
	if data.whole() && col.whole() && data.count != col.count && !data.cut && !col.cut && data.desc != nil && col.desc != nil {
		k.wrong(valueCount, "col_ptr.npy", model.Words("%d columns", col.count), fmt.Sprintf("%d, the number of values", data.count))
	}
	if !ptr.lost() && !data.lost() {
		k.ends(ptr, data)
	}
}

// arrayFile checks the file of an array; main tells whether every archive has it.
func (k *checker) arrayFile(m arrayKey, main bool) {
	e, ok := k.entries[m.file]
	r := k.raws[m.file]
	switch {
	case !ok && main:
		text := "%s is missing"
		if k.dirs[m.file] != nil {
			text = "%s is a folder, not a file"
		}
		k.wrong(missingArray, m.file, nil, nil, model.Saying(text, m.file))
	case ok && r != nil:
		k.rawFile(r, e.Size)
		k.described(m.key, r, e.Size)
	}
}

// leftovers looks for temporary files (053).
func (k *checker) leftovers() {
	for _, name := range k.order {
		if strings.HasSuffix(name, ".tmp") {
			k.wrong(leftover, name, nil, nil, model.About(old{k.archive, []string{name}}))
		}
	}
}

// rawFile checks a single array file: its size (046), and that it is no NPY (048).
func (k *checker) rawFile(r *rawArray, size int64) {
	w := widthOf(r.dtype)
	if (size == 0 || size%w != 0) && (r.desc != nil || k.header == nil || k.header.whole) { // otherwise the type is lost with the header
		var more []model.Detail
		if r.desc != nil {
			more = append(more, model.About(judged{k.archive, r.desc}))
			if v := (judge{k.archive}).of(r.desc); v.cut {
				r.cut, more = true, append(more, model.Saying("%s", v.text))
			}
		}
		k.wrong(partialElement, r.file, model.Words("%d bytes", size), fmt.Sprintf("a multiple of %d", w), more...)
	}
	if string(k.peek(r.file, 6)) != npyfile.Magic {
		return
	}
	h, err := npyfile.Parse(k.peek(r.file, 1<<16))
	if err != nil || r.span == nil {
		k.wrong(npyHeader, r.file, nil, nil)
		return
	}
	at := model.Spot{Span: r.span, Range: model.Range{Space: r.span.Range.Space, Len: 6}}
	k.c.Wrong(npyHeader, at, nil, nil, model.Saying("%s: %s", r.file, npyHeader.Title), model.About(headed{r, &h}))
}

// headed is an array file with a header of its own.
type headed struct {
	r   *rawArray
	npy *npyfile.Head
}

// described compares an array file with its descriptor (047, 055).
func (k *checker) described(key string, r *rawArray, size int64) {
	if r.desc == nil {
		return
	}
	w := widthOf(r.dtype)
	if n := r.desc.len_.Uint(); n > 1<<60 || int64(n)*w != size {
		v := judge{k.archive}.of(r.desc)
		types, _ := judge{k.archive}.readAs(r.desc)
		r.cut, r.other = v.cut || v.blind, len(types) > 0
		at := model.Spot{Span: r.desc.len_.Span, Range: model.Range{Space: r.desc.len_.Span.Range.Space, Off: r.desc.len_.Span.Range.Off,
			Len: 12}}
		if v.typed {
			at = model.Spot{Span: r.desc.dtype.Span}
		}
		more := []model.Detail{model.About(judged{k.archive, r.desc})}
		if v.text != "" {
			more = append(more, model.Saying("%s", v.text))
		}
		k.c.Wrong(arrayLength, at, model.Words("%d × %d bytes", n, w), model.Words("%d bytes of %s", size, r.file), more...)
	}
	if need := k.needWidth(key); need > 0 && need < w && r.whole() {
		k.c.Wrong(wideType, r.desc.dtype.Span, dtypes[r.dtype], model.Words("%d bytes are enough for every pointer", need))
	}
}

// ends reads the first and the last row pointer (080, 082).
func (k *checker) ends(ptr, data *rawArray) {
	if !unsigned(ptr) || !ptr.whole() {
		return
	}
	first, last := k.elements(ptr, 0, 1), k.elements(ptr, ptr.count-1, ptr.count)
	if first == nil || last == nil {
		return
	}
	w, values := widthOf(ptr.dtype), ptr.span.Range.Space
	begin, end := first[0], last[0]
	if begin != 0 {
		var more []model.Detail
		if begin == 1 && data.whole() && end == uint64(data.count)+1 {
			more = append(more, model.About(oneBased{k.archive, ptr}), model.Saying("the row pointers count from 1, not from 0"))
		}
		k.c.Wrong(firstPointer, model.Spot{Span: ptr.span, Range: model.Range{Space: values, Len: w}}, begin, 0, more...)
	}
	if data.whole() && end != uint64(data.count) {
		var more []model.Detail
		if w > 1 && (turner{k.archive}).ends(ptr, data) {
			more = append(more, model.About(k.archive), model.Saying("the last row pointer matches the number of values only if it is read as big-endian"))
		}
		at := model.Spot{Span: ptr.span, Range: model.Range{Space: values, Off: (ptr.count - 1) * w, Len: w}}
		k.c.Wrong(lastPointer, at, end, data.count, more...)
	}
}

// needWidth returns the narrowest unsigned width for row pointers, or 0 for other arrays and if it is not known.
func (k *checker) needWidth(key string) int64 {
	data := k.raws["data.npy"]
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
		return int64(min(a.header.rows.Uint(), 1<<62)), true
	}
	r := a.raws["row_ptr.npy"]
	if r == nil || r.count == 0 || r.size%widthOf(r.dtype) != 0 {
		return 0, false
	}
	return r.count - 1, true
}

// neighbors compares the sizes of the three arrays of neighbours.
func (k *checker) neighbors() {
	ptr, idx, val := k.archive.neighbors()
	n := 0
	for _, r := range []*rawArray{ptr, idx, val} {
		if r != nil {
			n++
		}
	}
	if n > 0 && n < 3 {
		k.c.Wrong(someNeighbors, k.root, fmt.Sprintf("%d of 3", n), nil)
	}
	rows, ok := k.rows()
	if ptr != nil && ok && ptr.count != rows+1 {
		k.wrong(neighborRows, ptr.file, ptr.count, rows+1)
	}
	if idx.whole() && val.whole() && idx.count != val.count {
		k.wrong(neighborValues, val.file, val.count, idx.count)
	}
}
