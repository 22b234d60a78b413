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

// extents are the expected lengths of the arrays of chunks: row pointers according to the header; values and columns by a majority of
// the last row pointer, and the numbers of columns and values.
func (a chunked) extents() (out []model.Extent) {
	if rows := a.header.rows.Uint(); rows >= 1<<50 || !a.bearOut(rows) {
		return nil
	}
	for i, m := range a.matrices() {
		values := a.agreed(m)
		for _, k := range keys[:3] {
			n := values
			if k.key == "ROWPTR" {
				n = uint64(a.pointers(i))
			}
			if d := a.desc(k.key); d != nil && n > 0 && widthOf(d.dtype.Uint()) > 0 {
				w := widthOf(d.dtype.Uint())
				out = append(out, model.Extent{File: a.name(path.Join(m.chunk, k.file)), Size: int64(n) * w,
					Says: "the header and the other arrays give its length", Content: "values", Unit: w})
			}
		}
	}
	return out
}

// pointers is how many row pointers chunk i should have according to the header: one more than rows.
func (a chunked) pointers(i int) int64 {
	size, rows := a.header.chunkSize.Uint(), a.header.rows.Uint()
	return int64(min(size, rows-min(rows, uint64(i)*size))) + 1
}

// agreed is the number of values of a chunk by a majority of its last row pointer, its columns and its values; 0 if all differ.
func (a chunked) agreed(m matrix) uint64 {
	last, counts := a.lastPointer(path.Join(m.chunk, "row_ptr.npy")), []uint64{}
	for _, r := range []*rawArray{m.col, m.data} {
		if r != nil && r.size == r.count*widthOf(r.dtype) {
			counts = append(counts, uint64(r.count))
		}
	}
	if slices.Contains(counts, last) {
		return last
	}
	if len(counts) == 2 && counts[0] == counts[1] {
		return counts[0]
	}
	return 0
}

// bearOut tells whether something else confirms the number of cells of the archive.
func (a chunked) bearOut(rows uint64) bool {
	return a.statedRows() == int64(rows) || slices.ContainsFunc(a.folders, func(f features) bool { return f.last() == int64(rows) })
}

// chunks checks that all chunks exist and contain as much as the header says (100 to 102).
func (k *checker) chunks() {
	total, all, a := map[string]int64{}, true, chunked{k.archive}
	for i, m := range a.matrices() {
		whole := k.chunk(m, a.pointers(i), total)
		all = all && whole && a.agree(m)
	}
	k.chunkTotals(total, all)
}

// chunk checks a chunk that should have so many row pointers according to the header, adds its counts to total, and tells whether it is complete.
func (k *checker) chunk(m matrix, pointers int64, total map[string]int64) (whole bool) {
	for _, key := range keys[:3] {
		if r := m.of(key.key); r != nil {
			k.rawFile(r, r.size)
			total[key.key] += r.count
		}
	}
	if m.ptr != nil {
		if total["ROWPTR"]--; m.ptr.count != pointers {
			k.wrong(chunkRows, m.ptr.file, m.ptr.count, pointers)
		}
	}
	if m.data.whole() && m.col.whole() && m.data.count != m.col.count {
		k.wrong(valueCount, m.col.file, model.Words("%d columns", m.col.count), fmt.Sprintf("%d, the number of values", m.data.count))
	}
	k.ends(m.ptr, m.data)
	if m.ptr == nil || m.col == nil || m.data == nil {
		var more []model.Detail
		if r, ok := renamedChunk(k.archive, m.chunk, pointers); ok {
			more = r.of("the chunk")
		}
		k.c.Wrong(missingChunk, k.root, m.chunk+" is missing or incomplete", nil, more...)
		return false
	}
	return m.ptr.count == pointers
}

// agree tells whether a chunk has as many values as columns, and as its row pointers say.
func (a chunked) agree(m matrix) bool {
	return m.data.whole() && m.col.whole() && m.data.count == m.col.count && uint64(m.data.count) == a.lastPointer(path.Join(m.chunk, "row_ptr.npy"))
}

// chunkTotals compares the lengths in the header with the totals of all chunks.
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
		if all { // otherwise a chunk is missing or truncated
			want = model.I(got)
		}
		k.c.Wrong(chunkTotals, d.len_, nil, want)
	}
}

// quantities are the numbers that the header and the chunks of an archive state: the number of chunks, and their rows.
func (a chunked) quantities() []model.Quantity {
	stated := func(n model.Node) model.Witness {
		return model.Witness{Text: "the header", Value: model.U(n.Uint()), Field: n.Span}
	}
	each, all, folders := []model.Witness{stated(a.header.chunkSize)}, int64(0), int64(0)
	weak := false // a chunk whose value count does not match its row pointers may have lost rows too
	for a.dirs[chunkDir(folders)] != nil && folders < maxChunks {
		m := a.main(chunkDir(folders))
		if folders++; m.ptr == nil || m.data == nil {
			weak = true
			continue
		}
		ptr, data := m.ptr, m.data
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
