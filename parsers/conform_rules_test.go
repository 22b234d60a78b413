package parsers

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"spandrel/model"
)

var ruleNumber = regexp.MustCompile(`^([A-Z]+-)?([0-9]{3})-`)

// rule returns the id of the rule that a bad sample is named after: 003-major.taridx, or TIX-003-major.taridx.
func (s sample) rule() string {
	m := ruleNumber.FindStringSubmatch(s.name)
	if m == nil || s.good {
		return ""
	}
	prefix, _, _ := strings.Cut(s.format.Rules.All()[0].ID, "-")
	return prefix + "-" + m[2]
}

// TestRules checks that a bad sample named after a rule breaks it, and that a safe fix repairs it and brings no new error.
func TestRules(t *testing.T) {
	eachSample(t, func(t *testing.T, s sample) {
		id := s.rule()
		if id == "" {
			return
		}
		ctx := context.Background()
		d := s.copied(t).open(t)
		if err := d.Deep(ctx, nil); err != nil {
			t.Fatal(err)
		}
		before := rulesOf(d.Tree)
		if before[id] == 0 {
			t.Fatalf("%s is not reported, but %v", id, before)
		}
		found, _ := d.Tree.Findings()
		for i := range found {
			if found[i].Rule.ID != id {
				continue
			}
			for _, fix := range d.Tree.Fixes(ctx, &found[i]) {
				edits, err := fix.Make(ctx, d.Tree)
				if err != nil {
					t.Fatalf("%s: %v", fix.Label, err)
				}
				p, err := d.Plan(ctx, fix.Label, edits...)
				if err != nil {
					t.Fatalf("%s: %v", fix.Label, err)
				}
				d.Apply(ctx, p, nil)
				if err := d.Deep(ctx, nil); err != nil {
					t.Fatal(err)
				}
				after := rulesOf(d.Tree)
				if after[id] >= before[id] && fix.Safe {
					t.Errorf("%s is still there after %q", id, fix.Label)
				}
				for r, n := range after {
					if n > before[r] && fix.Safe && d.Format.Rule(r) != nil && worst(d.Tree, r) == model.Error {
						t.Errorf("%q brings %s", fix.Label, r)
					}
				}
				return
			}
		}
	})
}

func rulesOf(t *model.Tree) map[string]int {
	n := map[string]int{}
	found, _ := t.Findings()
	for i := range found {
		n[found[i].Rule.ID]++
	}
	return n
}

func worst(t *model.Tree, rule string) (s model.Severity) {
	found, _ := t.Findings()
	for i := range found {
		if g := found[i].Grade(); found[i].Rule.ID == rule && (s == 0 || g < s) {
			s = g
		}
	}
	return s
}
