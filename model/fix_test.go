package model

import (
	"context"
	"testing"
)

// TestNoFixesInTheEnd: once no one waits, no repairer is asked.
func TestNoFixesInTheEnd(t *testing.T) {
	rule, asked := NewRules("T").Error(1, "wrong", "", ""), 0
	tree := &Tree{Format: &Format{Repairs: map[*Rule]Repairer{rule: func(context.Context, *Tree, *Finding) []Fix { asked++; return nil }}}}
	ctx, stop := context.WithCancel(t.Context())
	tree.Fixes(ctx, &Finding{Rule: rule})
	stop()
	if tree.Fixes(ctx, &Finding{Rule: rule}); asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}
