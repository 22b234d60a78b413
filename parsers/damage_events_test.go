package parsers

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/parsers/internal/suite"
)

// What the first sentence says of files to which something happened that was thought of as an event, not seen in a file. The table of events is in
// damage_events_list_test.go. Samples and files that are made with other contents are damaged by a seed.

// event is one thing that happens to a file, or to a folder.
type event struct {
	name  string
	says  string // what the first sentence must say, a regular expression; "": nothing may be told, nothing is wrong
	never string // what it must not say however unsure it is
	back  bool   // what was there can be told from what is left
	only  string // the formats that it happens to, all for ""
	bytes func(p *patient) []byte
	files func(p *patient) *model.Snapshot
}

// patient is the file that is damaged.
type patient struct {
	*rand.Rand
	d      *model.Document
	format string
	of     string // what the document is, for people
	file   string // which file of it
	b      []byte // its bytes; they may be written over
	other  []byte // a file of the same kind with other contents
}

// eventsAsked is SPANDREL_EVENTS, a regular expression of the events that are tried, of which each sentence is printed; SPANDREL_EVENTS_SEED draws other
// files, contents and places, SPANDREL_EVENTS_COUNT is how often an event happens to each format.
func eventsAsked(t *testing.T) (which *regexp.Regexp, seed string, count int) {
	asked := os.Getenv("SPANDREL_EVENTS")
	seed, count = cmp.Or(os.Getenv("SPANDREL_EVENTS_SEED"), "1"), 1
	if asked == "" {
		return nil, seed, count
	}
	which, err := regexp.Compile(asked)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Sscan(os.Getenv("SPANDREL_EVENTS_COUNT"), &count)
	return which, seed, count
}

// told is what became of an event.
type told int

const (
	right  told = iota
	unsure      // nothing is told, or only what is possible
	untrue      // something else is asserted
)

// said counts them.
type said struct{ right, unsure, untrue, back, backs int }

func (s *said) add(o said) {
	s.right, s.unsure, s.untrue, s.back, s.backs = s.right+o.right, s.unsure+o.unsure, s.untrue+o.untrue, s.back+o.back, s.backs+o.backs
}

func (s said) String() string {
	n := s.right + s.unsure + s.untrue
	share := func(k int) float64 { return 100 * float64(k) / float64(max(1, n)) }
	out := fmt.Sprintf("n %4d  right %5.1f %%  unsure %4.1f %%  untrue %4.1f %%", n, share(s.right), share(s.unsure), share(s.untrue))
	if s.backs > 0 {
		out += fmt.Sprintf("  brought back %d of %d", s.back, s.backs)
	}
	return out
}

// TestEvents lets each event happen to files of each format. Without SPANDREL_EVENTS it tries each with one format, always the same; no untrue sentence may
// be called proven.
func TestEvents(t *testing.T) {
	which, seed, count := eventsAsked(t)
	if which == nil && os.Getenv("SPANDREL_QUICK") != "" {
		t.Skip("it takes half a minute")
	}
	w := ward{opened: map[string]*model.Document{}}
	var sum said
	by := map[string]*said{}
	for _, e := range events {
		if which != nil && !which.MatchString(e.name) {
			continue
		}
		var of said
		for _, format := range e.formats(which == nil) {
			for number := range count {
				r := draw(seed, e.name, format, number)
				one := e.happens(t, w.admit(t, format, r), which != nil)
				of.add(one)
				if by[format] == nil {
					by[format] = &said{}
				}
				by[format].add(one)
			}
		}
		sum.add(of)
		if which != nil {
			suite.Rate("  "+e.name, of.String())
		}
	}
	if which != nil {
		for _, f := range All() {
			if by[f.Name] != nil {
				suite.Rate(f.Name, by[f.Name].String())
			}
		}
	}
	suite.Rate("events", sum.String())
	if n := sum.right + sum.unsure + sum.untrue; which == nil && (20*sum.untrue > n || 3*sum.right < 2*n) {
		t.Errorf("of the first sentences more than one in twenty is untrue, or less than two in three are right: %s", sum)
	}
}

func draw(seed, event, format string, number int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, seed, event, format)
	return rand.New(rand.NewPCG(h.Sum64(), uint64(number)))
}

// formats are those that an event happens to; of one is enough, always the same.
func (e *event) formats(one bool) (out []string) {
	for _, f := range All() {
		if e.only == "" || slices.Contains(strings.Fields(e.only), f.Name) {
			out = append(out, f.Name)
		}
	}
	if one {
		out = out[pick(e.name, len(out)):][:1]
	}
	return out
}

// ward are the documents that were opened.
type ward struct{ opened map[string]*model.Document }

// admit chooses a document of a format and a file of it.
func (w ward) admit(t *testing.T, format string, r *rand.Rand) *patient {
	p := &patient{Rand: r, format: format}
	if kinds := made[format]; len(kinds) > 0 && r.IntN(2) == 0 {
		w.make(t, p)
	} else {
		w.sample(t, p)
	}
	if p.d == nil {
		return nil
	}
	names := companions(p.d)
	if n := p.d.Tree.Snapshot.Primary; n != "" {
		names = append(names, n, n)
	}
	if p.file = names[r.IntN(len(names))]; p.b == nil {
		p.b = p.content(p.file)
	}
	return p
}

// make makes a file of values, and another one of other values.
func (w ward) make(t *testing.T, p *patient) {
	kind, content := made[p.format][p.IntN(len(made[p.format]))], contents[p.IntN(len(contents))]
	sizes := [...]int{4 << 10, 4 << 10, 20_000, 20_000, 20_000, 100 << 10, 100 << 10, 1 << 20}
	values := make([]byte, sizes[p.IntN(len(sizes))])
	content.fill(p.Rand, values)
	p.b = kind.make(t, bytes.Clone(values))
	name := filepath.Join(t.TempDir(), kind.name)
	if err := os.WriteFile(name, p.b, 0o600); err != nil {
		t.Fatal(err)
	}
	p.d, p.of = openSound(t, name), fmt.Sprintf("%s of %s, %d KiB", kind.name, content.name, len(values)>>10)
	for i := range values {
		values[i] ^= byte(p.Uint32())
	}
	p.other = kind.make(t, values)
}

// sample opens a sample, and reads a file of another one of the same name or kind.
func (w ward) sample(t *testing.T, p *patient) {
	paths := soundSamples(t, p.format)
	sort.Strings(paths)
	for range 8 {
		name := paths[p.IntN(len(paths))]
		d, known := w.opened[name]
		if !known {
			if d = openSound(t, name); d != nil {
				if g, err := cause.Find(t.Context(), d, cause.Options{Formats: All()}); err != nil || len(g.Causes) > 0 {
					d = nil // it is damaged already
				}
			}
			w.opened[name] = d
		}
		if d != nil && (d.Tree.Snapshot.Primary != "" || len(companions(d)) > 0) {
			p.d, p.of = d, filepath.Base(name)
			break
		}
	}
	if p.d == nil {
		return
	}
	for _, i := range p.Perm(len(paths)) {
		b, err := os.ReadFile(paths[i])
		if filepath.Base(paths[i]) != p.of && filepath.Ext(paths[i]) == filepath.Ext(p.of) && err == nil && len(b) > 0 {
			p.other = b
			return
		}
	}
}

func (p *patient) content(name string) []byte {
	c, err := p.d.Tree.Snapshot.Content(name)
	if err != nil {
		return nil
	}
	b := make([]byte, c.Len())
	c.ReadAt(b, 0)
	return b
}

// warnings are what is found in the document before anything happens to it.
func (p *patient) warnings() map[*model.Rule]bool {
	out := map[*model.Rule]bool{}
	found, _ := p.d.Tree.Findings()
	for i := range found {
		out[found[i].Rule] = true
	}
	return out
}

// damaged is the document after an event; nil where it cannot happen to it, or changes nothing.
func (e *event) damaged(p *patient) *model.Snapshot {
	sound := bytes.Clone(p.b)
	if e.files != nil {
		if names := companions(p.d); p.file == p.d.Tree.Snapshot.Primary && len(names) > 0 { // it is what happens beside the file that is opened
			p.file = names[p.IntN(len(names))]
			p.b = p.content(p.file)
		}
		return e.files(p)
	}
	if is := e.bytes(p); is != nil && !bytes.Equal(is, sound) {
		return p.d.Tree.Snapshot.With(p.file, model.BytesContent(is))
	}
	return nil
}

// happens lets an event happen to a document, and counts what the first sentence says of it.
func (e *event) happens(t *testing.T, p *patient, print bool) (s said) {
	if p == nil {
		return s
	}
	damaged := e.damaged(p)
	if damaged == nil {
		return s
	}
	start := time.Now()
	d := opened(p.d, damaged)
	g, err := cause.Find(context.Background(), d, cause.Options{Formats: All()}) // as someone has it who does not wait
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	what, sentence := e.judge(g, p.format, p.warnings())
	back := 0
	for _, c := range g.Causes {
		seen := map[string]bool{}
		for _, x := range c.Repairs {
			if seen[x.ID] {
				t.Errorf("%s of %s: the repair %s is offered twice", e.name, p.of, x.Label)
			}
			seen[x.ID] = true
			if x.To != nil && sameState(x.To, p.d.Tree.Snapshot) {
				back = 1
			}
		}
	}
	switch what {
	case right:
		s.right++
	case unsure:
		s.unsure++
	case untrue:
		s.untrue++
		if len(g.Causes) > 0 && g.Causes[0].Grade == cause.Proven && !print {
			t.Errorf("%s: what is called proven is untrue", e.name)
		}
		t.Logf("UNTRUE %s of %s, %s: %s", e.name, p.of, p.file, sentence)
	}
	if e.back {
		s.back, s.backs = back, 1
	}
	if print {
		fmt.Printf("%s  %-28s back=%d %6s %s %s (%d) | %s\n", [...]string{"right ", "unsure", "UNTRUE"}[what], e.name,
			back, took.Round(10*time.Millisecond), p.format, p.of, len(p.b), sentence)
	}
	p.keep(t, damaged)
	return s
}

// judge says what the first sentence of a diagnosis is worth: a cause, else a finding.
func (e *event) judge(g *cause.Diagnosis, format string, own map[*model.Rule]bool) (told, string) {
	matches := func(pattern, text string) bool {
		return pattern != "" && regexp.MustCompile("(?i)"+pattern).MatchString(text)
	}
	if len(g.Causes) > 0 {
		c := g.Causes[0]
		sentence := c.Grade.String() + ": " + c.Text
		switch {
		case matches(e.never, c.Text):
			return untrue, sentence
		case matches(e.says, c.Text):
			return right, sentence
		case c.Grade == cause.Possible || observed(g, c):
			return unsure, sentence
		}
		return untrue, sentence
	}
	for i := range g.Findings {
		if f := &g.Findings[i]; f.Grade() != model.Note && !own[f.Rule] {
			if sentence := "(no cause) " + f.Rule.ID + " " + f.Text(); matches(e.says, f.Text()) {
				return right, sentence
			} else {
				return unsure, sentence
			}
		}
	}
	if e.says == "" || g.Format != nil && g.Format.Name != format { // it is what it is taken for
		return right, "(nothing is wrong)"
	}
	return unsure, "(nothing is wrong)"
}

// observed tells whether a cause says no more than a finding: that is true, and does not say what happened.
func observed(g *cause.Diagnosis, c *cause.Cause) bool {
	plain := func(s string) string { return strings.ToLower(strings.TrimRight(s, ".")) }
	fact := func(s string) bool { return strings.Contains(c.Text, s) }
	return slices.ContainsFunc([]string{" is incomplete: ", " is all zeros, ", " too long: ", " too long. The extra bytes follow its end, or are ", " is text, not ", " is text in an unknown format", " is a JSON file", " are damaged or were overwritten"}, fact) || slices.ContainsFunc(g.Findings, func(f model.Finding) bool {
		return plain(f.Text()) == plain(c.Text) || strings.HasSuffix(plain(c.Text), plain(f.Rule.Title)) || strings.HasPrefix(plain(c.Text), plain(f.Text()))
	})
}

// keep writes the damaged files into the folder SPANDREL_EVENTS_KEEP.
func (p *patient) keep(t *testing.T, damaged *model.Snapshot) {
	to := os.Getenv("SPANDREL_EVENTS_KEEP")
	if to == "" {
		return
	}
	for _, f := range append(append(companions(p.d), damaged.Edited()...), p.d.Tree.Snapshot.Primary) {
		c, err := damaged.Content(f)
		if f == "" || err != nil {
			continue
		}
		b := make([]byte, c.Len())
		c.ReadAt(b, 0)
		at := filepath.Join(to, filepath.FromSlash(path.Clean("/"+f)))
		if os.MkdirAll(filepath.Dir(at), 0o755) != nil || os.WriteFile(at, b, 0o644) != nil {
			t.Fatal("cannot keep " + at)
		}
	}
}
