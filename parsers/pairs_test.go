package parsers

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

const realistic = `cut anywhere;cut, and the rest preallocated;parts out of order;a part twice;a part dropped;resumed too early;begun anew behind a part;HTTP head in front;a multipart form around it;a second response inside;a line of a log inside;an error page behind a part;first sector skipped;a sector of zeros;a page of zeros;a weak bit of memory;LF to CR LF;CR LF to LF;gzip;Zstandard;base64;byte order mark;Latin-1 to UTF-8;numbers of a header in the other order;a NumPy file of another type;a line end appended;padded with zeros;old tail left behind;log text behind;another header in front;a Git-LFS pointer;a file renamed;a file gzipped;a file missing;a page of another file;wrong number;wrong number;wrong number;three bits`

func wrongNumber(p *patient) *model.Snapshot {
	var list []*model.Span
	var walk func(s *model.Span, depth int)
	walk = func(s *model.Span, depth int) {
		if s.Shape == model.Leaf && s.Ready() && s.Range.Len > 0 && s.Range.Len <= 8 && p.d.Tree.FileName(s.Range) != "" {
			if v, err := p.d.Tree.Value(context.Background(), s); err == nil && v.IsNumber() {
				list = append(list, s)
			}
		}
		if depth < 6 {
			for i := range min(s.Count(), 64) {
				walk(s.Child(i), depth+1)
			}
		}
	}
	for _, sp := range p.d.Tree.Spaces() {
		if !sp.Derived() && sp.Root != nil {
			walk(sp.Root, 0)
		}
	}
	if len(list) == 0 {
		return nil
	}
	s := list[p.IntN(len(list))]
	name := p.d.Tree.FileName(s.Range)
	c, err := p.d.Tree.Snapshot.Content(name)
	if err != nil || s.Range.Off+s.Range.Len > c.Len() {
		return nil
	}
	b := make([]byte, s.Range.Len)
	c.ReadAt(b, s.Range.Off)
	switch p.IntN(3) {
	case 0:
		b[p.IntN(len(b))] ^= 1 << p.IntN(8)
	case 1:
		b[p.IntN(len(b))] = byte(p.Uint32())
	default:
		b[0]++
	}
	return p.d.Tree.Snapshot.With(name, c.Splice(s.Range.Off, s.Range.Len, model.Memory(b)))
}

var more = []event{
	{name: "wrong number", says: changed1 + "| is [0-9]", back: true, files: wrongNumber},
	{name: "three bits", says: changed1 + "| is [0-9]", back: true, bytes: func(p *patient) []byte {
		for range 3 {
			p.b[p.IntN(min(len(p.b), 400))] ^= 1 << p.IntN(8)
		}
		return p.b
	}},
}

// TestPairs lets two events happen to one document, and undoes them as a person would: the first repair of the first cause that has one, and again.
func TestPairs(t *testing.T) {
	var n int
	seed := "1"
	if fmt.Sscanf(os.Getenv("SPANDREL_PAIRS"), "%d,%s", &n, &seed); n == 0 {
		t.Skip("SPANDREL_PAIRS=COUNT,SEED asks for it")
	}
	w := ward{opened: map[string]*model.Document{}}
	var list []*event
	for _, name := range strings.Split(realistic, ";") {
		i := slices.IndexFunc(events, func(e event) bool { return e.name == name })
		if i < 0 {
			j := slices.IndexFunc(more, func(e event) bool { return e.name == name })
			list = append(list, &more[j])
			continue
		}
		list = append(list, &events[i])
	}
	var tried, named1, untrueN, bothN, back, backs int
	for i := 0; tried < n && i < 40*n; i++ {
		r := draw(seed, "pairs", "", i)
		a, b := list[r.IntN(len(list))], list[r.IntN(len(list))]
		format := All()[r.IntN(len(All()))].Name
		if a == b || !slices.Contains(a.formats(false), format) || !slices.Contains(b.formats(false), format) {
			continue
		}
		p := w.admit(t, format, r)
		if p == nil {
			continue
		}
		sound := p.d.Tree.Snapshot
		orig := len(p.b)
		own := p.warnings()
		one := a.damaged(p)
		if one == nil {
			continue
		}
		ra, backA := alone(a, p, one, sound, own)
		if ra != right || a.back && !backA {
			continue
		}
		q := func(base *model.Document, seed uint64) *patient {
			x := &patient{Rand: draw(fmt.Sprint(seed), "second", format, i), d: base, format: format, of: p.of, other: p.other}
			names := companions(p.d)
			if pn := p.d.Tree.Snapshot.Primary; pn != "" {
				names = append(names, pn)
			}
			x.file = names[x.IntN(len(names))]
			x.b = x.content(x.file)
			return x
		}
		on := r.Uint64()
		qa := q(p.d, on)
		if len(qa.b) == 0 {
			continue
		}
		single := b.damaged(qa)
		if single == nil {
			continue
		}
		rb, backB := alone(b, qa, single, sound, own)
		if rb != right || b.back && !backB {
			continue
		}
		damagedDoc := opened(p.d, one)
		if damagedDoc.Format == nil {
			damagedDoc.Format = p.d.Format
		}
		qb := q(damagedDoc, on)
		if len(qb.b) == 0 {
			continue
		}
		two := b.damaged(qb)
		if two == nil || sameState(two, one) {
			continue
		}
		tried++
		d := opened(p.d, two)
		line, ok := "", false
		sa, sb := false, false
		for step := range 5 {
			g, err := cause.Find(context.Background(), d, cause.Options{Formats: All()})
			if err != nil {
				t.Fatal(err)
			}
			if step == 0 {
				ta, _ := a.judge(g, format, own)
				tb, _ := b.judge(g, format, own)
				if ta == right || tb == right {
					named1++
				} else if ta == untrue && tb == untrue {
					untrueN++
					line += " UNTRUE"
				}
			}
			for _, c := range g.Causes {
				h := &cause.Diagnosis{Causes: []*cause.Cause{c}, Format: g.Format}
				xa, _ := a.judge(h, format, nil)
				xb, _ := b.judge(h, format, nil)
				sa, sb = sa || xa == right, sb || xb == right
			}
			var x *cause.Repair
			for _, c := range g.Causes {
				line += fmt.Sprintf("\n      %d %s: %s", step, c.Grade, c.Text)
				for _, y := range c.Repairs {
					if x == nil && y.To != nil {
						x = y
						line += " [" + y.Label + "]"
					}
				}
			}
			if len(g.Causes) == 0 {
				for _, f := range g.Findings[:min(2, len(g.Findings))] {
					line += fmt.Sprintf("\n      %d %s %s", step, f.Rule.ID, f.Text())
				}
			}
			if x == nil {
				break
			}
			if ok = sameState(x.To, sound); ok {
				break
			}
			d = opened(&model.Document{Path: p.d.Path, Format: x.Format, Tree: d.Tree}, x.To)
		}
		if sa && sb {
			bothN++
		}
		state := "----"
		if a.back && b.back {
			backs++
			if state = "lost"; ok {
				back++
				state = "BACK"
			}
		}
		fmt.Printf("%s %v%v %s (%s of %s, %d) + %s (%s)%s\n", state, b2i(sa), b2i(sb), a.name, p.file, p.of, orig, b.name, qb.file, line)
		if dir := os.Getenv("SPANDREL_PAIRS_KEEP"); dir != "" {
			os.Setenv("SPANDREL_EVENTS_KEEP", fmt.Sprintf("%s/%d", dir, tried))
			p.keep(t, two)
		}
	}
	fmt.Printf("pairs %d: first sentence right %d, untrue %d, both named %d, back %d of %d\n", tried, named1, untrueN, bothN, back, backs)
}

// alone is what is said of one event by itself, and whether the first repair leads back.
func alone(e *event, p *patient, damaged, sound *model.Snapshot, own map[*model.Rule]bool) (told, bool) {
	g, err := cause.Find(context.Background(), opened(p.d, damaged), cause.Options{Formats: All()})
	if err != nil {
		return unsure, false
	}
	what, _ := e.judge(g, p.format, own)
	for _, c := range g.Causes {
		for _, x := range c.Repairs {
			if x.To != nil {
				return what, sameState(x.To, sound)
			}
		}
	}
	return what, false
}

var _ = bytes.Equal
