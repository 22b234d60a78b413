package idv

import (
	"testing"

	"spandrel/parsers/internal/suite"
)

// briefly has the search for the length that is wrong in a directory end early: for fuzzing, many documents are worth more than all lengths of one.
func briefly(f *testing.F) *testing.F {
	was := maxSpent
	maxSpent = 1 << 11
	f.Cleanup(func() { maxSpent = was })
	return f
}

// One target a concern: each finds its own way into the format.

func FuzzParse(f *testing.F)   { suite.Fuzz(briefly(f), Format, suite.Parse) }
func FuzzCheck(f *testing.F)   { suite.Fuzz(briefly(f), Format, suite.Check) }
func FuzzTables(f *testing.F)  { suite.Fuzz(briefly(f), Format, suite.Tables) }
func FuzzEdit(f *testing.F)    { suite.Fuzz(briefly(f), Format, suite.Edit) }
func FuzzRepair(f *testing.F)  { suite.Fuzz(briefly(f), Format, suite.Repair) }
func FuzzCause(f *testing.F)   { suite.Fuzz(briefly(f), Format, suite.Cause) }
func FuzzSalvage(f *testing.F) { suite.Fuzz(briefly(f), Format, suite.Salvage) }
