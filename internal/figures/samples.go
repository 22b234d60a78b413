package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"spandrel/model"
	"spandrel/parsers"
)

// rules counts the rules of a format, those that a damaged sample is named after, and those that a golden transcript of one
// speaks of.
func rules(f *model.Format) (all int, bare []string) {
	damaged, told := map[string]bool{}, transcripts(f.Name)
	dir := filepath.Join("testdata", f.Name, "bad")
	list, _ := os.ReadDir(dir)
	number := regexp.MustCompile(`^[0-9]{3}`)
	for _, e := range list {
		damaged[number.FindString(e.Name())] = true
	}
	for _, r := range f.Rules.All() {
		all++
		_, n, _ := strings.Cut(r.ID, "-")
		if !damaged[n] || !told[r.ID] {
			bare = append(bare, r.ID)
		}
	}
	return all, bare
}

var ruleID = regexp.MustCompile(`[A-Z]{3,4}-[0-9]{3}`)

// transcripts are the rules that the golden files of a format name.
func transcripts(format string) map[string]bool {
	out := map[string]bool{}
	filepath.WalkDir(filepath.Join("testdata", format), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".check") && !strings.HasSuffix(path, ".tree") && !strings.HasSuffix(path, ".txt") {
			return nil
		}
		if b, err := os.ReadFile(path); err == nil {
			for _, id := range ruleID.FindAll(b, -1) {
				out[string(id)] = true
			}
		}
		return nil
	})
	return out
}

// lines counts the lines of the formats, those that were there before the three that prove the house.
func lines(h *house) (n int) {
	for _, r := range h.rooms {
		if !r.parsers() || r.path == "parsers/npy" || r.path == "parsers/tar" || r.path == "parsers/safetensors" || r.path == "parsers/internal/suite" {
			continue
		}
		for _, f := range r.files {
			if b, err := os.ReadFile(h.fset.Position(f.Pos()).Filename); err == nil {
				n += bytes.Count(b, []byte{'\n'})
			}
		}
	}
	return n
}

func formats() []*model.Format { return parsers.All() }
