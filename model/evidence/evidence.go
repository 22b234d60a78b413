// Package evidence weighs stories of what happened to a file. A story is a list of events that undo to a document; it costs the bits of its
// events and of what still fails in the document it leads to. The cheapest story is the best, and how much cheaper it is than the next one
// that leads to other bytes says how sure it is. The package knows neither files nor formats: package cause makes the stories.
//
//	evidence.go  stories, their cost, the ledger that orders them, grades
//	odds.go      what events and failed checks cost, each with its reason
package evidence

import (
	"cmp"
	"math"
	"slices"
)

// Bits is how surprising something is: 10 bits are one chance in 1,024.
type Bits float64

// Log is the cost of one choice among n, 0 for n below 2.
func Log(n float64) Bits {
	if n < 2 {
		return 0
	}
	return Bits(math.Log2(n))
}

// Event is one thing that happened to a healthy file.
type Event struct {
	Kind  *Kind
	What  string // a few words: which field, which bytes
	Place Bits   // the choice among the places where it could have happened
	Value Bits   // the choice among what it could have left there
	// Explains is a coincidence less: bytes that follow from the event, as that all added ones are zero, and that every other story takes for chance.
	Explains Bits
}

// Cost is how surprising the event is: what kind it is, where it happened, and what it left there.
func (e Event) Cost() Bits { return e.Kind.Rarity + e.Place + e.Value - min(e.Explains, capped) }

// Check is a declared condition that fails in the document that a story leads to.
type Check struct {
	Rule     string // its ID
	What     string
	Strength Bits // of one failure: how unlikely random bytes are to pass it
	Times    int  // how often it fails
	Minor    bool // readers accept it
	Absent   bool // a file is missing, which no change to another one repairs
}

// Cost is the strength of the check. Failures of one check have one reason more often than many, so that each doubling of their number adds a quarter
// of it. Checksums fail one by one: what damaged one record says nothing of the next.
func (c Check) Cost() Bits {
	if c.Strength >= summed {
		return c.Strength * Bits(c.Times)
	}
	return c.Strength * (1 + Log(float64(c.Times))/4)
}

// Story is what may have happened.
type Story struct {
	Text    string
	Events  []Event
	Failed  []Check
	Bare    int64  // bytes of the document that nothing explains
	Lost    Bits   // conditions that the damaged document meets and the repaired one no longer reads: this story makes them a coincidence
	Leads   string // names the bytes that undoing the events leads to; stories of one name are no rivals
	Without string // why it is not proven whatever it costs; "" for nothing
}

// Cost is the sum of all that is surprising about a story.
func (s *Story) Cost() (sum Bits) {
	for _, e := range s.Events {
		sum += e.Cost()
	}
	for _, c := range s.Failed {
		sum += c.Cost()
	}
	return sum + Bare(s.Bare) + s.Lost
}

// Wrong is the cost of what readers still reject in the document that a story leads to; with odd, also of what no known writer writes.
func (s *Story) Wrong(odd bool) (sum Bits) {
	for _, c := range s.Failed {
		if !c.Absent && (!c.Minor || odd && c.Strength >= ErrorCost) {
			sum += c.Cost()
		}
	}
	return sum
}

// Grade is how sure a story is.
type Grade uint8

// The grades.
const (
	Possible Grade = iota
	Likely
	Proven
)

// The margins from which a story is likely and proven. They are to be calibrated by what became of damaged files (make damage).
const (
	LikelyMargin Bits = 5
	ProvenMargin Bits = 14
)

// Ledger is all stories of one document, the cheapest first.
type Ledger struct{ Stories []*Story }

// Weigh puts stories in order. The story that nothing happened is one of them. Of stories that lead to the same bytes the cheapest stays.
func Weigh(stories []*Story) *Ledger {
	l := &Ledger{Stories: slices.Clone(stories)}
	slices.SortStableFunc(l.Stories, func(a, b *Story) int { return cmp.Compare(a.Cost(), b.Cost()) })
	seen := map[string]bool{}
	l.Stories = slices.DeleteFunc(l.Stories, func(s *Story) bool {
		again := s.Leads != "" && seen[s.Leads]
		seen[s.Leads] = true
		return again
	})
	return l
}

// Margin is how many bits a story is cheaper than the cheapest other one that leads to other bytes; negative where it is not the best. A story
// without a rival has an infinite margin.
func (l *Ledger) Margin(of *Story) Bits {
	for _, s := range l.Stories {
		if s.Leads != of.Leads {
			return s.Cost() - of.Cost()
		}
	}
	return Bits(math.Inf(1))
}

// Grade is how sure a story is.
func (l *Ledger) Grade(of *Story) Grade {
	switch m := l.Margin(of); {
	case m >= ProvenMargin && of.Without == "":
		return Proven
	case m >= LikelyMargin:
		return Likely
	}
	return Possible
}

// Rivals are the stories that lead to other bytes than one does, the nearest first, at most n.
func (l *Ledger) Rivals(of *Story, n int) (out []*Story) {
	for _, s := range l.Stories {
		if s.Leads != of.Leads && len(out) < n {
			out = append(out, s)
		}
	}
	return out
}
