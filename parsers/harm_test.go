package parsers

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// Whether `spandrel fix` harms: sound documents are damaged in ways that often leave nothing to restore them from, and what it does without
// an option is judged by what they were. It may restore them, leave them alone, or put right bytes in their places; anything else is harm, and
// what the program claimed is untrue. `make harm` prints the rates.

// order is SPANDREL_HARM: how many damages of a format, a seed, and the number of the first. SPANDREL_HARM_KIND asks for one kind alone.
type order struct {
	count, first int
	seed, kind   string
}

func harmAsked() (a order, all bool) {
	a = order{count: 24, seed: "quick"}
	parts := strings.Split(os.Getenv("SPANDREL_HARM"), ",")
	if parts[0] == "" {
		return a, false
	}
	a.seed, a.kind = "1", os.Getenv("SPANDREL_HARM_KIND")
	fmt.Sscanf(parts[0], "%d", &a.count)
	if len(parts) > 1 {
		a.seed = parts[1]
	}
	if len(parts) > 2 {
		fmt.Sscanf(parts[2], "%d", &a.first)
	}
	return a, true
}

// random is a source for a damage of a format that has nothing to do with any other.
func (a order) random(format string, number int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, a.seed, format)
	return rand.New(rand.NewPCG(h.Sum64(), uint64(number)))
}

// subjects are the sound documents of a format that are damaged: samples, files of SPANDREL_ZOO, and those that are made.
type subjects struct {
	format string
	paths  []string
	large  bool
	opened map[string]*model.Document
}

func newSubjects(t *testing.T, format string, all bool) *subjects {
	s := &subjects{format: format, large: all, opened: map[string]*model.Document{}}
	s.paths, _ = filepath.Glob(filepath.Join("..", "testdata", format, "good", "*"))
	if all {
		s.paths = soundSamples(t, format)
		if zoo := os.Getenv("SPANDREL_ZOO"); zoo != "" {
			found, _ := filepath.Glob(filepath.Join(zoo, format, "[0-9]*"))
			s.paths = append(s.paths, found...)
		}
	}
	s.paths = slices.DeleteFunc(s.paths, func(p string) bool { return strings.HasSuffix(p, ".tree") || strings.HasSuffix(p, ".saved") })
	for i, p := range s.paths {
		if index, _ := filepath.Glob(filepath.Join(p, "*.taridx")); len(index) > 0 {
			s.paths[i] = index[0]
		}
	}
	sort.Strings(s.paths)
	return s
}

// pick opens a document, one that is made in half of all cases where the format has such; nil where it is not sound by itself.
func (s *subjects) pick(t *testing.T, r *rand.Rand) (d *model.Document, name string) {
	kinds := made[s.format]
	if len(kinds) == 0 || r.IntN(2) > 0 {
		p := s.paths[r.IntN(len(s.paths))]
		if _, known := s.opened[p]; !known {
			s.opened[p] = openSound(t, p)
		}
		return s.opened[p], filepath.Base(p)
	}
	kind, content := kinds[r.IntN(len(kinds))], contents[r.IntN(len(contents))]
	size := [...]int{4 << 10, 4 << 10, 4 << 10, 100 << 10}[r.IntN(4)] // bytes of values
	if n := r.IntN(30); s.large && n < 6 {
		size = 5 << 20
		if n == 0 {
			size = 100 << 20
		}
	}
	values := make([]byte, size)
	content.fill(r, values)
	p := filepath.Join(t.TempDir(), kind.name)
	if err := os.WriteFile(p, kind.make(t, values), 0o600); err != nil {
		t.Fatal(err)
	}
	return openSound(t, p), fmt.Sprintf("%s of %s, %d KiB", kind.name, content.name, size>>10)
}

// damagedBy damages a file of a document; nil where nothing changes.
func damagedBy(r *rand.Rand, d *model.Document, how hurt) (s *model.Snapshot, file string) {
	names := companions(d)
	if p := d.Tree.Snapshot.Primary; p != "" {
		names = append(names, p, p)
	}
	if len(names) == 0 {
		return nil, ""
	}
	file = names[r.IntN(len(names))]
	c, err := d.Tree.Snapshot.Content(file)
	if err != nil || c.Len() == 0 {
		return nil, ""
	}
	was := make([]byte, c.Len())
	c.ReadAt(was, 0)
	is := how(r, slices.Clone(was), places(d, file))
	if slices.Equal(was, is) {
		return nil, ""
	}
	return d.Tree.Snapshot.With(file, model.BytesContent(is)), file
}

// damagedUnder damages 4 bytes or more, or two places, under a CRC-32, of which some other byte can then be set so that it agrees.
func damagedUnder(r *rand.Rand, d *model.Document) (*model.Snapshot, string) {
	file, from, to := under(d)
	if to-from < 16 {
		return nil, ""
	}
	c, err := d.Tree.Snapshot.Content(file)
	if err != nil || to > c.Len() {
		return nil, ""
	}
	was := make([]byte, to-from)
	c.ReadAt(was, from)
	ways := []hurt{shortRun, shortRun, twice(setByte, setByte), twice(flipBit, flipBit), twice(flipBit, flipBit, flipBit)}
	is := ways[r.IntN(len(ways))](r, slices.Clone(was), nil)
	if slices.Equal(was, is) {
		return nil, ""
	}
	return d.Tree.Snapshot.With(file, c.Splice(from, to-from, model.Memory(is))), file
}

// tally is what became of the damages of one kind.
type tally struct{ tried, restored, improved, harmed, proven, right int }

func (y *tally) add(v verdicts) {
	one := tally{tried: 1}
	switch v.fix {
	case restored:
		one.restored++
	case improved:
		one.improved++
	case harmed:
		one.harmed++
	}
	if v.proven {
		one.proven++
	}
	if v.right {
		one.right++
	}
	y.plus(one)
}

func (y *tally) plus(x tally) {
	y.tried, y.restored, y.improved = y.tried+x.tried, y.restored+x.restored, y.improved+x.improved
	y.harmed, y.proven, y.right = y.harmed+x.harmed, y.proven+x.proven, y.right+x.right
}

func (y *tally) String() string {
	return fmt.Sprintf("tried %5d  restored %5d  improved %4d  HARMED %4d   first repair proven %5d, right %5d",
		y.tried, y.restored, y.improved, y.harmed, y.proven, y.right)
}

// TestHarm damages documents and lets fix at them. Without SPANDREL_HARM it tries a few, always the same.
func TestHarm(t *testing.T) {
	a, all := harmAsked()
	switch {
	case !all && os.Getenv("SPANDREL_QUICK") != "":
		t.Skip("it takes half a minute")
	case !all && testing.Short():
		a.count = 6
	}
	kinds := map[string]*tally{}
	for _, f := range All() {
		t.Run(f.Name, func(t *testing.T) {
			var sum tally
			s, began := newSubjects(t, f.Name, all), time.Now()
			for number := a.first; number < a.first+a.count; number++ {
				if !all && time.Since(began) > 6*time.Second {
					break
				}
				a.one(t, s, number, all, func(kind string, v verdicts) {
					if kinds[kind] == nil {
						kinds[kind] = &tally{}
					}
					kinds[kind].add(v)
					sum.add(v)
				})
			}
			if all {
				suite.Rate(f.Name, sum.String())
			}
		})
	}
	names := make([]string, 0, len(kinds))
	var sum tally
	for k, y := range kinds {
		names = append(names, k)
		sum.plus(*y)
	}
	sort.Strings(names)
	if all {
		for _, k := range names {
			suite.Rate("  "+k, kinds[k].String())
		}
	}
	suite.Rate("harm", sum.String())
}

// damaged damages a document in one of the ways, or in the one that is asked for.
func (a order) damaged(r *rand.Rand, d *model.Document) (kind string, s *model.Snapshot, file string) {
	if k := r.IntN(len(hurts) + 4); k >= len(hurts) && a.kind == "" || a.kind == underSum {
		if s, file = damagedUnder(r, d); s != nil || a.kind != "" {
			return underSum, s, file
		}
	}
	h := hurts[r.IntN(len(hurts))]
	if i := slices.IndexFunc(hurts, func(h way) bool { return h.name == a.kind }); i >= 0 {
		h = hurts[i]
	}
	s, file = damagedBy(r, d, h.do)
	return h.name, s, file
}

// one makes damage number so and so, and tells what became of it.
func (a order) one(t *testing.T, s *subjects, number int, all bool, tell func(kind string, v verdicts)) {
	r := a.random(s.format, number)
	d, name := s.pick(t, r)
	if d == nil {
		return
	}
	kind, damaged, file := a.damaged(r, d)
	if damaged == nil {
		return
	}
	again := fmt.Sprintf("make harm HARM=1,%s,%d FORMAT=%s KEEP=FOLDER", a.seed, number, s.format)
	if a.kind != "" {
		again += fmt.Sprintf(" KIND=%q", a.kind)
	}
	v, made, err := fixed(t.Context(), d, damaged)
	if err != nil {
		t.Errorf("%s: %v (%s)", name, err, again)
		return
	}
	if keep := os.Getenv("SPANDREL_HARM_KEEP"); keep != "" {
		keepStates(t, keep, d, damaged, made, file)
	}
	tell(kind, v)
	what := fmt.Sprintf("%s %d, %s: %s of %s\n\t%s", s.format, number, kind, file, name, strings.Join(v.claims, "\n\t"))
	switch {
	case v.fix == harmed:
		t.Errorf("HARM %s\n\tagain: %s", what, again)
	case v.proven && !v.right:
		t.Logf("UNTRUE %s\n\tagain: %s", what, again)
		if all {
			fmt.Printf("UNTRUE %s\n\tagain: %s\n", what, again)
		}
	}
}

// keepStates writes what a document was, how it was damaged, and what was made of it.
func keepStates(t *testing.T, to string, d *model.Document, damaged, made *model.Snapshot, file string) {
	for name, s := range map[string]*model.Snapshot{"sound": d.Tree.Snapshot, "damaged": damaged, "fixed": made} {
		files := append(companions(d), s.Edited()...)
		for _, f := range append(files, file, s.Primary) {
			c, err := s.Content(f)
			if f == "" || err != nil {
				continue
			}
			b := make([]byte, c.Len())
			c.ReadAt(b, 0)
			at := filepath.Join(to, name, filepath.FromSlash(path.Clean("/"+f)))
			if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, b, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("kept in %s: spandrel fix %s", to, filepath.Join(to, "damaged"))
}
