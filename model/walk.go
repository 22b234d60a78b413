package model

import "context"

// Walk opens every frame below a span, for the first most elements of each list, and closes again what it opened, so that it holds one
// branch at a time. Reading a frame reports what is wrong in it, and that is what a walk is for. Nobody else may use the tree
// meanwhile: walk over one of your own. What Sound was said of is passed over.
func (t *Tree) Walk(ctx context.Context, s *Span, most int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	opened := s.Ready()
	if !opened && s.lazy.sound.Load() {
		return nil
	}
	if err := t.Open(ctx, s); err != nil {
		return err
	}
	k := s.children()
	switch k.(type) {
	case nil, *columns, *elements, *parts: // nothing below is lazy
	default:
		for i := range min(k.count(), most) {
			if err := t.Walk(ctx, k.at(i), most); err != nil {
				return err
			}
		}
	}
	if !opened {
		s.release()
	}
	return nil
}

// Sound says that everything below a closed frame was read in a tree of its own, and nothing is wrong there. A check of very many
// files leaves nothing behind this way.
func (s *Span) Sound() {
	if s.lazy != nil {
		s.lazy.sound.Store(true)
	}
}

// Compare hands every leaf that differs between two trees to differ, with a nil value on the side where it is missing. Elements
// of arrays are compared by position, other spans by name.
func Compare(ctx context.Context, a, b *Tree, differ func(path string, x, y *Value) error) error {
	return compare(ctx, a, b, a.Root, b.Root, differ)
}

func compare(ctx context.Context, a, b *Tree, x, y *Span, differ func(string, *Value, *Value) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if x == nil || y == nil || x.Shape == Leaf || y.Shape == Leaf {
		return compareLeaf(ctx, a, b, x, y, differ)
	}
	if err := a.Open(ctx, x); err != nil {
		return err
	}
	if err := b.Open(ctx, y); err != nil {
		return err
	}
	names := map[string]*Span{}
	byName := func(s *Span) bool { _, ok := s.children().(list); return ok && s.Shape == Struct }
	if byName(x) && byName(y) {
		for i := range y.Count() {
			k := y.Child(i)
			names[k.Name()] = k
		}
		for i := range x.Count() {
			k := x.Child(i)
			if err := compare(ctx, a, b, k, names[k.Name()], differ); err != nil {
				return err
			}
			delete(names, k.Name())
		}
		for i := range y.Count() {
			if k := y.Child(i); names[k.Name()] == k {
				if err := compare(ctx, a, b, nil, k, differ); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for i := range max(x.Count(), y.Count()) {
		if err := compare(ctx, a, b, x.Child(i), y.Child(i), differ); err != nil {
			return err
		}
	}
	return nil
}

func compareLeaf(ctx context.Context, a, b *Tree, x, y *Span, differ func(string, *Value, *Value) error) error {
	value := func(t *Tree, s *Span) (*Value, error) {
		if s == nil {
			return nil, nil
		}
		v, err := t.Value(ctx, s)
		if err == nil && s.Shape == Leaf && v.Kind == None { // bytes that mean nothing by themselves
			r := s.Range
			r.Len = min(r.Len, MaxValue)
			var b []byte
			b, err = t.Bytes(ctx, r)
			v = Raw(b)
		}
		return &v, err
	}
	v, err := value(a, x)
	if err != nil {
		return err
	}
	w, err := value(b, y)
	if err != nil {
		return err
	}
	if v != nil && w != nil && v.Equal(*w) && x.Range.Len == y.Range.Len {
		return nil
	}
	path := ""
	if x != nil {
		path = x.Path()
	} else {
		path = y.Path()
	}
	return differ(path, v, w)
}
