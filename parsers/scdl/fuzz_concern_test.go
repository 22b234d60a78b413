package scdl

import (
	"testing"

	"spandrel/parsers/internal/suite"
)

// One target a concern: each finds its own way into the format. Lengths that are wrong are looked for briefly.

func briefly(f *testing.F) *testing.F { return suite.Briefly(f, &trialBudget, 1<<15) }

func FuzzParse(f *testing.F)   { suite.Fuzz(briefly(f), Format, suite.Parse) }
func FuzzCheck(f *testing.F)   { suite.Fuzz(briefly(f), Format, suite.Check) }
func FuzzTables(f *testing.F)  { suite.Fuzz(briefly(f), Format, suite.Tables) }
func FuzzEdit(f *testing.F)    { suite.Fuzz(briefly(f), Format, suite.Edit) }
func FuzzRepair(f *testing.F)  { suite.Fuzz(briefly(f), Format, suite.Repair) }
func FuzzCause(f *testing.F)   { suite.Fuzz(briefly(f), Format, suite.Cause) }
func FuzzSalvage(f *testing.F) { suite.Fuzz(briefly(f), Format, suite.Salvage) }
