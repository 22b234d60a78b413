package samediff

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"

	"spandrel/model"
	"spandrel/parsers/internal/zipfile"
	"spandrel/parsers/samediff/flat"
)

// salvage writes a model of what can still be read: an archive of its intact members if a model is among them, or a file of the same family with the
// graph's reachable tables and the existing arrays.
func salvage(ctx context.Context, t *model.Tree) (*model.Salvaged, error) {
	d := main(t)
	if err := errors.Join(d.st.tooManyShards(), d.st.openAll(ctx, t)); err != nil {
		return nil, err
	}
	name := path.Base(d.file)
	if d.zip != nil {
		r := d.at
		at := func(off, n int64) []byte {
			if off < 0 || off >= r.Len {
				return nil
			}
			b, _ := t.Bytes(ctx, model.Range{Space: r.Space, Off: r.Off + off, Len: min(n, r.Len-off)})
			return b
		}
		if out, part, kept := zipfile.Salvage(ctx, at, r.Len); out != nil && (len(d.graphs) == 0 || slices.ContainsFunc(kept, isModel)) {
			return &model.Salvaged{Files: map[string]model.Source{name: out}, Parts: []model.SalvagedPart{part}}, ctx.Err()
		}
	}
	if len(d.graphs) == 0 {
		return nil, fmt.Errorf("no graph can be found in the rest of the file")
	}
	g := d.graphs[0]
	s := &saving{ctx: ctx, t: t, g: g}
	if err := g.whole(ctx, t, s.graph); err != nil {
		return nil, err
	}
	if err := s.prune(); err != nil {
		return nil, err
	}
	file, err := s.file(d)
	if err != nil {
		return nil, err
	}
	if d.zip != nil {
		name = strings.TrimSuffix(name, path.Ext(name)) + ".sdnb"
	}
	return &model.Salvaged{Files: map[string]model.Source{name: file}, Parts: s.parts()}, ctx.Err()
}

// saving is a salvage in progress.
type saving struct {
	ctx         context.Context
	t           *model.Tree
	g           *placed
	out         []byte   // the graph
	moved       []*data  // arrays outside the graph, in the order of their places
	vars, nodes [2]int64 // numbers now and before; -1: unknown
	arrays      model.SalvagedPart
}

// graph writes the reachable tables and, if the root is lost, those that look like variables and operations.
func (s *saving) graph(b flat.Buffer) (err error) {
	if b == nil {
		return fmt.Errorf("the graph is too tangled to read")
	}
	s.outside()
	c := &flat.Copy{Map: s.g.Map, B: b, Lenient: true}
	s.stubs(c)
	root := s.g.GraphAt(b)
	c.Drop = func(tab *flat.Table, at int64) bool {
		if tab.Name != "FlatVariable" && tab.Name != "FlatNode" {
			return false
		}
		name, ok := b.Str(at, flat.VarName)
		return !ok || name == "" || !b.Sound(at)
	}
	_, vars, ok := b.Vec(root, flat.GraphVariables, 4)
	_, nodes, more := b.Vec(root, flat.GraphNodes, 4)
	s.vars[1], s.nodes[1] = vars, nodes
	if b.Sound(root) && (ok || more) {
		s.out, err = c.Build(root, s.g.Types["FlatGraph"])
	} else {
		lists := b.Carve()
		s.vars[1], s.nodes[1] = -1, -1
		if len(lists[flat.GraphVariables])+len(lists[flat.GraphNodes]) == 0 {
			return fmt.Errorf("no table of the graph can be found")
		}
		s.out, err = c.Gather(s.g.Types["FlatGraph"], lists)
	}
	if err != nil {
		return err
	}
	s.count()
	return nil
}

// count ends the graph as files want it, and counts what is in it.
func (s *saving) count() {
	s.out = append(s.out, make([]byte, -len(s.out)&7)...)
	n := flat.Buffer(s.out)
	_, s.vars[0], _ = n.Vec(n.Root(), flat.GraphVariables, 4)
	_, s.nodes[0], _ = n.Vec(n.Root(), flat.GraphNodes, 4)
}

// prune removes variables with lost values from the graph, and the operations that need them, because no reader loads a model with these.
func (s *saving) prune() (err error) {
	n := flat.Buffer(s.out)
	g := &placed{located: located{Map: flat.Open(n, "FlatGraph", nil)}, scopeOf: scopeOf{dims: s.g.dims, nb: s.g.nb}, doc: s.g.doc}
	v := g.open(n)
	gone, there := s.valueless(v)
	for more := true; more && s.ctx.Err() == nil; {
		more = v.needless(gone, there)
	}
	if len(gone) == 0 {
		return s.ctx.Err()
	}
	c := &flat.Copy{Map: g.Map, B: n, Lenient: true, Drop: func(_ *flat.Table, at int64) bool { return gone[at] }}
	left := map[string]bool{}
	for i := range v.vars {
		left[v.vars[i].name] = left[v.vars[i].name] || !gone[v.vars[i].at]
	}
	if losses, ok := n.Strs(n.Root(), flat.GraphLoss); ok {
		c.Set(n.Root(), flat.GraphLoss, slices.DeleteFunc(losses, func(name string) bool { return !left[name] }))
	}
	if s.out, err = c.Build(n.Root(), g.Types["FlatGraph"]); err != nil {
		return err
	}
	if s.count(); s.arrays.Of > 0 && s.arrays.Saved == 0 && s.nodes[0] == 0 {
		return fmt.Errorf("nothing can be salvaged: %s are lost, and no operation works without them", s.arrays.Lost)
	}
	return s.ctx.Err()
}

// valueless are the tables of the variables with lost values, and the ids of the others; it counts both.
func (s *saving) valueless(v *modelView) (gone map[int64]bool, there map[pair]bool) {
	have := map[string]bool{}
	for _, a := range s.moved {
		have[a.name] = true
	}
	gone, there = map[int64]bool{}, map[pair]bool{}
	s.arrays = model.SalvagedPart{What: "arrays"}
	var lost []string
	for i := range v.vars {
		x := &v.vars[i]
		there[x.id] = true
		if x.kind != varVariable && x.kind != varConstant || !v.placed.Late() {
			continue
		}
		if s.arrays.Of++; have[x.name] || x.array != 0 && len(v.placed.array(v.b, x.array).pieces()) > 0 {
			s.arrays.Saved++
			continue
		}
		lost, gone[x.at], there[x.id] = append(lost, brief(x.name)), true, false
	}
	if len(lost) > 0 {
		s.arrays.Lost = "the values of " + strings.Trim(list(lost), "[]")
	}
	return gone, there
}

// needless removes the operations with missing inputs, together with their outputs, and tells whether there were any.
func (m *modelView) needless(gone map[int64]bool, there map[pair]bool) (more bool) {
	for i := range m.nodes {
		x := &m.nodes[i]
		if gone[x.at] || !slices.ContainsFunc(x.inputs, func(in pair) bool { return !there[in] }) {
			continue
		}
		more, gone[x.at] = true, true
		for k := range m.vars {
			if o := &m.vars[k]; slices.Contains(x.outputs, o.name) && !gone[o.at] {
				gone[o.at], there[o.id] = true, false
			}
		}
	}
	return more
}

// outside lists the arrays outside the graph whose bytes all exist and are no other's.
func (s *saving) outside() {
	if s.g.nb == nil && (s.g.con == nil || s.g.doc.con == nil) {
		return
	}
	list, _ := s.g.doc.st.arrays(s.ctx, s.t)
	for _, a := range list {
		if a.where == "inline" || a.in != s.g.doc || a.shared {
			continue
		}
		s.moved = append(s.moved, a)
	}
	slices.SortStableFunc(s.moved, func(x, y *data) int { return int(min(1, max(-1, x.start()-y.start()))) })
}

// stubs gives arrays outside the graph their new places, and drops stubs of arrays without bytes.
func (s *saving) stubs(c *flat.Copy) {
	if !s.g.Late() {
		return
	}
	unit := int64(1)
	if s.g.nb == nil { // in a container
		unit = 64
	}
	at, by := places(s.moved, unit), map[string]*data{}
	for _, a := range s.moved {
		by[a.name] = a
	}
	c.Other = func(tab *flat.Table, variable int64, slot int) (flatbuffers.UOffsetT, bool) {
		if tab.Name != "FlatVariable" || slot != flat.VarArray {
			return 0, false
		}
		name, _ := c.B.Str(variable, flat.VarName)
		if a := by[name]; a != nil {
			return a.stub(at[name]).Put(c.Out), true
		}
		array := c.B.Ref(variable, slot)
		return 0, array != 0 && s.g.array(c.B, array).stub
	}
}

// file puts the file of the family together.
func (s *saving) file(d *doc) (model.Source, error) {
	switch {
	case s.g.nb != nil:
		return nativeOf(s.ctx, s.t, model.Memory(s.out), s.moved), nil
	case d.con != nil:
		x := &boxed{ctx: s.ctx, t: s.t}
		values := d.con.metadataMap()
		delete(values, "") // key of an entry that lost its own
		x.metadata(values)
		x.record(graphs, 0, model.Memory(s.out))
		x.arrays(s.moved)
		return x.file()
	}
	return model.Memory(s.out), nil
}

// parts says what was saved.
func (s *saving) parts() []model.SalvagedPart {
	return []model.SalvagedPart{{What: "variables", Saved: s.vars[0], Of: s.vars[1]}, {What: "operations", Saved: s.nodes[0], Of: s.nodes[1]}, s.arrays}
}
