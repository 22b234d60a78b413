package model

import (
	"testing"
	"unicode/utf8"
)

// Rules get their ids from prefix and number, are listed by number, and a number is given once.
func TestRules(t *testing.T) {
	g := NewRules("TOY")
	late := g.Note(1007, "d", "", "")
	second := g.Warning(23, "b", "why", "9.3")
	first := g.Error(4, "a", "", "")
	if second.ID != "TOY-023" || second.Severity != Warning || second.Doc != "why" || second.Ref != "9.3" {
		t.Errorf("%+v", second)
	}
	if all := g.All(); len(all) != 3 || all[0] != first || all[1] != second || all[2] != late {
		t.Errorf("order %v", all)
	}
	if g.Rule("TOY-1007") != late || g.Rule("TOY-001") != nil {
		t.Error("rules are not found by their ids")
	}
	defer func() {
		if recover() == nil {
			t.Error("a number was given twice")
		}
	}()
	g.Error(23, "c", "", "")
}

// The engine's own rules say what is wrong in one line, and why it matters.
func TestEngineRules(t *testing.T) {
	ids := map[string]bool{}
	for _, r := range EngineRules {
		if r.Doc == "" || r.Title == "" || utf8.RuneCountInString(r.Title) > MaxTitle || ids[r.ID] {
			t.Errorf("%+v", r)
		}
		ids[r.ID] = true
	}
}
