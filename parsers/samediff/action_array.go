package samediff

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
	"spandrel/parsers/samediff/manifest"
)

// maxConverted is how many bytes of an array are held in memory to be converted.
const maxConverted = 1 << 30

// outside rewrites the arrays outside the graph if some of them change, and points the stubs of the graph at them. The edits are
// made when it is known by how many bytes the graph grows.
func (e *graphEdit) outside() (func(grown int64) []model.Edit, error) {
	switch {
	case len(e.moved) == 0:
		return func(int64) []model.Edit { return e.more }, nil
	case e.placed.nb != nil:
		return e.appended()
	case e.placed.doc.con != nil:
		for _, s := range e.placed.doc.con.sections {
			edits, err := s.relaid(e.ctx, e.t, e.moved, e.restub)
			if err != nil {
				return nil, err
			}
			e.more = append(e.more, edits...)
		}
	}
	return func(int64) []model.Edit { return e.more }, nil
}

// restub sets the place, type and length in the stub of an array. A stub without a place keeps none.
func (e *graphEdit) restub(a *data, off int64) {
	i, ok := e.byName[a.name]
	if !ok || e.vars[i].array == 0 {
		return
	}
	x := &e.vars[i]
	was := e.placed.array(e.b, x.array)
	if !was.stub || was.offset == off && was.length == a.bytes && was.typ == a.typ {
		return
	}
	if e.placed.nb == nil && e.b.Slot(was.at, flat.ArrAppendedOffset) == 0 {
		off = -1
	}
	stub := *a
	if stub.dims, stub.order = was.dims, was.order; e.moved[a.name] != nil {
		stub.dims = e.moved[a.name].dims
	}
	e.Set(x.at, flat.VarArray, stub.stub(off))
}

// appended changes the arrays after the graph of an SDNB file: their bytes, the manifest, and the stubs, whose offsets count from the first
// array.
func (e *graphEdit) appended() (func(grown int64) []model.Edit, error) {
	nb := e.placed.nb
	if nb.manifest == nil || nb.manifest.Err != nil || nb.doubt {
		return nil, fmt.Errorf("the manifest is damaged: repair it first")
	}
	list, edits := nb.relaid(e.moved)
	first := firstOf(list, math.MaxInt64)
	for _, x := range list {
		if x.Length > 0 {
			e.restub(&data{name: x.Name, typ: e.typeOf(x.Name), bytes: x.Length}, x.Offset-first)
		}
	}
	e.more = append(e.more, edits...)
	return func(grown int64) []model.Edit {
		for i := range list {
			list[i].Offset += grown
		}
		return append(e.more, model.Replace(nb.mspan.Range, manifest.Write(list)))
	}, nil
}

// typeOf is the element type of an array, changed or not.
func (e *graphEdit) typeOf(name string) int64 {
	if a := e.moved[name]; a != nil {
		return a.typ
	}
	if i, ok := e.byName[name]; ok && e.vars[i].array != 0 {
		return e.placed.array(e.b, e.vars[i].array).typ
	}
	return 0
}

// list returns the arrays of a section in order.
func (s *section) list(ctx context.Context, t *model.Tree) (list []*data, err error) {
	if x := s.arrays.index; s.variant != "list" && (x == nil || x.Copyable() != nil) {
		return nil, fmt.Errorf("the index of the arrays is damaged: repair it first")
	}
	for _, p := range s.con.doc.flats {
		if p.section == s && err == nil {
			err = p.view(ctx, t, func(b flat.Buffer) (err error) {
				p.eachArray(ctx, t, b, func(name string, a *data) {
					if list = append(list, a); a == nil {
						err = fmt.Errorf("%s cannot be read: repair it first", name)
					}
				})
				return err
			})
		}
	}
	return list, err
}

// relaid rewrites the arrays of a section with other elements, and without removed ones; placed is called with the new place of each.
func (s *section) relaid(ctx context.Context, t *model.Tree, moved map[string]*data, placed func(a *data, off int64)) ([]model.Edit,
	error) {
	if s.arrays == nil {
		return nil, nil
	}
	list, err := s.list(ctx, t)
	if err != nil {
		return nil, err
	}
	changed := false
	kept := list[:0]
	for _, a := range list {
		if other, ok := moved[a.name]; ok {
			if changed = true; other == nil {
				continue
			}
			a = other
		}
		kept = append(kept, a)
	}
	if !changed {
		return nil, nil
	}
	if s.arrays.region >= 0 {
		apart := slices.DeleteFunc(slices.Clone(kept), func(a *data) bool { return types[a.typ] == nil })
		for at := places(apart, 64); len(apart) > 0; apart = apart[1:] {
			placed(apart[0], at[apart[0].name])
		}
	}
	payload, err := s.payload(ctx, t, kept)
	return []model.Edit{model.Splice{Range: s.body.Range, With: payload}}, err
}

// payload writes arrays in the form of a section.
func (s *section) payload(ctx context.Context, t *model.Tree, list []*data) (model.Source, error) {
	if s.variant == "" {
		return arraysPayload(ctx, t, list, s.con.order)
	}
	var entries []flat.Fields
	out := binary.BigEndian.AppendUint32(nil, 0)
	s.con.order.PutUint32(out, uint32(len(list)))
	for _, a := range list {
		array, err := a.inline(ctx, t)
		if err != nil {
			return nil, err
		}
		entries = append(entries, flat.Fields{0: a.name, 1: array})
		name, b := manifest.ToModified(a.name), array.Buffer()
		size := make([]byte, 10)
		s.con.order.PutUint16(size, uint16(len(name)))
		s.con.order.PutUint64(size[2:], uint64(len(b)))
		out = append(append(append(append(out, size[:2]...), name...), size[2:]...), b...)
	}
	if s.variant == "list" {
		return model.Memory(out), nil
	}
	return model.Memory(flat.Fields{0: entries}.Buffer()), nil
}
