package parsers

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestAnotherSave restores damaged documents from a copy that is the original or another save of it. The result is the original, or a document
// with every row that could be read before and was right, outside parts with errors, and without a row that is neither the original's nor the copy's nor was there before.
// SPANDREL_HARM asks for more, as for TestHarm.
func TestAnotherSave(t *testing.T) {
	asked, all := harmAsked()
	for _, f := range All() {
		t.Run(f.Name, func(t *testing.T) {
			list := newSubjects(t, f.Name, all)
			n := map[string]int{}
			for i := range asked.count {
				r := asked.random("saves"+f.Name, asked.first+i)
				d, name := list.pick(t, r)
				if d == nil || !all && d.Tree.Root.Range.Len > 64<<10 {
					continue
				}
				x := mixing{sound: d, other: anotherSave(t, r, d)}
				w := mixings[r.IntN(len(mixings))]
				if x.damaged = w.do(r, &x); x.damaged == nil {
					continue
				}
				label := fmt.Sprintf("%d: %s, %s", asked.first+i, name, w.name)
				for _, from := range []struct {
					name string
					snap *model.Snapshot
				}{{"its original", d.Tree.Snapshot}, {"another save", x.other}} {
					n[from.name+": "+x.judge(t, label+", with "+from.name, from.snap)]++
				}
			}
			t.Log(n)
		})
	}
}

// mixing is a sound document, another save of it, and the damaged document.
type mixing struct {
	sound          *model.Document
	other, damaged *model.Snapshot
}

// mixings are ways in which a file is damaged; was are the bytes of the original, old those of the other save.
var mixings = []struct {
	name string
	do   func(r *rand.Rand, x *mixing) *model.Snapshot
}{
	{"two parts swapped", func(r *rand.Rand, x *mixing) *model.Snapshot {
		return x.with(r, func(was, _ []byte) []byte {
			n := []int{512, 4096, len(was) / 16, len(was) / 4}[r.IntN(4)]
			if n == 0 || len(was) < 3*n {
				return was
			}
			i, j := r.IntN(len(was)/n)*n, r.IntN(len(was)/n)*n
			first := bytes.Clone(was[i : i+n])
			copy(was[i:i+n], was[j:j+n])
			copy(was[j:j+n], first)
			return was
		})
	}},
	{"replacing stopped", func(r *rand.Rand, x *mixing) *model.Snapshot {
		return x.with(r, func(was, old []byte) []byte {
			at := r.IntN(min(len(was), len(old)) + 1)
			if at > 8192 {
				at = at / 4096 * 4096
			}
			return append(was[:at:at], old[at:]...)
		})
	}},
	{"replacing stopped, and noise", func(r *rand.Rand, x *mixing) *model.Snapshot {
		return x.with(r, func(was, old []byte) []byte {
			at := r.IntN(min(len(was), len(old)) + 1)
			return shortRun(r, append(was[:at:at], old[at:]...), nil)
		})
	}},
	{"noise in two places", func(r *rand.Rand, x *mixing) *model.Snapshot {
		return x.with(r, func(was, _ []byte) []byte { return overrun(r, overrun(r, was, 4, 600, noise), 4, 600, noise) })
	}},
	{"holes", func(r *rand.Rand, x *mixing) *model.Snapshot {
		return x.with(r, func(was, _ []byte) []byte { return overrun(r, overrun(r, was, 16, 4096, zeroes), 16, 4096, zeroes) })
	}},
	{"a field", func(r *rand.Rand, x *mixing) *model.Snapshot {
		s, _ := damagedBy(r, x.sound, structural)
		return s
	}},
	{"cut", func(r *rand.Rand, x *mixing) *model.Snapshot {
		return x.with(r, func(was, _ []byte) []byte { return was[:r.IntN(len(was))] })
	}},
	{"something put before it", func(r *rand.Rand, x *mixing) *model.Snapshot {
		return x.with(r, func(was, _ []byte) []byte {
			return append([]byte(strings.Repeat("Warning: ", 1+r.IntN(20))), was[:len(was)-len(was)*r.IntN(2)/8]...)
		})
	}},
}

// with damages a file of the document, one that the other save has too and that differs there if possible; nil if nothing changes.
func (x *mixing) with(r *rand.Rand, how func(was, old []byte) []byte) *model.Snapshot {
	names := x.other.Edited()
	if len(names) == 0 || r.IntN(3) == 0 {
		names = append(companions(x.sound), x.sound.Tree.Snapshot.Primary)
	}
	name := names[r.IntN(len(names))]
	c, err := x.sound.Tree.Snapshot.Content(name)
	o, gone := x.other.Content(name)
	if err != nil || gone != nil || c.Len() == 0 {
		return nil
	}
	was, old := make([]byte, c.Len()), make([]byte, o.Len())
	c.ReadAt(was, 0)
	o.ReadAt(old, 0)
	is := how(bytes.Clone(was), old)
	if bytes.Equal(was, is) || bytes.Equal(old, is) {
		return nil
	}
	return x.sound.Tree.Snapshot.With(name, model.BytesContent(is))
}

// anotherSave is another save of a document: other values, in some cases other lengths, and no errors.
func anotherSave(t *testing.T, r *rand.Rand, d *model.Document) *model.Snapshot {
	e := &model.Document{Path: d.Path, Format: d.Format, Tree: d.Tree}
	try := func(edits []model.Edit, err error) {
		if err != nil {
			return
		}
		p, err := e.Plan(t.Context(), "", edits...)
		if err != nil || p.Empty() {
			return
		}
		tree := model.Parse(t.Context(), p.To, d.Format)
		if found, _ := tree.Findings(); !slices.ContainsFunc(found, func(f model.Finding) bool { return f.Grade() == model.Error }) {
			e.Tree = tree
		}
	}
	leaves := editable(t, e.Tree)
	for range 1 + r.IntN(12) {
		if len(leaves) > 0 {
			l := leaves[r.IntN(len(leaves))]
			try([]model.Edit{model.Set{Path: l.path, Value: l.to}}, nil)
		}
	}
	for _, tab := range e.Tree.Tables(t.Context()) {
		if tab.Fill != nil && tab.Rows > 1 && r.IntN(3) == 0 {
			try(tab.Fill(t.Context(), model.GivenRows{From: tab.Rows - 1}))
			break
		}
	}
	return e.Tree.Snapshot
}

// judge restores the damaged document from a copy.
func (x *mixing) judge(t *testing.T, label string, copied *model.Snapshot) string {
	d := opened(x.sound, x.damaged)
	took, err := cause.Take(t.Context(), d, cause.Options{Formats: All(), Time: waits}, sibling(copied))
	switch {
	case err != nil:
		t.Logf("%s: %v", label, err)
		return "refused"
	case took.Plan == nil && took.Before == 0:
		return "unseen"
	case took.Plan == nil:
		return "nothing"
	case distance(t, x.sound, took.Plan.To) == 0:
		return "same"
	}
	parse := func(s *model.Snapshot) *model.Tree { return model.Parse(t.Context(), s, took.Format) }
	want, was, other, is := contentRows(t, x.sound.Tree), contentRows(t, parse(x.damaged)), contentRows(t, parse(copied)), contentRows(t, parse(took.Plan.To))
	doubted := partsWithErrors(t, parse(x.damaged))
	for row, at := range was {
		if _, right := want[row]; right && is[row] == nil && !doubted.Meets(at...) {
			t.Errorf("%s: a row that was right is gone: %.300s", label, row)
			return "HARM: lost"
		}
	}
	taken := takenAt(took.Plan)
	for row, at := range is {
		if was[row] == nil && want[row] == nil && other[row] == nil && taken.Meets(at...) {
			t.Errorf("%s: a row is a mixture: %.300s", label, row)
			return "HARM: mixed"
		}
	}
	if took.After == 0 {
		return "part, accepted"
	}
	return "part"
}

// takenAt is where a plan put bytes.
func takenAt(p *model.Plan) model.FileRanges {
	var put []model.FileRange
	moved := map[string]int64{}
	for _, q := range p.Patches {
		n := int64(0)
		if q.With != nil {
			n = q.With.Len()
		}
		put = append(put, model.FileRange{File: q.File, Off: q.Off + moved[q.File], Len: n})
		moved[q.File] += n - q.Del
	}
	return model.UnionOf(put...)
}

// partsWithErrors is the elements of lists that have an error, and what is under a checksum that does not match: no reader accepts them.
func partsWithErrors(t *testing.T, tree *model.Tree) model.FileRanges {
	if err := tree.CheckSums(t.Context()); err != nil {
		t.Fatal(err)
	}
	found, _ := tree.Findings()
	var list []model.FileRange
	for _, l := range tree.Links() {
		if slices.ContainsFunc(found, func(f model.Finding) bool { return f.Sum != nil && f.Span != nil && f.Span.Range == l.Field.Range }) {
			for _, s := range l.Targets {
				list = append(list, bytesIn(tree, s.Range)...)
			}
		}
	}
	for _, f := range found {
		for s := f.Span; s != nil && f.Grade() == model.Error; s = s.Parent() {
			if s.Index() >= 0 {
				list = append(list, bytesIn(tree, s.Range)...)
				break
			}
		}
	}
	for _, sp := range tree.Spaces() {
		if sp.Derived() && sp.Fault() != nil {
			list = append(list, bytesIn(tree, sp.Origin)...)
		}
	}
	return model.UnionOf(list...)
}

// contentRows is the rows of a document that can be read, each with its payload, and where their bytes are.
func contentRows(t *testing.T, tree *model.Tree) map[string][]model.FileRange {
	out := map[string][]model.FileRange{}
	for _, x := range tree.Tables(t.Context()) {
		if x.Aside || x.Layout || x.Groups {
			continue
		}
		rows, _ := x.Read(t.Context(), 0, min(x.Rows, 1<<16))
		for i, row := range rows {
			var b strings.Builder
			at := []model.FileRange{}
			fmt.Fprint(&b, x.Name, " ")
			for _, c := range row {
				fmt.Fprint(&b, c.Value, c.Items, c.Index, ";")
				at = append(at, bytesIn(tree, c.Range)...)
			}
			if x.Payload != nil {
				if r, ok := x.Payload(t.Context(), int64(i)); ok {
					p, _ := tree.Bytes(t.Context(), r)
					at = append(at, bytesIn(tree, r)...)
					fmt.Fprintf(&b, "%x", p)
				}
			}
			if !slices.ContainsFunc(row, func(c model.Cell) bool { return c.Trouble != "" }) {
				out[b.String()] = at
			}
		}
	}
	return out
}

// bytesIn is where in the files a range is, or the bytes that it is decoded from; nowhere if it is empty.
func bytesIn(tree *model.Tree, at model.Range) (in []model.FileRange) {
	if at.Len > 0 {
		in, _ = tree.InFiles(at)
	}
	return in
}

// TestAnotherWhole: damage in a list whose elements have no checksums has no ends that can be told, so that all of the list is taken.
func TestAnotherWhole(t *testing.T) {
	words := make([]string, 4000)
	for i := range words {
		words[i] = strings.Repeat(string(rune('a'+i%26)), 2+i%7) + fmt.Sprint(i)
	}
	sound := ggufOf(words)
	is := bytes.Clone(sound)
	copy(is[8192:], sound[16384:24576])
	copy(is[16384:], sound[8192:16384])
	d, err := model.OpenBytes(t.Context(), "a.gguf", is, All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	from := (&model.Snapshot{Primary: "b.gguf"}).With("b.gguf", model.BytesContent(sound))
	took, err := cause.Take(t.Context(), d, cause.Options{Formats: All(), Time: waits}, from)
	if err != nil || took.Plan == nil || took.Left > 0 {
		t.Errorf("%v: %+v", err, took)
	}
}

// ggufOf is a file with a list of texts and nothing else.
func ggufOf(words []string) []byte {
	text := func(b []byte, s string) []byte {
		return append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...)
	}
	b := binary.LittleEndian.AppendUint32([]byte("GGUF"), 3)
	b = binary.LittleEndian.AppendUint64(b, 0)
	b = binary.LittleEndian.AppendUint64(b, 2)
	b = text(b, "general.architecture")
	b = text(binary.LittleEndian.AppendUint32(b, 8), "llama")
	b = text(b, "tokenizer.ggml.tokens")
	b = binary.LittleEndian.AppendUint32(b, 9)
	b = binary.LittleEndian.AppendUint32(b, 8)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(words)))
	for _, w := range words {
		b = text(b, w)
	}
	return b
}

// TestAnotherStopped: where replacing an archive by a new one stopped, the old one replaces no member of the new one, and makes none of both.
func TestAnotherStopped(t *testing.T) {
	archive := func(seed uint64) []byte {
		r := rand.New(rand.NewPCG(seed, 5))
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for i := range 40 {
			payload := make([]byte, 500+r.IntN(2000))
			noise(r, payload)
			w.WriteHeader(&tar.Header{Name: fmt.Sprintf("%03d.bin", i), Mode: 0o644, Size: int64(len(payload)), ModTime: time.Unix(1700000000+int64(seed), 0)})
			w.Write(payload)
		}
		w.Close()
		return b.Bytes()
	}
	now, old := archive(1), archive(2)
	whole, err := model.OpenBytes(t.Context(), "now.tar", now, All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	right := contentRows(t, whole.Tree)
	for _, at := range []int{16 << 10, 24 << 10, 32 << 10} {
		is := append(now[:at:at], old[at:]...)
		d, err := model.OpenBytes(t.Context(), "a.tar", is, All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		from := (&model.Snapshot{Primary: "b.tar"}).With("b.tar", model.BytesContent(old))
		took, err := cause.Take(t.Context(), d, cause.Options{Formats: All(), Time: waits}, from)
		if err != nil || took.Plan == nil {
			continue
		}
		after := contentRows(t, model.Parse(t.Context(), took.Plan.To, took.Format))
		for row := range contentRows(t, d.Tree) {
			if right[row] != nil && after[row] == nil {
				t.Errorf("stopped at %d: a member is gone: %.60s", at, row)
			}
		}
	}
}
