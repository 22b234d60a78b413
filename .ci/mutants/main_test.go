package main

import "testing"

// TestFaultsFit: every fault fits the code as it is. Whether tests notice it takes longer, see make mutants.
func TestFaultsFit(t *testing.T) {
	faults, err := load("faults", nil)
	if err != nil || len(faults) == 0 {
		t.Fatalf("%d faults, %v", len(faults), err)
	}
	for _, f := range faults {
		if _, err := f.changed("../.."); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
	}
}
