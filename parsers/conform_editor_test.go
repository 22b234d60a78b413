package parsers

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// editor edits a sound document, and judges what becomes of it.
type editor struct {
	sample
	d      *model.Document
	values []reading
	bytes  []byte // of the main file
}

// reading is a field that one may set freely, and what it says.
type reading struct{ path, value string }

func newEditor(t *testing.T, s sample) *editor {
	d := s.open(t)
	if err := d.Deep(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	e := &editor{sample: s, d: d, bytes: contentOf(t, d, d.Tree.Snapshot.Primary)}
	e.values = e.readings(t, d.Tree)
	return e
}

// free tells whether one may set a field freely.
func (e *editor) free(path string) bool {
	re := freely[e.format.Name]
	return re != nil && re.MatchString(path)
}

// edit makes one edit and takes it back.
func (e *editor) edit(t *testing.T, leaf leafEdit) (accepted, sound bool) {
	t.Helper()
	p, err := e.d.Plan(t.Context(), "edit", model.Set{Path: leaf.path, Value: leaf.to})
	if err != nil {
		if err.Error() == "" || e.free(leaf.path) {
			t.Errorf("setting %s to %s is refused: %q", leaf.path, leaf.to, err)
		}
		return false, false
	}
	before := e.d.Tree
	at, err := before.Find(t.Context(), leaf.path)
	if err != nil {
		t.Fatal(err)
	}
	e.d.Apply(t.Context(), p, nil)
	if err := e.d.Deep(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	suite.NoDefect(t, e.d.Tree)
	made := newFindings(before, e.d.Tree, at.Range)
	made = slices.DeleteFunc(made, func(r string) bool { return ofValues[r] })
	if len(made) > 0 && e.free(leaf.path) {
		t.Errorf("setting %s to %s makes findings elsewhere: %v", leaf.path, leaf.to, made)
	}
	sound = len(newFindings(before, e.d.Tree, model.Range{Space: model.NoSpace})) == 0
	e.readsBack(t, p, leaf)
	e.d.Undo(t.Context())
	if e.d.Tree.Snapshot != before.Snapshot && !bytes.Equal(contentOf(t, e.d, e.d.Tree.Snapshot.Primary), e.bytes) {
		t.Fatalf("undo of an edit of %s does not give the same bytes", leaf.path)
	}
	if err := e.d.Deep(t.Context(), nil); err != nil { // the tree was read again: the next edit is compared with what is found in it
		t.Fatal(err)
	}
	return true, sound
}

// ofValues are rules that judge values themselves, though their findings are at the whole column or block: a key is at most the number of keys.
var ofValues = map[string]bool{"IDV-074": true}

// newFindings lists the rules with more findings than before, of those that are more than notes. A value that is itself no good one, which a
// finding at its very bytes says, is not counted.
func newFindings(before, after *model.Tree, at model.Range) (out []string) {
	was := rulesOf(before)
	is := rulesOf(after)
	found, _ := after.Findings()
	for i := range found {
		if r := found[i].Where(); r.Overlaps(at) && r.Len <= at.Len {
			is[found[i].Rule.ID]--
		}
	}
	for r, n := range is {
		if n > was[r] && worst(after, r) != model.Note {
			out = append(out, r)
		}
	}
	slices.Sort(out)
	return out
}

// readsBack checks that a field that was set says so, and that no other that one may set freely says anything else than before.
func (e *editor) readsBack(t *testing.T, p *model.Plan, leaf leafEdit) {
	t.Helper()
	if !e.free(leaf.path) {
		s, err := e.d.Tree.Find(t.Context(), leaf.path)
		if err != nil || s.Shape != model.Leaf || len(p.Patches) != 1 {
			return // another length, offset or name moves it
		}
		if v, err := e.d.Tree.Value(t.Context(), s); err == nil && !v.Equal(leaf.to) {
			t.Errorf("%s was set to %s and says %s", leaf.path, leaf.to, v)
		}
		return
	}
	after := e.readings(t, e.d.Tree)
	if len(after) != len(e.values) {
		t.Errorf("setting %s to %s: %d values became %d", leaf.path, leaf.to, len(e.values), len(after))
		return
	}
	for i, was := range e.values {
		switch is := after[i]; {
		case was.path == leaf.path && is.value != leaf.to.String():
			t.Errorf("%s was set to %s and says %s", leaf.path, leaf.to, is.value)
		case was.path != leaf.path && is.value != was.value:
			t.Errorf("setting %s to %s changes %s too: %.60s became %.60s", leaf.path, leaf.to, was.path, was.value, is.value)
		}
	}
}

// longer sets a text to others of many lengths.
func (e *editor) longer(t *testing.T, s *model.Span) (n editTally) {
	t.Helper()
	v, err := e.d.Tree.Value(t.Context(), s)
	if err != nil || v.Text() == "" {
		return n
	}
	found := func(text string) (made []string, ok bool) {
		p, err := e.d.PlanOn(t.Context(), e.d.Tree, "edit", model.Set{Path: s.Path(), Value: model.S(text)})
		if err != nil {
			return nil, false
		}
		tree := model.Parse(t.Context(), p.To, e.format)
		if err := e.d.DeepOn(t.Context(), tree, nil); err != nil {
			t.Fatal(err)
		}
		suite.NoDefect(t, tree)
		return newFindings(e.d.Tree, tree, model.Range{Space: model.NoSpace}), true
	}
	same, ok := found(letters(len(v.Text())))
	if !ok {
		return n
	}
	for _, more := range []int{-1, 1, 2, 3, 4, 5, 6, 7, 8, 13, 64, 300} {
		if len(v.Text())+more < 1 {
			continue
		}
		made, ok := found(letters(len(v.Text()) + more))
		if !ok {
			continue
		}
		n.tried++
		if made = slices.DeleteFunc(made, func(r string) bool { return slices.Contains(same, r) }); len(made) > 0 {
			t.Errorf("%s: a text that is %+d bytes long than before makes findings: %v; one of the same length: %v", s.Path(), more, made, same)
		} else if len(same) == 0 {
			n.sound++
		}
	}
	return n
}

// letters is a text of n bytes, no piece of which is like the next.
func letters(n int) string { return strings.Repeat("abcdefghijklmnopqrstuvwxyz", n/26+1)[:n] }

// readings lists what the fields say that one may set freely, in the order of the file; of a long list the first few.
func (e *editor) readings(t *testing.T, tree *model.Tree) (out []reading) {
	t.Helper()
	var walk func(s *model.Span)
	walk = func(s *model.Span) {
		if err := tree.Open(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		for i := range min(s.Count(), 40) {
			walk(s.Child(i))
		}
		if s.Shape != model.Leaf || s.Field.Codec == nil || s.Range.Len > 4096 || !e.free(s.Path()) {
			return
		}
		v, err := tree.Value(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, reading{s.Path(), v.String()})
	}
	walk(tree.Root)
	return out
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
