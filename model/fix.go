package model

import (
	"context"
	"fmt"
	"slices"
)

// Fix is a repair on offer. Safe means that it is the only possible answer, because nothing else can be wrong: it may be
// applied without asking, if Tree.Safe agrees.
type Fix struct {
	Label string
	Loses string // what can be read now and cannot afterwards, in words: "12 rows"; "" for nothing
	Safe  bool
	// Copies means that everything it writes is stored elsewhere in the document: in other files, or in another place of the file. If it
	// overwrites nothing that is right, and everything is whole afterwards, it is proven.
	Copies bool
	// Witnessed means, for copied content, that everything around each place it writes agrees with the source: then it is
	// proven, however many places there are. For a safe fix that copies nothing it means that a stored checksum matches
	// what it writes, and nothing else that could be there, or that nothing else ever is there.
	Witnessed bool
	// Impossible means that no writer writes any of the bytes that it changes, whatever the rest of the file is: they themselves show that they are
	// damaged.
	Impossible bool
	// Foreign means that another writer may have intended the bytes, by a convention of its own: the fix is offered, and never more than possible.
	Foreign bool
	// Once means that one event made everything that the fix changes what it is, however much that is: a text replaced everywhere, numbers all counted in
	// another unit, files renamed.
	Once bool
	// Exchanges means that it gives two files each other's name.
	Exchanges bool
	// Says is what happened if the fix is right, as a sentence; "": how the bytes differ says it.
	Says  string
	Edits []Edit
	// Build makes the edits if that is too expensive before someone asks. If set, it is called instead of Edits.
	Build func(ctx context.Context, t *Tree) ([]Edit, error)
}

// Make returns the edits of the fix, or why it cannot be applied.
func (f *Fix) Make(ctx context.Context, t *Tree) ([]Edit, error) {
	if f.Build != nil {
		return f.Build(ctx, t)
	}
	return f.Edits, nil
}

// SetTo is the safe fix that writes one value into a field.
func SetTo(s *Span, v Value) Fix {
	to := s.Field.Said(v)
	if to == "" {
		to = "nothing"
	}
	return Fix{Label: cut(fmt.Sprintf("set %s to %s", s.Called(), to)), Safe: true, Edits: []Edit{SetValue(s, v)}}
}

// Called is the name of a span in a sentence; inside an element of a list, the path from that list.
func (s *Span) Called() string {
	path := ""
	for at := s; at != nil; at = at.Parent() {
		if at.Index() >= 0 && at.Parent() != nil {
			return at.Parent().inList() + at.Name() + path
		}
		path = "/" + at.Name() + path
	}
	return s.Name()
}

// inList is the name of a list, preceded by that of the list that contains it as an element.
func (s *Span) inList() string {
	if s.Index() >= 0 && s.Parent() != nil {
		return s.Parent().inList() + s.Name()
	}
	return s.Name()
}

// Repairer returns the repairs that a format offers for findings of one rule. It may read, so workers call it; it respects ctx.
type Repairer func(ctx context.Context, t *Tree, f *Finding) []Fix

// Knowing is a Repairer for findings that carry what it needs to know about the place (About); for other findings it has none.
func Knowing[T any](fix func(ctx context.Context, t *Tree, f *Finding, about T) []Fix) Repairer {
	return func(ctx context.Context, t *Tree, f *Finding) []Fix {
		if about, ok := f.About.(T); ok {
			return fix(ctx, t, f, about)
		}
		return nil
	}
}

// Fixes returns the repairs of a finding, of which at most one is applied: writing the wanted value, and what the
// format offers for the rule. It may read, so workers call it.
func (t *Tree) Fixes(ctx context.Context, f *Finding) (out []Fix) {
	if ctx.Err() != nil {
		return nil // a repair may take long to find, and there may be thousands of findings
	}
	if f.settable() {
		out = append(out, f.set())
	}
	if t.Format != nil && t.Format.Repairs[f.Rule] != nil {
		if err := Contain(func() error { out = append(out, t.Format.Repairs[f.Rule](ctx, t, f)...); return nil }); err != nil {
			t.failed(err)
		}
	}
	if len(out) > 0 && t.misread(ctx, f) {
		return nil
	}
	return out
}

// settable tells whether the wanted value can be written into the field at fault.
func (f *Finding) settable() bool {
	if f.Want.Kind == None || f.Span == nil || f.Span.Shape != Leaf || f.Span.Field.Codec == nil || f.Span.Field.Fixed != "" {
		return false
	}
	_, err := f.Span.Field.Codec.Encode(f.Want)
	return err == nil
}

// set is the fix that writes the wanted value.
func (f *Finding) set() Fix {
	x := SetTo(f.Span, f.Want)
	x.Safe = !f.Doubt
	return x
}

// Safe returns the only possible repair among the fixes of a finding, or nil, for instance if the bytes themselves are in doubt.
func (t *Tree) Safe(f *Finding, fixes []Fix) *Fix {
	i := slices.IndexFunc(fixes, func(x Fix) bool { return x.Safe && x.Loses == "" })
	if i < 0 || t.doubtful(f.Where()) {
		return nil
	}
	return &fixes[i]
}
