package scdl

import (
	"fmt"
	"path"
	"slices"

	"spandrel/model"
)

// Archives whose arrays are divided into chunks (section 7.2).

// chunked is such an archive.
type chunked struct{ *archive }

// extents are the lengths of the arrays of chunks, there or not: of row pointers as the header says; of values and columns as two of three
// do, which are the last row pointer and how many there are of each.
func (a chunked) extents() (out []model.Extent) {
	h := a.header
	size, rows := h.chunkSize.Uint(), h.rows.Uint()
	if rows >= 1<<50 || !a.bearOut(rows) {
		return nil
	}
	for i := range min(h.chunks.Uint(), maxChunks) {
		dir := chunkDir(i)
		n := map[string]uint64{}
		votes := map[uint64]int{a.lastPointer(path.Join(dir, "row_ptr.npy")): 1}
		for _, k := range keys[:3] {
			if r := a.raws[path.Join(dir, k.file)]; r != nil && k.key != "ROWPTR" && r.size == r.count*widthOf(r.dtype) {
				votes[uint64(r.count)]++
			}
		}
		for count, v := range votes {
			if v >= 2 && count > 0 {
				n["DATA"], n["COLPTR"] = count, count
			}
		}
		n["ROWPTR"] = min(size, rows-min(rows, i*size)) + 1
		for _, k := range keys[:3] {
			if d := a.desc(k.key); d != nil && n[k.key] > 0 && widthOf(d.dtype.Uint()) > 0 {
				w := widthOf(d.dtype.Uint())
				out = append(out, model.Extent{File: a.name(path.Join(dir, k.file)), Size: int64(n[k.key]) * w,
					Says: "the header and the other arrays say", Content: "values", Unit: w})
			}
		}
	}
	return out
}

// bearOut tells whether something else says how many cells the archive has.
func (a chunked) bearOut(rows uint64) bool {
	return a.statedRows() == int64(rows) || slices.ContainsFunc(a.folders, func(f features) bool { return f.last() == int64(rows) })
}

// chunks checks that the chunks are all there and hold as much as the header says (100 to 102).
func (k *checker) chunks() {
	h := k.header
	total, all, size, rows := map[string]int64{}, true, h.chunkSize.Uint(), h.rows.Uint()
	for i := uint64(0); i < min(h.chunks.Uint(), maxChunks); i++ {
		dir := chunkDir(i)
		whole := true
		all = all && chunked{k.archive}.agree(dir)
		for _, m := range keys[:3] {
			r := k.raws[path.Join(dir, m.file)]
			if r == nil {
				whole = false
				continue
			}
			k.rawFile(r, r.size)
			n := r.count
			if m.key == "ROWPTR" {
				want := int64(min(size, rows-min(rows, i*size))) + 1
				if n != want {
					all = false
					k.wrong(chunkRows, r.file, n, want)
				}
				n--
			}
			total[m.key] += n
		}
		data, col := k.raws[path.Join(dir, "data.npy")], k.raws[path.Join(dir, "col_ptr.npy")]
		if data.whole() && col.whole() && data.count != col.count {
			k.wrong(valueCount, col.file, model.Words("%d columns", col.count), fmt.Sprintf("%d, as many as values", data.count))
		}
		k.ends(k.raws[path.Join(dir, "row_ptr.npy")], data)
		if all = all && whole; !whole {
			k.c.Wrong(missingChunk, k.root, dir+" is missing or incomplete", nil)
		}
	}
	k.chunkTotals(total, all)
}

// agree tells whether a chunk has as many values as columns, and as its row pointers say.
func (a chunked) agree(dir string) bool {
	data, col := a.raws[path.Join(dir, "data.npy")], a.raws[path.Join(dir, "col_ptr.npy")]
	return data.whole() && col.whole() && data.count == col.count && uint64(data.count) == a.lastPointer(path.Join(dir, "row_ptr.npy"))
}

// chunkTotals compares the lengths in the header with what all chunks hold together.
func (k *checker) chunkTotals(total map[string]int64, all bool) {
	for i := range k.header.arrays {
		d := &k.header.arrays[i]
		got, ok := total[d.name.Text()]
		if d.name.Text() == "ROWPTR" {
			got++
		}
		if !ok || uint64(got) == d.len_.Uint() {
			continue
		}
		var want any = model.Words("%s in the chunks", model.Thousands(got))
		if all { // otherwise a chunk is what is missing or cut
			want = model.I(got)
		}
		k.c.Wrong(chunkTotals, d.len_, nil, want)
	}
}

// quantities are the numbers that the header of an archive in chunks and the chunks state: how many there are, and their rows.
func (a chunked) quantities() []model.Quantity {
	stated := func(n model.Node) model.Witness {
		return model.Witness{Text: "the header", Value: model.U(n.Uint()), Field: n.Span}
	}
	each, all, folders := []model.Witness{stated(a.header.chunkSize)}, int64(0), int64(0)
	weak := false // a chunk whose values are not as many as its row pointers say may have lost rows as well
	for a.dirs[chunkDir(folders)] != nil && folders < maxChunks {
		ptr, data := a.raws[path.Join(chunkDir(folders), "row_ptr.npy")], a.raws[path.Join(chunkDir(folders), "data.npy")]
		if folders++; ptr == nil || data == nil {
			weak = true
			continue
		}
		cut := uint64(data.count) != a.lastPointer(ptr.file)
		weak, all = weak || cut, all+ptr.count-1
		if last := a.dirs[chunkDir(folders)] == nil; !last && len(each) < 8 {
			each = append(each, model.Witness{Text: path.Dir(ptr.file), Value: model.I(ptr.count - 1), Weak: cut})
		}
	}
	chunks := []model.Witness{stated(a.header.chunks), {Text: "the folders", Value: model.I(folders), Weak: weak || uint64(all) != a.header.rows.Uint()}}
	rows := []model.Witness{stated(a.header.rows), {Text: "the chunks together", Value: model.I(all), Weak: weak}}
	if n := a.statedRows(); n >= 0 {
		rows = append(rows, model.Witness{Text: "metadata.json", Value: model.I(n)})
	}
	return []model.Quantity{{Name: "rows in a chunk", Witnesses: each}, {Name: "chunks", Witnesses: chunks}, {Name: "cells", Witnesses: rows}}
}

// chunkDir is the folder of a chunk.
func chunkDir[N int64 | uint64](i N) string { return fmt.Sprintf("chunk_%05d", i) }
