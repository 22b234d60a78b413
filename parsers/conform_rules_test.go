package parsers

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
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

// maxOfRule is how many findings of one rule have their fixes tried, of one sample.
const maxOfRule = 2

// unsolvable are rules of which a fix leaves a finding, and why.
var unsolvable = map[string]string{
	"SDF-105": "the copy has the right name, and the document that is open still has the wrong one",
	"TIX-016": "an index of no rows stays one: what helps is to index the shards",
}

// fewerRows are rules whose fixes leave fewer rows, and why they say nothing of a loss.
var fewerRows = map[string]string{
	"SCDL-048": "bytes of an NPY header were read as values",
	"SCDL-042": "the values were read in another width than they have",
	"SCDL-047, set the type of DATA to UINT64_ARRAY": "the values were read in another width than they have",
	"TIX-027": "what is counted too much are no names",
	"TIX-032": "the row that goes is the second of a member",
}

// TestRules checks that a bad sample named after a rule breaks it, and tries every fix of every finding by itself: either it says why it cannot be
// made, or afterwards fewer findings of its rule are left. A safe one brings no error, and none that claims to lose nothing loses a row.
func TestRules(t *testing.T) {
	t.Parallel()
	var lock sync.Mutex
	tried, refused, unsolved := 0, 0, map[string]bool{}
	t.Run("samples", func(t *testing.T) {
		inEachSample(t, func(t *testing.T, s sample) {
			if s.good {
				return
			}
			d := s.open(t)
			if err := d.Deep(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			before := rulesOf(d.Tree)
			if id := s.rule(); id != "" && before[id] == 0 {
				t.Fatalf("%s is not reported, but %v", id, before)
			}
			found, _ := d.Tree.Findings()
			asked := map[string]int{}
			for i := range found {
				f := &found[i]
				if asked[f.Rule.ID]++; asked[f.Rule.ID] > maxOfRule {
					continue
				}
				for _, fix := range d.Tree.Fixes(t.Context(), f) {
					after := s.fixed(t, d, f, &fix)
					lock.Lock()
					tried++
					if after == nil {
						refused++
					} else if rulesOf(after)[f.Rule.ID] >= before[f.Rule.ID] && unsolvable[f.Rule.ID] == "" {
						unsolved[fmt.Sprintf("%s/%s %s: %s", s.format.Name, s.name, f.Rule.ID, fix.Label)] = true
					}
					lock.Unlock()
				}
			}
		})
	})
	suite.Rate("fixes of findings", fmt.Sprintf("%d tried, %d say why they cannot be made, %d leave as many findings of their rule", tried, refused, len(unsolved)))
	for _, k := range slices.Sorted(maps.Keys(unsolved)) {
		t.Errorf("as many findings of the rule are left: %s", k)
	}
	if tried == 0 || refused*10 > tried {
		t.Errorf("%d of %d fixes that are on offer cannot be made", refused, tried)
	}
}

// fixed makes one fix, and judges what it made; nil where it says why it cannot be made.
func (s sample) fixed(t *testing.T, d *model.Document, f *model.Finding, fix *model.Fix) *model.Tree {
	t.Helper()
	what := fmt.Sprintf("%s at %s, %q", f.Rule.ID, f.Path(), fix.Label)
	edits, err := fix.Make(t.Context(), d.Tree)
	var p *model.Plan
	if err == nil {
		p, err = d.Plan(t.Context(), fix.Label, edits...)
	}
	if err != nil {
		if err.Error() == "" {
			t.Errorf("%s: it cannot be made, and does not say why", what)
		}
		return nil
	}
	if p.Empty() {
		t.Errorf("%s changes nothing", what)
	}
	after := model.Parse(t.Context(), p.To, d.Format)
	if err := d.DeepOn(t.Context(), after, nil); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	suite.NoDefect(t, after)
	before, now := rulesOf(d.Tree), rulesOf(after)
	if fix.Safe {
		if now[f.Rule.ID] >= before[f.Rule.ID] {
			t.Errorf("%s: it is safe, and the finding is still there", what)
		}
		for r, n := range now {
			if n > before[r] && worst(after, r) == model.Error {
				t.Errorf("%s: it is safe, and brings %s", what, r)
			}
		}
	}
	if fix.Loses == "" && fewerRows[f.Rule.ID] == "" && fewerRows[f.Rule.ID+", "+fix.Label] == "" {
		if a, b := rowCount(t, d.Tree), rowCount(t, after); b < a {
			t.Errorf("%s: it claims to lose nothing, and %d of %d rows are left", what, b, a)
		}
	}
	return after
}

// rowCount counts the rows of all tables of a tree that can be read, but for those that group others.
func rowCount(t *testing.T, tree *model.Tree) (n int64) {
	for _, table := range tree.Tables(t.Context()) {
		if table.Groups { // what it groups is counted itself
			continue
		}
		for first := int64(0); first < min(table.Rows, 1000); {
			rows, err := table.Read(t.Context(), first, min(table.Page(200), table.Rows-first))
			if err != nil || len(rows) == 0 {
				break
			}
			for _, r := range rows {
				if !slices.ContainsFunc(r, func(c model.Cell) bool { return c.Trouble != "" }) {
					n++
				}
			}
			first += int64(len(rows))
		}
	}
	return n
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
