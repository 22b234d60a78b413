package scdl

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"path"
	"slices"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// create creates a file in a feature folder and adds it to the folder's file list in the header, unless it is listed already.
func (a *archive) create(dir, file string, b []byte) []model.Edit {
	edits := []model.Edit{model.FileEdit{File: a.name(file), Create: model.Memory(b)}}
	if a.header == nil {
		return edits
	}
	for i := range a.header.fis {
		fi := &a.header.fis[i]
		if fi.name.Text() == dir && !slices.ContainsFunc(fi.paths, func(p model.Node) bool { return p.Text() == file }) {
			w := &writer{}
			w.text(file)
			edits = append(edits, appendTo(fi.list.Span, w.b), model.SetValue(fi.files.Span, model.U(uint64(len(fi.paths)+1))))
		}
	}
	return edits
}

// repairLabels writes the labels of a feature folder in the form of current releases.
func repairLabels(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	if _, damaged := f.About.(badJSON); damaged {
		return repairJSON(ctx, t, f)
	}
	about, ok := f.About.(newLabels)
	if !ok {
		return nil
	}
	text, err := json.Marshal(about.labels)
	if err != nil {
		return nil
	}
	return []model.Fix{{Label: about.call, Edits: about.a.create(about.dir, about.dir+"/labels.json", text)}}
}

// orHeader first offers to correct one byte of the NPY header, if the file is a NumPy file, and then the given repair.
func orHeader(repair model.Repairer) model.Repairer {
	return func(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
		var out []model.Fix
		if c, err := t.Snapshot.Content(t.FileName(f.Where())); err == nil && path.Ext(t.FileName(f.Where())) == ".npy" {
			out = npyfile.CorrectHeader(ctx, f.Where().Space, c)
		}
		return append(out, repair(ctx, t, f)...)
	}
}

// repairIndex rebuilds the block index from the row counts of the cell tables; a single gene table covers all rows. The total must match.
var repairIndex = model.Knowing(func(ctx context.Context, _ *model.Tree, _ *model.Finding, about inFolder) []model.Fix {
	a := about.a
	rows, known := a.rows()
	cum := []int64{-1}
	for i := range a.folders {
		switch x := &a.folders[i]; {
		case x.dir != about.dir:
		case x.genes && len(x.parquet) == 1:
			cum = append(cum, rows)
		case !x.genes:
			for _, name := range x.parquet {
				p, err := a.parquet(ctx, name)
				if err != nil {
					return nil
				}
				cum = append(cum, max(0, cum[len(cum)-1])+p.Rows)
			}
		}
	}
	if !known || a.raws["row_ptr.npy"].lost() || cum[len(cum)-1] != rows {
		return nil
	}
	return []model.Fix{{Label: "rewrite " + about.file + " from the tables and the cells", Copies: true,
		Edits: a.create(about.dir, about.file, npyfile.Ints(cum))}}
})

// repairIndexFront puts the missing −1 in front of a block index that has an end for each table.
var repairIndexFront = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, about inFolder) []model.Fix {
	cum, err := cumulative(about.a.read(about.file, 64<<20))
	rows, known := about.a.rows()
	tables := func(f features) bool { return f.dir == about.dir && len(f.parquet) == len(cum) }
	if err != nil || !known || !slices.ContainsFunc(about.a.folders, tables) || cum[0] < 0 || !slices.IsSorted(cum) || cum[len(cum)-1] != rows {
		return nil
	}
	return []model.Fix{{Label: "put the missing −1 before " + about.file, Safe: true,
		Says:  model.Words("%s lacks its first value, −1: it has the ends of %s blocks, one for each table.", about.file, model.Thousands(int64(len(cum)))),
		Edits: about.a.create(about.dir, about.file, npyfile.Ints(append([]int64{-1}, cum...)))}}
})

// repairFolderVersion writes the version file of a feature folder.
var repairFolderVersion = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, about inFolder) []model.Fix {
	version := "0.1.3"
	copies := parseJSON(about.a.read("version.json", jsonLimit), &version) == nil && version != ""
	if !copies {
		version = "0.1.3" // readers ignore the version
	}
	return []model.Fix{{Label: "write " + about.file, Copies: copies, Edits: about.a.create(about.dir, about.file, npyfile.Text(version))}}
})

// repairOld deletes leftover files.
var repairOld = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, about old) []model.Fix {
	fix := model.Fix{Label: "delete " + model.Few(about.files, fewNamed)}
	for _, name := range about.files {
		fix.Edits = append(fix.Edits, model.FileEdit{File: about.a.name(name), Delete: true})
	}
	return []model.Fix{fix}
})

// repairList rewrites the file list of a feature folder from the files it contains.
var repairList = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, about otherList) []model.Fix {
	w, fi := &writer{}, about.fi
	names := judge{about.a}.relisted(fi)
	for _, p := range names {
		w.text(p)
	}
	return []model.Fix{{Label: "list the files of the folder", Safe: about.sure, Edits: []model.Edit{
		model.Splice{Range: fi.list.Range, With: model.Memory(w.b), Into: fi.list.Path()},
		model.SetValue(fi.files.Span, model.U(uint64(len(names))))}}}
})

// repairHeaded removes the NPY header of an array file. This is safe if as many values as the archive's header says remain, of its type or of that which
// the NPY header gives; otherwise the user has to decide.
var repairHeaded = model.Knowing(func(_ context.Context, _ *model.Tree, f *model.Finding, about headed) []model.Fix {
	r, own := about.r, slices.Index(npyTypes, about.npy.Descr)
	n := r.size - about.npy.Data
	head := model.Replace(model.Range{Space: f.Range.Space, Len: about.npy.Data}, nil)
	fix := model.Fix{Label: "remove the NPY header", Edits: []model.Edit{head}}
	fits := func(dtype uint64) bool {
		return r.desc != nil && n == int64(min(r.desc.len_.Uint(), 1<<50))*widthOf(dtype)
	}
	switch {
	case fits(r.dtype):
		fix.Safe = true
	case own > 0 && fits(uint64(own)) && about.npy.Count*widthOf(uint64(own)) == n:
		fix.Label += " and set the type to " + dtypes[uint64(own)]
		fix.Says = model.Words("%s was written with numpy.save, as another type.", r.file)
		typ := model.Replace(r.desc.dtype.Span.Range, binary.BigEndian.AppendUint32(nil, uint32(own)))
		head.Loose, typ.Loose = true, true // the length in the header is right
		fix.Edits, fix.Safe, fix.Once = []model.Edit{head, typ}, true, true
	default:
		fix.Loses = r.fewer(n / widthOf(r.dtype))
	}
	return []model.Fix{fix}
})

// npyTypes are the types of NPY files, by dtype.
var npyTypes = []string{"", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8"}

// repairRenamed gives a folder the name that the archive needs. It is safe if the folder has nothing but the files that belong there, and these agree with
// the rest of the archive.
var repairRenamed = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, r renamed) []model.Fix {
	edits, err := r.a.moved(r.is, r.was)
	if err != nil {
		return nil
	}
	return []model.Fix{{Label: "rename " + r.is + " to " + r.was, Safe: r.sure, Copies: r.sure, Edits: edits}}
})
