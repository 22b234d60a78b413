package samediff

import (
	"context"
	"fmt"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// graphEdit is the only graph of a document while it is rewritten.
type graphEdit struct {
	*modelView
	*flat.Copy
	ctx   context.Context
	t     *model.Tree
	moved map[string]*data // new elements of arrays outside the graph, by name; nil removes the array
	more  []model.Edit     // edits outside the graph
}

// editing plans an action that edits the only graph of the document.
func editing(edit func(e *graphEdit, args map[string]string) error) func(context.Context, *model.Tree, *model.Span, map[string]string) ([]model.Edit, error) {
	return func(ctx context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
		return change(ctx, t, func(e *graphEdit) error { return edit(e, args) })
	}
}

// change rewrites the only graph of the document: setUp determines the changes. Arrays outside the graph are updated.
func change(ctx context.Context, t *model.Tree, setUp func(e *graphEdit) error) (edits []model.Edit, err error) {
	d := main(t)
	g, err := d.theGraph(ctx, t)
	if err != nil {
		return nil, err
	}
	err = g.view(ctx, t, func(b flat.Buffer) error {
		v := g.open(slices.Clone(b))
		if !v.placed.Late() {
			return fmt.Errorf("graphs of generation %s can only be edited in place", g.Gen)
		}
		if g.fixed() {
			return fmt.Errorf("the graph has no room to grow where it is")
		}
		e := &graphEdit{modelView: v, Copy: &flat.Copy{Map: g.Map, B: v.b}, ctx: ctx, t: t, moved: map[string]*data{}}
		if err := setUp(e); err != nil {
			return err
		}
		after, err := e.outside()
		if err != nil {
			return err
		}
		out, err := e.Build(v.b.Root(), g.Root)
		if err != nil {
			return err
		}
		if g.nb != nil { // arrays after it stay in place if there is room
			out = append(out, make([]byte, -len(out)&7)...)
		}
		edits = append(after(int64(len(out))-g.Size), model.Replace(g.span.Range, out))
		return nil
	})
	return edits, err
}

// freeID is an unused number for a variable or an operation.
func (e *graphEdit) freeID() (id int64) {
	for _, x := range e.vars {
		id = max(id, x.id[0])
	}
	for _, n := range e.nodes {
		id = max(id, n.id)
	}
	return id + 1
}

// append adds a variable after the others of the graph.
func (e *graphEdit) append(variable flat.Fields) {
	e.Other = func(tab *flat.Table, at int64, s int) (flatbuffers.UOffsetT, bool) {
		if tab.Name != "FlatGraph" || s != flat.GraphVariables {
			return 0, false
		}
		var refs []flatbuffers.UOffsetT
		if v := e.B.Ref(at, s); v != 0 {
			refs = e.Elements(v, &tab.Slots[s], 1)
		}
		return flat.RefVector(e.Out, append(refs, variable.Put(e.Out))), true
	}
}
