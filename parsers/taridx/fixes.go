package taridx

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// countFix writes the number of extensions, or of collision stems, unless rows use more: then a name is what is wrong.
func (x *index) countFix(count model.Node, found int64, stems bool) model.Fix {
	f := model.SetTo(count.Span, model.I(found))
	edits := f.Edits
	f.Build = func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		used := int64(0)
		if x.rows != nil {
			if err := t.Stream(context.Background(), x.rows.Range, step, func(_ int64, b []byte) error {
				for ; len(b) >= rowSize; b = b[rowSize:] {
					if r := decode(b); stems {
						used = max(used, int64(r.crash))
					} else {
						used = max(used, int64(r.ext)+1)
					}
				}
				return nil
			}); err != nil {
				return nil, err
			}
		}
		if used > found {
			return nil, fmt.Errorf("rows use %d names: one of them is what is damaged", used)
		}
		return edits, nil
	}
	return f
}

// usable tells whether a member can be a file of a sample: the reference cannot load an index with rows of helper headers,
// folders, links and names without an extension.
func usable(h tarfile.Head) bool {
	stem, ext := nameParts(h.Name)
	regular := h.Typ == '0' || h.Typ == 0 && !strings.HasSuffix(h.Name, "/") || h.Typ == '7'
	return regular && stem != "" && ext != ""
}

// helper tells whether a row does not stand for a usable member. Where the shard is not there, its hash and extension tell.
func (x *index) helper(r entryRow) bool {
	if h := x.shard(r.fid); h != nil {
		if head, ok := x.member(h, r.off); ok && head.SumOK {
			return !usable(head)
		}
	}
	_, reserved := reservedHashes[r.hash]
	return reserved || int(r.ext) < len(x.exts) && x.exts[r.ext] == ""
}

func (x *index) dropHelpers() []model.Fix {
	return []model.Fix{{Label: "drop all rows of helper headers, folders, links and names without an extension", Build: func(ctx context.Context, _ *model.Tree) ([]model.Edit, error) {
		return x.withoutHelpers(context.Background())
	}}}
}

// helpersFix is dropHelpers, if that changes a sample.
func (x *index) helpersFix(rows []key) []model.Fix {
	for _, k := range rows[:min(len(rows), 64)] {
		if r, err := x.readRow(context.Background(), k.row); err == nil && x.helper(r) {
			return x.dropHelpers()
		}
	}
	return nil
}

// withoutHelpers drops those rows, and an empty extension that only they had: the reference cannot load an index with one.
func (x *index) withoutHelpers(ctx context.Context) ([]model.Edit, error) {
	if x.n > maxRewrite {
		return nil, fmt.Errorf("%d rows are too many to be rewritten in memory: at most %d", x.n, maxRewrite)
	}
	var rows []entryRow
	used := map[uint16]bool{}
	if err := x.each(ctx, func(_ int64, r entryRow) {
		if !x.helper(r) {
			rows = append(rows, r)
			used[r.ext] = true
		}
	}); err != nil {
		return nil, err
	}
	exts := slices.Clone(x.exts)
	for i, e := range exts {
		if e == "" && !used[uint16(i)] {
			exts = slices.Delete(exts, i, i+1)
			for k := range rows {
				if int(rows[k].ext) > i {
					rows[k].ext--
				}
			}
			break
		}
	}
	return x.replace(ctx, exts, x.crashes, rows)
}

// retable writes one of the two text blocks anew, and gives each row the new id of its entry.
func (x *index) retable(block *model.Span, old, list []string) ([]model.Edit, error) {
	count, ids, to := x.head["n_ext"], map[string]int{}, make([]int, len(old))
	if block == x.crashSpan {
		count = x.head["n_crash"]
	}
	for i, name := range list {
		ids[name] = i
	}
	for i, name := range old {
		to[i] = ids[name]
	}
	src, err := x.t.Mapped(x.rows.Range, rowSize, func(_ int64, b []byte) {
		if block == x.crashSpan {
			if id := binary.LittleEndian.Uint32(b[20:]); id > 0 && int64(id) <= int64(len(to)) {
				binary.LittleEndian.PutUint32(b[20:], uint32(to[id-1]+1))
			}
		} else if id := int(binary.LittleEndian.Uint16(b[18:])); id < len(to) {
			binary.LittleEndian.PutUint16(b[18:], uint16(to[id]))
		}
	})
	return []model.Edit{model.Splice{Range: block.Range, With: model.Memory([]byte(strings.Join(list, "\n"))), Into: block.Path()},
		model.SetValue(count.Span, model.I(int64(len(list)))), model.Splice{Range: x.rows.Range, With: src, Into: x.rows.Path()}}, err
}

// dropExt removes an extension that no row has.
func (x *index) dropExt(ctx context.Context, id int64) ([]model.Edit, error) {
	used := false
	if err := x.each(ctx, func(_ int64, r entryRow) { used = used || int64(r.ext) == id }); err != nil {
		return nil, err
	}
	if used {
		return nil, fmt.Errorf("rows have the extension %q", x.extName(uint16(id)))
	}
	return x.retable(x.extSpan, x.exts, slices.Delete(slices.Clone(x.exts), int(id), int(id)+1))
}

// dropUnused removes all entries of a block that no row has (029, 031).
func (x *index) dropUnused(block *model.Span, names []string, used []bool) []model.Fix {
	return []model.Fix{{Label: "drop the unused entries of " + block.Name(), Build: func(ctx context.Context, _ *model.Tree) ([]model.Edit, error) {
		var list []string
		for i, name := range names {
			if used[i] {
				list = append(list, name)
			}
		}
		return x.retable(block, names, list)
	}}}
}

// mergeFix gives repeated entries one id (019).
func (x *index) mergeFix(block *model.Span, names []string) model.Fix {
	return model.Fix{Label: "merge the repeated entries of " + block.Name(), Build: func(ctx context.Context, _ *model.Tree) ([]model.Edit, error) {
		var list []string
		seen := map[string]bool{}
		for _, name := range names {
			if !seen[name] {
				list = append(list, name)
			}
			seen[name] = true
		}
		return x.retable(block, names, list)
	}}
}

// dropRow removes one row (032).
func (x *index) dropRow(row int64) model.Fix {
	return model.Fix{Label: fmt.Sprintf("drop row %d", row), Build: func(ctx context.Context, _ *model.Tree) ([]model.Edit, error) {
		return x.rewrite(context.Background(), func(i int64, _ entryRow) bool { return i != row }, nil)
	}}
}

// newStemFix gives a stem that has the key of another a collision entry of its own (053).
func (x *index) newStemFix(stem string) model.Fix {
	return model.Fix{Label: "add a collision entry for " + stem, Build: func(ctx context.Context, _ *model.Tree) ([]model.Edit, error) {
		list, hash := append(slices.Clone(x.crashes), stem), xxhash.Sum64String(stem)
		edits, err := x.rewrite(context.Background(), nil, func(rows []entryRow) {
			for i, r := range rows {
				if r.hash == hash && x.memberStem(r) == stem {
					rows[i].crash = uint32(len(list))
				}
			}
		})
		return append(edits, model.Splice{Range: x.crashSpan.Range, With: model.Memory([]byte(strings.Join(list, "\n"))), Into: x.crashSpan.Path()},
			model.SetValue(x.head["n_crash"].Span, model.I(int64(len(list))))), err
	}}
}

// extFix offers the id of the member's extension (048).
func (d *pass) extFix(i int64, ext string) []model.Fix {
	if id := slices.Index(d.exts, ext); id >= 0 {
		return []model.Fix{d.onlyAnswer(model.SetTo(d.row(i, extID), model.I(int64(id))), false)}
	}
	return nil
}

// near is how far around a wrong offset a header with the right hash is looked for.
const near = 64 * tarfile.Block

// nearest offers the nearest header with the row's hash and extension (043).
func (d *pass) nearest(i int64, r entryRow, h *shard) []model.Fix {
	base := int64(r.off) &^ (tarfile.Block - 1)
	for dist := int64(0); dist <= near; dist += tarfile.Block {
		for _, at := range []int64{base - dist, base + dist} {
			if at < 0 {
				continue
			}
			if head, ok := d.member(h, uint64(at)); ok && head.SumOK {
				if stem, ext := nameParts(head.Name); xxhash.Sum64String(stem) == r.hash && d.extName(r.ext) == ext {
					return []model.Fix{model.SetTo(d.row(i, offset), model.I(at))}
				}
			}
		}
	}
	return d.reindexFix()
}

func (x *index) reindexFix() []model.Fix {
	return []model.Fix{{Label: "re-index from the shards", Build: func(ctx context.Context, _ *model.Tree) ([]model.Edit, error) { return x.reindex(context.Background()) }}}
}
