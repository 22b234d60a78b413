package scdl

import (
	"testing"

	"spandrel/parsers/internal/suite"
)

// One target a concern: each finds its own way into the format.

// briefly has the search for the right length in a header end early: for fuzzing, many documents are worth more than all lengths of one.
func briefly(f *testing.F) *testing.F {
	was := mendBudget
	mendBudget = 1 << 15
	f.Cleanup(func() { mendBudget = was })
	return f
}

func FuzzParse(f *testing.F)   { suite.Fuzz(briefly(f), Format, suite.Parse) }
func FuzzCheck(f *testing.F)   { suite.Fuzz(briefly(f), Format, suite.Check) }
func FuzzTables(f *testing.F)  { suite.Fuzz(briefly(f), Format, suite.Tables) }
func FuzzEdit(f *testing.F)    { suite.Fuzz(briefly(f), Format, suite.Edit) }
func FuzzRepair(f *testing.F)  { suite.Fuzz(briefly(f), Format, suite.Repair) }
func FuzzCause(f *testing.F)   { suite.Fuzz(briefly(f), Format, suite.Cause) }
func FuzzSalvage(f *testing.F) { suite.Fuzz(briefly(f), Format, suite.Salvage) }
