package scdl

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// salvage makes a new archive of the cells whose values can all be read. The header is built from the arrays, whatever is left of the old
// one; files that are whole are taken over as they are.
func salvage(ctx context.Context, t *model.Tree) (*model.Salvaged, error) {
	all := archivesOf(t)
	if len(all) != 1 {
		return nil, errors.New("one archive is saved at a time: open the folder of one")
	}
	a := all[0]
	if a.header != nil && a.header.chunked {
		return nil, errors.New("archives in chunks are not saved: each chunk is an archive of its own, but for the header")
	}
	s := &saving{a: a, files: map[string]model.Source{}}
	if err := s.readings(); err != nil {
		return nil, err
	}
	ends, err := s.readable(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.arrays(ends); err != nil {
		return nil, err
	}
	s.folders()
	s.files["metadata.json"] = model.Memory(s.metadata())
	s.files["version.json"] = model.Memory([]byte(`"0.1.3"`))
	s.files["header.sch"] = model.Memory(s.header())
	return &model.Salvaged{Files: s.files, Parts: s.parts}, nil
}

// reading is the type and the number of elements by which an array is read.
type reading struct {
	dtype uint64
	count int64
}

// saving is a new archive in the making.
type saving struct {
	a      *archive
	rows   int64
	values uint64
	types  [3]reading
	files  map[string]model.Source
	parts  []model.SalvagedPart
	dirs   []string // feature folders
}

// readings sets how the three arrays are to be read: as the header says, where it says it, or as they fit each other.
func (s *saving) readings() error {
	a := s.a
	fits := judge{a}.fits()
	for i, k := range keys[:3] {
		e, ok := a.entries[k.file]
		if !ok || e.Size == 0 {
			return fmt.Errorf("%s is missing or empty, and no cell can be read without it", k.file)
		}
		dtype := k.dtype
		if r := a.raws[k.file]; r != nil {
			dtype = r.dtype
		}
		if len(fits) == 1 && (a.header == nil || a.desc(k.key) == nil) {
			width, _ := fits[0].width(k.key)
			types := ofWidth(width, k.key != "DATA")
			dtype = types[len(types)-1]
		}
		s.types[i] = reading{dtype, e.Size / widthOf(dtype)}
	}
	return nil
}

// readable counts the cells, from the first on, whose pointers ascend and whose values are all there, and returns their pointers.
func (s *saving) readable(ctx context.Context) (ends []uint64, err error) {
	ptr, most := s.types[1], uint64(min(s.types[0].count, s.types[2].count))
	w := widthOf(ptr.dtype)
	const limit = 1 << 28
	if ptr.count > limit {
		return nil, fmt.Errorf("more than %d cells are not saved", limit)
	}
	c, err := s.a.t.Snapshot.Content(s.a.name("row_ptr.npy"))
	if err != nil {
		return nil, err
	}
	buf := make([]byte, step)
	for at := int64(0); at < ptr.count*w && ctx.Err() == nil; at += step {
		n, err := c.ReadAt(buf[:min(step, ptr.count*w-at)], at)
		if err != nil && err != io.EOF {
			return nil, err
		}
		for _, end := range numbers(nil, buf[:n], w) {
			if end < s.values || end > most || len(ends) == 0 && end != 0 {
				at = ptr.count * w
				break
			}
			ends, s.values = append(ends, end), end
		}
	}
	if len(ends) < 2 {
		return nil, errors.New("no cell can be read: the row pointers do not begin at 0 and go up")
	}
	s.rows = int64(len(ends)) - 1
	return ends, ctx.Err()
}

// arrays takes over the three arrays, as far as the cells go that are saved.
func (s *saving) arrays(ends []uint64) error {
	of := max(s.types[1].count-1, s.rows)
	if d := s.a.desc("ROWPTR"); d != nil && d.len_.Uint() < 1<<50 && s.a.bearsOut("ROWPTR", d.len_.Uint()) {
		of = max(of, d.len_.Int()-1)
	}
	part := model.SalvagedPart{What: "cells", Saved: s.rows, Of: of}
	if s.rows < of {
		part.Lost = fmt.Sprintf("cells from %s on, whose pointers or values are cut off or damaged", model.Thousands(s.rows))
	}
	s.parts = append(s.parts, part)
	w := widthOf(s.types[1].dtype)
	ptr := make([]byte, 0, int64(len(ends))*w)
	for _, end := range ends {
		ptr = append(ptr, le64(end)[:w]...)
	}
	s.files["row_ptr.npy"] = model.Memory(ptr)
	for _, i := range []int{0, 2} {
		c, err := s.a.t.Snapshot.Content(s.a.name(keys[i].file))
		if err != nil {
			return err
		}
		size := int64(s.values) * widthOf(s.types[i].dtype)
		s.files[keys[i].file] = c.Splice(size, c.Len()-size, model.Memory(nil))
	}
	return nil
}

// folders takes over the tables of the blocks that are saved. A table of cells goes with the last of its cells.
func (s *saving) folders() {
	for _, f := range s.a.folders {
		cum, n := []int64{-1}, 0
		for i := 1; i < len(f.cum) && i <= len(f.blocks) && cum[len(cum)-1] < s.rows; i++ {
			if !f.genes && f.cum[i] > s.rows {
				break
			}
			cum, n = append(cum, min(f.cum[i], s.rows)), i
		}
		if f.genes && len(cum) > 1 {
			cum[len(cum)-1] = s.rows
		}
		dir := map[bool]string{true: "var_features", false: "obs_features"}[f.genes]
		for k, name := range f.blocks[:n] {
			if c, err := s.a.t.Snapshot.Content(s.a.name(name)); err == nil {
				s.files[fmt.Sprintf("%s/dataframe_%0*d.parquet", dir, len(fmt.Sprint(n)), k)] = c
			}
		}
		s.files[dir+"/cumulative_sum_index.npy"] = model.Memory(npyInts(cum))
		s.files[dir+"/version.npy"] = model.Memory(npyfile.Text("0.1.3"))
		labels, _ := json.Marshal(s.labels(f, n))
		s.files[dir+"/labels.json"] = model.Memory(labels)
		s.dirs = append(s.dirs, dir)
		if lost := len(f.parquet) - n; lost > 0 {
			s.parts = append(s.parts, model.SalvagedPart{What: "tables of " + dir, Saved: int64(n), Of: int64(len(f.parquet)),
				Lost: "those of cells that are lost"})
		}
	}
}

// labels are those of the first n blocks; null where they cannot be read.
func (s *saving) labels(f features, n int) []*string {
	var labels []*string
	if parseJSON(s.a.read(f.dir+"/labels.json", jsonLimit), &labels) != nil || len(labels) < n {
		labels = append(labels, make([]*string, n)...)
	}
	return labels[:n]
}

// npyInts is an NPY file of one dimension of int64.
func npyInts(v []int64) []byte {
	head := fmt.Sprintf("{'descr': '<i8', 'fortran_order': False, 'shape': (%d,), }", len(v))
	head += strings.Repeat(" ", 117-len(head)) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00\x76\x00"), head...)
	for _, n := range v {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// metadata keeps what metadata.json holds, with the number of cells that are saved.
func (s *saving) metadata() []byte {
	meta, err := parseObject(s.a.read("metadata.json", jsonLimit))
	if err != nil {
		meta = map[string]any{}
	}
	meta["num_rows"] = s.rows
	b, _ := json.Marshal(meta)
	return b
}

// header makes the header of the new archive.
func (s *saving) header() []byte {
	w := &writer{}
	w.raw("SCDL", 0, 1, 0, 1)
	w.u32(1, 3)
	for i, k := range keys[:3] {
		n := s.values
		if k.key == "ROWPTR" {
			n = uint64(s.rows) + 1
		}
		w.desc(k.key, n, uint32(s.types[i].dtype))
		w.shape(nil)
	}
	w.u32(uint32(len(s.dirs)))
	for _, dir := range s.dirs {
		var list []string
		for _, name := range slices.Sorted(maps.Keys(s.files)) {
			if path.Dir(name) == dir {
				list = append(list, name)
			}
		}
		w.desc(dir, uint64(s.rows), 8)
		w.paths(list)
		w.shape(nil)
	}
	return w.b
}
