package scdl

import (
	"fmt"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// damaged are the samples of all rules.
func damaged() suite.Damaged {
	all, seen := suite.Damaged{}, map[string]int{}
	for _, b := range bads {
		seen[b.rule]++
		all[fmt.Sprintf("%s-%d", b.rule, seen[b.rule])] = func(t testing.TB) *model.Document { return b.open(t) }
	}
	return all
}

func TestTranscript(t *testing.T) { suite.Transcript(t, Format, damaged()) }

func TestRepairs(t *testing.T) { suite.Repairs(t, damaged()) }
