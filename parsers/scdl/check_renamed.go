package scdl

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
)

// renamed is a folder that contains the files of a missing one; sure means that these agree with the rest of the archive.
type renamed struct {
	a       *archive
	is, was string
	sure    bool
}

// of says that a folder was renamed.
func (r renamed) of(what string) []model.Detail {
	return []model.Detail{model.About(r), model.Saying("%s %s is missing, and %s contains the files that belong there: rename %s to %s", what, r.was, r.is, r.is, r.was)}
}

// gone reports a missing feature folder of which the header lists these files, and the only other folder that contains them.
func (k *checker) gone(at *model.Span, dir, found string, listed []string) {
	var more []model.Detail
	if r, ok := renamedTo(k.c.Context(), k.archive, dir, listed); ok {
		more = r.of("the feature folder")
	}
	k.c.Wrong(noFolder, at, found, nil, more...)
}

// renamedTo finds the only folder that nothing refers to and that contains the files of a missing feature folder. Of several, the tables of
// cells have as many rows as their blocks, and those of genes have not.
func renamedTo(ctx context.Context, a *archive, dir string, listed []string) (r renamed, ok bool) {
	var folders []features
	for other := range a.dirs {
		if f := folderAt(a, other, dir != "obs_features"); belongsTo(a, &f, dir, listed) {
			folders = append(folders, f)
		}
	}
	if len(folders) > 1 {
		folders = slices.DeleteFunc(folders, func(f features) bool {
			genes := f.genes
			f.genes = false
			return suits(ctx, a, &f) == genes
		})
	}
	if len(folders) != 1 {
		return r, false
	}
	f := &folders[0]
	exact := len(listed) == 0 || len(listed) == len(a.below(f.dir))
	return renamed{a, f.dir, dir, exact && suits(ctx, a, f)}, true
}

// belongsTo tells whether a folder that nothing refers to contains all that the header lists of a missing one, or what every feature folder has.
func belongsTo(a *archive, f *features, dir string, listed []string) bool {
	if f.dir == "." || len(f.parquet) == 0 || len(f.cum) < 2 || slices.Contains([]string{"var_features", "obs_features", "features"}, f.dir) {
		return false
	}
	if h := a.header; h != nil && slices.ContainsFunc(h.fis, func(fi featureIndex) bool {
		return fi.name.Text() == f.dir || slices.ContainsFunc(fi.paths, func(p model.Node) bool { return strings.HasPrefix(p.Text(), f.dir+"/") })
	}) {
		return false
	}
	if len(listed) == 0 {
		listed = []string{dir + "/version.npy"}
	}
	return !slices.ContainsFunc(listed, func(name string) bool {
		rest, below := strings.CutPrefix(path.Clean(name), dir+"/")
		_, there := a.entries[f.dir+"/"+rest]
		return !below || !there
	})
}

// suits tells whether the blocks of a folder end at the last cell and each has a table, for cells with as many rows, and for genes one of
// them with more rows than the first values have genes.
func suits(ctx context.Context, a *archive, f *features) bool {
	rows, known := a.rows()
	if !known || a.raws["row_ptr.npy"].lost() || f.last() != rows || len(f.parquet) != len(f.cum)-1 {
		return false
	}
	most := int64(0)
	for k, name := range f.parquet {
		p, err := a.parquet(ctx, name)
		from, to := f.rows(k)
		if err != nil || !f.genes && p.Rows != to-from {
			return false
		}
		most = max(most, p.Rows)
	}
	if col := a.raws["col_ptr.npy"]; f.genes && col != nil && col.count > 0 && col.dtype <= 4 {
		v := a.elements(col, 0, min(col.count, glance))
		return len(v) > 0 && slices.Max(v) < uint64(most)
	}
	return true
}

// renamedChunk finds the only folder that is no chunk and contains the arrays of a missing one. Sure means that its values are as many as its
// row pointers say, and these as many as expected.
func renamedChunk(a *archive, chunk string, pointers int64) (r renamed, ok bool) {
	if len(a.dirs[chunk]) > 0 {
		return r, false
	}
	n := 0
	for dir := range a.dirs {
		i, isChunk := chunkNumber(dir)
		if dir == "." || isChunk && i < a.header.chunks.Uint() || slices.ContainsFunc(keys[:3], func(k arrayKey) bool { return a.entries[path.Join(dir, k.file)].Size == 0 }) {
			continue
		}
		count := func(key string) int64 {
			d := a.desc(key)
			if d == nil || widthOf(d.dtype.Uint()) == 0 {
				return -1
			}
			return a.entries[path.Join(dir, fileOf(key))].Size / widthOf(d.dtype.Uint())
		}
		n++
		r = renamed{a, dir, chunk, len(a.dirs[dir]) == 3 && count("ROWPTR") == pointers && count("DATA") == count("COLPTR")}
	}
	return r, n == 1
}

// chunkNumber is the number in the name of a chunk's folder.
func chunkNumber(dir string) (n uint64, ok bool) {
	digits, ok := strings.CutPrefix(dir, "chunk_")
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, ok && err == nil && chunkDir(n) == dir
}
