package scdl

import (
	"bytes"
	"context"
	"encoding/binary"
	"maps"
	"path"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

var (
	parquetMagics = []model.Magic{{Bytes: "PAR1"}}
	npyMagics     = []model.Magic{{Bytes: npyfile.Magic}}
	headerMagics  = []model.Magic{{Bytes: "SCDL"}}
)

// measure says how long the files of an archive should be.
type measure struct{ *archive }

// extents says how long files should be: arrays according to the header if something confirms it, other files according to themselves.
func extents(_ context.Context, t *model.Tree) (out []model.Extent) {
	if state := model.StateOf[*archiveState](t); state != nil && state.header != nil {
		return state.header.cut("")
	}
	for _, a := range archivesOf(t) {
		a := measure{a}
		if a.header != nil && a.header.chunked {
			out = append(out, chunked{a.archive}.extents()...)
		} else if a.header == nil || a.header.backend.Uint() != 2 { // otherwise the set of chunks is unknown
			for _, k := range keys[:3] {
				out = append(out, a.arrayExtent(k.file, k.key)...)
			}
		}
		for i := range a.folders {
			out = append(out, a.folderExtents(&a.folders[i])...)
		}
		out = append(out, a.strayed(map[string]bool{"metadata.json": true, "version.json": true})...)
		out = append(out, a.headerExtent()...)
	}
	return out
}

// folderExtents are those of the files of a feature folder, existing or missing.
func (a measure) folderExtents(f *features) (out []model.Extent) {
	expected := a.expected(f.dir)
	for _, name := range a.below(f.dir) {
		if e, ok := a.featureExtent(name); ok && expected[name] {
			e.File = a.name(name)
			out = append(out, e)
		}
	}
	out = append(out, a.strayed(expected)...)
	for _, name := range f.lacking() {
		if !expected[name] {
			out = append(out, model.Extent{File: a.name(name), Size: 1, Least: true, Says: "the block index lists it"})
		}
	}
	return out
}

// expected are the files that a feature folder has in every archive, and those that the header lists.
func (a measure) expected(dir string) map[string]bool {
	out := map[string]bool{}
	for _, base := range []string{"cumulative_sum_index.npy", "version.npy", "labels.json"} {
		out[path.Join(dir, base)] = true
	}
	if _, _, _, foreign := (judge{a.archive}).foreign(); foreign || a.header == nil {
		for _, name := range a.below(dir) {
			out[name] = true
		}
		return out
	}
	for _, fi := range a.header.fis {
		for _, p := range fi.paths {
			if name := path.Clean(p.Text()); path.Dir(name) == dir {
				out[name] = true
			}
		}
	}
	return out
}

// strayed are missing files if their folder contains an unknown file of the same kind, and missing files
// that the header lists, if it does not.
func (a measure) strayed(expected map[string]bool) (out []model.Extent) {
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		if _, ok := a.entries[name]; ok {
			continue
		}
		says := ""
		if a.header != nil && a.header.lists(name) {
			if says = "the header lists it"; meant(a.archive, name) != nil {
				continue // the header misspells another name
			}
		}
		if slices.ContainsFunc(a.order, func(other string) bool {
			return path.Dir(other) == path.Dir(name) && path.Ext(other) == path.Ext(name) && !expected[other] && a.raws[other] == nil
		}) {
			says = "every archive has one"
		}
		if says != "" {
			out = append(out, model.Extent{File: a.name(name), Size: 1, Least: true, Says: says})
		}
	}
	return out
}

// lists tells whether the header lists a file of a feature folder.
func (h *header) lists(name string) bool {
	return slices.ContainsFunc(h.fis, func(fi featureIndex) bool {
		return slices.ContainsFunc(fi.paths, func(p model.Node) bool { return path.Clean(p.Text()) == name })
	})
}

// arrayExtent is the expected length of an array file, existing or missing.
func (a measure) arrayExtent(file, key string) []model.Extent {
	d := a.desc(key)
	if grown(judge{a.archive}) {
		return nil // its length is not wrong by itself
	}
	if d == nil || widthOf(d.dtype.Uint()) == 0 || key != "DATA" && d.dtype.Uint() > 4 {
		return nil // pointers and columns of that type are wrong, and with it their length
	}
	n, w := d.len_.Uint(), widthOf(d.dtype.Uint())
	if n == 0 || n >= 1<<50 || !(judge{a.archive}).bearsOut(key, n) {
		return nil
	}
	if e, ok := a.entries[file]; ok && e.Size < int64(n)*w && (judge{a.archive}).of(d).typed {
		return nil // it has all its values, in fewer bytes
	}
	if h, err := npyfile.Parse(a.peek(file, 1<<16)); err == nil && a.entries[file].Size != h.Data+int64(n)*w {
		return nil // it has a header of its own, and values of another type
	}
	return []model.Extent{{File: a.name(file), Size: int64(n) * w, By: d.len_.Span, Says: "the header and the other arrays give its length", Content: "values", Unit: w}}
}

// featureExtent is the length of a file of a feature folder.
func (a measure) featureExtent(name string) (e model.Extent, ok bool) {
	switch path.Ext(name) {
	case ".npy":
		return a.npyExtent(name), true
	case ".parquet":
		return a.parquetExtent(name), true
	}
	return e, false
}

// npyExtent is the length of a NumPy file according to its header; its present length if the header does not say.
func (a measure) npyExtent(name string) model.Extent {
	head := a.peek(name, 1<<16)
	if n := npyfile.Cut(head); n > 0 {
		return model.Extent{Size: n, Least: true, Says: "it ends inside its header", Magics: npyMagics}
	}
	h, err := npyfile.Parse(head)
	codec := npyfile.CodecOf(h.Descr)
	if err != nil || codec == nil {
		return model.Extent{Size: a.entries[name].Size, Magics: npyMagics}
	}
	w, content := int64(codec.Size()), "numbers"
	if strings.Contains(h.Descr, "U") {
		content = "texts"
	}
	return model.Extent{Size: h.Data + h.Count*w, Says: "its header gives its length", Content: content, Unit: w, Overhead: h.Data, Magics: npyMagics}
}

// parquetExtent is the length of a Parquet file up to its final magic, which follows the length of the footer.
func (a measure) parquetExtent(name string) model.Extent {
	const most = 1 << 20
	size := a.entries[name].Size
	from := max(0, size-most)
	b := a.slice(name, from, size-from)
	for i := bytes.LastIndex(b, []byte(parquetMagics[0].Bytes)); i >= 4; i = bytes.LastIndex(b[:i+3], []byte(parquetMagics[0].Bytes)) {
		if n := int64(binary.LittleEndian.Uint32(b[i-4:])); n > 0 && n <= from+int64(i)-8 {
			return model.Extent{Size: from + int64(i) + 4, Says: "its end mark is there", Magics: parquetMagics}
		}
	}
	if string(a.peek(name, 4)) != parquetMagics[0].Bytes {
		return model.Extent{Size: size, Says: "its column index is missing", Magics: parquetMagics}
	}
	return model.Extent{Size: size + 8, Says: "its column index is missing", Least: true, Magics: parquetMagics}
}

// headerExtent is the length of the header if it agrees with the folder about what it lists, and of a header under another name.
func (a measure) headerExtent() []model.Extent {
	if a.header == nil {
		if slices.ContainsFunc(a.dirs["."], func(n string) bool { return string(a.peek(n, 4)) == headerMagics[0].Bytes }) {
			return []model.Extent{{File: a.name("header.sch"), Size: 16, Least: true, Magics: headerMagics}}
		}
		return nil
	}
	if b, sure := (judge{a.archive}).buildHeader(); !a.header.whole && sure {
		at, size := a.name("header.sch"), a.entries["header.sch"].Size
		if size > 16 && size < int64(len(b)) && string(a.peek("header.sch", 16)) == string(b[:16]) { // the order of the files is another, their length the same
			return []model.Extent{{File: at, Size: int64(len(b)), Says: "the other files of the folder give its length",
				Begins: bytes.HasPrefix(b, a.peek("header.sch", size))}}
		}
	}
	if a.header.needs > 0 {
		return a.header.cut(a.name("header.sch"))
	}
	all := a.header.whole && a.header.end > 0 && len(a.header.arrays) >= 3
	for _, f := range a.folders {
		all = all && slices.ContainsFunc(a.header.fis, func(x featureIndex) bool { return strings.TrimSuffix(x.name.Text(), "/") == f.dir })
	}
	if !all {
		return nil
	}
	return []model.Extent{{File: a.name("header.sch"), Size: a.header.end, Says: "its own counts give its length"}}
}

// cut is the minimum length of a header that is truncated in the middle of what it lists.
func (h *header) cut(file string) []model.Extent {
	if h.needs == 0 {
		return nil
	}
	return []model.Extent{{File: file, Size: h.needs, Least: true, Says: "its own counts need more bytes", Magics: headerMagics}}
}
