package parsers

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/model/cause"
)

// What each part of the search for causes is worth: `make worth` damages documents in five ways, diagnoses each, and again without each part that had
// a say. A part without which nothing gets worse can go.

// sick is a damaged document, and what is right to say of it first.
type sick struct {
	sound   *model.Document
	damaged *model.Snapshot
	what    string
	right   func(g *cause.Diagnosis) told
}

// atPlace tells whether the first cause is at a place of a file.
func atPlace(file string, off int64) func(*cause.Diagnosis) told {
	return func(g *cause.Diagnosis) told {
		if len(g.Causes) == 0 {
			return unsure
		}
		switch p := g.Causes[0].At; {
		case p.File == file && p.Off-16 <= off && off < p.Off+max(1, p.Len)+16 && p.Len <= 4096:
			return right
		case g.Causes[0].Grade == cause.Possible:
			return unsure
		}
		return untrue
	}
}

// saysWord tells whether the first cause has a word.
func saysWord(word string) func(*cause.Diagnosis) told {
	return func(g *cause.Diagnosis) told {
		switch {
		case len(g.Causes) == 0:
			return unsure
		case word != "" && regexp.MustCompile(word).MatchString(g.Causes[0].Text):
			return right
		case word == "" || g.Causes[0].Grade == cause.Possible:
			return unsure
		}
		return untrue
	}
}

// cells are the kinds of damage; each draws one, nil where this document cannot be damaged so.
var cells = []struct {
	name string
	draw func(t *testing.T, p *patient) *sick
}{
	{"one wrong field", func(t *testing.T, p *patient) *sick {
		list := structure(t, p.d)
		if len(list) == 0 {
			return nil
		}
		s := list[p.IntN(len(list))]
		was, err := p.d.Tree.Bytes(t.Context(), s.Range)
		if err != nil {
			return nil
		}
		wrong := wrongValues(was)
		file := p.d.Tree.FileName(s.Range)
		c, err := p.d.Tree.Snapshot.Content(file)
		if err != nil {
			return nil
		}
		is := c.Splice(s.Range.Off, s.Range.Len, model.Memory(wrong[p.IntN(len(wrong))]))
		return &sick{p.d, p.d.Tree.Snapshot.With(file, is), s.Path(), atPlace(file, s.Range.Off)}
	}},
	{"one wrong byte", func(_ *testing.T, p *patient) *sick {
		at := p.IntN(len(p.b))
		b := bytes.Clone(p.b)
		b[at] ^= byte(1 + p.IntN(255))
		return &sick{p.d, p.d.Tree.Snapshot.With(p.file, model.BytesContent(b)), fmt.Sprintf("%s@%d", p.file, at), atPlace(p.file, int64(at))}
	}},
	{"broken as a whole", func(_ *testing.T, p *patient) *sick {
		s := scenarios[p.IntN(len(scenarios))]
		is := s.damage(bytes.Clone(p.b))
		if is == nil && s.name != "empty" || bytes.Equal(is, p.b) {
			return nil
		}
		return &sick{p.d, p.d.Tree.Snapshot.With(p.file, model.BytesContent(is)), s.name, saysWord(s.says)}
	}},
	{"files mixed up", func(_ *testing.T, p *patient) *sick {
		names, w := companions(p.d), folderWays[p.IntN(len(folderWays))]
		if len(names) < 2 {
			return nil
		}
		if to := w.damage(p.d.Tree.Snapshot, names[p.IntN(len(names))], names[p.IntN(len(names))]); to != nil {
			return &sick{p.d, to, w.name, saysWord(w.says)}
		}
		return nil
	}},
	{"events", func(t *testing.T, p *patient) *sick {
		which, _, _ := eventsAsked(t)
		e := &events[p.IntN(len(events))]
		for which != nil && !which.MatchString(e.name) {
			e = &events[p.IntN(len(events))]
		}
		if e.only != "" && !slices.Contains(strings.Fields(e.only), p.format) {
			return nil
		}
		if damaged := e.damaged(p); damaged != nil {
			return &sick{p.d, damaged, e.name, func(g *cause.Diagnosis) told { w, _ := e.judge(g, p.format, p.warnings()); return w }}
		}
		return nil
	}},
}

// became is what a diagnosis makes of a damaged document, each 0 or 1.
type became struct{ right, untrue, back, fixed, wrong int }

func (b *became) add(o became, n int) {
	b.right, b.untrue, b.back, b.fixed, b.wrong = b.right+n*o.right, b.untrue+n*o.untrue, b.back+n*o.back, b.fixed+n*o.fixed, b.wrong+n*o.wrong
}

// diagnose diagnoses a damaged document without a part of the search, and makes what is proven.
func (s *sick) diagnose(t *testing.T, w *cause.Worth) (b became, said string) {
	limit := cause.Options{Formats: All(), Time: waits, Warnings: true, Worth: w}
	find := func(d *model.Document) *cause.Diagnosis {
		g, err := cause.Find(t.Context(), d, limit)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	g := find(opened(s.sound, s.damaged))
	if len(g.Causes) > 0 {
		said = g.Causes[0].Grade.String() + ": " + g.Causes[0].Text
	}
	switch s.right(g) {
	case right:
		b.right = 1
	case untrue:
		b.untrue = 1
	}
	if len(g.Causes) > 0 && len(g.Causes[0].Repairs) > 0 {
		if x := g.Causes[0].Repairs[0]; x.To != nil && sameState(x.To, s.sound.Tree.Snapshot) {
			b.back = 1
		}
	}
	made := s.damaged
	for range 4 {
		safe := g.Safe()
		if safe == nil {
			break
		}
		made = safe.To
		g = find(opened(s.sound, made))
	}
	if made != s.damaged {
		if b.fixed = 1; !sameState(made, s.sound.Tree.Snapshot) {
			b.fixed, b.wrong = 0, 1
		}
	}
	return b, said
}

// account is what is known of one part of the search.
type account struct {
	cause.Part
	with          int    // damages of which it had a say
	less          became // what is lost without it
	better, worse int    // damages that end better or worse without it
}

// TestWorth prints what each part of the search is worth. SPANDREL_WORTH is how many damages of a kind and format, and a seed; SPANDREL_WORTH_PART asks
// for some parts, SPANDREL_EVENTS for some events and nothing else; SPANDREL_WHY prints what each damage came to.
func TestWorth(t *testing.T) {
	count, seed := 1, "1"
	asked, all := os.LookupEnv("SPANDREL_WORTH")
	if !all && testing.Short() {
		t.Skip("it takes minutes")
	}
	if n, s, ok := strings.Cut(asked, ","); asked != "" {
		fmt.Sscan(n, &count)
		if ok {
			seed = s
		}
	}
	which, err := regexp.Compile(os.Getenv("SPANDREL_WORTH_PART"))
	if err != nil {
		t.Fatal(err)
	}
	accounts := map[string]*account{}
	w := ward{opened: map[string]*model.Document{}}
	for _, cell := range cells {
		if events, _, _ := eventsAsked(t); events != nil && cell.name != "events" {
			continue
		}
		var n int
		var sum became
		start := time.Now()
		for _, f := range All() {
			for number := range count {
				for again := range 8 { // not every document can be damaged so
					r := draw(seed, cell.name, f.Name, number*8+again)
					p := w.admit(t, f.Name, r)
					if p == nil || len(p.b) == 0 || len(p.b) > 1<<20 {
						continue
					}
					s := cell.draw(t, p)
					if s == nil {
						continue
					}
					n++
					sum.add(audit(t, s, which, accounts), 1)
					break
				}
			}
		}
		if n > 0 {
			fmt.Printf("%-20s n %4d  right %s  untrue %s  first repair %s  fix %s  fix ends otherwise %d  (%s)\n", cell.name, n,
				share(sum.right, n), share(sum.untrue, n), share(sum.back, n), share(sum.fixed, n), sum.wrong, time.Since(start).Round(time.Second))
		}
	}
	list := make([]*account, 0, len(accounts))
	for _, a := range accounts {
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b *account) int {
		return cmp.Or(a.worse-a.better-b.worse+b.better, strings.Compare(a.Name, b.Name))
	})
	fmt.Printf("%-40s %5s %6s %6s %7s | without it: %s\n", "part", "said", "trials", "kept", "seconds", "worse better | right untrue repair fix")
	for _, a := range list {
		fmt.Printf("%-40s %5d %6d %6d %7.1f | %5d %6d | %+d %+d %+d %+d\n", a.Name, a.with, a.Trials, a.Kept, a.Took.Seconds(), a.worse, a.better,
			a.less.right, a.less.untrue, a.less.back, a.less.fixed)
	}
	if len(list) == 0 {
		t.Error("no part of the search had a say")
	}
}

// audit diagnoses a damaged document with all parts, and without each that had a say and is asked for.
func audit(t *testing.T, s *sick, which *regexp.Regexp, accounts map[string]*account) became {
	known := new(cause.Judgements)
	s.diagnose(t, &cause.Worth{Judged: known}) // so that all have as much time
	all := cause.Worth{Judged: known}
	whole, said := s.diagnose(t, &all)
	if whole.wrong > 0 || os.Getenv("SPANDREL_WHY") != "" {
		fmt.Printf("  %v: %s of %s: %s\n", whole, s.what, s.sound.Path, said)
	}
	for _, p := range all.Parts() {
		a := accounts[p.Name]
		if a == nil {
			a = &account{Part: cause.Part{Name: p.Name}}
			accounts[p.Name] = a
		}
		a.Trials, a.Kept, a.Took = a.Trials+p.Trials, a.Kept+p.Kept, a.Took+p.Took
		if p.Kept == 0 || !which.MatchString(p.Name) {
			continue
		}
		a.with++
		without, _ := s.diagnose(t, &cause.Worth{Without: p.Name, Judged: known})
		a.less.add(without, 1)
		a.less.add(whole, -1)
		value := func(b became) int { return 2*b.right - 2*b.untrue + b.back + b.fixed - 4*b.wrong }
		switch d := value(without) - value(whole); {
		case d < 0:
			a.worse++
		case d > 0:
			a.better++
		}
		if os.Getenv("SPANDREL_WHY") != "" && without != whole {
			fmt.Printf("  without %s: %s of %s: %v, and %v with it\n", p.Name, s.what, s.sound.Path, without, whole)
		}
	}
	return whole
}

// share is a part of a number, with the interval that it lies in 19 times of 20 (Wilson).
func share(k, n int) string {
	const z = 1.96
	p, m := float64(k)/float64(n), float64(n)
	mid, half := (p+z*z/(2*m))/(1+z*z/m), z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))/(1+z*z/m)
	return fmt.Sprintf("%3.0f %% (%.0f-%.0f)", 100*p, 100*(mid-half), 100*(mid+half))
}
