package taridx

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"spandrel/model"
)

// rowsOf lists the rows that a finding is about.
func rowsOf(d *model.Finding) []int64 {
	switch about := d.About.(type) {
	case int64:
		return []int64{about}
	case twoRows:
		return about[:]
	}
	return nil
}

// repairRow restores a row from the member that it belongs to.
func repairRow(ctx context.Context, x editor, d *model.Finding) (out []model.Fix) {
	if d.Rule == memberExt || d.Rule == stemHash {
		out = repairTables(ctx, x, d)
	}
	m, err := x.matched(ctx)
	if err != nil {
		return out
	}
	if m.outdated(x.fold.shards) != "" {
		return append(out, x.reindexFix(ctx)...)
	}
	all, about := m.resolved(), rowsOf(d)
	together := len(all) > 1 && (m.whole() || m.hashedAs(all) != "")
	if len(about) == 0 && together { // one finding for all rows of a shard
		out = append(out, x.rowsFix(m, all))
	}
	for _, i := range about {
		e, ok := m.right(i)
		switch {
		case !m.unsound[i]:
		case ok && together: // repairing one row would leave it in conflict with the others
			out = append(out, x.rowsFix(m, all))
		case ok:
			out = append(out, x.rowFix(ctx, i, e))
		case d.Rule == samePlace:
			out = append(out, x.dropRow(i, x.head["n_rows"].Uint() == uint64(x.n-1)))
		}
	}
	return append(out, x.reindexFix(ctx)...)
}

// outdated says that shards were changed after the index was made, if that is why rows are wrong: an indexer may have written each of them, and all are of
// shards that are newer than the index.
func (m *match) outdated(shards []*shard) string {
	var names []string
	for i := range m.unsound {
		n := int(m.read[i].fid)
		if m.noise[i] || n >= len(shards) || !shards[n].newer {
			return ""
		}
		names = append(names, shards[n].name)
	}
	if slices.Sort(names); len(names) == 0 {
		return ""
	}
	if names = slices.Compact(names); len(names) == 1 {
		return names[0] + " was changed after the index was made."
	}
	return model.Few(names, 3) + " were changed after the index was made."
}

// rowsFix restores wrong rows from their members.
func (x editor) rowsFix(m *match, rows []int64) model.Fix {
	says, unit := m.hashedAs(rows), m.unit(rows)
	switch {
	case unit > 1:
		says = model.Words("The offsets of the rows count units of %s bytes, not bytes.", model.Thousands(int64(unit)))
	case m.reordered(rows):
		says = "The rows give other places of their members than the shards: either the shards were written again in another order, or pieces of them are exchanged."
	}
	return model.Fix{Label: model.Words("correct all %s wrong rows from their members", model.Thousands(int64(len(rows)))), Says: says, Once: says != "",
		Safe: true, Copies: true, Witnessed: unit > 1 || m.oneField(rows), Build: func(context.Context, *model.Tree) ([]model.Edit, error) {
			var edits []model.Edit
			for _, i := range rows {
				e, _ := m.right(i)
				edits = append(edits, model.Replace(x.rows.Child(i).Range, encode(e.row)))
			}
			return edits, nil
		}}
}

// hashedAs says which other spelling of the names of their members the hashes of all wrong rows are of; "" for none.
func (m *match) hashedAs(rows []int64) (says string) {
	for k, i := range rows {
		e, _ := m.right(i)
		as := spelling(e.name, m.read[i].hash)
		if as == "" || k > 0 && as != says || !slices.Equal(m.read[i].differs(e.row), []int{keyHash}) {
			return ""
		}
		says = as
	}
	return model.Words("The hashes of %s are %s. Readers look for the XXH64 of the name of a member without its folders, up to its first dot.",
		model.Count(int64(len(rows)), "rows"), says)
}

// reordered tells whether nothing but the places of several members is wrong, by different distances.
func (m *match) reordered(rows []int64) bool {
	by := map[uint64]bool{}
	for _, i := range rows {
		e, _ := m.right(i)
		if !slices.Equal(m.read[i].differs(e.row), []int{offset}) {
			return false
		}
		by[e.row.off-m.read[i].off] = true
	}
	return len(rows) >= leastMoved && len(by) > 1
}

// leastMoved is how many members another order moves: one place can be wrong by itself.
const leastMoved = 3

// resolved lists the wrong rows whose right content is known.
func (m *match) resolved() (out []int64) {
	for i := range m.unsound {
		if _, ok := m.right(i); ok {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return out
}

// oneField tells whether all rows differ from their members in the same single field, and point at the right place: then the members
// are those that were indexed.
func (m *match) oneField(rows []int64) bool {
	field := -1
	for _, i := range rows {
		e, _ := m.right(i)
		differ := m.read[i].differs(e.row)
		if len(differ) != 1 || field >= 0 && differ[0] != field || differ[0] == fid || differ[0] == offset {
			return false
		}
		field = differ[0]
	}
	return m.whole()
}

// differs lists the fields in which two rows differ.
func (r entryRow) differs(o entryRow) (fields []int) {
	for field, same := range []bool{r.fid == o.fid, r.off == o.off, r.size == o.size, r.ext == o.ext, r.crash == o.crash, r.hash == o.hash} {
		if !same {
			fields = append(fields, field)
		}
	}
	return fields
}

// rowFix restores a row, or the one field in which it differs, from its member.
func (x editor) rowFix(ctx context.Context, i int64, e *member) model.Fix {
	r, err := x.readRow(ctx, i)
	if err != nil {
		return model.Fix{Label: err.Error()}
	}
	span, want := x.rows.Child(i), e.row
	fields := r.differs(want)
	switch {
	case len(fields) == 0:
		return model.Fix{Label: "leave it"}
	case len(fields) > 1:
		return model.Fix{Label: fmt.Sprintf("correct row %d from its member %s", i, e.name), Safe: true,
			Edits: []model.Edit{model.Replace(span.Range, encode(want))}}
	}
	differ := fields[0]
	value := []uint64{uint64(want.fid), want.off, want.size, uint64(want.ext), uint64(want.crash), want.hash}[differ]
	field := span.Child(int64(differ))
	return model.Fix{Label: fmt.Sprintf("set %s of row %d to %s, as in its member %s", field.Name(), i, field.Field.Text(model.U(value)),
		e.name), Safe: true, Edits: []model.Edit{model.SetValue(field, model.U(value))}}
}

// dropRow removes one row.
func (x editor) dropRow(row int64, safe bool) model.Fix {
	fix := model.Fix{Label: fmt.Sprintf("remove row %d", row), Safe: safe, Build: func(ctx context.Context, _ *model.Tree) ([]model.Edit,
		error) {
		return x.rewrite(ctx, func(i int64, _ entryRow) bool { return i != row }, nil)
	}}
	if !safe { // otherwise the header already omits it
		fix.Loses = fmt.Sprintf("row %d, with its name and extension", row)
	}
	return fix
}

// paddedSize is the length of a row as a structure in C: numbers of 8 bytes begin at multiples of 8, and those of 4 bytes at multiples of 4.
const paddedSize = 40

// unpadded offers n rows without the padding of such structures; ok is false if the rows have none.
func unpadded(ctx context.Context, x editor, n int64) (fix model.Fix, ok bool) {
	all := model.Range{Space: x.rows.Range.Space, Off: x.rows.Range.Off, Len: n * paddedSize}
	if n == 0 || all.End() != x.t.Root.Range.End() {
		return fix, false
	}
	b, err := x.t.Bytes(ctx, all)
	if err != nil {
		return fix, false
	}
	var rows []byte
	for row := range slices.Chunk(b, paddedSize) {
		if !bytes.Equal(row[2:8], make([]byte, 6)) || !bytes.Equal(row[26:28], make([]byte, 2)) {
			return fix, false
		}
		rows = append(append(append(rows, row[:2]...), row[8:26]...), row[28:]...)
	}
	return model.Fix{Label: "remove the padding from all rows", Safe: true, Once: true, Edits: []model.Edit{model.Splice{Range: all, With: model.Memory(rows), Loose: true}},
		Says: "Every row is 40 bytes long instead of 32: a program wrote the rows as structures in memory, with zeros between the numbers."}, true
}

// repairRows removes the padding of rows, or corrects how many there are.
func repairRows(ctx context.Context, x editor, d *model.Finding) []model.Fix {
	if x.rows == nil {
		return nil
	}
	if fix, ok := unpadded(ctx, x, int64(min(x.head["n_rows"].Uint(), maxMatch))); ok {
		return []model.Fix{fix}
	}
	return repairRowCount(ctx, x, d)
}

// repairRowCount adds the lost rows, or corrects the count. The shards decide which of the two is wrong.
func repairRowCount(ctx context.Context, x editor, d *model.Finding) (out []model.Fix) {
	count, rest := x.head["n_rows"], x.t.Root.Range.Len-x.rows.Range.End()
	said := count.Uint()
	m, err := x.matched(ctx)
	lost := 0
	if err == nil {
		lost = len(m.missing)
	}
	if lost > 0 && m.whole() {
		safe := said == uint64(x.n)+uint64(lost) && headerAgrees(ctx, x, m)
		text := model.Words("add the %s missing rows from the shards", model.Thousands(int64(lost)))
		if lost == 1 {
			text = "add the missing row, of " + m.members[m.missing[0]].name
		}
		if !slices.ContainsFunc(m.missing, func(k int) bool { return m.members[k].row.ext == noExt }) {
			out = append(out, model.Fix{Label: text, Safe: safe, Copies: safe, Build: func(ctx context.Context, _ *model.Tree) ([]model.Edit,
				error) {
				return x.restore(ctx, m)
			}})
		}
	}
	if d.Rule == missingRow || lost > 0 {
		out = append(out, x.reindexFix(ctx)...)
	}
	if d.Rule == missingRow {
		return out
	}
	switch set := model.SetTo(count.Span, model.I(x.n)); {
	case rest > 0 && said == uint64(x.n):
		out = append(out, model.Fix{Label: model.Words("remove the last %d bytes: the rows end before them", rest), Safe: x.at.sure,
			Edits: []model.Edit{x.cut(rest)}})
	case rest > 0:
		out = append(out, model.Fix{Label: model.Words("remove the last %d bytes and set the row count to %s", rest, model.Thousands(x.n)),
			Loses: "the rest of the last row, and the number of rows that there were", Edits: append(set.Edits, x.cut(rest))})
	case said > uint64(x.n) && !(err == nil && lost == 0 && m.whole()) && said < 1<<40:
		set.Safe, set.Loses = false, "the number of rows that there were"
		out = append(out, set)
	default:
		out = append(out, set)
	}
	return out
}

// cut removes the last bytes of the file.
func (x editor) cut(n int64) model.Edit {
	all := x.t.Root.Range
	return model.Splice{Range: model.Range{Space: all.Space, Off: all.End() - n, Len: n}, With: model.Memory(nil), Into: "remainder"}
}

// headerAgrees tells whether the header describes the completed rows: it counts the stems of those that are missing too, which someone may have removed, and
// they are grouped by sample if it says so, which someone may have done.
func headerAgrees(ctx context.Context, x editor, m *match) bool {
	rows, err := x.completed(ctx, m)
	stems, grouped := groups(rows)
	return err == nil && x.head["n_stems"].Uint() == uint64(stems) && x.head["flags"].Uint()&1 == grouped
}

// restore adds the rows of members without one.
func (x editor) restore(ctx context.Context, m *match) ([]model.Edit, error) {
	rows, err := x.completed(ctx, m)
	if err != nil {
		return nil, err
	}
	edits := x.derived(rows)
	if rest := x.t.Root.Range.Len - x.rows.Range.End(); rest > 0 {
		edits = append(edits, x.cut(rest))
	}
	return edits, nil
}

// completed are the rows with those of members without one, each after that of the previous member.
func (x editor) completed(ctx context.Context, m *match) ([]entryRow, error) {
	after := map[int][]entryRow{} // by the number of the row before them
	row := slices.Repeat([]int{-1}, len(m.members))
	for i, k := range m.rows {
		row[k] = i
	}
	last := -1
	missing := map[int]bool{}
	for _, k := range m.missing {
		missing[k] = true
	}
	for k := range m.members {
		if row[k] >= 0 {
			last = row[k]
		} else if missing[k] {
			after[last] = append(after[last], m.members[k].row)
		}
	}
	old, err := x.allRows(ctx)
	if err != nil {
		return nil, err
	}
	rows := slices.Clone(after[-1])
	for i, r := range old {
		if e, ok := m.right(int64(i)); ok {
			r = e.row
		}
		rows = append(append(rows, r), after[i]...)
	}
	return rows, nil
}

// repairExtTwice removes the rows of helper headers from a sample, if it has any, or restores its rows from their members.
func repairExtTwice(ctx context.Context, x editor, d *model.Finding) (out []model.Fix) {
	rows, _ := d.About.(sampleRows)
	for _, k := range rows {
		if r, err := x.readRow(ctx, k.row); err == nil && x.helper(r) {
			out = append(out, dropHelpers(x))
			break
		}
	}
	m, err := x.matched(ctx)
	for _, k := range rows {
		if err != nil || !m.unsound[k.row] {
			continue
		}
		if e, ok := m.right(k.row); ok {
			out = append(out, x.rowFix(ctx, k.row, e))
		}
	}
	return out
}

// repairHelpers removes the rows that the reference cannot load.
func repairHelpers(ctx context.Context, x editor, d *model.Finding) []model.Fix {
	if d.Rule == emptyName && d.Span.Parent() != x.extSpan {
		return nil
	}
	return []model.Fix{dropHelpers(x)}
}

func dropHelpers(x editor) model.Fix {
	return model.Fix{Label: "remove all rows of helper headers, folders, links and names without an extension",
		Loses: "rows that do not refer to a file",
		Build: func(ctx context.Context, _ *model.Tree) ([]model.Edit, error) { return x.withoutHelpers(ctx) }}
}

// helper tells whether a row does not stand for a usable member. If the shard is missing, its hash and extension decide.
func (x *index) helper(r entryRow) bool {
	if head, ok := x.fold.member(r.fid, r.off); ok && head.SumOK {
		return !usable(head)
	}
	_, reserved := reservedHashes[r.hash]
	return reserved || int(r.ext) < len(x.exts) && x.exts[r.ext] == ""
}

// withoutHelpers removes those rows, and an empty extension that only they used: the reference cannot load an index with one.
func (x editor) withoutHelpers(ctx context.Context) ([]model.Edit, error) {
	all, err := x.allRows(ctx)
	if err != nil {
		return nil, err
	}
	rows := slices.DeleteFunc(all, x.helper)
	exts := slices.Clone(x.exts)
	if i := slices.Index(exts, ""); i >= 0 && !slices.ContainsFunc(rows, func(r entryRow) bool { return int(r.ext) == i }) {
		exts = slices.Delete(exts, i, i+1)
		for k := range rows {
			if int(rows[k].ext) > i {
				rows[k].ext--
			}
		}
	}
	return x.replace(ctx, exts, x.stems, rows)
}
