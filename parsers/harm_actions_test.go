package parsers

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// Whether actions harm damaged documents: none may crash, and those that change how something is stored, or add to it, must leave every row that can be
// read, unless they are refused. `make harm` damages as many documents as it is asked for.

// storing are these actions, and what they are given.
var storing = map[string]map[string]string{
	"set-compression": {"kind": "none"}, "set-rows-per-block": {"rows": "3"}, "compact": {}, "add-rows": {}, "move-column": {"to": "0"},
	"rename-column": {"name": "Zz"}, "set-slot-name": {"slot": "0", "name": "s"}, "set-key-value": {"key": "1", "value": "v"}, "set-booleans": {"type": "DvBool"},
	"add-array": {}, "add-feature-index": {}, "rename": {"name": "renamed"}, "add-cell": {"genes": "0", "values": "1", "name": "c"}, "add-gene": {"name": "g"},
	"consolidate": {}, "set-metadata": {"key": "k", "value": "v"}, "add-enumeration": {"name": "e", "values": "a,b"}, "extend-enumeration": {"values": "zz"},
	"evolve-schema": {"add": "new:INT32"}, "compress": {}, "store": {}, "add-crc": {}, "drop-crc": {}, "sort-sections": {}, "convert-normal": {},
	"convert-container": {"name": "out.sdc"}, "convert-fb": {"name": "out.fb"}, "convert-sdnb": {"name": "out.sdnb"}, "convert-sdz": {"name": "out.sdz"},
	"convert-shards": {}, "convert-merge": {"name": "merged.sdc"}, "add-variable": {"name": "nv"}, "rename-variable": {"from": "w", "to": "ww"},
	"make-contiguous": {}, "sort-rows": {}, "renumber-fid": {"to": "9"}, "rename-extension": {"name": "zz"}, "rename-sample": {"name": "zz"},
	"rename-member": {"name": "zz.txt"}, "drop-extension": {}, "extract": {}, "reshape": {"shape": "-1"},
}

// counted are the rows of a table that can be read whole, each by its values in whatever order.
type counted struct {
	columns int
	rows    map[string]int
}

// rowsIn counts the rows of the tables that a document is opened for.
func rowsIn(ctx context.Context, t *model.Tree) map[string]counted {
	out := map[string]counted{}
	for _, x := range t.Tables(ctx) {
		if x.Aside || x.Groups {
			continue
		}
		n := counted{columns: len(x.Columns), rows: map[string]int{}}
		rows, _ := x.Read(ctx, 0, min(x.Rows, fewRows))
		for _, r := range rows {
			var cells []string
			for _, c := range r {
				cells = append(cells, c.Value.String())
			}
			if !slices.ContainsFunc(r, func(c model.Cell) bool { return c.Trouble != "" }) {
				slices.Sort(cells)
				n.rows[strings.Join(cells, "|")]++
			}
		}
		out[x.Name] = n
	}
	return out
}

// targets are the first spans that an action applies to.
func targets(t *model.Tree, a *model.Action) (out []*model.Span) {
	for queue, seen := []*model.Span{t.Root}, 0; len(queue) > 0 && seen < 600 && len(out) < 2; queue = queue[1:] {
		if a.Fits(t, queue[0]) {
			out = append(out, queue[0])
		}
		for i := range min(queue[0].Count(), 16) {
			if k := queue[0].Child(i); k != nil && k.Ready() {
				queue, seen = append(queue, k), seen+1
			}
		}
	}
	return out
}

// afterAction is a document after an action; nil where it cannot be done, or is not saved because of what was wrong before.
func afterAction(t *testing.T, d *model.Document, a *model.Action, at string) *model.Tree {
	ctx, args := t.Context(), map[string]string{}
	for _, p := range a.Params {
		args[p.Name] = cmp.Or(p.Default, "0")
		if v, ok := storing[a.Name][p.Name]; ok {
			args[p.Name] = v
		}
	}
	s, err := d.Tree.Find(ctx, at)
	if err != nil || !a.Fits(d.Tree, s) {
		return nil
	}
	edits, err := a.Plan(ctx, d.Tree, s, args)
	if err != nil {
		return nil
	}
	p, err := d.PlanOn(ctx, d.Tree, a.Label, edits...)
	if err != nil {
		return nil
	}
	is := model.Parse(ctx, p.To, d.Format)
	hidden, err := model.Resummed(ctx, p, d.Tree, is)
	if err == nil && hidden == "" && wrongIn(t, d, d.Tree) > 0 {
		hidden, err = model.ReadsLess(ctx, d.Tree, is)
	}
	if err != nil || hidden != "" || wrongIn(t, d, d.Tree) == 0 && wrongIn(t, d, is) > 0 {
		return nil
	}
	return is
}

// wrongIn counts the errors of a document.
func wrongIn(t *testing.T, d *model.Document, tree *model.Tree) (n int) {
	if err := d.DeepOn(t.Context(), tree, nil); err != nil {
		t.Fatal(err)
	}
	found, _ := tree.Findings()
	for i := range found {
		if found[i].Grade() == model.Error {
			n++
		}
	}
	return n
}

// missing counts the rows of a table that are in one state of it and not in the other.
func missing(was, is map[string]int) (n int) {
	for row, k := range was {
		n += max(0, k-is[row])
	}
	return n
}

func TestActionsOnDamage(t *testing.T) {
	a, all := harmAsked()
	if !all && os.Getenv("SPANDREL_QUICK") != "" {
		t.Skip("it takes half a minute")
	}
	for _, f := range All() {
		t.Run(f.Name, func(t *testing.T) {
			s, began, made := newSubjects(t, f.Name, all), time.Now(), 0
			for number := a.first; number < a.first+a.count && (all || time.Since(began) < 3*time.Second); number++ {
				r := a.random(s.format, number)
				d, name := s.pick(t, r)
				if d == nil {
					continue
				}
				kind, damaged, file := a.damaged(r, d)
				if damaged == nil {
					continue
				}
				bad := opened(d, damaged)
				if bad.Format != f {
					continue
				}
				bad.Tree = model.Parse(t.Context(), damaged, f)
				wrongIn(t, bad, bad.Tree)
				for i := range f.Actions {
					act := &f.Actions[i]
					_, keeps := storing[act.Name]
					for _, at := range targets(bad.Tree, act) {
						usual, is := afterAction(t, d, act, at.Path()), afterAction(t, bad, act, at.Path())
						if usual == nil || is == nil || !keeps {
							continue // it may remove rows: it only must not crash
						}
						made++
						what := fmt.Sprintf("%s of %q: %s of %s, %s (make harm HARM=1,%s,%d FORMAT=%s)", act.Name, at.Path(), file, name, kind, a.seed, number, f.Name)
						compareRows(t, what, [2]*model.Tree{d.Tree, usual}, [2]*model.Tree{bad.Tree, is})
					}
				}
			}
			if all {
				suite.Rate(f.Name+" actions", fmt.Sprint(made))
			}
		})
	}
}

// compareRows reports tables of a damaged document that have fewer rows after an action, unless a sound one has too, or a column that was damaged can be
// read now.
func compareRows(t *testing.T, what string, sound, damaged [2]*model.Tree) {
	ctx := t.Context()
	was, is := rowsIn(ctx, sound[0]), rowsIn(ctx, sound[1])
	before, after := rowsIn(ctx, damaged[0]), rowsIn(ctx, damaged[1])
	for table, x := range before {
		n := missing(x.rows, after[table].rows)
		if n > 0 && missing(was[table].rows, is[table].rows) == 0 && after[table].columns <= x.columns {
			t.Errorf("%s loses %d of %d rows of table %s", what, n, len(x.rows), table)
		}
	}
}
