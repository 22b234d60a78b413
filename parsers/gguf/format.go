package gguf

import (
	"bytes"
	"fmt"
	"strings"

	"spandrel/model"
)

// Format is the format GGUF.
var Format = &model.Format{
	Name:  "gguf",
	Title: "GGUF model",
	Doc:   "llama.cpp models: typed metadata and mostly quantised tensors, in one file or split into several.",
	Exts:  []string{".gguf"},
	Types: []model.FileType{{MIME: "application/x-gguf", Name: "GGUF model", Names: []string{"*.gguf"},
		Magics: magics}},
	Files:   "`*.gguf`, split models too",
	Beyond:  "metadata and tensors as tables, quantised ones decoded; the data is aligned again after every edit",
	Sample:  model.Sample{From: "good/types.gguf"},
	Magics:  magics,
	Dataset: &model.Dataset{Beside: true},
	Detect:  detect,
	Parse:   parse,
	Deep:    deep,
	Card:    card,
	Tables:  tables,
	Outline: outline,
	Apart:   apart,
	Extents: extents,
	Salvage: salvage,
	Rules:   rules,
	Readers: readers,
	Repairs: map[*model.Rule]model.Repairer{wrongSize: resize, otherSize: turnShapes, trailing: cutTail, lateData: moveData,
		noArchitecture: spell, model.RuleSwapped: model.TurnNumbers, otherAlignment: spell, badSplit: renumber, splitCount: setTotal,
		otherLength: setLength, otherCount: countAgain},
}

func detect(name string, head, _ []byte, _ int64) (sure model.Confidence, reason string) {
	switch named := strings.HasSuffix(strings.ToLower(name), ".gguf"); {
	case bytes.HasPrefix(head, []byte("GGUF")) && (len(head) < 8 || head[4] == 0 || head[7] == 0):
		return 95, ""
	case named:
		return 15, ""
	}
	return 0, fmt.Sprintf("begins with %s, not 47 47 55 46 (GGUF)", model.Opening(head))
}
