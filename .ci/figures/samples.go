package main

import (
	"os"
	"path/filepath"
	"regexp"

	"spandrel/model"
	"spandrel/parsers"
)

// rules counts the rules of a format, and lists those that no damaged document is known to break: the golden transcript of the
// format, which its tests make of damaged documents, does not speak of them.
func rules(f *model.Format) (all int, bare []string) {
	told := map[string]bool{}
	b, err := os.ReadFile(filepath.Join("testdata", f.Name, "rules.txt"))
	if err == nil {
		for _, id := range ruleID.FindAll(b, -1) {
			told[string(id)] = true
		}
	}
	for _, r := range f.Rules.All() {
		if all++; !told[r.ID] {
			bare = append(bare, r.ID)
		}
	}
	return all, bare
}

var ruleID = regexp.MustCompile(`[A-Z]{3,4}-[0-9]{3}`)

func formats() []*model.Format { return parsers.All() }
