package scdl

import (
	"strings"

	"spandrel/model"
)

// Format is the format SCDL.
var Format = &model.Format{
	Name: "scdl", Title: "SCDL archive", Exts: []string{".sch"},
	Types:  []model.FileType{{MIME: "application/x-scdl", Name: "SCDL header", Names: []string{"header.sch"}, Magics: []model.Magic{{Bytes: "SCDL\x00"}}}},
	Files:  "a folder with `header.sch`",
	Beyond: "cells with gene names; rebuild the header from the arrays; add and remove cells and genes",
	Sample: model.Sample{From: "good/archive"},
	Doc:    "Single-cell expression matrices: a header, raw CSR arrays beside it, and feature tables in Parquet.",
	Detect: detect, Parse: read, Tables: tables,
	Apart: apart, Outline: outline, Deep: deep,
	Rules: rules, Readers: readers, Repairs: repairs, Magics: []model.Magic{{Bytes: "SCDL"}}, Extents: extents, Quantities: quantities, Salvage: salvage,
	Actions: actions, Prepare: prepare,
	// The files of a feature folder are listed in the header, so no backup may be among them.
	Dataset: &model.Dataset{Prune: true, Detect: detectFolder, Aside: func(name string) string { return strings.ReplaceAll(name, "/", "-") }},
}
