package evidence

import (
	"fmt"
	"strings"
)

// mostRivals is how many other stories a ledger is explained with.
const mostRivals = 3

// Explain is the ledger of a story in lines for people: what it costs and why, its nearest rivals, and what follows from the margin.
func (l *Ledger) Explain(s *Story) (out []string) {
	out = s.lines("why", s.Text)
	rivals := l.Rivals(s, mostRivals)
	for _, r := range rivals {
		text := r.Text
		if text == s.Text && len(r.Events) > 0 { // of the same finding: what happened tells them apart
			text = r.Events[0].Kind.Name
		}
		out = append(out, r.lines("rival", text)...)
	}
	if len(rivals) > 0 {
		out = append(out, fmt.Sprintf("margin: %.1f bits to the nearest rival (likely from %.0f, proven from %.0f)", l.Margin(s), LikelyMargin, ProvenMargin))
	}
	if s.Without != "" {
		out = append(out, "not proven: "+s.Without)
	}
	return out
}

// lines say what a story costs, and what that is made of.
func (s *Story) lines(as, text string) []string {
	out := []string{fmt.Sprintf("%s: %.1f bits: %s", as, s.Cost(), text)}
	for _, e := range s.Events {
		parts := fmt.Sprintf("kind %.1f", e.Kind.Rarity)
		for _, p := range []struct {
			name string
			bits Bits
		}{{" + place", e.Place}, {" + value", e.Value}, {" - explained", min(capped, e.Explains)}} {
			if p.bits > 0 {
				parts += fmt.Sprintf("%s %.1f", p.name, p.bits)
			}
		}
		out = append(out, fmt.Sprintf("  %6.1f %s: %s (%s)", e.Cost(), e.Kind.Name, e.What, parts))
	}
	for _, c := range s.Failed {
		line := fmt.Sprintf("  %6.1f fails %s: %s", c.Cost(), c.Rule, strings.TrimSuffix(c.What, "."))
		if c.Times > 1 {
			line += fmt.Sprintf(" (%d times)", c.Times)
		}
		out = append(out, line)
	}
	if s.Lost > 0 {
		out = append(out, fmt.Sprintf("  %6.1f structure that matches the rest is no longer read", s.Lost))
	}
	if s.Bare > 0 {
		out = append(out, fmt.Sprintf("  %6.1f %d bytes have no meaning", Bare(s.Bare), s.Bare))
	}
	return out
}
