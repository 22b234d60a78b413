package model

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
)

// settle follows links until nothing changes: lengths, counts, offsets and copies first, then checksums from the inside out,
// then encodes derived spaces into the bytes that they come from, and repeats.
func (p *planner) settle() error {
	for range maxRounds {
		changed, err := p.followAll()
		if err != nil {
			return err
		}
		sums, err := p.sums()
		if err != nil {
			return err
		}
		encoded, err := p.encode()
		if err != nil {
			return err
		}
		if !changed && !sums && !encoded {
			return nil
		}
	}
	return fmt.Errorf("the changes do not settle: a length depends on itself")
}

// followAll follows links until nothing changes.
func (p *planner) followAll() (changed bool, err error) {
	for range maxRounds {
		again, err := p.follow()
		if err != nil || !again {
			return changed, err
		}
		changed = true
	}
	return changed, nil
}

// follow updates the fields of all links except checksums.
func (p *planner) follow() (changed bool, err error) {
	for _, l := range p.links {
		if l.Kind == ChecksumLink || len(l.Targets) == 0 {
			continue
		}
		ok, err := p.followOne(l)
		if err != nil {
			return false, err
		}
		changed = changed || ok
	}
	return changed, nil
}

func (p *planner) followOne(l *Link) (changed bool, err error) {
	if l.Kind == PadLink {
		return p.pad(l)
	}
	v, moved, err := p.want(l)
	if err != nil {
		return false, err
	}
	if c := p.after.spliceOf(l.Field); v.Kind == None || !moved && (c == nil || c.asked) {
		return false, nil // not touched: a value that was wrong before stays, and is a finding
	}
	return p.derive(l, v)
}

// derive writes a derived value into its field, unless the user has set the field.
func (p *planner) derive(l *Link, v Value) (changed bool, err error) {
	b, err := l.Field.Field.Codec.Encode(v)
	if err != nil {
		return false, fmt.Errorf("%s at 0x%x: %w", l.Field.Path(), l.Field.Range.Off, err)
	}
	if c := p.after.spliceOf(l.Field); c != nil {
		if c.asked {
			return false, nil
		}
		old, err := readAll(c.with)
		c.with = Memory(b)
		return !bytes.Equal(old, b), err
	}
	old, err := p.t.Value(p.ctx, l.Field)
	if err != nil {
		return false, err
	}
	if old.Equal(v) {
		return false, nil
	}
	for _, c := range p.after.touching(l.Field.Range) {
		if c.at.Contains(l.Field.Range) && c.at.Len > 0 {
			return false, nil // the field itself goes away or is replaced with what holds it
		}
	}
	return true, p.after.add(&splice{at: l.Field.Range, with: Memory(b), owner: l.Field, path: l.Field.Path(),
		why: fmt.Sprintf("%s %s", l.Kind, l.Targets[0].Path())})
}

// pad makes padding as long as its targets need it, if their length or the unit has changed.
func (p *planner) pad(l *Link) (changed bool, err error) {
	before, after := int64(0), int64(0)
	for _, s := range l.Targets {
		n, err := p.after.length(s)
		if err != nil {
			return false, err
		}
		before, after = before+s.Range.Len, after+n
	}
	var own *splice
	for _, c := range p.after.by[l.Field.Range.Space] {
		switch {
		case c.owner.is(l.Field) && !c.asked:
			own = c
		case c.at.Len > 0 && c.at.Off <= l.Field.Range.Off && l.Field.Range.End() <= c.at.End() && c.at.Contains(l.Targets[0].Range) && c.at != l.Targets[0].Range:
			return false, nil // the padding goes away with what it is for
		case c.asked && c.at == l.Field.Range && c.at.Len > 0:
			return false, nil
		}
	}
	unit := p.unit(l)
	n := (unit - after%unit) % unit
	with := Fill(l.fill, n)
	switch {
	case own != nil && own.with.Len() == n, own == nil && (before == after && unit == l.Unit || l.Field.Range.Len == n):
		return false, nil
	case own != nil:
		own.with = with
		return true, nil
	}
	return true, p.after.add(&splice{at: l.Field.Range, with: with, owner: l.Field, path: l.Field.Path(), why: fmt.Sprintf("%s %s", l.Kind, l.Targets[0].Path())})
}

// unit is the multiple to which targets are padded, after the changes.
func (p *planner) unit(l *Link) int64 {
	if l.by == nil {
		return l.Unit
	}
	if c := p.after.spliceOf(l.by); c != nil && c.with.Len() == l.by.Range.Len {
		if b, err := readAll(c.with); err == nil {
			v, _, err := l.by.Field.Codec.Decode(b)
			if legal := l.by.Field.Check == nil || l.by.Field.Check(v) == ""; err == nil && legal && v.Int() > 0 && v.Int() <= MaxUnit {
				return v.Int()
			}
		}
	}
	return l.Unit
}

// encode runs the transforms of changed derived spaces backwards and writes the result into their parents, inner spaces first.
// Unchanged spaces keep their bytes, even if our encoder would produce others.
func (p *planner) encode() (changed bool, err error) {
	for _, id := range slices.Backward(slices.Sorted(maps.Keys(p.after.by))) {
		sp := p.t.Space(id)
		if len(p.after.by[id]) == 0 || sp == nil || !sp.Derived() {
			continue
		}
		b, err := p.encoded(sp)
		if err != nil {
			return false, err
		}
		ok, err := p.put(sp, b)
		if err != nil {
			return false, err
		}
		changed = changed || ok
	}
	return changed, nil
}

// put writes the bytes that a derived space comes from into its parent.
func (p *planner) put(sp *Space, b []byte) (changed bool, err error) {
	if old := p.made[sp.ID]; old != nil {
		was, err := readAll(old.with)
		old.with = Memory(b)
		return !bytes.Equal(was, b), err
	}
	s := &splice{at: sp.Origin, with: Memory(b), owner: sp.Raw, path: sp.Raw.Path(), why: "encoded from " + sp.Root.Path()}
	p.made[sp.ID] = s
	return true, p.after.add(s)
}

// encoded are the bytes that a derived space comes from, after the changes.
func (p *planner) encoded(sp *Space) ([]byte, error) {
	if sp.Transform.Encode == nil {
		return nil, fmt.Errorf("the bytes that %s decodes (%s) cannot be written back", sp.Raw.Path(), sp.Transform.Name)
	}
	c, err := p.after.original(sp.ID)
	if err != nil {
		return nil, err
	}
	if fault := sp.Fault(); IsUnchecked(fault) {
		return nil, fmt.Errorf("%s cannot be changed: %w", sp.Raw.Path(), fault)
	}
	c = c.apply(p.after.by[sp.ID], 0, c.Len())
	plain := make([]byte, c.Len())
	if _, err := c.ReadAt(plain, 0); err != nil && len(plain) > 0 && err != io.EOF {
		return nil, err
	}
	b, err := sp.Transform.Encode(p.ctx, plain)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sp.Transform.Name, err)
	}
	return b, nil
}

// finish turns the splices into patches and the snapshot after them.
func (p *planner) finish(plan *Plan) error {
	files := map[string]*Content{}
	for _, sp := range p.t.Spaces() {
		list := p.after.by[sp.ID]
		if len(list) == 0 || sp.Derived() {
			continue
		}
		c, err := sp.file()
		if err != nil {
			return err
		}
		for _, s := range list {
			plan.Patches = append(plan.Patches, Patch{sp.File, s.at.Off, s.at.Len, s.with, s.path, s.why})
		}
		files[sp.File] = c.apply(list, 0, c.Len())
	}
	for name, c := range p.files {
		patch := Patch{File: name, Why: "deleted"}
		if old, err := plan.From.Content(name); err == nil {
			patch.Del = old.Len()
		} else if c == nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if c != nil {
			patch.With, patch.Why = contentSource{c}, "written"
		}
		plan.Patches, files[name] = append(plan.Patches, patch), c
	}
	slices.SortStableFunc(plan.Patches, func(a, b Patch) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Off, b.Off)) })
	plan.To = plan.From.WithAll(files)
	return nil
}

// contentSource makes a Content a Source.
type contentSource struct{ *Content }

// Empty tells whether the plan changes nothing.
func (p *Plan) Empty() bool { return p == nil || len(p.Patches) == 0 }
