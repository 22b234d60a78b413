package scdl

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// widthsOf returns the different digit counts of block files, and whether one contains another.
func widthsOf(dir string, files []string) (widths []int, nested bool) {
	for _, f := range files {
		if path.Dir(f) != dir {
			nested = true
		}
		digits := digitsOf(f)
		if !slices.Contains(widths, len(digits)) {
			widths = append(widths, len(digits))
		}
	}
	return widths, nested
}

// digitsOf is what the name of a table has for the number of its block.
func digitsOf(file string) string {
	return strings.TrimSuffix(strings.TrimPrefix(path.Base(file), "dataframe_"), ".parquet")
}

// features runs the rules of section 8.3.
func (k *checker) features() {
	k.featureFolders()
	rows, known := k.rows()
	known = known && !k.raws["row_ptr.npy"].lost() // otherwise the remaining pointers do not show the number of cells
	for i := range k.folders {
		f := &k.folders[i]
		k.index(f, rows, known)
		k.labels(f)
		k.folderVersion(f)
		k.blockFiles(f)
	}
	if k.header == nil {
		return
	}
	for i := range k.header.fis {
		k.featureIndex(&k.header.fis[i])
	}
}

// featureFolders checks which feature folders there are.
func (k *checker) featureFolders() {
	named := k.header != nil && slices.ContainsFunc(k.header.fis, func(fi featureIndex) bool { return fi.name.Text() == "var_features" }) // reported there
	if len(k.dirs["var_features"]) == 0 && len(k.dirs["features"]) == 0 && !named {
		k.gone(k.root, "var_features", "neither var_features nor features", nil)
	}
	if len(k.dirs["var_features"]) > 0 && len(k.dirs["features"]) > 0 {
		k.c.Wrong(bothFolders, k.at("features"), nil, nil)
	}
	for _, dir := range []string{"var_features", "obs_features"} {
		if files, ok := k.dirs[dir]; ok && len(files) == 0 && !k.emptied(dir) {
			k.c.Wrong(badIndex, k.root, dir+" is an empty folder", nil,
				model.Saying("%s is empty: readers open it because it exists, and reject the archive", dir))
		}
	}
}

// featureIndex checks what the header says about a feature folder.
func (k *checker) featureIndex(fi *featureIndex) {
	dir := fi.name.Text()
	if model.Clean(dir) != nil {
		return
	}
	if len(k.dirs[dir]) > 0 {
		k.listed(fi, dir)
		return
	}
	if is := meantFolder(k.archive, fi); is != "" {
		k.c.Wrong(noFolder, fi.name, nil, model.S(is), model.Saying("the header uses another name for the feature folder %s", is))
	} else {
		k.gone(fi.name.Span, dir, dir+" is not a folder of the archive", texted(fi.paths))
	}
}

// texted are the texts of fields.
func texted(list []model.Node) (out []string) {
	for _, p := range list {
		out = append(out, p.Text())
	}
	return out
}

// meantFolder is the folder that contains the files of a feature index whose name matches no folder.
func meantFolder(a *archive, fi *featureIndex) string {
	for _, f := range a.folders {
		outside := func(p model.Node) bool { return path.Dir(path.Clean(p.Text())) != f.dir }
		if len(fi.paths) > 0 && !slices.ContainsFunc(fi.paths, outside) {
			return f.dir
		}
	}
	return ""
}

// index checks the index of the blocks of a feature folder: its counts, its end, the number of tables it needs.
func (k *checker) index(f *features, rows int64, known bool) {
	name := f.dir + "/cumulative_sum_index.npy"
	cum, err := cumulative(k.read(name, 64<<20))
	if err != nil {
		k.wrong(badIndex, name, err, nil, model.About(inFolder{k.archive, f.dir, name}))
		return
	}
	k.length(badIndex, name)
	elem := func(i int) *model.Span {
		s := k.at(name)
		if k.t.Open(k.c.Context(), s) != nil || s.Get("data") == nil {
			return s
		}
		return s.Get("data").Child(int64(i))
	}
	if len(cum) == 0 {
		k.wrong(indexOrder, name, "no elements", nil)
		return
	}
	if i := unordered(cum); i == 0 {
		k.c.Wrong(indexOrder, elem(i), cum[i], model.I(-1), model.About(inFolder{k.archive, f.dir, name}))
	} else if i > 0 {
		k.c.Wrong(indexOrder, elem(i), cum[i], nil)
	}
	if last := cum[len(cum)-1]; known && last != rows && len(cum) > 1 {
		more := []model.Detail{model.Doubtful}
		if !f.genes {
			more = append(more, model.Graded(model.Warning))
		}
		var want any = rows
		if cum[len(cum)-2] <= rows {
			want = model.I(rows)
		}
		k.c.Wrong(indexEnd, elem(len(cum)-1), last, want, more...)
	}
	if blocks := len(cum) - 1; blocks != len(f.parquet) {
		k.c.Wrong(blockCount, k.at(f.dir), model.Words("%d parquet files", len(f.parquet)), model.Words("%d blocks", blocks))
	}
}

// unordered is the first element of an index of blocks that is out of order: the index is −1, then ascending from 0; −1 if all are right.
func unordered(cum []int64) int {
	least := int64(0)
	for i, n := range cum {
		if i == 0 && n != -1 || i > 0 && n < least {
			return i
		}
		least = max(0, n)
	}
	return -1
}

// newLabels is what the repair of the labels of a folder writes: the folder, the labels, and a name for the repair.
type newLabels struct {
	a      *archive
	dir    string
	labels []*string
	call   string
}

// labels checks that there is a label for each block.
func (k *checker) labels(f *features) {
	blocks := max(0, len(f.cum)-1)
	asJSON, asNPY := f.dir+"/labels.json", f.dir+"/labels.npy"
	switch {
	case k.entries[asJSON].Regular:
		var labels []*string
		if err := parseJSON(k.read(asJSON, jsonLimit), &labels); err != nil {
			text, _ := json.Marshal(make([]*string, blocks))
			k.wrong(badLabels, asJSON, err, model.Words("a JSON list of %d strings", blocks),
				k.unread(asJSON, refused, err),
				model.About(badJSON{a: k.archive, file: asJSON, text: string(text)}))
		} else if n := len(labels); n != blocks && len(f.cum) > 0 { // otherwise the number of blocks is unknown
			var more []model.Detail
			if n < blocks {
				labels = append(labels, make([]*string, blocks-n)...)
				more = append(more, model.About(newLabels{k.archive, f.dir, labels, "add null labels"}))
			}
			k.wrong(badLabels, asJSON, model.Words("%d labels", n), model.Words("%d labels", blocks), more...)
		}
	case k.entries[asNPY].Regular:
		k.oldLabels(f, asNPY)
	default:
		k.wrong(badLabels, asJSON, "no label file", nil,
			model.About(newLabels{k.archive, f.dir, make([]*string, blocks), "write " + asJSON + " with null labels"}))
	}
}

// folderVersion checks version.npy, which readers open.
func (k *checker) folderVersion(f *features) {
	name := f.dir + "/version.npy"
	h, err := npyfile.Parse(k.peek(name, 1<<16))
	if err != nil {
		k.wrong(folderVersion, name, err, nil, model.About(inFolder{k.archive, f.dir, name}))
	} else if len(h.Shape) != 0 || !strings.HasPrefix(h.Descr, "<U") {
		k.wrong(folderVersion, name, nil, nil, model.About(inFolder{k.archive, f.dir, name}))
	} else if text := k.labelsOf(name, h, 1)[0]; text != nil && strings.ContainsFunc(*text, notVersion) {
		k.wrong(folderVersion, name, nil, nil, model.Graded(model.Warning), model.About(inFolder{k.archive, f.dir, name}))
	} else {
		k.length(folderVersion, name, model.About(inFolder{k.archive, f.dir, name}))
	}
}

// notVersion tells whether a character cannot be in a version: versions are plain ASCII, unlike text whose bytes have moved.
func notVersion(r rune) bool { return r <= ' ' || r > '~' }

// length compares the length of an NPY file with its header; cut says more about one that is too short.
func (k *checker) length(rule *model.Rule, name string, cut ...model.Detail) {
	h, err := npyfile.Parse(k.peek(name, 1<<16))
	codec := npyfile.CodecOf(h.Descr)
	if err != nil || codec == nil {
		return
	}
	switch end, size := h.Data+h.Count*int64(codec.Size()), k.entries[name].Size; {
	case end < size:
		k.c.Wrong(rule, k.at(name), model.Thousands(size-end)+" bytes", "none", model.Graded(model.Warning),
			model.Saying("extra bytes follow the content of %s: readers ignore them", name))
	case end > size:
		k.c.Wrong(rule, k.at(name), model.Thousands(size)+" bytes", model.Thousands(end)+" bytes", append(cut, model.Graded(model.Warning),
			model.Saying("%s is shorter than its header says", name))...)
	}
}

// inFolder is a file of a feature folder that is missing or should be another one.
type inFolder struct {
	a         *archive
	dir, file string
}

// oldLabels checks labels.npy, which releases before April 2026 wrote; with a null label it is a pickle.
func (k *checker) oldLabels(f *features, name string) {
	blocks := max(0, len(f.cum)-1)
	h, err := npyfile.Parse(k.peek(name, 1<<16))
	at, more := model.Spot{Span: k.at(name)}, []model.Detail{model.Saying("%s: %s", name, oldLabels.Title)}
	if err == nil && at.Span != k.root {
		at.Range = model.Range{Space: at.Span.Range.Space, Off: h.Data, Len: max(0, at.Span.Range.Len-h.Data)}
	}
	switch {
	case err == nil && h.Descr == "|O":
		more = []model.Detail{model.Graded(model.Error), model.Saying("%s contains pickled objects; they are never decoded", name)}
	case err != nil:
		more = []model.Detail{model.Graded(model.Error), model.Saying("%s: %v", name, err)}
	case h.Count != int64(blocks) && len(f.cum) > 0:
		k.wrong(badLabels, name, model.Words("%d labels", h.Count), blocks)
	default:
		k.length(badLabels, name)
	}
	k.c.Wrong(oldLabels, at, nil, nil, append(more, model.About(newLabels{k.archive, f.dir, k.labelsOf(name, h, blocks),
		"write labels.json beside " + name}))...)
}

// labelsOf returns the texts of an NPY file with one per block, or nulls if they are pickled or have another number.
func (a *archive) labelsOf(name string, h npyfile.Head, blocks int) []*string {
	labels := make([]*string, blocks)
	codec, ok := npyfile.CodecOf(h.Descr).(npyfile.Ucs4)
	b := a.read(name, jsonLimit)
	if !ok || h.Count != int64(blocks) || h.Count > (int64(len(b))-h.Data)/int64(codec.Bytes) {
		return labels
	}
	for i := range labels {
		v, _, _ := codec.Decode(b[h.Data+int64(i)*int64(codec.Bytes):])
		s := v.Text()
		labels[i] = &s
	}
	return labels
}

// blockFiles checks that the tables of a folder are numbered as one set of blocks.
func (k *checker) blockFiles(f *features) {
	widths, nested := widthsOf(f.dir, f.parquet)
	if len(widths) < 2 && !nested {
		return
	}
	found, more := fmt.Sprintf("%d digit widths", len(widths)), []model.Detail{}
	if len(f.stale) > 0 {
		says := "stale block files: the number of blocks gained a digit, and the old files stayed; readers treat them as blocks and shift the later ones"
		if i := slices.IndexFunc(f.stale, func(name string) bool { return strings.Trim(digitsOf(name), "0123456789") != "" }); i >= 0 {
			found = path.Base(f.stale[i])
			says = found + " does not have the name of a block; readers treat it as one all the same and shift the later ones"
		}
		more = append(more, model.About(old{k.archive, f.stale}), model.Saying("%s", says))
	}
	k.c.Wrong(staleTables, k.at(f.dir), found, nil, more...)
}

// old are files that were left behind.
type old struct {
	a     *archive
	files []string
}

// fewNamed is how many file names a sentence contains.
const fewNamed = 4

// listed compares a feature index of the header with its folder.
func (k *checker) listed(fi *featureIndex, dir string) {
	stale := false
	for i := range k.folders {
		f := &k.folders[i]
		if f.dir != dir {
			continue
		}
		stale = len(f.stale) > 0
		if last := f.last(); last >= 0 && uint64(last) != fi.len_.Uint() {
			var more []model.Detail
			if rows, known := k.rows(); !known || rows != last {
				more = append(more, model.Doubtful)
			}
			k.c.Wrong(folderLength, fi.len_, nil, model.I(last), more...)
		}
	}
	listed := texted(fi.paths)
	disk := k.below(dir)
	if slices.Equal(slices.Sorted(slices.Values(listed)), disk) {
		return
	}
	found := model.Words("%d paths", len(listed))
	if gone := slices.DeleteFunc(listed, func(name string) bool { return slices.Contains(disk, name) }); len(gone) > 0 {
		found = model.Few(gone, fewNamed) + ", which " + map[bool]string{true: "is", false: "are"}[len(gone) == 1] + " not there"
	}
	k.c.Wrong(fileList, fi.span, found, model.Words("%d files", len(disk)), model.About(otherList{k.archive, fi, !stale}))
}

// otherList is a feature index that lists other files than its folder contains.
type otherList struct {
	a    *archive
	fi   *featureIndex
	sure bool
}
