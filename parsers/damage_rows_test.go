package parsers

import (
	"context"
	"slices"
	"strings"

	"spandrel/model"
)

// What can be read of the rows of damaged documents: of each row of the sound one the cells whose bytes are still there must come out, in a
// table of the document as it is, or of what salvage makes of it.

// mostRows is how many rows of a table are compared.
const mostRows = 1000

// printed is a table, printed.
type printed struct {
	columns []string
	rows    []model.Row
}

// rowsOf prints the tables of a document that people open it for, by name.
func rowsOf(t *model.Tree) map[string]printed {
	ctx, out := context.Background(), map[string]printed{}
	model.Contain(func() error {
		for _, table := range t.Tables(ctx) {
			if table.Aside || table.Rows == 0 {
				continue
			}
			p := printed{}
			for _, c := range table.Columns {
				p.columns = append(p.columns, c.Name)
			}
			if rows, err := table.Read(ctx, 0, min(table.Rows, mostRows)); err == nil {
				p.rows = rows
				out[table.Name] = p
			}
		}
		return nil
	})
	return out
}

// intact tells of bytes of a sound document whether they are still there. Damage at one place leaves what is in front of it where it was,
// and what is behind it where it is counted from the end.
type intact struct {
	t           *model.Tree
	file        string
	front, back int64 // what both states of the file have in common there
	size        int64
}

// left compares the states of the one file that was damaged.
func left(t *model.Tree, file string, was, is []byte) *intact {
	k := &intact{t: t, file: file, size: int64(len(was))}
	for k.front < int64(min(len(was), len(is))) && was[k.front] == is[k.front] {
		k.front++
	}
	for k.back < int64(min(len(was), len(is)))-k.front && was[int64(len(was))-1-k.back] == is[int64(len(is))-1-k.back] {
		k.back++
	}
	return k
}

// has tells whether the bytes that a range comes from are still there; of a cell without bytes nobody knows.
func (k *intact) has(r model.Range) bool {
	for range 8 {
		sp := k.t.Space(r.Space)
		if sp == nil || !sp.Derived() {
			break
		}
		if len(sp.Origins) != 1 {
			return slices.IndexFunc(sp.Origins, func(o model.Range) bool { return !k.has(o) }) < 0
		}
		r = sp.Origins[0]
	}
	return k.t.FileName(r) != k.file || r.End() <= k.front || r.Off >= k.size-k.back
}

// readable counts the rows of a sound document of which cells are still there, and those of them of which all these come out.
func readable(sound, damaged map[string]printed, k *intact) (kept, of int) {
	for name, p := range sound {
		groups := map[string][]string{} // rows by which of their cells are there
		for _, row := range p.rows {
			var columns, cells []string
			for i := range row {
				if k == nil || row[i].Range.Len == 0 || k.has(row[i].Range) {
					columns, cells = append(columns, p.columns[i]), append(cells, row[i].String())
				}
			}
			if any := slices.ContainsFunc(row, func(c model.Cell) bool { return c.Range.Len > 0 && (k == nil || k.has(c.Range)) }); any || k == nil {
				key := strings.Join(columns, "\x00")
				groups[key] = append(groups[key], strings.Join(cells, "\x00"))
			}
		}
		for columns, rows := range groups {
			found := damaged[name].only(strings.Split(columns, "\x00"), p.columns)
			for _, row := range rows {
				if of++; found[row] > 0 {
					found[row]--
					kept++
				}
			}
		}
	}
	return kept, of
}

// only counts the rows of a table, printed in some of the columns of the sound one; nil when it has not all of them. A column whose name is
// lost is at its place.
func (p printed) only(columns, sound []string) map[string]int {
	var at []int
	for _, c := range columns {
		i := slices.Index(p.columns, c)
		if k := slices.Index(sound, c); i < 0 && k < len(p.columns) && !slices.Contains(sound, p.columns[k]) {
			i = k
		}
		if i < 0 {
			return nil
		}
		at = append(at, i)
	}
	out := map[string]int{}
	for _, row := range p.rows {
		var cells []string
		for _, i := range at {
			cells = append(cells, row[i].String())
		}
		out[strings.Join(cells, "\x00")]++
	}
	return out
}

// salvaged is the document that salvage makes of a damaged one; nil when it makes none.
func salvaged(t *model.Tree) *model.Tree {
	if t == nil || t.Format == nil || t.Format.Salvage == nil {
		return nil
	}
	ctx := context.Background()
	var out *model.Tree
	model.Contain(func() error {
		saved, err := t.Format.Salvage(ctx, t)
		if err != nil || saved == nil {
			return err
		}
		s := t.Snapshot
		for name, src := range saved.Files {
			b := make([]byte, src.Len())
			src.ReadAt(b, 0)
			s = s.With(name, model.BytesContent(b))
		}
		out = model.Parse(ctx, s, t.Format)
		return nil
	})
	return out
}
