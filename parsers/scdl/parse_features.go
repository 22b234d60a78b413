package scdl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// features is the content of a feature folder (section 5).
type features struct {
	dir     string
	genes   bool
	parquet []string // every Parquet file below the folder, sorted: what the reference takes for block 0, 1, 2 …
	blocks  []string // current tables, without stale ones if the numbering shows them
	stale   []string
	cum     []int64
}

// last is the cell up to which the blocks extend, or −1 if their index does not ascend.
func (f *features) last() int64 {
	if len(f.cum) < 2 || f.cum[0] != -1 || !slices.IsSorted(f.cum) {
		return -1
	}
	return f.cum[len(f.cum)-1]
}

// rows returns the cells of block k.
func (f *features) rows(k int) (from, to int64) { return max(0, f.cum[k]), f.cum[k+1] }

// readFolders returns the gene folder and the cell folder, as far as they exist.
func (a *archive) readFolders() (out []features) {
	dirs := []string{"var_features", "obs_features"}
	if len(a.dirs["var_features"]) == 0 && len(a.dirs["features"]) > 0 {
		dirs[0] = "features"
	}
	for _, dir := range dirs {
		if len(a.dirs[dir]) == 0 { // an empty folder is as good as none
			continue
		}
		out = append(out, folderAt(a, dir, dir != "obs_features"))
	}
	return out
}

// folderAt reads a folder as one of genes or of cells.
func folderAt(a *archive, dir string, genes bool) features {
	f := features{dir: dir, genes: genes}
	for _, name := range a.below(dir) {
		if strings.HasSuffix(name, ".parquet") {
			f.parquet = append(f.parquet, name)
		}
	}
	if b := a.read(dir+"/cumulative_sum_index.npy", 64<<20); b != nil {
		f.cum, _ = cumulative(b)
	}
	f.sortBlocks()
	return f
}

// sortBlocks finds the blocks by the names for that number of blocks; other Parquet files are stale.
func (f *features) sortBlocks() {
	f.blocks = f.parquet
	n := len(f.cum) - 1
	if n < 1 || n >= len(f.parquet) {
		return
	}
	meant := f.tables(n)
	if slices.ContainsFunc(meant, func(name string) bool { return !slices.Contains(f.parquet, name) }) {
		return
	}
	f.blocks = meant
	for _, name := range f.parquet {
		if _, ok := slices.BinarySearch(meant, name); !ok {
			f.stale = append(f.stale, name)
		}
	}
}

// tables are the names of the tables of n blocks.
func (f *features) tables(n int) (out []string) {
	for k := range n {
		out = append(out, fmt.Sprintf("%s/dataframe_%0*d.parquet", f.dir, len(strconv.Itoa(n)), k))
	}
	return out
}

// lacking are the missing tables, if the index counts more blocks and the existing tables have the names of some of them.
func (f *features) lacking() (out []string) {
	n := len(f.cum) - 1
	if n <= len(f.parquet) || n > len(f.parquet)+maxLacking {
		return nil
	}
	meant := f.tables(n)
	for _, name := range f.parquet {
		if !slices.Contains(meant, name) {
			return nil
		}
	}
	return slices.DeleteFunc(meant, func(name string) bool { return slices.Contains(f.parquet, name) })
}

// maxLacking is how many missing tables are reported.
const maxLacking = 8

// cumulative decodes a one-dimensional NPY of signed integers.
func cumulative(b []byte) ([]int64, error) {
	h, err := npyfile.Parse(b)
	if err != nil {
		return nil, err
	}
	codec := npyfile.CodecOf(h.Descr)
	if len(h.Shape) != 1 || codec == nil || codec.Kind() != model.Int {
		return nil, fmt.Errorf("not one-dimensional signed integers: %s", h.Descr)
	}
	w := int64(codec.Size())
	if h.Count > (int64(len(b))-h.Data)/w {
		return nil, fmt.Errorf("%d elements declared, but %d bytes present", h.Count, int64(len(b))-h.Data)
	}
	out := make([]int64, h.Count)
	for i := range out {
		v, _, _ := codec.Decode(b[h.Data+int64(i)*w:])
		out[i] = v.Int()
	}
	return out, nil
}
