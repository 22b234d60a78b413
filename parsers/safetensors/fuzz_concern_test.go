package safetensors

import (
	"testing"

	"spandrel/parsers/internal/suite"
)

// One target a concern: each finds its own way into the format.

// briefly has the search for a wrong byte end early: for fuzzing, many documents are worth more than all bytes of one.
func briefly(f *testing.F) *testing.F {
	was := mostRead
	mostRead = 1 << 16
	f.Cleanup(func() { mostRead = was })
	return f
}

func FuzzParse(f *testing.F)   { suite.Fuzz(f, Format, suite.Parse) }
func FuzzCheck(f *testing.F)   { suite.Fuzz(briefly(f), Format, suite.Check) }
func FuzzTables(f *testing.F)  { suite.Fuzz(f, Format, suite.Tables) }
func FuzzEdit(f *testing.F)    { suite.Fuzz(f, Format, suite.Edit) }
func FuzzRepair(f *testing.F)  { suite.Fuzz(briefly(f), Format, suite.Repair) }
func FuzzCause(f *testing.F)   { suite.Fuzz(f, Format, suite.Cause) }
func FuzzSalvage(f *testing.F) { suite.Fuzz(f, Format, suite.Salvage) }
