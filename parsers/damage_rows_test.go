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
	types   []string
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
				p.columns, p.types = append(p.columns, c.Name), append(p.types, c.Type)
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

// readable counts the rows of a sound document of which cells are still there, and those of them of which all these come out. Nil is a file
// that can be had back: all of it is there.
func readable(sound, damaged map[string]printed, k *intact) (kept, of int) {
	for name, p := range sound {
		groups := map[string][]int{} // rows by which of their cells are there
		for r, row := range p.rows {
			key := make([]byte, len(row))
			for i := range row {
				if key[i] = '0'; k == nil || row[i].Range.Len > 0 && k.has(row[i].Range) {
					key[i] = '1'
				}
			}
			groups[string(key)] = append(groups[string(key)], r)
		}
		for key, rows := range groups {
			if !strings.Contains(key, "1") {
				continue
			}
			of += len(rows)
			mine, its := p.matched(damaged[name], key)
			found := map[string]int{}
			for _, row := range damaged[name].rows {
				found[text(row, its)]++
			}
			for _, r := range rows {
				if t := text(p.rows[r], mine); len(mine) > 0 && found[t] > 0 {
					found[t]--
					kept++
				}
			}
		}
	}
	return kept, of
}

// matched pairs the columns of a sound table that are marked with those of the damaged one. A column whose name is lost is at its place; where
// its type is lost too, what its bytes mean is not there any more. None are paired where one is missing.
func (p printed) matched(damaged printed, marks string) (mine, its []int) {
	for i := range p.columns {
		if marks[i] == '0' {
			continue
		}
		k := slices.Index(damaged.columns, p.columns[i])
		if k < 0 && i < len(damaged.columns) && !slices.Contains(p.columns, damaged.columns[i]) {
			if k = i; damaged.types[k] != p.types[i] {
				continue
			}
		}
		if k < 0 {
			return nil, nil
		}
		mine, its = append(mine, i), append(its, k)
	}
	return mine, its
}

// text prints some cells of a row.
func text(row model.Row, columns []int) string {
	var cells []string
	for _, i := range columns {
		cells = append(cells, row[i].String())
	}
	return strings.Join(cells, "\x00")
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
