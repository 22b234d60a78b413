package scdl

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"path"
	"slices"
	"sort"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// salvage makes a new archive of the cells whose values can all be read, also after damaged row pointers. The header is built from
// the arrays, regardless of the old one; intact files are copied, and tables of cells lose the rows of lost
// cells.
func salvage(ctx context.Context, t *model.Tree) (*model.Salvaged, error) {
	all := archivesOf(t)
	if len(all) != 1 {
		return nil, errors.New("only one archive can be salvaged at a time: open its folder")
	}
	a := all[0]
	if a.header != nil && a.header.chunked {
		return nil, errors.New("chunked archives cannot be salvaged: each chunk is an archive of its own, except for the header")
	}
	s := &saving{a: a, files: map[string]model.Source{}}
	if err := s.readings(); err != nil {
		return nil, err
	}
	ptr, err := s.pointers(ctx)
	if err != nil {
		return nil, err
	}
	if s.cells = ascending(ptr, uint64(min(s.types[0].count, s.types[2].count))); len(s.cells) == 0 {
		return nil, errors.New("no cell can be read: no two consecutive row pointers increase")
	}
	if err := s.arrays(ptr); err != nil {
		return nil, err
	}
	if s.folders(ctx); a.raws["neighbor_indptr.npy"] != nil {
		s.parts = append(s.parts, model.SalvagedPart{What: "matrices of neighbours", Of: 1, Lost: "which cells are neighbours"})
	}
	s.files["metadata.json"] = model.Memory(s.metadata())
	s.files["version.json"] = model.Memory([]byte(`"0.1.3"`))
	s.files["header.sch"] = model.Memory(s.header())
	return &model.Salvaged{Files: s.files, Parts: s.parts}, nil
}

// saving is a new archive under construction.
type saving struct {
	a      *archive
	cells  intervals // that are saved
	rows   int64     // how many these are
	values uint64    // of them
	types  [3]reading
	files  map[string]model.Source
	parts  []model.SalvagedPart
	says   []string // which arrays were read otherwise than the header says
	dirs   []string // feature folders
}

const (
	maxChained = 1 << 24 // pointers searched for an ascending sequence
	maxRuns    = 4096    // of cells
)

// ascending returns runs of cells whose pointers, none above most, belong to a longest ascending sequence, whichever of contradicting
// pointers are damaged. For very long arrays it is only the cells before the first descending pointer.
func ascending(ptr []uint64, most uint64) (cells intervals) {
	switch n := rising(ptr, most); {
	case n < len(ptr) && len(ptr) <= maxChained:
	case n < 2:
		return nil
	default:
		return cells.add(0, int64(n)-1)
	}
	begun := slices.IndexFunc(ptr, func(p uint64) bool { return p > 0 })
	legal := func(i int) bool {
		zero := ptr[i] == 0
		return ptr[i] <= most && (zero || i > 0) && (!zero || i < begun) // zeros after a non-zero value overwrote data
	}
	up, longest := chains(slices.All(ptr), len(ptr), legal, func(p, end uint64) bool { return end > p })
	down, _ := chains(slices.Backward(ptr), len(ptr), legal, func(p, end uint64) bool { return end < p })
	among := make([]int32, longest+1) // how many may be the next of a longest chain
	for i := range ptr {
		if up[i]+down[i] == longest+1 {
			among[up[i]]++
		}
	}
	sure := func(i int) bool { return up[i]+down[i] == longest+1 && among[up[i]] == 1 }
	for i := range int64(len(ptr) - 1) {
		if sure(int(i)) && sure(int(i)+1) {
			cells = cells.add(i, i+1)
		}
	}
	return cells[:min(len(cells), maxRuns)]
}

// rising is how many pointers from the first on start at 0, never decrease and do not exceed most.
func rising(ptr []uint64, most uint64) (n int) {
	for least := uint64(0); n < len(ptr) && ptr[n] <= most && ptr[n] >= least && (n > 0 || ptr[n] == 0); n++ {
		least = ptr[n]
	}
	return n
}

// chains is the length of the longest chain that ends at each of n pointers, 0 if it is not legal, and the longest of all. ends tells
// whether a pointer may not continue a chain that ends at another.
func chains(ptr iter.Seq2[int, uint64], n int, legal func(i int) bool, ends func(p, end uint64) bool) (length []int32, longest int32) {
	length = make([]int32, n)
	var last []uint64 // of the chains of each length
	for i, p := range ptr {
		if !legal(i) {
			continue
		}
		k := sort.Search(len(last), func(k int) bool { return ends(p, last[k]) })
		if k == len(last) {
			last = append(last, 0)
		}
		last[k], length[i] = p, int32(k+1)
	}
	return length, int32(len(last))
}

// arrays copies the three arrays for the saved cells.
func (s *saving) arrays(ptr []uint64) error {
	s.rows = s.cells.below(math.MaxInt64)
	last := s.cells[len(s.cells)-1].to
	of := max(s.types[1].count-1, last)
	if d := s.a.desc("ROWPTR"); d != nil && d.len_.Uint() < 1<<50 && (judge{s.a}).bearsOut("ROWPTR", d.len_.Uint()) {
		of = max(of, d.len_.Int()-1)
	}
	part := model.SalvagedPart{What: "cells", Saved: s.rows, Of: of, Says: strings.Join(s.says, "; ")}
	switch {
	case s.rows < of && s.rows == last:
		part.Lost = fmt.Sprintf("cells from %s on, whose pointers or values are truncated or damaged", model.Thousands(s.rows))
	case s.rows < of:
		part.Lost = fmt.Sprintf("cells whose pointers or values are truncated or damaged, from %s on", model.Thousands(s.lost(0)))
	}
	s.parts = append(s.parts, part)
	w := widthOf(s.types[1].dtype)
	out := make([]byte, w, (s.rows+1)*w)
	for _, run := range s.cells {
		for _, end := range ptr[run.from+1 : run.to+1] {
			out = appendNumber(out, end-ptr[run.from]+s.values, w)
		}
		s.values += ptr[run.to] - ptr[run.from]
	}
	s.files["row_ptr.npy"] = model.Memory(out)
	for _, i := range []int{0, 2} {
		c, err := s.a.t.Snapshot.Content(s.a.name(keys[i].file))
		if err != nil {
			return err
		}
		size, end := widthOf(s.types[i].dtype), c.Len()
		for _, run := range slices.Backward(s.cells) { // bytes between two runs are removed
			from := int64(ptr[run.to]) * size
			c, end = c.Splice(from, end-from, model.Memory(nil)), int64(ptr[run.from])*size
		}
		s.files[keys[i].file] = c.Splice(0, end, model.Memory(nil))
	}
	return nil
}

// lost is the first unsaved cell from one on.
func (s *saving) lost(from int64) int64 {
	for _, run := range s.cells {
		if run.from <= from {
			from = max(from, run.to)
		}
	}
	return from
}

// folders copies the tables of the saved blocks. A table of cells loses the rows of lost cells.
func (s *saving) folders(ctx context.Context) {
	for i := range s.a.folders {
		f := &s.a.folders[i]
		dir := map[bool]string{true: "var_features", false: "obs_features"}[f.genes]
		b := s.blocks(ctx, f)
		if f.genes && len(b.cum) > 1 {
			b.cum[len(b.cum)-1] = s.rows
		}
		ends, labelled := b.cum, b.kept
		if f.genes && len(b.kept) == 0 && len(f.cum) > 1 { // readers take the number of cells from there
			ends, labelled = []int64{-1, s.rows}, []int{0}
		}
		for k, table := range b.tables {
			s.files[fmt.Sprintf("%s/dataframe_%0*d.parquet", dir, len(fmt.Sprint(len(b.tables))), k)] = table
		}
		s.files[dir+"/cumulative_sum_index.npy"] = model.Memory(npyfile.Ints(ends))
		s.files[dir+"/version.npy"] = model.Memory(npyfile.Text("0.1.3"))
		s.writeLabels(f, dir, labelled)
		s.dirs = append(s.dirs, dir)
		of := max(len(f.parquet), len(f.cum)-1)
		if of > len(b.kept) || b.cut > 0 {
			part := model.SalvagedPart{What: "tables of " + dir, Saved: int64(len(b.kept)), Of: int64(of), Lost: "those of lost cells"}
			switch {
			case b.cut > 0:
				part.Lost = fmt.Sprintf("the rows of %s", model.Count(b.cut, "lost cells"))
			case len(f.cum)-1 > len(f.parquet):
				part.Lost = "those that are missing, and those after them"
			}
			s.parts = append(s.parts, part)
		}
	}
	s.missing(ctx)
}

// missing notes the missing feature folders, of those that the header lists and that every archive has.
func (s *saving) missing(ctx context.Context) {
	noted := s.dirs
	note := func(dir string, listed []string) {
		if slices.Contains(noted, dir) || len(s.a.dirs[dir]) > 0 {
			return
		}
		noted = append(noted, dir)
		tables := slices.DeleteFunc(slices.Clone(listed), func(name string) bool { return path.Ext(name) != ".parquet" })
		part := model.SalvagedPart{What: "tables of " + dir, Of: max(1, int64(len(tables))), Lost: "the folder " + dir + " is missing"}
		if r, ok := renamedTo(ctx, s.a, dir, listed); ok {
			part.Lost += ", and " + r.is + " contains the files that belong there: rename it first"
		}
		s.parts = append(s.parts, part)
	}
	if s.a.header != nil {
		for i := range s.a.header.fis {
			if fi := &s.a.header.fis[i]; meantFolder(s.a, fi) == "" {
				note(fi.name.Text(), texted(fi.paths))
			}
		}
	}
	note("var_features", nil)
}

// savedBlocks are the saved blocks of a folder: which, their new ends, their tables, and how many rows these lose.
type savedBlocks struct {
	kept   []int
	cum    []int64
	tables []model.Source
	cut    int64
}

// blocks are those of a folder up to the first one without a readable table, because the tables must describe all cells up to the last one.
func (s *saving) blocks(ctx context.Context, f *features) (b savedBlocks) {
	b.cum = []int64{-1}
	for k := 0; k < len(f.blocks) && k+1 < len(f.cum); k++ {
		from, to := f.rows(k)
		n := s.cells.below(to) - s.cells.below(from)
		if n == 0 {
			continue
		}
		table, err := s.table(ctx, f, k, n)
		if err != nil {
			break
		}
		if !f.genes {
			b.cut += to - from - n
		}
		b.cum, b.kept, b.tables = append(b.cum, s.cells.below(to)), append(b.kept, k), append(b.tables, table)
	}
	return b
}

// table is the table of the k-th block, of whose cells n are saved.
func (s *saving) table(ctx context.Context, f *features, k int, n int64) (model.Source, error) {
	from, to := f.rows(k)
	if f.genes || n == to-from {
		return s.a.t.Snapshot.Content(s.a.name(f.blocks[k]))
	}
	sheet, err := s.a.readSheet(ctx, f.blocks[k])
	if err != nil {
		return nil, err
	}
	if sheet.rows != to-from {
		return nil, errors.New("its row count does not match the cells of the block")
	}
	sheet.gone = func(row int64) bool { return !s.cells.has(from + row) }
	b, err := sheet.write()
	return model.Memory(b), err
}

// jsonFront passes on the entries of a list or an object before what is no JSON, and tells whether that is all of it.
func jsonFront(b []byte, entry func(*json.Decoder) error) bool {
	valid := b[:validFront(b)]
	d := json.NewDecoder(bytes.NewReader(valid))
	d.UseNumber()
	_, err := d.Token()
	for err == nil && d.More() {
		err = entry(d)
	}
	if err == nil {
		_, err = d.Token()
	}
	return err == nil && len(valid) == len(b)
}

// metadata keeps the content of metadata.json, with the number of saved cells.
func (s *saving) metadata() []byte {
	b, meta := s.a.read("metadata.json", jsonLimit), map[string]any{}
	whole := jsonFront(b, func(d *json.Decoder) error {
		name, err := d.Token()
		var x any
		if err == nil {
			err = d.Decode(&x)
		}
		if key, ok := name.(string); err == nil && ok {
			meta[key] = x
		}
		return err
	})
	if b != nil && !whole {
		s.parts = append(s.parts, model.SalvagedPart{What: "entries of metadata.json", Saved: int64(len(meta)), Of: -1, Lost: "those after the damage in it"})
	}
	meta["num_rows"] = s.rows
	out, _ := json.Marshal(meta)
	return out
}

// header makes the header of the new archive.
func (s *saving) header() []byte {
	var arrays, folders []descriptor
	for i, k := range keys[:3] {
		n := s.values
		if k.key == "ROWPTR" {
			n = uint64(s.rows) + 1
		}
		arrays = append(arrays, descriptor{k.key, n, uint32(s.types[i].dtype), nil})
	}
	for _, dir := range s.dirs {
		var list []string
		for _, name := range slices.Sorted(maps.Keys(s.files)) {
			if path.Dir(name) == dir {
				list = append(list, name)
			}
		}
		folders = append(folders, descriptor{dir, uint64(s.rows), texts, list})
	}
	return headerOf(arrays, folders)
}
