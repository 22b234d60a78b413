package scdl

import (
	"testing"

	"spandrel/parsers/internal/suite"
)

// One target a concern: each finds its own way into the format.

func FuzzParse(f *testing.F)   { suite.Fuzz(f, Format, suite.Parse) }
func FuzzCheck(f *testing.F)   { suite.Fuzz(f, Format, suite.Check) }
func FuzzTables(f *testing.F)  { suite.Fuzz(f, Format, suite.Tables) }
func FuzzEdit(f *testing.F)    { suite.Fuzz(f, Format, suite.Edit) }
func FuzzRepair(f *testing.F)  { suite.Fuzz(f, Format, suite.Repair) }
func FuzzCause(f *testing.F)   { suite.Fuzz(f, Format, suite.Cause) }
func FuzzSalvage(f *testing.F) { suite.Fuzz(f, Format, suite.Salvage) }
