package samediff

import (
	"context"
	"fmt"
	"sort"

	"spandrel/model"
)

// storing is the fix that stores a deflated member, safe where the member keeps to the limits.
func (m *member) storing(safe bool) []model.Fix {
	if m.data.Span == nil || m.csize64 || m.usize64 || m.flags&zipEncrypted != 0 || m.flags&zipHasDesc != 0 && m.descriptor == 0 {
		return nil
	}
	return []model.Fix{fix("store the member as it is", safe, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		z, err := t.Bytes(background, m.data.Range)
		if err != nil {
			return nil, err
		}
		plain, err := unpack("raw", z)
		if err != nil {
			return nil, err
		}
		size, crc := model.U(uint64(plain.Len())), model.U(uint64(m.crc))
		edits := []model.Edit{model.Splice{Range: m.data.Range, With: plain}}
		for _, h := range []map[string]model.Node{m.head, m.dir} {
			edits = append(edits, model.SetValue(h["method"].Span, model.U(0)), model.SetValue(h["csize"].Span, size), model.SetValue(h["usize"].Span, size))
		}
		if m.descriptor > 0 { // what it says goes into the local header
			behind := m.data.Range
			behind.Off, behind.Len = behind.End(), m.descriptor
			flags := model.U(uint64(m.flags &^ zipHasDesc))
			edits = append(edits, model.Replace(behind, nil), model.SetValue(m.head["flags"].Span, flags), model.SetValue(m.dir["flags"].Span, flags),
				model.SetValue(m.head["crc"].Span, crc))
		}
		return edits, nil
	})}
}

// unused returns a name that is not taken.
func unused(taken map[string]bool, name string) string {
	out := name
	for i := 2; taken[out]; i++ {
		out = fmt.Sprintf("%s-%d", name, i)
	}
	return out
}

// remove is the fix that takes members out of the archive, if others stay.
func (z *archive) remove(label string, gone ...*member) []model.Fix {
	if len(gone) == 0 || len(gone) == len(z.members) {
		return nil
	}
	var ranges []model.Range
	for _, m := range gone {
		if m.span == nil || m.dir["name"].Span == nil {
			return nil
		}
		ranges = append(ranges, m.span.Range, m.dir["name"].Span.Parent().Range)
	}
	sort.SliceStable(ranges, func(i, j int) bool { return ranges[i].Off < ranges[j].Off })
	var edits []model.Edit
	for _, r := range ranges {
		edits = append(edits, model.Replace(r, nil))
	}
	return []model.Fix{{Label: label, Edits: edits}}
}

// rename gives a member another name, in both headers.
func (m *member) rename(name string) []model.Edit {
	edits := []model.Edit{model.SetValue(m.dir["name"].Span, model.S(name))}
	if n := m.head["name"]; n.Span != nil {
		edits = append(edits, model.SetValue(n.Span, model.S(name)))
	}
	return edits
}

// correct is the fix of a number that is not that of the content: in the directory and, unless it stands behind the data, in the local
// header.
func (m *member) correct(label, field string, v uint64) []model.Fix {
	f := model.Fix{Label: label, Edits: []model.Edit{model.SetValue(m.dir[field].Span, model.U(v))}}
	if n := m.head[field]; n.Span != nil && m.flags&zipHasDesc == 0 {
		f.Edits = append(f.Edits, model.SetValue(n.Span, model.U(v)))
	}
	return []model.Fix{f}
}

// resize is the fix of a size that is not that of the content.
func (m *member) resize(n int64) []model.Fix {
	if m.usize64 || n >= zipMax32 {
		return nil
	}
	return m.correct(fmt.Sprintf("set the size to %d", n), "usize", uint64(n))
}
