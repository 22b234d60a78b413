package samediff

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// maxPatches bounds how many offsets an edit may move.
const maxPatches = 200_000

// growth is bytes added at a place of a buffer: a multiple of 16, so that everything after it keeps its alignment, and of 64
// before arrays.
type growth struct{ at, n int64 }

// prepare adds to edits of texts in a buffer what FlatBuffers requires (section 5.4): the length before the text, zeros if the new text is
// shorter, and if it is longer than its padding room for it, with every offset across it. Texts that several fields share need
// confirmation.
func prepare(ctx context.Context, t *model.Tree, edits []model.Edit) (out []model.Edit, warnings []string, err error) {
	st, ok := t.State.(*state)
	if !ok {
		return edits, nil, nil
	}
	asked := slices.ContainsFunc(edits, func(e model.Edit) bool { s, ok := e.(model.Splice); return !ok || !s.Loose })
	if err := st.tooManyShards(); asked && err != nil {
		return nil, nil, err
	}
	grow := map[*placed][]growth{}
	out = slices.Clip(edits)
	for _, e := range edits {
		set, ok := e.(model.Set)
		if !ok {
			continue
		}
		s, p, err := st.textOf(ctx, t, set)
		if err != nil {
			return nil, nil, err
		}
		if p == nil {
			continue
		}
		if n := p.refs(ctx, t, s.Range.Off-4-p.span.Range.Off); n > 1 {
			warnings = append(warnings, model.Words("%d fields share this string: all change", n))
		}
		add, g := p.retext(s, int64(len(set.Value.Text())))
		out = append(out, add...)
		if g.n > 0 {
			grow[p] = append(grow[p], g)
		}
	}
	moved, err := st.spread(ctx, t, grow)
	return append(out, moved...), warnings, err
}

// textOf is the text that an edit changes, and its buffer; nil if it changes none.
func (st *state) textOf(ctx context.Context, t *model.Tree, set model.Set) (*model.Span, *placed, error) {
	if err := window(ctx, t, set); err != nil {
		return nil, nil, err
	}
	s, err := t.Find(ctx, set.Path)
	if err != nil || s.Field != flat.FieldText {
		return nil, nil, nil
	}
	p := st.holder(s.Parent().Parent())
	if p == nil {
		return nil, nil, nil
	}
	return s, p, p.alone(ctx, t, s, set.Value.Text())
}

// sizes are the first integers of windowed operations: kernel sizes and strides.
var sizes = map[string]int{"conv1d": 2, "conv2d": 4, "deconv2d": 4, "depthwise_conv2d": 4, "sconv2d": 4, "conv3dnew": 6, "maxpool2d": 4, "avgpool2d": 4,
	"pnormpool2d": 4}

var intArgument = model.Pattern(`^(.*)/extraInteger/elem\[(\d+)\]$`)

// window rejects kernel sizes and strides of zero: ND4J divides by these numbers, and the program that runs the graph crashes or
// never ends.
func window(ctx context.Context, t *model.Tree, set model.Set) error {
	m := intArgument().FindStringSubmatch(set.Path)
	if m == nil || set.Value.Int() > 0 {
		return nil
	}
	text, err := t.Find(ctx, m[1]+"/opName/text")
	if err != nil {
		return nil // only its hash identifies the operation
	}
	name, err := t.Value(ctx, text)
	if i, _ := strconv.Atoi(m[2]); err == nil && i < sizes[name.Text()] {
		return fmt.Errorf("argument %d of %s is a window size or a stride and must be 1 or more: with %d, running the graph crashes or "+
			"never ends", i, name.Text(), set.Value.Int())
	}
	return nil
}

// alone rejects renaming an operation from before 2019 that has the name of its variable: present readers would not find the variable.
func (p *placed) alone(ctx context.Context, t *model.Tree, text *model.Span, to string) error {
	name := text.Parent()
	if p.Root.Name != "FlatGraph" || p.Gen == "" || p.Late() {
		return nil
	}
	return p.view(ctx, t, func(b flat.Buffer) error {
		v := p.open(b)
		for i := range v.nodes {
			n := &v.nodes[i]
			_, twin := v.byName[n.name]
			if twin && to != n.name && b.Ref(n.at, flat.NodeName) == name.Range.Off-p.span.Range.Off {
				return fmt.Errorf("ND4J finds the outputs of this generation's operations by name: rename the variable %s instead, which changes both", n.name)
			}
		}
		return nil
	})
}

// spread corrects the offsets of buffers that grow, and of those around them.
func (st *state) spread(ctx context.Context, t *model.Tree, grow map[*placed][]growth) (more []model.Edit, err error) {
	for len(grow) > 0 {
		p := slices.MaxFunc(slices.Collect(maps.Keys(grow)), func(a, b *placed) int { return a.depth - b.depth })
		add, err := p.move(ctx, t, grow[p])
		if err != nil {
			return nil, err
		}
		more = append(more, add...)
		total := int64(0)
		for _, g := range grow[p] {
			total += g.n
		}
		delete(grow, p)
		if up, add, g, err := st.outer(t, p, total); err != nil {
			return nil, err
		} else if up != nil {
			more = append(more, add...)
			grow[up] = append(grow[up], g)
		}
	}
	return more, nil
}

// retext makes room for a text of n bytes in place of the one in s.
func (p *placed) retext(s *model.Span, n int64) (edits []model.Edit, g growth) {
	r := s.Range
	base := p.span.Range.Off
	i, pos := p.At(r.Off - 4 - base)
	d := n - r.Len
	if i < 0 || d == 0 {
		return nil, g
	}
	edits = append(edits, model.Replace(model.Range{Space: r.Space, Off: r.Off - 4, Len: 4}, binary.LittleEndian.AppendUint32(nil, uint32(n))))
	end := base + int64(p.Objs[i].Off) + int64(p.Objs[i].Len)
	at := model.Range{Space: r.Space, Off: end}
	room := int64(0)
	if pos+1 < p.Count() {
		if next := p.Piece(pos + 1); next.Kind == flat.PadObject {
			room = int64(next.Len)
		}
	}
	zeros := func(n int64) model.Edit {
		return model.Splice{Range: at, With: model.Memory(make([]byte, n)), Into: p.span.Path()}
	}
	switch {
	case d < 0:
		edits = append(edits, zeros(-d))
	case d <= room:
		at.Len = d
		edits = append(edits, model.Replace(at, nil))
	default:
		unit := int64(16)
		if p.inFront() {
			unit = 64
		}
		fill := (unit - d%unit) % unit
		if fill > 0 {
			edits = append(edits, zeros(fill))
		}
		g = growth{end - base, d + fill}
	}
	return edits, g
}

// offsets calls f with every offset of a buffer: its place and its target. The offset to a vtable counts backwards.
func offsets(p *flat.Map, b flat.Buffer, f func(at, to int64, back bool)) {
	f(0, b.U32(0), false)
	for _, o := range p.Objs {
		if at := int64(o.Off); o.Kind == flat.TableObject {
			f(at, at-b.I32(at), true)
		}
	}
	for at := range p.Offsets() {
		if u := b.U32(at); u != 0 {
			f(at, at+u, false)
		}
	}
}

// move corrects the offsets across places where bytes are added.
func (p *located) move(ctx context.Context, t *model.Tree, grown []growth) (edits []model.Edit, err error) {
	if p.Unknown > 0 {
		return nil, fmt.Errorf("the string is too long for its place, and the graph has unknown fields, which may be offsets")
	}
	sort.Slice(grown, func(i, j int) bool { return grown[i].at < grown[j].at })
	sums := []int64{0}
	for i, g := range grown {
		sums = append(sums, sums[i]+g.n)
	}
	shift := func(pos int64) int64 {
		return sums[sort.Search(len(grown), func(i int) bool { return grown[i].at > pos })]
	}
	if p.Size+sums[len(grown)] > flat.MaxSize {
		return nil, fmt.Errorf("the graph would be larger than 2 GiB")
	}
	r := p.span.Range
	err = p.view(ctx, t, func(b flat.Buffer) error {
		offsets(p.Map, b, func(at, to int64, back bool) {
			d := shift(to) - shift(at)
			if back {
				d = -d
			}
			if d != 0 && len(edits) <= maxPatches {
				v := uint32(b.U32(at) + d)
				edits = append(edits, model.Replace(model.Range{Space: r.Space, Off: r.Off + at, Len: 4}, binary.LittleEndian.AppendUint32(nil, v)))
			}
		})
		if len(edits) > maxPatches {
			return fmt.Errorf("more than %d offsets would change: a shorter string fits in place", maxPatches)
		}
		return nil
	})
	return edits, err
}

// outer returns the buffer that contains a sub-instance, with the effect of growing by n bytes there.
func (s *state) outer(t *model.Tree, p *placed, n int64) (up *placed, edits []model.Edit, g growth, err error) {
	sp := t.Space(p.span.Range.Space)
	if p.depth == 0 || sp == nil || !sp.Derived() || n == 0 {
		return nil, nil, g, nil
	}
	raw := sp.Raw // the bytes of a vector, which follow their count
	if up = s.holder(raw.Parent().Parent()); up == nil {
		return nil, nil, g, fmt.Errorf("the outer graph is unknown")
	}
	count := model.Range{Space: raw.Range.Space, Off: raw.Range.Off - 4, Len: 4}
	edits = append(edits, model.Replace(count, binary.LittleEndian.AppendUint32(nil, uint32(raw.Range.Len+n))))
	return up, edits, growth{raw.Range.End() - up.span.Range.Off, n}, nil
}

// refs returns how many offsets lead to an object of the buffer.
func (p *located) refs(ctx context.Context, t *model.Tree, to int64) (n int) {
	p.view(ctx, t, func(b flat.Buffer) error {
		offsets(p.Map, b, func(_, target int64, _ bool) {
			if target == to {
				n++
			}
		})
		return nil
	})
	return n
}
