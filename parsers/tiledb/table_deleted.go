package tiledb

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"slices"

	"spandrel/model"
)

// A deletion of cells leaves them in their fragments: whoever reads the array passes over cells of before it for which its condition is
// not true (section 5.4 of the sheet: what is stored is the opposite of what was asked for).

// deletion is a delete commit: when it was made, its name, and which cells survive it.
type deletion struct {
	at      uint64
	name    string
	survive condition
}

// condition tells whether a row of the table survives, whose columns have names.
type condition func(row model.Row, column map[string]int) bool

// deletions lists the delete commits of an array; ok is false when one of them cannot be judged, or needs values that the table does not
// have.
func (x *cellTable) deletions(ctx context.Context) (out []deletion, ok bool) {
	for name, b := range deleteCommits(x.a) {
		r := conditionReader{b: x.a.condition(ctx, b), cols: x.cols, schema: x.a.current()}
		c := r.node(0)
		if r.bad || len(r.b) > 0 {
			return nil, false
		}
		out = append(out, deletion{stampOf(name).from, name, c})
	}
	slices.SortFunc(out, func(x, y deletion) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.name, y.name)) })
	return out, true
}

// deleteCommits are the delete commits of an array by name, those inside consolidated ones too.
func deleteCommits(a *array) map[string][]byte {
	out := map[string][]byte{}
	list, _, _ := a.d.t.Snapshot.List(a.path("__commits"))
	for _, e := range list {
		ext := path.Ext(e.Name)
		if ext != ".del" && ext != ".con" {
			continue
		}
		b := fileBytes(a.d.t, e.Name, mostCommits)
		if ext == ".del" {
			out[path.Base(e.Name)] = b
			continue
		}
		for at, line := range lines(b, true) {
			if rest := b[min(at+int64(len(line))+1, int64(len(b))):]; bytes.HasSuffix(line, []byte(".del")) && len(rest) > 8+headerBytes {
				out[path.Base(string(line))] = rest[8:]
			}
		}
	}
	return out
}

// goneIn returns the deletions that cells of a fragment have to survive: later ones that have not been carried out when it was written.
// Of a fragment that was made of several, cells are of different times: nothing is said of it.
func goneIn(ctx context.Context, f *frag, all []deletion) (out []deletion) {
	done, err := f.conditions(ctx)
	if err != nil {
		return nil
	}
	for _, d := range all {
		if d.at > f.stamp.to && !slices.ContainsFunc(done, func(name string) bool { return path.Base(name) == d.name }) {
			out = append(out, d)
		}
	}
	return out
}

// conditionReader reads the payload of a delete commit. bad says that it cannot be judged.
type conditionReader struct {
	b      []byte
	cols   []column
	schema *schemaInfo
	bad    bool
}

// take reads n bytes.
func (r *conditionReader) take(n uint64) []byte {
	if r.bad = r.bad || n > uint64(len(r.b)); r.bad {
		return make([]byte, min(n, 8))
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *conditionReader) node(depth int) condition {
	if r.bad = r.bad || depth > 64; r.bad {
		return nil
	}
	if r.take(1)[0] != 0 {
		return r.comparison()
	}
	how, n := r.take(1)[0], le.Uint64(r.take(8))
	var kids []condition
	for i := uint64(0); i < n && !r.bad; i++ {
		kids = append(kids, r.node(depth+1))
	}
	r.bad = r.bad || how > 1
	return func(row model.Row, column map[string]int) bool {
		any := how == 1
		for _, k := range kids {
			if k(row, column) == any {
				return any
			}
		}
		return !any
	}
}

// comparison reads the comparison of a field with a value, or with several.
func (r *conditionReader) comparison() condition {
	op := r.take(1)[0]
	name := string(r.take(uint64(le.Uint32(r.take(4)))))
	raw := r.take(le.Uint64(r.take(8)))
	parts := [][]byte{raw}
	if op == 6 || op == 7 {
		parts = nil
		starts := r.take(le.Uint64(r.take(8)))
		for i := 0; i+8 <= len(starts); i += 8 {
			from, to := le.Uint64(starts[i:]), uint64(len(raw))
			if i+16 <= len(starts) {
				to = le.Uint64(starts[i+8:])
			}
			if from > to || to > uint64(len(raw)) {
				r.bad = true
				return nil
			}
			parts = append(parts, raw[from:to])
		}
	}
	i := slices.IndexFunc(r.cols, func(c column) bool { return c.name == name })
	if r.bad = r.bad || i < 0 || op > 7 || len(parts) == 0; r.bad {
		return nil
	}
	c := r.cols[i]
	r.bad = slices.ContainsFunc(r.schema.attrs, func(a attr) bool { return a.name.Text() == name && a.enum.Text() != "" }) // it is the value that counts
	text := codecOf(c.typ).Kind() == model.Text
	var values []model.Value
	for _, b := range parts {
		v := model.S(string(b))
		if !text {
			var err error
			v, _, err = codecOf(c.typ).Decode(b)
			r.bad = r.bad || err != nil || c.num != 1
		}
		values = append(values, v)
	}
	return func(row model.Row, column map[string]int) bool {
		v := row[column[name]].Value
		if v.Kind == model.None { // of missing values, TileDB takes only texts for unequal
			return text && op == 5
		}
		return holds(op, v, values)
	}
}

// holds tells whether a value compares so with another, or is one of several; NaN never does, but for being unequal.
func holds(op byte, v model.Value, with []model.Value) bool {
	if v.Kind == model.Float && v.Float() != v.Float() {
		return op == 5 || op == 7
	}
	order := compare(v, with[0])
	switch op {
	case 0:
		return order < 0
	case 1:
		return order <= 0
	case 2:
		return order > 0
	case 3:
		return order >= 0
	case 4:
		return order == 0
	case 5:
		return order != 0
	}
	return slices.ContainsFunc(with, func(w model.Value) bool { return compare(v, w) == 0 }) == (op == 6)
}
