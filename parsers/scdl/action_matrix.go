package scdl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
)

// matrixActions are the edits of cells and genes.
var matrixActions = []model.Action{
	{Name: "drop-cells", Label: "Drop cells", Doc: "Their values, their neighbours and their rows in the tables go too.", On: onArchive,
		Params: []model.Param{{Name: "from", Label: "First cell", Default: "0"}, {Name: "to", Label: "Last cell", Default: "0"}},
		Plan:   dropCells},
	{Name: "add-cell", Label: "Add a cell", Doc: "It becomes the last one; its row in the table of cells is empty but for the name.",
		On: onArchive,
		Params: []model.Param{{Name: "genes", Label: "Its genes by number, such as 0,3,7"},
			{Name: "values", Label: "Their values, such as 1,2,3"}, {Name: "name", Label: "Its name, in the first column of texts"}},
		Plan: addCell},
	{Name: "drop-genes", Label: "Drop genes", Doc: "The values that cells have of them go too.", On: onArchive,
		Params: []model.Param{{Name: "from", Label: "First gene", Default: "0"}, {Name: "to", Label: "Last gene", Default: "0"},
			{Name: "block", Label: "Table of genes, by number", Default: "0"}},
		Plan: dropGenes},
	{Name: "add-gene", Label: "Add a gene", Doc: "It becomes the last one of its table; no cell has a value of it yet.", On: onArchive,
		Params: []model.Param{{Name: "name", Label: "Its name, in the first column of texts"},
			{Name: "block", Label: "Table of genes, by number", Default: "0"}},
		Plan: addGene},
}

// reshaping is edits of an archive after which it has other cells or genes. All that counts cells follows: row pointers, neighbours,
// the index of the blocks, the tables of cells, the header, metadata.json.
type reshaping struct {
	*archive
	ctx            context.Context
	ptr, col, data *rawArray
	cells          int64
	edits          []model.Edit
}

// reshape prepares edits of the matrix of an archive, or says why there can be none.
func reshape(ctx context.Context, t *model.Tree, s *model.Span) (*reshaping, error) {
	a := archiveOf(t, s)
	if a == nil || a.header == nil || !a.header.whole || a.header.chunked {
		return nil, errors.New("only an archive with a sound header, and not in chunks, gets other cells and genes")
	}
	r := &reshaping{archive: a, ctx: ctx, ptr: a.raws["row_ptr.npy"], col: a.raws["col_ptr.npy"], data: a.raws["data.npy"]}
	for _, raw := range []*rawArray{r.ptr, r.col, r.data} {
		if !raw.whole() || raw.desc == nil || raw.desc.len_.Int() != raw.count {
			return nil, errors.New("the three arrays are not all there as the header says: repair the archive first")
		}
	}
	if !unsigned(r.ptr) || !unsigned(r.col) || r.col.count != r.data.count || r.pointer(r.ptr.count-1) != r.data.count {
		return nil, errors.New("row pointers, columns and values do not fit each other: repair the archive first")
	}
	r.cells = r.ptr.count - 1
	for i := range a.folders {
		if f := &a.folders[i]; f.last() != r.cells || len(f.blocks) != len(f.cum)-1 || len(f.stale) > 0 {
			return nil, fmt.Errorf("the blocks of %s are not those of the cells: repair the archive first", f.dir)
		}
	}
	return r, nil
}

// pointer is where the values of a cell begin, or −1.
func (r *reshaping) pointer(cell int64) int64 {
	w := widthOf(r.ptr.dtype)
	if b := r.slice(r.ptr.file, cell*w, w); b != nil {
		return int64(min(numbers(nil, b, w)[0], 1<<62))
	}
	return -1
}

// put replaces elements of an array, from one up to another, by bytes.
func (r *reshaping) put(raw *rawArray, from, to int64, with model.Source) {
	w := widthOf(raw.dtype)
	r.edits = append(r.edits, model.Splice{Range: model.Range{Space: raw.span.Range.Space, Off: from * w, Len: (to - from) * w}, With: with,
		Into: raw.span.Path() + "/values", Loose: true})
}

// less makes the row pointers from one on smaller, and puts others in place of those in front of them, from another one on.
func (r *reshaping) less(first, from int64, instead []uint64, by uint64) error {
	w := widthOf(r.ptr.dtype)
	r.put(r.ptr, first, from, model.Memory(packed(instead, w)))
	if from == r.ptr.count {
		return nil
	}
	tail := model.Range{Space: r.ptr.span.Range.Space, Off: from * w, Len: (r.ptr.count - from) * w}
	src, err := r.t.Mapped(tail, w, func(_ int64, b []byte) { copy(b, le64(numbers(nil, b, w)[0] - by)[:w]) })
	r.put(r.ptr, from, r.ptr.count, src)
	return err
}

// packed is numbers as the elements of an array.
func packed(v []uint64, w int64) []byte {
	b := make([]byte, 0, int64(len(v))*w)
	for _, n := range v {
		b = append(b, le64(n)[:w]...)
	}
	return b
}

// count writes how many cells and values there are wherever that is written.
func (r *reshaping) count(cells, values int64) error {
	for _, raw := range []*rawArray{r.data, r.col} {
		r.edits = append(r.edits, model.SetValue(raw.desc.len_.Span, model.I(values)))
	}
	if cells == r.cells {
		return nil
	}
	r.edits = append(r.edits, model.SetValue(r.ptr.desc.len_.Span, model.I(cells+1)))
	for i := range r.header.fis {
		r.edits = append(r.edits, model.SetValue(r.header.fis[i].len_.Span, model.I(cells)))
	}
	s := r.member(r.ctx, "metadata.json", "num_rows")
	if s == nil {
		return errors.New("metadata.json does not say how many cells there are: repair the archive first")
	}
	r.edits = append(r.edits, model.SetValue(s, model.I(cells)))
	return nil
}

// blocks writes where the blocks of all feature folders end.
func (r *reshaping) blocks(end func(int64) int64) {
	for i := range r.folders {
		f, cum := &r.folders[i], []int64{-1}
		for _, n := range f.cum[1:] {
			cum = append(cum, end(n))
		}
		r.edits = append(r.edits, model.FileEdit{File: r.name(f.dir + "/cumulative_sum_index.npy"), Create: model.Memory(npyInts(cum))})
	}
}

// features returns the folder of the tables of genes, or of cells, and its blocks.
func (a *archive) features(genes bool) *features {
	for i := range a.folders {
		if a.folders[i].genes == genes {
			return &a.folders[i]
		}
	}
	return nil
}

// dropCells removes cells with all that is known of them.
func dropCells(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	r, err := reshape(ctx, t, s)
	if err != nil {
		return nil, err
	}
	from, to, err := span(args, r.cells, "cells")
	if err != nil {
		return nil, err
	}
	first, last := r.pointer(from), r.pointer(to)
	if first < 0 || last < first || last > r.data.count {
		return nil, errors.New("the row pointers of these cells do not ascend: repair the archive first")
	}
	if last-first == r.data.count {
		return nil, errors.New("no value would be left, and readers refuse an empty file")
	}
	r.put(r.data, first, last, model.Memory(nil))
	r.put(r.col, first, last, model.Memory(nil))
	if err := r.less(from+1, to+1, nil, uint64(last-first)); err != nil {
		return nil, err
	}
	gone := func(end int64) int64 { return max(0, min(end, to)-from) }
	if f := r.features(false); f != nil {
		for k, name := range f.blocks {
			lo, hi := f.rows(k)
			if gone(hi) == gone(lo) {
				continue
			}
			e, err := r.rewrite(ctx, name, func(s *sheet) error {
				if s.rows != hi-lo {
					return fmt.Errorf("it has %d rows for %d cells: repair the archive first", s.rows, hi-lo)
				}
				at := max(lo, from) - lo
				return s.drop(at, at+gone(hi)-gone(lo))
			})
			if err != nil {
				return nil, err
			}
			r.edits = append(r.edits, e)
		}
	}
	r.blocks(func(end int64) int64 { return end - gone(end) })
	if err := r.dropNeighbors(from, to); err != nil {
		return nil, err
	}
	return r.edits, r.count(r.cells-(to-from), r.data.count-(last-first))
}

// maxReshape is how many elements of an array are taken into memory to be written again.
const maxReshape = 1 << 26

// dropNeighbors removes cells from the matrix of neighbours: their own, and from those of others. The cells behind them get other numbers.
func (r *reshaping) dropNeighbors(from, to int64) error {
	ptr, idx, val := r.raws["neighbor_indptr.npy"], r.raws["neighbor_indices.npy"], r.raws["neighbor_values.npy"]
	if ptr == nil && idx == nil && val == nil {
		return nil
	}
	if !unsigned(ptr) || !ptr.whole() || ptr.count != r.cells+1 || idx == nil || val == nil || idx.span == nil || val.span == nil ||
		idx.count != val.count || idx.count > 0 && !unsigned(idx) {
		return errors.New("the neighbours are not those of the cells: repair the archive first")
	}
	if ptr.count > maxReshape || idx.count > maxReshape {
		return fmt.Errorf("more than %d neighbours are not written again", maxReshape)
	}
	pw, iw, vw := widthOf(ptr.dtype), widthOf(idx.dtype), widthOf(val.dtype)
	ends, near := numbers(nil, r.slice(ptr.file, 0, ptr.count*pw), pw), numbers(nil, r.slice(idx.file, 0, idx.count*iw), iw)
	values := r.slice(val.file, 0, val.count*vw)
	if !slices.IsSorted(ends) || len(ends) == 0 || ends[len(ends)-1] != uint64(len(near)) || int64(len(values)) != val.count*vw {
		return errors.New("the pointers of the neighbours do not ascend to their number: repair the archive first")
	}
	newEnds, newNear, newValues := []uint64{0}, []uint64{}, []byte{}
	for cell := range r.cells {
		if cell >= from && cell < to {
			continue
		}
		for k := ends[cell]; k < ends[cell+1]; k++ {
			if n, ok := renumbered(near[k], uint64(from), uint64(to)); ok {
				newNear = append(newNear, n)
				newValues = append(newValues, values[int64(k)*vw:int64(k+1)*vw]...)
			}
		}
		newEnds = append(newEnds, uint64(len(newNear)))
	}
	if len(newNear) == 0 && len(near) > 0 {
		return errors.New("no neighbour would be left, and readers refuse an empty file")
	}
	r.put(ptr, 0, ptr.count, model.Memory(packed(newEnds, pw)))
	r.put(idx, 0, idx.count, model.Memory(packed(newNear, iw)))
	r.put(val, 0, val.count, model.Memory(newValues))
	for raw, n := range map[*rawArray]int{ptr: len(newEnds), idx: len(newNear), val: len(newNear)} {
		if raw.desc != nil {
			r.edits = append(r.edits, model.SetValue(raw.desc.len_.Span, model.I(int64(n))))
		}
	}
	return nil
}

// addCell appends a cell: its values, and a row to the table of cells.
func addCell(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	r, err := reshape(ctx, t, s)
	if err != nil {
		return nil, err
	}
	genes, values, err := r.typed(args)
	if err != nil {
		return nil, err
	}
	n := r.data.count + int64(len(genes))
	if w := widthOf(r.ptr.dtype); w < 8 && n >= 1<<(8*w) {
		return nil, fmt.Errorf("row pointers of %d bytes cannot count %d values", w, n)
	}
	r.put(r.data, r.data.count, r.data.count, model.Memory(values))
	r.put(r.col, r.col.count, r.col.count, model.Memory(packed(genes, widthOf(r.col.dtype))))
	r.put(r.ptr, r.ptr.count, r.ptr.count, model.Memory(packed([]uint64{uint64(n)}, widthOf(r.ptr.dtype))))
	if f := r.features(false); f != nil {
		e, err := r.rewrite(ctx, f.blocks[len(f.blocks)-1], func(s *sheet) error { return s.add(args["name"]) })
		if err != nil {
			return nil, err
		}
		r.edits = append(r.edits, e)
	}
	r.blocks(func(end int64) int64 {
		if end == r.cells {
			return end + 1
		}
		return end
	})
	if ptr := r.raws["neighbor_indptr.npy"]; ptr != nil {
		w := widthOf(ptr.dtype)
		last := r.slice(ptr.file, (ptr.count-1)*w, w)
		if last == nil || ptr.count != r.cells+1 {
			return nil, errors.New("the neighbours are not those of the cells: repair the archive first")
		}
		r.put(ptr, ptr.count, ptr.count, model.Memory(last))
		if ptr.desc != nil {
			r.edits = append(r.edits, model.SetValue(ptr.desc.len_.Span, model.I(ptr.count+1)))
		}
	}
	return r.edits, r.count(r.cells+1, n)
}

// typed reads the genes and the values of a new cell.
func (r *reshaping) typed(args map[string]string) (genes []uint64, values []byte, err error) {
	field := &model.Field{Codec: codecOf(r.data.dtype)}
	names, numbers := strings.Split(args["genes"], ","), strings.Split(args["values"], ",")
	if args["genes"] == "" && args["values"] == "" {
		return nil, nil, nil
	}
	if len(names) != len(numbers) {
		return nil, nil, fmt.Errorf("%d genes and %d values: each value needs its gene", len(names), len(numbers))
	}
	limits := r.geneLimits(r.ctx)
	most := limits.of(r.cells - 1)
	if w := widthOf(r.col.dtype); w < 8 {
		most = min(most, 1<<(8*w))
	}
	for i := range names {
		n, err := strconv.ParseUint(strings.TrimSpace(names[i]), 10, 64)
		if err != nil || n >= most || i > 0 && n <= genes[i-1] {
			return nil, nil, fmt.Errorf("%q: genes are numbers in ascending order, below %d", names[i], most)
		}
		v, err := field.Parse(strings.TrimSpace(numbers[i]))
		if err != nil {
			return nil, nil, err
		}
		b, err := field.Codec.Encode(v)
		if err != nil {
			return nil, nil, err
		}
		genes, values = append(genes, n), append(values, b...)
	}
	return genes, values, nil
}

// span reads the first and the last of what an action removes; to is one more. Something has to be left.
func span(args map[string]string, n int64, what string) (from, to int64, err error) {
	from, err = strconv.ParseInt(args["from"], 10, 64)
	last, err2 := strconv.ParseInt(args["to"], 10, 64)
	if err != nil || err2 != nil || from < 0 || last < from || last >= n {
		return 0, 0, fmt.Errorf("%s 0 to %d", what, n-1)
	}
	if last-from+1 == n {
		return 0, 0, fmt.Errorf("none of the %s would be left", what)
	}
	return from, last + 1, nil
}

// renumbered is the number of a cell or gene once those from one number to another are gone; ok is false for those.
func renumbered(n, from, to uint64) (_ uint64, ok bool) {
	switch {
	case n < from:
		return n, true
	case n < to:
		return 0, false
	}
	return n - (to - from), true
}
