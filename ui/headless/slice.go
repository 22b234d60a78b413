package headless

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spandrel/model"
)

// A slicer makes a document small and removes private content, as long as it shows the same findings.
type slicer struct {
	*call
	d       *model.Document
	want    string // the findings, as signature says them
	tries   int
	work    time.Duration // of the cores, and
	until   time.Time     // on the clock, at which no change is tried any more
	blanked int64
}

// Limits of a slice: how many changes are tried, and for how long per unit of --effort.
const (
	maxTries  = 3000
	sliceTime = 20 * time.Second
	sliceWork = 6 * time.Second // of a core
	maxSliced = 256 << 20       // of all files together
	maxLeaves = 100_000
)

func slim(f *flag.FlagSet, c *call) func() (int, error) {
	effort := 1
	number(f, &effort, "effort", 1, "search effort, as a factor of the default")
	c.outUsage = "write the new document to this file or folder"
	return func() (int, error) {
		if c.out == "" || c.out == "-" {
			return Failed, errors.New("slice: give the output with -o OUT; the document itself is not changed")
		}
		d, err := c.open(c.args[0])
		if err != nil {
			return Failed, err
		}
		times := time.Duration(min(max(1, effort), maxEffort))
		s := &slicer{call: c, d: d, work: model.CPUTime() + times*sliceWork, until: time.Now().Add(times * sliceTime)}
		return s.run()
	}
}

func (s *slicer) run() (int, error) {
	if err := s.deep(s.d); err != nil {
		return Failed, of(s.args[0], err)
	}
	if s.want = signature(s.d.Tree); s.want == "" {
		return Failed, fmt.Errorf("%s: it has no problems to show", s.args[0])
	}
	before, err := s.files()
	if err != nil {
		return Failed, err
	}
	was := total(before)
	if was > maxSliced {
		return Failed, fmt.Errorf("%s: has more than %d MiB: make it smaller first", s.args[0], maxSliced>>20)
	}
	for again := true; again && s.more(); {
		again = s.shorten()
	}
	s.blank()
	if err := s.ctx.Err(); err != nil {
		return Failed, err
	}
	out, err := s.files()
	if err = errors.Join(err, s.d.Unread()); err != nil {
		return Failed, err
	}
	if err := writeSalvaged(s.call, &model.Salvaged{Files: out}); err != nil {
		return Failed, err
	}
	data := map[string]any{"kind": "sliced", "document": s.args[0], "out": s.out, "files": slices.Sorted(maps.Keys(out)), "bytes": total(out), "of": was, "blanked": s.blanked}
	return Done, s.either(data, "%s: %s of %s bytes show the same problems; %s of them are blanked. Review the rest before you send it.",
		s.out, model.Thousands(total(out)), model.Thousands(was), model.Thousands(s.blanked))
}

func total(files map[string]model.Source) (n int64) {
	for _, f := range files {
		n += f.Len()
	}
	return n
}

var indexes = model.Pattern(`\[\d+\]`)

// signature is the problems of a document, independent of list indices.
func signature(t *model.Tree) string {
	found, _ := t.Findings()
	var all []string
	for i := range found {
		if weighs(&found[i]) {
			all = append(all, found[i].Rule.ID+" "+indexes().ReplaceAllString(found[i].Path(), "[]"))
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "\n")
}

func (s *slicer) more() bool {
	return s.tries < maxTries && time.Now().Before(s.until) && model.CPUTime() < s.work && s.ctx.Err() == nil
}

// try makes a change if the document still shows the same findings.
func (s *slicer) try(edits ...model.Edit) bool {
	if !s.more() || len(edits) == 0 {
		return false
	}
	s.tries++
	ctx, stop := context.WithDeadline(s.ctx, s.until)
	defer stop()
	p, err := s.d.PlanOn(ctx, s.d.Tree, "slice", edits...)
	if err != nil || p.Empty() {
		return false
	}
	s.d.Tree.MakeRoom(model.DecodedBudget()) // what it keeps decoded is not kept beside what the other decodes
	t := model.Parse(ctx, p.To, s.d.Format)
	if err := errors.Join(s.d.DeepOn(ctx, t, nil), t.Walk(ctx, t.Root, maxWalk), t.CheckSums(ctx), ctx.Err()); err != nil || signature(t) != s.want {
		return false
	}
	s.d.Commit(p, t, nil)
	return true
}

// shorten removes elements from lists, first half of them, then fewer; what depends on them is updated.
func (s *slicer) shorten() (done bool) {
	for _, path := range s.lists() {
		for part := int64(2); s.more(); {
			list, err := s.d.Tree.Find(s.ctx, path)
			if err != nil || list.Count() < 2 || part > 2*list.Count() {
				break
			}
			if s.remove(list, max(1, list.Count()/part)) {
				done = true
			} else {
				part *= 2
			}
		}
	}
	return done
}

// remove removes up to step adjacent elements from a list: the last run whose removal keeps the problem. It returns false if there is none.
func (s *slicer) remove(list *model.Span, step int64) bool {
	n := list.Count()
	for from := (n - 1) / step * step; from >= 0 && s.more(); from -= step {
		first, last := list.Child(from).Range, list.Child(min(from+step, n)-1).Range
		at := model.Range{Space: list.Range.Space, Off: first.Off, Len: last.End() - first.Off}
		if s.try(model.Splice{Range: at, With: model.Memory(nil), Into: list.Path(), Elements: from - min(from+step, n)}) {
			return true
		}
	}
	return false
}

// lists are the paths of all lists and arrays with more than one element, the largest first.
func (s *slicer) lists() []string {
	size := map[string]int64{}
	s.visit(func(x *model.Span) {
		if x.Count() > 1 && x.Child(0).Index() == 0 && x.Child(0).Range.Space == x.Range.Space {
			size[x.Path()] = x.Range.Len
		}
	})
	return slices.SortedFunc(maps.Keys(size), func(a, b string) int {
		return cmp.Or(cmp.Compare(size[b], size[a]), cmp.Compare(a, b))
	})
}

// visit walks the open part of the tree. In a long array it visits the first elements.
func (s *slicer) visit(see func(*model.Span)) {
	left := maxLeaves
	var walk func(*model.Span)
	walk = func(x *model.Span) {
		see(x)
		for i := int64(0); i < min(x.Count(), 64) && left > 0 && x.Ready(); i++ {
			left--
			walk(x.Child(i))
		}
	}
	walk(s.d.Tree.Root)
}

// blank zeroes what the findings do not need: everything at once, or as much of it as possible.
func (s *slicer) blank() {
	var leaves []model.Range
	for _, space := range s.d.Tree.Spaces() {
		id := space.ID
		n, err := s.d.Tree.Size(s.ctx, id)
		if err != nil || !s.more() {
			continue
		}
		s.d.Tree.Cover(model.Range{Space: id, Len: n}, func(x *model.Span) bool {
			if x.Range.Len > 0 && x.Range.Space == id && !s.empty(x.Range) {
				leaves = append(leaves, x.Range)
			}
			return len(leaves) < maxLeaves
		})
	}
	s.blankSome(leaves)
}

// empty tells whether bytes are zero already.
func (s *slicer) empty(r model.Range) bool {
	all := true
	err := s.d.Tree.Stream(s.ctx, r, 1<<16, func(_ int64, b []byte) error {
		if all = all && !slices.ContainsFunc(b, func(x byte) bool { return x != 0 }); !all {
			return fs.SkipAll
		}
		return nil
	})
	return err == nil && all
}

// blankSome divides a range until no further part can be zeroed.
func (s *slicer) blankSome(list []model.Range) {
	if len(list) == 0 || !s.more() {
		return
	}
	for _, loose := range []bool{false, true} {
		edits := make([]model.Edit, len(list))
		n := int64(0)
		for i, r := range list {
			edits[i] = model.Splice{Range: r, With: model.Fill(0, r.Len), Loose: loose}
			n += r.Len
		}
		if s.try(edits...) {
			s.blanked += n
			return
		}
	}
	if len(list) > 1 {
		s.blankSome(list[:len(list)/2])
		s.blankSome(list[len(list)/2:])
	}
}

// files are the files of the present document: for a folder all, otherwise those that it has read.
func (s *slicer) files() (map[string]model.Source, error) {
	snap, out := s.d.Tree.Snapshot, map[string]model.Source{}
	names, err := s.fileNames()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		c, err := snap.Content(name)
		switch {
		case err == nil:
			out[name] = c
		case errors.Is(err, os.ErrNotExist):
		case snap.Primary == "":
			return nil, fmt.Errorf("%s: %w", filepath.Join(s.args[0], name), err)
		default:
			return nil, err
		}
	}
	return out, nil
}

// fileNames are the names of files.
func (s *slicer) fileNames() (out []string, err error) {
	snap := s.d.Tree.Snapshot
	if snap.Primary == "" {
		return snap.Files()
	}
	for _, x := range s.d.Tree.Spaces() {
		if x.File != "" {
			out = append(out, x.File)
		}
	}
	if len(out) == 0 {
		out = []string{snap.Primary}
	}
	return out, nil
}
