package scdl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"spandrel/model"
)

// dropGenes removes consecutive genes of a block.
func dropGenes(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	r, f, k, all, err := geneBlock(ctx, t, s, args)
	if err != nil {
		return nil, err
	}
	from, to, err := span(args, all, "genes")
	if err != nil {
		return nil, err
	}
	err = r.dropGenes(f, ofBlock{k, intervals{{from: from, to: to}}})
	return r.edits, err
}

// ofBlock are genes of a block, by their numbers in it.
type ofBlock struct {
	k    int
	gone intervals
}

// taken is the rows of a block without the removed genes: the end of each row, counted from the first value of the block, the genes with
// their new numbers, and their values.
func (g intervals) taken(ends, genes []uint64, values []byte) (newEnds, newGenes []uint64, newValues []byte) {
	width := uint64(len(values) / max(1, len(genes)))
	for row := 1; row < len(ends); row++ {
		for i := ends[row-1] - ends[0]; i < ends[row]-ends[0]; i++ {
			if n := int64(min(genes[i], 1<<62)); !g.has(n) {
				newGenes = append(newGenes, genes[i]-uint64(g.below(n)))
				newValues = append(newValues, values[i*width:(i+1)*width]...)
			}
		}
		newEnds = append(newEnds, uint64(len(newGenes)))
	}
	return newEnds, newGenes, newValues
}

// dropGenes removes genes of some blocks, in order, together with their values in all cells.
func (r *reshaping) dropGenes(f *features, list ...ofBlock) error {
	pw, cw, dw := widthOf(r.ptr.dtype), widthOf(r.col.dtype), widthOf(r.data.dtype)
	fewer, at := int64(0), int64(0) // values that went, and the row pointer from which on that is not written
	for _, x := range list {
		lo, hi := f.rows(x.k)
		first, last := r.pointer(lo), r.pointer(hi)
		if first < 0 || last < first || last > r.data.count || last-first > maxReshape || hi-lo > maxReshape {
			return fmt.Errorf("the values of block %d cannot be rewritten: they do not increase, or are more than %d", x.k, maxReshape)
		}
		ends, genes := r.elements(r.ptr, lo, hi+1), r.elements(r.col, first, last)
		values := r.slice(r.data.file, first*dw, (last-first)*dw)
		if !slices.IsSorted(ends) || int64(len(genes)) != last-first || int64(len(values)) != (last-first)*dw {
			return fmt.Errorf("the row pointers of block %d do not increase: repair the archive first", x.k)
		}
		newEnds, newGenes, newValues := x.gone.taken(ends, genes, values)
		for i := range newEnds {
			newEnds[i] += uint64(first - fewer)
		}
		if err := r.less(at, lo+1, uint64(fewer)); err != nil {
			return err
		}
		fewer, at = fewer+int64(len(genes)-len(newGenes)), hi+1
		r.put(r.data, first, last, model.Memory(newValues))
		r.put(r.col, first, last, model.Memory(packed(newGenes, cw)))
		r.put(r.ptr, lo+1, hi+1, model.Memory(packed(newEnds, pw)))
		e, err := r.rewrite(r.ctx, f.blocks[x.k], func(s *sheet) error {
			s.gone = x.gone.has
			return nil
		})
		if err != nil {
			return err
		}
		r.edits = append(r.edits, e)
	}
	if fewer == r.data.count {
		return errors.New("no value would be left, and readers reject an empty file")
	}
	if err := r.less(at, r.ptr.count, uint64(fewer)); err != nil {
		return err
	}
	return r.count(r.cells, r.data.count-fewer)
}

// addGene appends a gene to the table of a block. No cell has a value for it yet.
func addGene(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) ([]model.Edit, error) {
	r, f, k, all, err := geneBlock(ctx, t, s, args)
	if err != nil {
		return nil, err
	}
	if err := r.numbered(all + 1); err != nil {
		return nil, err
	}
	e, err := r.rewrite(ctx, f.blocks[k], func(s *sheet) error { return s.add(s.named(args["name"])) })
	return []model.Edit{e}, err
}

// numbered is an error if so many genes cannot be numbered.
func (r *reshaping) numbered(genes int64) error {
	if w := widthOf(r.col.dtype); w < 8 && genes > 1<<(8*w) {
		return fmt.Errorf("columns of %d bytes cannot number %d genes", w, genes)
	}
	return nil
}

// geneBlock is the archive to change, the block named by the arguments of an action, and its number of genes.
func geneBlock(ctx context.Context, t *model.Tree, s *model.Span, args map[string]string) (r *reshaping, f *features, k int, genes int64, err error) {
	if r, err = archiveOf(t, s).reshape(ctx); err != nil {
		return nil, nil, 0, 0, err
	}
	if f = r.features(true); f == nil {
		return nil, nil, 0, 0, errors.New("the archive has no table of genes")
	}
	if k, err = strconv.Atoi(args["block"]); err != nil || k < 0 || k >= len(f.blocks) {
		return nil, nil, 0, 0, fmt.Errorf("block: 0 to %d", len(f.blocks)-1)
	}
	rows, err := r.parquet(r.ctx, f.blocks[k])
	if err != nil {
		return nil, nil, 0, 0, fmt.Errorf("%s: %w", f.blocks[k], err)
	}
	return r, f, k, rows.Rows, nil
}
