package parsers

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spandrel/model"
	"spandrel/model/cause"
)

// What became of damaged documents, counted.

// rates counts what became of damaged documents.
type rates struct {
	tried, found, first, back, offered, restored, wrong, over int
	rows                                                      []float64 // of each document, the part of the rows that come out before any repair, of those of which something is still there
	slow                                                      time.Duration
}

func (r *rates) add(o outcome) {
	r.tried++
	r.found += o.found
	r.first += o.first
	r.back += o.back
	r.offered += o.offered
	r.restored += o.restored
	r.wrong += o.wrong
	r.over += o.over
	if o.of > 0 {
		r.rows = append(r.rows, float64(o.kept)/float64(o.of))
	}
	r.slow = max(r.slow, o.took)
}

func (r *rates) String() string {
	pc := func(n int) string { return fmt.Sprintf("%3d %%", 100*n/max(1, r.tried)) }
	s := fmt.Sprintf("tried %4d  found %s  root first %s  first repair restores %s  some repair %s  fix %s  ends without errors and other data %d  overwrites right bytes %d",
		r.tried, pc(r.found), pc(r.first), pc(r.back), pc(r.offered), pc(r.restored), r.wrong, r.over)
	if len(r.rows) > 0 {
		sum, none := 0.0, 0
		for _, x := range r.rows {
			sum += x
			if x == 0 {
				none++
			}
		}
		s += fmt.Sprintf("  rows readable %3.0f %%, none in %d of %d", 100*sum/float64(len(r.rows)), none, len(r.rows))
	}
	return s + fmt.Sprintf("  slowest %s", r.slow.Round(10*time.Millisecond))
}

// outcome is what became of one damaged document; all but the rows are 0 or 1.
type outcome struct {
	found, first, back, offered, restored, wrong, over int
	kept, of                                           int // rows that come out, of those of which something is still there
	took                                               time.Duration
	text                                               string
	why                                                []string    // the ledger of the first cause
	shown                                              *model.Tree // whose tables are printed
}

// sameState tells whether two states of a document hold the same bytes in the files that one of them changed.
func sameState(a, b *model.Snapshot, files ...string) bool {
	names := append(append(files, a.Edited()...), b.Edited()...)
	for _, n := range names {
		x, xerr := a.Content(n)
		y, yerr := b.Content(n)
		if (xerr == nil) != (yerr == nil) {
			return false
		}
		if xerr == nil && contentSum(x) != contentSum(y) {
			return false
		}
	}
	return true
}

func contentSum(c *model.Content) [32]byte {
	b := make([]byte, c.Len())
	c.ReadAt(b, 0)
	return sha256.Sum256(b)
}

// overwritten tells whether a byte that stood in a damaged file as in the sound one stands there no more. Files whose length changed have
// their places elsewhere.
func overwritten(sound, damaged, made *model.Snapshot) bool {
	for _, name := range made.Edited() {
		a, aerr := sound.Content(name)
		b, berr := damaged.Content(name)
		c, cerr := made.Content(name)
		if aerr != nil || berr != nil || cerr != nil || a.Len() != b.Len() || a.Len() != c.Len() {
			continue
		}
		x, y, z := make([]byte, a.Len()), make([]byte, a.Len()), make([]byte, a.Len())
		a.ReadAt(x, 0)
		b.ReadAt(y, 0)
		c.ReadAt(z, 0)
		for i := range x {
			if x[i] == y[i] && z[i] != x[i] {
				return true
			}
		}
	}
	return false
}

// opened opens a state of a document as someone would who has only its files.
func opened(sound *model.Document, s *model.Snapshot) *model.Document {
	d := &model.Document{Path: sound.Path, Format: sound.Format}
	if st, err := os.Stat(sound.Path); err == nil && st.IsDir() {
		if _, sure := d.Format.Dataset.Detect(s); sure == 0 {
			d.Format = nil
		}
	} else if c, err := s.Content(s.Primary); err == nil && s.Primary != "" {
		d.Candidates, _ = model.Choose(filepath.Base(s.Primary), c, All())
		d.Format = nil
		if len(d.Candidates) > 0 && d.Candidates[0].Confidence > 0 {
			d.Format = d.Candidates[0].Format
		}
	}
	d.Tree = model.Parse(context.Background(), s, d.Format)
	return d
}

// How long causes are looked for: where rates are measured as someone who waits gives it; where one answer is wanted, also of a busy machine
// and under the race detector.
const (
	waits    = 3 * time.Second
	patience = time.Minute
)

// diagnosed damages nothing itself: it opens the damaged state, looks for causes for so long, makes what is proven, and compares.
func diagnosed(t *testing.T, most time.Duration, sound *model.Document, damaged *model.Snapshot, at func(cause.Place) bool) (o outcome) {
	t.Helper()
	limit := cause.Options{Formats: All(), Time: most, Warnings: true}
	find := func(d *model.Document) *cause.Diagnosis {
		g, err := cause.Find(context.Background(), d, limit)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	start := time.Now()
	d := opened(sound, damaged)
	g := find(d)
	o.took = time.Since(start)
	o.shown, _ = g.Shown(context.Background())
	o.seen(g, sound, at)
	made := damaged
	for range 4 {
		safe := g.Safe()
		if safe == nil {
			break
		}
		made = safe.To
		g = find(opened(sound, made))
	}
	switch {
	case made == damaged:
	case sameState(made, sound.Tree.Snapshot):
		o.restored = 1
	default:
		if overwritten(sound.Tree.Snapshot, damaged, made) {
			o.over = 1
		}
		o.wrong = 1
		for i := range g.Findings {
			if g.Findings[i].Grade() == model.Error {
				o.wrong = 0
			}
		}
	}
	return o
}

// explain prints the ledger of what was offered and not made, where that is asked for.
func (o *outcome) explain(t *testing.T) {
	if os.Getenv("SPANDREL_WHY") != "" && o.restored == 0 && o.offered == 1 {
		t.Log("the ledger:\n" + strings.Join(o.why, "\n"))
	}
}

// seen notes what a diagnosis says.
func (o *outcome) seen(g *cause.Diagnosis, sound *model.Document, at func(cause.Place) bool) {
	for i := range g.Findings {
		if g.Findings[i].Grade() != model.Note {
			o.found = 1
		}
	}
	number := 0
	for _, c := range g.Causes {
		for _, x := range c.Repairs {
			if number++; x.To != nil && sameState(x.To, sound.Tree.Snapshot) {
				o.offered = 1
				if number == 1 {
					o.back, o.first = 1, 1
				}
			}
		}
	}
	var place cause.Place
	switch {
	case len(g.Causes) > 0:
		c := g.Causes[0]
		if o.text, place = c.Grade.String()+": "+c.Text, c.At; c.Ledger != nil {
			o.why = c.Ledger.Explain(c.Story)
		}
	case len(g.Findings) > 0:
		f := &g.Findings[0]
		o.text, place = "no cause; "+f.Rule.ID+" "+f.Path(), cause.Place{File: g.Tree.FileName(f.Where()), Off: f.Where().Off, Len: f.Where().Len}
	default:
		return
	}
	if at != nil && at(place) {
		o.first = 1
	}
}
