package taridx

import (
	"context"
	"slices"
	"strings"

	"spandrel/model"
)

// repairs is what is offered for the findings of a rule, besides the value that a field should have.
var repairs = repairers(map[*model.Rule]repairer{
	tooShort: repairHeader, badMagic: repairHeader, stemsMisplaced: repairTables, rowsMisplaced: repairTables,
	rowCount: repairRows, partialRow: repairRows, missingRow: repairRows,

	notUTF8: repairTables, extCount: repairTables, stemCount: repairTables, splitsOtherwise: repairTables, blankInName: repairTables,
	trailingNewline: repairNewline, emptyName: repairHelpers, upperCase: repairTables, repeatedName: repairTables,
	unusedStem: repairUnusedNames, unusedExt: repairUnusedNames, noFirstStem: repairTables,

	unknownExt: repairRow, unknownStem: repairRow, oddOffset: repairRow, stemHash: repairRow, samePlace: repairRow, overlap: repairRow,
	blankRows: repairRow, unknownShard: repairRow, outsideShard: repairRow, zeroBlock: repairRow, noHeader: repairRow, offChain: repairRow,
	memberSize: repairRow, memberHash: repairRow, memberExt: repairRow, memberStem: repairRow,
	extTwice: repairExtTwice, helperHash: repairHelpers, helperRow: repairHelpers, notAFile: repairHelpers, shardOrder: repairOrder,
	damagedHeader: repairShardHeader, openEnd: repairEnd,
})

// repairer makes the repairs of a finding of an index.
type repairer func(ctx context.Context, x editor, d *model.Finding) []model.Fix

// repairers gives repairers access to the index of the tree.
func repairers(of map[*model.Rule]repairer) map[*model.Rule]model.Repairer {
	out := map[*model.Rule]model.Repairer{}
	for rule, f := range of {
		out[rule] = func(ctx context.Context, t *model.Tree, d *model.Finding) []model.Fix {
			if x := stateOf(t); x != nil {
				return f(ctx, editor{x}, d)
			}
			return nil
		}
	}
	return out
}

// repairHeader writes the magic if the rest of the header is valid, otherwise the header for the existing rows.
func repairHeader(ctx context.Context, x editor, _ *model.Finding) (out []model.Fix) {
	m, err := x.matched(ctx)
	whole := err == nil && m.whole() && len(m.missing) == 0
	switch {
	case x.rows == nil:
	case !x.dead:
		at := model.Range{Space: x.rows.Range.Space, Len: int64(len(magic))}
		out = append(out, model.Fix{Label: "write TARIDX at the beginning", Safe: x.at.sure, Edits: []model.Edit{model.Replace(at,
			[]byte(magic))}})
	case x.n > 0:
		out = append(out, model.Fix{Label: model.Words("write the header for the %s rows after it", model.Thousands(x.n)), Safe: whole,
			Build: func(ctx context.Context, _ *model.Tree) ([]model.Edit, error) {
				rows, err := x.allRows(ctx)
				if err != nil {
					return nil, err
				}
				at := model.Range{Space: x.rows.Range.Space, Len: headerSize}
				return []model.Edit{model.Splice{Range: at, With: model.Memory(newHeader(x.exts, x.stems, rows)), Loose: true}}, nil
			}})
	}
	return append(out, x.reindexFix(ctx)...)
}

// repairNewline removes the newline after the last name of a block.
func repairNewline(_ context.Context, _ editor, d *model.Finding) []model.Fix {
	about, ok := d.About.(extraNewline)
	if !ok {
		return nil
	}
	return []model.Fix{{Label: "remove the newline", Safe: about.sure, Edits: []model.Edit{model.Splice{Range: d.Range,
		With: model.Memory(nil), Into: about.block}}}}
}

// repairTables restores names from the members of their rows.
func repairTables(ctx context.Context, x editor, d *model.Finding) (out []model.Fix) {
	m, err := x.matched(ctx)
	if err != nil || x.dead {
		return nil
	}
	for _, block := range []*model.Span{x.extSpan, x.stemSpan} {
		names, table, count := m.exts, x.exts, x.head["n_ext"].Int()
		if block == x.stemSpan {
			names, table, count = m.stems, x.stems, x.head["n_crash"].Int()
		}
		list := corrected(table, names)
		if slices.Equal(list, table) || len(list) == 0 || slices.Contains(list, "") || repeated(list) != "" {
			continue
		}
		edits := []model.Edit{model.Splice{Range: block.Range, With: model.Memory([]byte(strings.Join(list, "\n"))), Into: block.Path(),
			Elements: int64(len(list) - len(table))}}
		out = append(out, model.Fix{Label: "write the names of " + block.Name() + " to match the members of their rows",
			Safe: int64(len(list)) == count && len(names) == len(list), Edits: edits})
	}
	return out
}

// corrected is a table with other names for some ids, extended to the largest of them if necessary.
func corrected(table []string, names map[int]string) []string {
	list := slices.Clone(table)
	for id, name := range names {
		for len(list) <= id && len(list) < 1<<16 {
			list = append(list, names[len(list)])
		}
		if id < len(list) {
			list[id] = name
		}
	}
	return list
}

// repairUnusedNames removes all names of a block that no row uses.
func repairUnusedNames(ctx context.Context, x editor, d *model.Finding) []model.Fix {
	block := d.Span.Parent()
	return append(repairTables(ctx, x, d), model.Fix{Label: "remove the unused names of " + block.Name(), Loses: "names that no row uses",
		Build: func(ctx context.Context, _ *model.Tree) ([]model.Edit, error) {
			u := usage{slices.Repeat([]int{wasUsed}, len(x.exts)), slices.Repeat([]int{wasUsed}, len(x.stems))}
			if err := x.each(ctx, func(_ int64, r entryRow) { u.mark([]entryRow{r}, isUsed) }); err != nil {
				return nil, err
			}
			used := u.exts
			if block == x.stemSpan {
				used = u.stems
			}
			list, _ := without(x.namesOf(block), used)
			return x.retable(block, list)
		}})
}

// placesOfMissing says what an index loses if it is rebuilt from the existing shards only.
const placesOfMissing = "the numbers of the missing shards, in case they are found again"

// repairOrder numbers the rows as readers count their shards.
func repairOrder(_ context.Context, x editor, _ *model.Finding) []model.Fix {
	f := model.Fix{Label: "renumber the shards in the rows the way readers count them", Build: x.renumber, Once: true,
		Says: "The shards were renamed: readers count them in the order of their names, and that is no longer the order in which they were written."}
	if x.fold.missingShard() != "" {
		f.Loses, f.Says = placesOfMissing, "" // a shard that was lost has the same effect
	}
	return []model.Fix{f}
}

// renumber gives each row the position of its shard in text order. Rows of missing shards get numbers after those.
func (x editor) renumber(context.Context, *model.Tree) ([]model.Edit, error) {
	const most = 1<<16 - 1
	f := x.fold
	to, behind := map[uint16]uint16{}, len(f.shards)
	for fid, h := range f.order {
		if i := slices.Index(f.shards, h); i >= 0 {
			to[uint16(fid)] = uint16(i)
		} else { // its shard is missing: use a number that no other shard has
			to[uint16(fid)] = uint16(min(behind, most))
			behind++
		}
	}
	rows, err := x.mapped(func(r *entryRow) {
		n, ok := to[r.fid]
		if !ok {
			n = uint16(min(int(r.fid)-len(f.order)+behind, most))
		}
		r.fid = n
	})
	return []model.Edit{rows}, err
}

// unit is how many bytes the offsets of several members count as one, if nothing else is wrong with their rows; 0 for none.
func (m *match) unit(rows []int64) (unit uint64) {
	for _, i := range rows {
		e, _ := m.right(i)
		is, was := e.row.off, m.read[i].off
		if was == 0 || is%was != 0 || unit > 0 && is/was != unit || !slices.Equal(m.read[i].differs(e.row), []int{offset}) {
			return 0
		}
		unit = is / was
	}
	if len(rows) < leastMoved {
		return 0
	}
	return unit
}
