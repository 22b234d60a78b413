package scdl

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// matrixActions are the edits of cells and genes.
var matrixActions = []model.Action{
	{Name: "drop-cells", Removes: true, Label: "Remove cells", Doc: "Their values, their neighbours and their rows in the tables are removed too.", On: onArchive,
		Params: []model.Param{{Name: "from", Label: "First cell", Default: "0"}, {Name: "to", Label: "Last cell", Default: "0"}},
		Plan:   dropCells},
	{Name: "add-cell", Label: "Add a cell", Doc: "It is appended as the last one; its row in the table of cells is empty except for the name.",
		On: onArchive,
		Params: []model.Param{{Name: "genes", Label: "Its genes by number, such as 0,3,7"},
			{Name: "values", Label: "Their values, such as 1,2,3"}, {Name: "name", Label: "Its name, in the first string column"}},
		Plan: addCell},
	{Name: "drop-genes", Removes: true, Label: "Remove genes", Doc: "Their values in all cells are removed too.", On: onArchive,
		Params: []model.Param{{Name: "from", Label: "First gene", Default: "0"}, {Name: "to", Label: "Last gene", Default: "0"},
			{Name: "block", Label: "Table of genes, by number", Default: "0"}},
		Plan: dropGenes},
	{Name: "add-gene", Label: "Add a gene", Doc: "It is appended to its table; no cell has a value for it yet.", On: onArchive,
		Params: []model.Param{{Name: "name", Label: "Its name, in the first string column"},
			{Name: "block", Label: "Table of genes, by number", Default: "0"}},
		Plan: addGene},
}

// reshaping is edits after which an archive has other cells or genes. Everything that counts cells is updated: row pointers, neighbours,
// the index of the blocks, the tables of cells, the header, metadata.json.
type reshaping struct {
	*archive
	matrix
	ctx   context.Context
	cells int64
	edits []model.Edit
}

// reshape prepares edits of the matrix of an archive, or says why it cannot be edited.
func (a *archive) reshape(ctx context.Context) (*reshaping, error) {
	if a == nil || a.header == nil || !a.header.whole || a.header.chunked {
		return nil, errors.New("cells and genes can be changed only in an archive with an intact header and without chunks")
	}
	r := &reshaping{archive: a, ctx: ctx, matrix: a.main("")}
	for _, raw := range []*rawArray{r.ptr, r.col, r.data} {
		if !raw.whole() || raw.desc == nil || raw.desc.len_.Int() != raw.count {
			return nil, errors.New("the three arrays do not match the header: repair the archive first")
		}
	}
	if !unsigned(r.ptr) || !unsigned(r.col) || r.col.count != r.data.count || r.pointer(r.ptr.count-1) != r.data.count {
		return nil, errors.New("row pointers, columns and values do not match: repair the archive first")
	}
	r.cells = r.ptr.count - 1
	for i := range a.folders {
		if f := &a.folders[i]; len(f.blocks)+len(f.stale) == 0 && slices.Equal(f.cum, []int64{-1}) {
			continue // nothing is known of cells but their values
		} else if f.last() != r.cells || len(f.blocks) != len(f.cum)-1 || len(f.stale) > 0 {
			return nil, fmt.Errorf("the blocks of %s do not match the cells: repair the archive first", f.dir)
		}
	}
	return r, nil
}

// pointer is where the values of a cell begin, or −1.
func (r *reshaping) pointer(cell int64) int64 {
	if v := r.elements(r.ptr, cell, cell+1); v != nil {
		return int64(min(v[0], 1<<62))
	}
	return -1
}

// put replaces a range of elements of an array by bytes.
func (r *reshaping) put(raw *rawArray, from, to int64, with model.Source) {
	w := widthOf(raw.dtype)
	r.edits = append(r.edits, model.Splice{Range: model.Range{Space: raw.span.Range.Space, Off: from * w, Len: (to - from) * w}, With: with,
		Into: raw.span.Path() + "/values", Loose: true})
}

// less decreases a range of row pointers.
func (r *reshaping) less(from, to int64, by uint64) error {
	if from == to || by == 0 {
		return nil
	}
	e, err := r.mapped(r.ptr, from, to, minus(by))
	r.put(r.ptr, from, to, e.With)
	return err
}

// packed is numbers as array elements.
func packed(v []uint64, w int64) []byte {
	b := make([]byte, 0, int64(len(v))*w)
	for _, n := range v {
		b = appendNumber(b, n, w)
	}
	return b
}

// count writes the number of cells and values wherever it is stored.
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

// blocks writes the ends of the blocks in all feature folders that count the cells.
func (r *reshaping) blocks(end func(int64) int64) {
	for i := range r.folders {
		f, cum := &r.folders[i], []int64{-1}
		if f.last() != r.cells {
			continue
		}
		for _, n := range f.cum[1:] {
			cum = append(cum, end(n))
		}
		r.edits = append(r.edits, model.FileEdit{File: r.name(f.dir + "/cumulative_sum_index.npy"), Create: model.Memory(npyfile.Ints(cum))})
	}
}

// features returns the folder of the tables of genes, or of cells, if it has any.
func (a *archive) features(genes bool) *features {
	for i := range a.folders {
		if a.folders[i].genes == genes && len(a.folders[i].blocks) > 0 {
			return &a.folders[i]
		}
	}
	return nil
}

// dropCells removes cells with everything that belongs to them.
func dropCells(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	r, err := archiveOf(t, s).reshape(ctx)
	if err != nil {
		return nil, err
	}
	from, to, err := span(args, r.cells, "cells")
	if err != nil {
		return nil, err
	}
	err = r.drop(intervals{{from: from, to: to}})
	return r.edits, err
}

// addCell appends a cell: its values, and a row to the table of cells.
func addCell(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	r, err := archiveOf(t, s).reshape(ctx)
	if err != nil {
		return nil, err
	}
	var genes []uint64
	var values []string
	if args["genes"] != "" || args["values"] != "" {
		values = strings.Split(args["values"], ",")
		for _, text := range strings.Split(args["genes"], ",") {
			n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
			if err != nil {
				return nil, fmt.Errorf("%q: genes are numbers", text)
			}
			genes = append(genes, n)
		}
	}
	c, err := r.newCell(genes, values)
	if err != nil {
		return nil, err
	}
	err = r.add([]newCell{c}, func(s *sheet) error { return s.add(s.named(args["name"])) })
	return r.edits, err
}

// newCell is a cell to be added: the genes that it has values for, in ascending order, and the values as stored.
type newCell struct {
	genes  []uint64
	values []byte
}

// newCell reads the values of a cell.
func (r *reshaping) newCell(genes []uint64, values []string) (c newCell, err error) {
	if len(genes) != len(values) {
		return c, fmt.Errorf("%d genes and %d values: each value needs its gene", len(genes), len(values))
	}
	field := &model.Field{Codec: codecOf(r.data.dtype)}
	limits := r.geneLimits(r.ctx)
	most := limits.of(r.cells - 1)
	if w := widthOf(r.col.dtype); w < 8 {
		most = min(most, 1<<(8*w))
	}
	for i, gene := range genes {
		if gene >= most || i > 0 && gene <= genes[i-1] {
			return c, fmt.Errorf("gene %d: genes are numbers in increasing order, less than %d", gene, most)
		}
		v, err := field.Parse(strings.TrimSpace(values[i]))
		if err != nil {
			return c, err
		}
		b, err := field.Codec.Encode(v)
		if err != nil {
			return c, err
		}
		c.values = append(c.values, b...)
	}
	c.genes = genes
	return c, nil
}

// point replaces the row pointers from one on. If they are too narrow, all are widened as far as necessary, as the writer does.
func (r *reshaping) point(from int64, ends []uint64) error {
	w := widthOf(r.ptr.dtype)
	last, wide := ends[len(ends)-1], w
	for wide < 8 && last >= 1<<(8*wide) {
		wide *= 2
	}
	if wide == w {
		r.put(r.ptr, from, r.ptr.count, model.Memory(packed(ends, w)))
		return nil
	}
	if r.ptr.count > maxReshape {
		return fmt.Errorf("more than %d row pointers of %d bytes cannot be rewritten to count %d values", maxReshape, w, last)
	}
	r.put(r.ptr, 0, r.ptr.count, model.Memory(packed(append(r.elements(r.ptr, 0, from), ends...), wide)))
	kind := binary.BigEndian.AppendUint32(nil, uint32(slices.Index(widths[:], wide))) // the unsigned type of so many bytes
	r.edits = append(r.edits, model.Replace(r.ptr.desc.dtype.Span.Range, kind))
	return nil
}

// add appends cells; rows adds their rows to the table of cells.
func (r *reshaping) add(cells []newCell, rows func(s *sheet) error) error {
	if len(cells) == 0 {
		return nil
	}
	var values, genes []byte
	var ends []uint64
	n, cw := r.data.count, widthOf(r.col.dtype)
	for _, c := range cells {
		n += int64(len(c.genes))
		values, genes, ends = append(values, c.values...), append(genes, packed(c.genes, cw)...), append(ends, uint64(n))
	}
	r.put(r.data, r.data.count, r.data.count, model.Memory(values))
	r.put(r.col, r.col.count, r.col.count, model.Memory(genes))
	if err := r.point(r.ptr.count, ends); err != nil {
		return err
	}
	return r.more(len(cells), n, rows)
}

// more counts cells that were appended, of n values in all, wherever cells are counted; rows adds their rows to the table of cells.
func (r *reshaping) more(cells int, n int64, rows func(s *sheet) error) error {
	if f := r.features(false); f != nil && f.last() == r.cells {
		e, err := r.rewrite(r.ctx, f.blocks[len(f.blocks)-1], rows)
		if err != nil {
			return err
		}
		r.edits = append(r.edits, e)
	}
	r.blocks(func(end int64) int64 {
		if end == r.cells {
			return end + int64(cells)
		}
		return end
	})
	if err := r.alone(cells); err != nil {
		return err
	}
	return r.count(r.cells+int64(cells), n)
}

// alone adds empty lists of neighbours for new cells.
func (r *reshaping) alone(cells int) error {
	ptr, _, _ := r.neighbors()
	if ptr == nil {
		return nil
	}
	w := widthOf(ptr.dtype)
	last := r.slice(ptr.file, (ptr.count-1)*w, w)
	if last == nil || ptr.count != r.cells+1 {
		return errors.New("the neighbours do not match the cells: repair the archive first")
	}
	r.put(ptr, ptr.count, ptr.count, model.Memory(bytes.Repeat(last, cells)))
	if ptr.desc != nil {
		r.edits = append(r.edits, model.SetValue(ptr.desc.len_.Span, model.I(ptr.count+int64(cells))))
	}
	return nil
}

// span parses the first and last of what an action removes; to is exclusive. Something must remain.
func span(args map[string]string, n int64, what string) (from, to int64, err error) {
	from, err = strconv.ParseInt(args["from"], 10, 64)
	last, err2 := strconv.ParseInt(args["to"], 10, 64)
	if err != nil || err2 != nil || from < 0 || last < from || last >= n {
		return 0, 0, fmt.Errorf("%s 0 to %d", what, n-1)
	}
	if last-from+1 == n {
		return 0, 0, fmt.Errorf("no %s would be left", what)
	}
	return from, last + 1, nil
}
