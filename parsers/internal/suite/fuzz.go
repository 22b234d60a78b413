package suite

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/model/cause"
)

// Concern is one thing that a fuzz target does with a document whose file was mutated: nothing may panic, hang or claim bytes
// twice.
type Concern func(ctx context.Context, t testing.TB, d *model.Document)

// patience is how long one input may take on a busy machine.
const patience = 30 * time.Second

// maxSeed is the largest file that is mutated: larger ones only take longer.
const maxSeed = 8 << 10

// Fuzz mutates a file of a sample of a format, good or bad, and runs concerns on the document. A mutation is a new content of the
// file, followed by steps that know the structure: each three bytes set a number of the document to a typical wrong value,
// so that checks after lengths, counts and sums are reached.
func Fuzz(f *testing.F, format *model.Format, do Concern) {
	docs := samples(f, format)
	seed(f, format, docs)
	f.Fuzz(func(t *testing.T, which uint16, file uint8, b, steps []byte) {
		names := docs[int(which)%len(docs)].open(format)
		d := docs[int(which)%len(docs)].doc
		if d == nil {
			return // none of the format
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		snap := stepped(ctx, d.Format, d.Tree.Snapshot.With(names[int(file)%len(names)], model.BytesContent(b)), steps)
		do(ctx, t, &model.Document{Format: d.Format, Path: d.Path, Tree: model.Parse(ctx, snap, d.Format)})
		if ctx.Err() != nil {
			t.Fatal("it takes too long")
		}
	})
}

// samples returns the good and the bad samples of a format.
func samples(f *testing.F, format *model.Format) (docs []*sample) {
	for _, kind := range []string{"good", "bad"} {
		dir := filepath.Join("..", "..", "testdata", format.Name, kind)
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if path := filepath.Join(dir, e.Name()); !strings.HasSuffix(path, ".tree") && !strings.HasSuffix(path, ".md") {
				docs = append(docs, &sample{path: path})
			}
		}
	}
	if len(docs) == 0 {
		f.Fatalf("no samples of %s", format.Name)
	}
	f.Cleanup(func() {
		for _, s := range docs {
			if s.doc != nil {
				s.doc.Close()
			}
		}
	})
	return docs
}

// Briefly shortens a search for candidates: in fuzzing, many documents are worth more than all candidates of one.
func Briefly[T any](f *testing.F, bound *T, brief T) *testing.F {
	was := *bound
	*bound = brief
	f.Cleanup(func() { *bound = was })
	return f
}

// seed seeds fuzzing with the files of samples, each of them opened if possible. Without -fuzz a few are enough: other tests read all.
func seed(f *testing.F, format *model.Format, docs []*sample) {
	asked := flag.Lookup("test.fuzz")
	fuzzing := asked != nil && asked.Value.String() != ""
	seen := map[string]bool{} // samples lie beside each other: most files are in reach of many of them
	for _, first := range []bool{true, false} {
		for i, d := range docs {
			if !fuzzing && i != 0 && i != len(docs)/2 {
				continue
			}
			for k, name := range d.open(format) {
				b := d.short(name)
				if k > 255 || (k == 0) != first || b == nil || seen[string(b)] {
					continue
				}
				seen[string(b)] = true
				f.Add(uint16(i), uint8(k), b, []byte{})
				f.Add(uint16(i), uint8(k), b, []byte{byte(3 * i), 0, byte(i), byte(5 * i), 0, byte(i >> 2)})
			}
		}
	}
}

// sample is a sample that is opened on first use.
type sample struct {
	path  string
	once  sync.Once
	doc   *model.Document // nil: not a file of the format
	names []string        // of its files
}

func (s *sample) open(format *model.Format) []string {
	s.once.Do(func() {
		if s.doc = readOnly(format, s.path); s.doc != nil {
			s.names = filesOf(s.doc.Tree.Snapshot)
		}
	})
	return s.names
}

// short returns the content of one of its files; nil if it is too long to be changed.
func (s *sample) short(name string) []byte {
	c, err := s.doc.Tree.Snapshot.Content(name)
	if err != nil || c.Len() == 0 || c.Len() > maxSeed {
		return nil
	}
	b := make([]byte, c.Len())
	if _, err := c.ReadAt(b, 0); err != nil && err != io.EOF {
		return nil
	}
	return b
}

// readOnly opens a sample in place; nil if it is not of the format.
func readOnly(format *model.Format, path string) *model.Document {
	st, err := os.Stat(path)
	if err == nil && st.IsDir() && (format.Dataset == nil || format.Dataset.Detect == nil) {
		entries, _ := os.ReadDir(path)
		for _, e := range entries {
			if slices.Contains(format.Exts, filepath.Ext(e.Name())) {
				path = filepath.Join(path, e.Name())
				break
			}
		}
	}
	d, err := model.Open(context.Background(), path, []*model.Format{format}, format)
	if err != nil {
		return nil
	}
	d.Still()
	return d
}

// filesOf lists the main file of a state and the files around it, including those in folders.
func filesOf(s *model.Snapshot) []string {
	var out []string
	var list func(dir string, depth int)
	list = func(dir string, depth int) {
		entries, _, _ := s.List(dir)
		for _, e := range entries {
			if e.Dir && depth < 8 {
				list(e.Name, depth+1)
			} else if !e.Dir {
				out = append(out, e.Name)
			}
		}
	}
	if s.Folder() {
		list(".", 0)
	}
	if i := slices.Index(out, s.Primary); i >= 0 {
		out = slices.Delete(out, i, i+1)
	}
	return append([]string{s.Primary}, out...)
}

// stepped sets at most four numbers of a document, each found by reading the document again.
func stepped(ctx context.Context, format *model.Format, snap *model.Snapshot, steps []byte) *model.Snapshot {
	for n := 0; len(steps) >= 3 && n < 4; n, steps = n+1, steps[3:] {
		tree := model.Parse(ctx, snap, format)
		fields := numbersOf(tree)
		if len(fields) == 0 {
			return snap
		}
		s := fields[int(binary.LittleEndian.Uint16(steps))%len(fields)]
		c, err := snap.Content(tree.FileName(s.Range))
		if err != nil {
			return snap
		}
		b := make([]byte, s.Range.Len)
		if _, err := c.ReadAt(b, s.Range.Off); err != nil && err != io.EOF {
			return snap
		}
		disturb(b, steps[2], c.Len())
		snap = snap.With(tree.FileName(s.Range), c.Splice(s.Range.Off, s.Range.Len, model.Memory(b)))
	}
	return snap
}

// numbersOf lists the numbers of files that are known without opening anything, those with links first.
func numbersOf(t *model.Tree) (out []*model.Span) {
	seen := map[*model.Span]bool{}
	add := func(s *model.Span) {
		if sp := t.Space(s.Range.Space); s.Shape == model.Leaf && s.Field.Codec != nil && s.Range.Len > 0 && s.Range.Len <= 8 && sp != nil && !sp.Derived() && !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	for _, l := range t.Links() {
		add(l.Field)
	}
	var walk func(s *model.Span, depth int)
	walk = func(s *model.Span, depth int) {
		add(s)
		for i := int64(0); s.Ready() && depth < 8 && i < min(s.Count(), 64) && len(out) < 4096; i++ {
			walk(s.Child(i), depth+1)
		}
	}
	walk(t.Root, 0)
	return out
}

// disturb changes a number as damage does: a bit, one more or less, a limit of its range, another byte order, the size of its file.
func disturb(b []byte, how byte, size int64) {
	var word [8]byte
	copy(word[:], b)
	v := binary.LittleEndian.Uint64(word[:])
	switch k := how & 31; {
	case how < 128:
		b[int(how>>3)%len(b)] ^= 1 << (how & 7)
		return
	case k == 0:
		v++
	case k == 1:
		v--
	case k == 2:
		v = 0
	case k == 3:
		v = 1<<(8*len(b)-1) - 1
	case k == 4:
		v = ^uint64(0)
	case k == 5:
		slices.Reverse(b)
		return
	case k == 6:
		v = uint64(size)
	case k == 7:
		v *= 2
	case k == 8:
		v = 1 << (8*len(b) - 1)
	default:
		v = uint64(k)
	}
	binary.LittleEndian.PutUint64(word[:], v)
	copy(b, word[:])
}

// Parse opens everything: each byte belongs to exactly one leaf. Compressed data is decoded.
func Parse(_ context.Context, t testing.TB, d *model.Document) { Tiles(t, d.Tree) }

// Check runs every check.
func Check(ctx context.Context, t testing.TB, d *model.Document) {
	if err := d.DeepOn(ctx, d.Tree, nil); err != nil {
		t.Fatal(err)
	}
	NoDefect(t, d.Tree)
}

// Tables reads the ends of all tables, and the graph.
func Tables(ctx context.Context, t testing.TB, d *model.Document) {
	if d.Format.Tables != nil {
		for _, x := range d.Format.Tables(ctx, d.Tree) {
			for _, first := range []int64{0, max(0, x.Rows-3)} {
				if _, err := x.Read(ctx, first, 100); err != nil && ctx.Err() == nil {
					t.Errorf("table %s: %v", x.Name, err)
				}
			}
		}
	}
	pictured(t, d.Format, d.Tree)
	NoDefect(t, d.Tree)
}

// maxEdits is how many numbers of a document are edited, and trialTime how long a cause, or a repair found by trying, is searched for: both are
// small, so that more documents are tried.
const (
	maxEdits  = 3
	trialTime = time.Millisecond
)

// Edit sets some numbers, from first to last, to themselves and to one more, and plans the consequences.
func Edit(ctx context.Context, t testing.TB, d *model.Document) {
	all := numbersOf(d.Tree)
	for k := range min(maxEdits, len(all)) {
		s := all[k*(len(all)-1)/max(1, maxEdits-1)]
		v, err := d.Tree.Value(ctx, s)
		if err != nil || !v.IsNumber() {
			continue
		}
		p, err := d.PlanOn(ctx, d.Tree, "set", model.Set{Path: s.Path(), Value: model.U(v.Uint() + 1)})
		if err == nil && !p.Empty() {
			NoDefect(t, model.Parse(ctx, p.To, d.Format))
		}
	}
}

// Repair applies the first repair of each kind of finding, and reads the result.
func Repair(ctx context.Context, t testing.TB, d *model.Document) {
	found, _ := d.Tree.Findings()
	seen := map[*model.Rule]bool{}
	for i := range found {
		if seen[found[i].Rule] || len(seen) >= 8 {
			continue
		}
		seen[found[i].Rule] = true
		for _, x := range fixesOf(ctx, d.Tree, &found[i]) {
			edits, err := x.Make(ctx, d.Tree)
			if err != nil {
				continue // it says why
			}
			if p, err := d.PlanOn(ctx, d.Tree, x.Label, edits...); err == nil {
				NoDefect(t, model.Parse(ctx, p.To, d.Format))
			}
		}
	}
}

func fixesOf(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	ctx, stop := context.WithTimeout(ctx, trialTime)
	defer stop()
	return t.Fixes(ctx, f)
}

// Cause diagnoses the document in a short time.
func Cause(ctx context.Context, t testing.TB, d *model.Document) {
	if _, err := cause.Find(ctx, d, cause.Options{Formats: []*model.Format{d.Format}, Time: trialTime}); err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
}

// Salvage salvages the document; the format must recognise the result, which is checked.
func Salvage(ctx context.Context, t testing.TB, d *model.Document) {
	if d.Format.Salvage == nil {
		t.Skip("nothing is salvaged of this format")
	}
	out, err := model.Salvage(ctx, d.Tree)
	if err != nil {
		if defect := (*model.Defect)(nil); errors.As(err, &defect) {
			t.Fatal(err)
		}
		return // it says why
	}
	for name, c := range out.Files {
		if c.Len() > 1<<30 || strings.Contains(name, "..") || filepath.IsAbs(name) {
			t.Fatalf("%s of %d bytes", name, c.Len())
		}
	}
}
