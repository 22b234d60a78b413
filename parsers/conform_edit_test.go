package parsers

import (
	"bytes"
	"context"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// maxEdits is how many leaves of a sample are edited.
const maxEdits = 150

// TestEdit gives editable leaves another value, one at a time: the new tree says that value and has no defect, and undo leads
// back to the same bytes.
func TestEdit(t *testing.T) {
	eachSample(t, func(t *testing.T, s sample) {
		if !s.good {
			return
		}
		ctx := context.Background()
		d := s.open(t)
		leaves := editable(t, d.Tree)
		step := max(1, len(leaves)/maxEdits)
		for i := 0; i < len(leaves); i += step {
			edit(ctx, t, d, leaves[i])
		}
	})
}

// leaf is an editable leaf and another value for it.
type leafEdit struct {
	path string
	to   model.Value
}

// editable lists the leaves that may be edited, each with a value that its codec and its check take.
func editable(t *testing.T, tree *model.Tree) (out []leafEdit) {
	ctx := context.Background()
	var walk func(s *model.Span)
	walk = func(s *model.Span) {
		if err := tree.Open(ctx, s); err != nil {
			t.Fatal(err)
		}
		for i := range min(s.Count(), 20) {
			walk(s.Child(i))
		}
		sp := tree.Space(s.Range.Space)
		if s.Shape != model.Leaf || s.State != model.OK || s.Field.Codec == nil || s.Field.Fixed != "" || sp == nil || sp.File != tree.Snapshot.Primary && tree.Snapshot.Primary != "" {
			return
		}
		v, err := tree.Value(ctx, s)
		if err != nil || s.Range.Len > 4096 {
			return
		}
		if to, ok := another(s, v); ok {
			out = append(out, leafEdit{s.Path(), to})
		}
	}
	walk(tree.Root)
	return out
}

// another returns a legal value other than v.
func another(s *model.Span, v model.Value) (model.Value, bool) {
	var try []model.Value
	switch v.Kind {
	case model.Uint:
		try = []model.Value{model.U(v.Uint() + 1), model.U(v.Uint() - 1), model.U(v.Uint() ^ 1)}
	case model.Int:
		try = []model.Value{model.I(v.Int() + 1), model.I(v.Int() - 1)}
	case model.Float:
		try = []model.Value{model.F(v.Float() + 1), model.F(1)}
	case model.Bool:
		try = []model.Value{model.B(!v.Bool())}
	case model.Text:
		if s.Range.Len > 0 && s.Field.Codec.Size() >= 0 {
			try = []model.Value{model.S("z" + v.Text()[min(1, len(v.Text())):]), model.S("y")}
		} else {
			try = []model.Value{model.S(v.Text() + "z"), model.S("other")}
		}
	case model.Bytes:
		if b := []byte(v.Text()); len(b) > 0 {
			b[len(b)-1] ^= 1
			try = []model.Value{model.Raw(b)}
		}
	}
	for _, w := range try {
		if _, err := s.Field.Codec.Encode(w); err == nil && (s.Field.Check == nil || s.Field.Check(w) == "") && !w.Equal(v) {
			return w, true
		}
	}
	return model.Value{}, false
}

func edit(ctx context.Context, t *testing.T, d *model.Document, e leafEdit) {
	t.Helper()
	name := d.Tree.Snapshot.Primary
	before := contentOf(t, d, name)
	p, err := d.Plan(ctx, "edit", model.Set{Path: e.path, Value: e.to})
	if err != nil {
		return // refused with a reason, which formats may do
	}
	d.Apply(ctx, p, nil)
	suite.NoDefect(t, d.Tree)
	// A new length or offset may move the field; where it still is, it says what was written.
	if s, err := d.Tree.Find(ctx, e.path); err == nil && s.Shape == model.Leaf {
		if v, err := d.Tree.Value(ctx, s); err == nil && !v.Equal(e.to) && len(p.Patches) == 1 {
			t.Errorf("%s was set to %s and says %s", e.path, e.to, v)
		}
	}
	d.Undo(ctx)
	if !bytes.Equal(contentOf(t, d, name), before) {
		t.Fatalf("undo of an edit of %s does not give the same bytes", e.path)
	}
}

func contentOf(t *testing.T, d *model.Document, name string) []byte {
	if name == "" {
		return nil
	}
	c, err := d.Tree.Snapshot.Content(name)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, c.Len())
	c.ReadAt(b, 0)
	return b
}
