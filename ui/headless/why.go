package headless

import (
	"math"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/model/evidence"
)

// The ledger of a cause: the evidence for and against it, in bits.

// mostRivals is how many other stories are printed.
const mostRivals = 3

// whyLine is the ledger in `check --json --why`.
type whyLine struct {
	storyLine
	Margin *float64    `json:"margin"` // bits to the nearest rival; null without one
	Rivals []storyLine `json:"rivals"`
}

type storyLine struct {
	Text        string      `json:"text"`
	Bits        float64     `json:"bits"`
	Events      []eventLine `json:"events"`
	Fails       []failLine  `json:"fails"`
	Unexplained int64       `json:"unexplained"` // bytes
}

type eventLine struct {
	Kind     string  `json:"kind"`
	What     string  `json:"what"`
	Bits     float64 `json:"bits"`
	Rarity   float64 `json:"rarity"`
	Place    float64 `json:"place"`
	Value    float64 `json:"value"`
	Explains float64 `json:"explains"`
}

type failLine struct {
	Rule     string  `json:"rule"`
	What     string  `json:"what"`
	Bits     float64 `json:"bits"`
	Strength float64 `json:"strength"`
	Times    int     `json:"times"`
}

// whyOf is the ledger of a cause as data; nil for a cause that no change was tried for.
func whyOf(c *cause.Cause) *whyLine {
	if c.Ledger == nil {
		return nil
	}
	w := &whyLine{storyLine: storyOf(c.Story), Rivals: []storyLine{}}
	for _, s := range c.Ledger.Rivals(c.Story, mostRivals) {
		w.Rivals = append(w.Rivals, storyOf(s))
	}
	if m := tenth(c.Ledger.Margin(c.Story)); !math.IsInf(m, 0) {
		w.Margin = &m
	}
	return w
}

func storyOf(s *evidence.Story) storyLine {
	l := storyLine{Text: s.Text, Bits: tenth(s.Cost()), Events: []eventLine{}, Fails: []failLine{}, Unexplained: s.Bare}
	for _, e := range s.Events {
		l.Events = append(l.Events, eventLine{e.Kind.Name, e.What, tenth(e.Cost()), tenth(e.Kind.Rarity), tenth(e.Place), tenth(e.Value), tenth(e.Explains)})
	}
	for _, f := range s.Failed {
		l.Fails = append(l.Fails, failLine{f.Rule, f.What, tenth(f.Cost()), tenth(f.Strength), f.Times})
	}
	return l
}

// tenth rounds bits for printing.
func tenth(b evidence.Bits) float64 { return math.Round(10*float64(b)) / 10 }

// why is the ledger of a cause as text.
func why(c *cause.Cause) (text string) {
	if c.Ledger == nil {
		return "  why: this was seen in the bytes; no repair was tried\n"
	}
	for _, line := range c.Ledger.Explain(c.Story) {
		text += "  " + model.OneLine(line) + "\n"
	}
	return text
}
