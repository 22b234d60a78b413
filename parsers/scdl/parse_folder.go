package scdl

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// archiveState is stored with a tree: its archives, one unless the folder is a collection.
type archiveState struct {
	header   *header // of a header alone
	archives []*archive
}

// archive is one archive folder.
type archive struct {
	folder
	header   *header              // nil without header.sch
	raws     map[string]*rawArray // raw arrays by file name
	folders  []features           // the feature folders
	oldTypes map[string]uint64    // of dtypes.json
	// strangers is how many files do not belong to any archive.
	strangers int64

	shown  atomic.Pointer[parquetRows] // the one whose rows are kept
	genes  func() (uint64, bool)       // of the block that has most of them, and whether that is known
	mu     sync.Mutex
	names  map[string][]string // gene names by Parquet file, once read
	tables map[string]*parquetRows
}

// archivesOf are the archives of a tree.
func archivesOf(t *model.Tree) []*archive {
	if state := model.StateOf[*archiveState](t); state != nil {
		return state.archives
	}
	return nil
}

// rawArray is a raw array: headerless elements of the header's dtype.
type rawArray struct {
	file  string
	dtype uint64
	size  int64
	count int64
	desc  *desc // nil when the header does not list it
	cut   bool  // the file has lost values, as others bear out
	other bool  // the values are of another type than the header says, or may be
	span  *model.Span
}

// judged is an array that a finding is about.
type judged struct {
	a *archive
	d *desc
}

// matrix is the main arrays of an archive, or of one of its chunks; missing ones are nil.
type matrix struct {
	chunk          string // its folder
	ptr, col, data *rawArray
}

// main is the matrix of the archive, or of one of its chunks.
func (a *archive) main(dir string) matrix {
	raw := func(file string) *rawArray { return a.raws[path.Join(dir, file)] }
	return matrix{dir, raw("row_ptr.npy"), raw("col_ptr.npy"), raw("data.npy")}
}

// chunkDir is the folder of a chunk.
func chunkDir[N int64 | uint64](i N) string { return fmt.Sprintf("chunk_%05d", i) }

// of is the array with a key.
func (m matrix) of(key string) *rawArray {
	return map[string]*rawArray{"ROWPTR": m.ptr, "COLPTR": m.col, "DATA": m.data}[key]
}

// matrices are those of the archive: one, or one for each chunk according to the header.
func (a *archive) matrices() (out []matrix) {
	if a.header == nil || !a.header.chunked {
		return []matrix{a.main("")}
	}
	for i := range min(a.header.chunks.Uint(), maxChunks) {
		out = append(out, a.main(chunkDir(i)))
	}
	return out
}

// neighbors are the arrays of the second matrix, of cells by cells; missing ones are nil.
func (a *archive) neighbors() (ptr, idx, val *rawArray) {
	return a.raws["neighbor_indptr.npy"], a.raws["neighbor_indices.npy"], a.raws["neighbor_values.npy"]
}

// lost tells whether values of an array are known to be cut off, so that other problems need not be reported.
func (r *rawArray) lost() bool { return r != nil && r.cut }

func parse(c *model.Cursor) {
	s, state := c.Tree().Snapshot, &archiveState{}
	c.Tree().State = state
	if !s.Folder() {
		state.header = readHeader(c, nil)
		return
	}
	if s.Primary == "" && !isArchive(s, ".") {
		collection(c, state)
		return
	}
	a := newArchive(c, c.Span(), ".")
	state.archives = append(state.archives, a)
	if s.Primary != "" {
		readHeader(c, a)
	}
	a.parse(c)
}

func collection(c *model.Cursor, state *archiveState) {
	s := c.Tree().Snapshot
	c.Wrong(isCollection, nil, nil, nil, model.Saying("a collection of archives"))
	versions := map[string]bool{}
	for _, dir := range members(s) {
		g := c.Group(&model.Field{Name: dir, Doc: "an archive of the collection"}, func(c *model.Cursor) {
			a := newArchive(c, c.Span(), dir)
			state.archives = append(state.archives, a)
			a.parse(c)
			if b := a.read("version.json", 64); b != nil {
				versions[strings.TrimSpace(string(b))] = true
			}
		})
		c.Tree().Open(c.Context(), g.Span)
	}
	if e, ok := entry(s, "version.json"); ok {
		c.Companion(&model.Field{Name: "version.json"}, e, jsonMembers)
	}
	if len(versions) > 1 {
		c.Wrong(mixedVersions, nil, nil, nil)
	}
}

func entry(s *model.Snapshot, name string) (model.Entry, bool) {
	list, _, _ := s.List(path.Dir(name))
	i := slices.IndexFunc(list, func(e model.Entry) bool { return e.Name == name && e.Regular })
	if i < 0 {
		return model.Entry{}, false
	}
	return list[i], true
}

func newArchive(c *model.Cursor, root *model.Span, dir string) *archive {
	a := &archive{folder: folder{t: c.Tree(), root: root, dir: dir, entries: map[string]model.Entry{}, dirs: map[string][]string{".": nil},
		spans: map[string]*model.Span{}}, raws: map[string]*rawArray{}, names: map[string][]string{}, tables: map[string]*parquetRows{}}
	ctx := c.Context()
	a.genes = sync.OnceValues(func() (uint64, bool) { return a.geneLimits(ctx).most() })
	more := a.walk(".")
	slices.Sort(a.order)
	if more {
		c.Wrong(model.RuleCap, root, nil, nil, model.Saying("the folder contains more files than are listed"))
	}
	return a
}

// parse places every file of the archive in the tree.
func (a *archive) parse(c *model.Cursor) {
	if e, ok := a.entries["header.sch"]; ok && a.header == nil { // not the main file: in a collection, or made by an edit
		n := c.Companion(&model.Field{Name: "header.sch", Doc: "the header", Ref: "3"}, e, func(c *model.Cursor) { readHeader(c, a) })
		a.spans["header.sch"] = n.Span
		c.Tree().Open(c.Context(), n.Span)
	}
	a.readOldTypes()
	for _, k := range keys {
		a.raw(k.file, k.key, k.dtype)
	}
	a.headerArrays()
	a.folders = a.readFolders()
	if a.place(c, "."); a.strangers > mostStrangers {
		c.Wrong(model.RuleCap, a.root, nil, nil, model.Saying("of %s unused files, %s are shown", model.Thousands(a.strangers),
			model.Thousands(mostStrangers)))
	}
}

// headerArrays finds the arrays that the header names differently: those of chunks, and those that it names by file.
func (a *archive) headerArrays() {
	if a.header == nil {
		return
	}
	if a.header.chunked {
		a.chunkArrays()
	}
	for i := range a.header.arrays {
		name := a.header.arrays[i].name.Text()
		if fileOf(name) != "" || model.Clean(name) != nil {
			continue
		}
		if r := a.raws[name]; r == nil || r.desc == nil {
			delete(a.raws, name)
			a.raw(name, name, 0)
		}
	}
}

func (a *archive) chunkArrays() {
	for name := range a.entries {
		dir, base := path.Dir(name), path.Base(name)
		for _, k := range keys[:3] {
			if base == k.file && strings.HasPrefix(dir, "chunk_") && !strings.Contains(dir, "/") {
				a.raw(name, k.key, k.dtype)
			}
		}
	}
}

// readOldTypes reads dtypes.json, which releases before the header used (section 2): numpy names by key or file.
func (a *archive) readOldTypes() {
	var types map[string]string
	json.Unmarshal(a.read("dtypes.json", jsonLimit), &types)
	a.oldTypes = map[string]uint64{}
	for _, k := range keys {
		for _, name := range []string{k.key, k.file} {
			if t := slices.Index(numpy, types[name]); t > 0 {
				a.oldTypes[k.key] = uint64(t)
			}
		}
	}
}

// numpy is the numpy names of the numeric dtypes.
var numpy = []string{"", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"}

func fileOf(key string) string {
	for _, k := range keys {
		if k.key == key {
			return k.file
		}
	}
	return ""
}

// desc returns the first descriptor of a key.
func (a *archive) desc(key string) *desc {
	if a.header == nil {
		return nil
	}
	for i := range a.header.arrays {
		if d := &a.header.arrays[i]; d.name.Text() == key {
			return d
		}
	}
	return nil
}

// raw notes a raw array file, with the dtype of a key in the header, or the default one without a header.
func (a *archive) raw(file, key string, dtype uint64) {
	e, ok := a.entries[file]
	if !ok {
		return
	}
	r := &rawArray{file: file, dtype: dtype, size: e.Size}
	if t, ok := a.oldTypes[key]; ok && a.header == nil {
		r.dtype = t
	}
	if a.header != nil {
		for i := range a.header.arrays {
			if d := &a.header.arrays[i]; d.name.Text() == key && widthOf(d.dtype.Uint()) > 0 {
				r.desc, r.dtype = d, d.dtype.Uint()
			}
		}
	}
	if w := widthOf(r.dtype); w > 0 {
		r.count = e.Size / w
		a.raws[file] = r
	}
}

// place makes a span for each file and folder below a folder of the archive.
func (a *archive) place(c *model.Cursor, dir string) {
	slices.SortFunc(a.dirs[dir], func(x, y string) int { // files first
		return cmp.Or(cmp.Compare(strings.Count(x, "/"), strings.Count(y, "/")), strings.Compare(x, y))
	})
	for _, n := range a.dirs[dir] {
		name := path.Join(dir, n)
		switch {
		case strings.HasSuffix(n, "/"):
			g := c.Group(&model.Field{Name: strings.TrimSuffix(n, "/"), Doc: "a folder of the archive", Ref: "2"},
				func(c *model.Cursor) { a.place(c, name) })
			a.spans[name] = g.Span
			c.Tree().Open(c.Context(), g.Span)
		case name != "header.sch" || a.header == nil:
			body := a.body(name)
			if body == nil {
				body = func(c *model.Cursor) { c.Rest(&model.Field{Name: "bytes", Codec: model.RawBytes}) }
				if a.strangers++; a.strangers > mostStrangers {
					continue
				}
			}
			s := c.Companion(&model.Field{Name: n, Doc: fileDocs[path.Base(name)], Ref: "2"}, a.entries[name], body)
			if a.spans[name] = s.Span; a.raws[name] != nil {
				a.raws[name].span = s.Span
			}
		}
	}
}

// fileDocs are the files of an archive in words.
var fileDocs = map[string]string{
	"data.npy":      "non-zero values, raw memory in host byte order",
	"row_ptr.npy":   "where each cell's values start, raw memory",
	"col_ptr.npy":   "the gene of each value, raw memory",
	"metadata.json": "number of rows",
	"version.json":  "package version",
}

// mostStrangers is how many unrelated files are shown.
const mostStrangers = 4096

// body returns the function that reads a file; nil for unrelated files.
func (a *archive) body(name string) func(*model.Cursor) {
	r := a.raws[name]
	switch {
	case r != nil:
		return func(c *model.Cursor) {
			elem := &model.Field{Name: "value", Codec: codecOf(r.dtype), Doc: dtypes[r.dtype], Ref: "4"}
			s := c.Elements(&model.Field{Name: "values", Ref: "4"}, elem, c.Left()/widthOf(r.dtype))
			if r.desc != nil && s.Span != nil && !strings.Contains(r.file, "/") {
				c.CountOf(r.desc.len_, s).Unchecked() // which of the two is wrong is for all the others to say: judge
			}
		}
	case strings.HasSuffix(name, ".npy"):
		return npyfile.Field
	case strings.HasSuffix(name, ".json"):
		return jsonMembers
	case strings.HasSuffix(name, ".parquet"):
		return parquetFile
	}
	return nil
}

// codecOf returns the codec of a numeric dtype in little-endian order, which producers use in practice (section 4).
func codecOf(dtype uint64) model.Codec {
	return map[uint64]model.Codec{1: model.U8, 2: model.U16LE, 3: model.U32LE, 4: model.U64LE, 5: model.F16LE, 6: model.F32LE,
		7: model.F64LE}[dtype]
}
