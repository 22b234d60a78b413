package tiledb

import (
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/storage"
)

// Format is the format TileDB.
var Format = &model.Format{
	Name:  "tiledb",
	Title: "TileDB array",
	Doc: "TileDB arrays and groups: schemas of every version, fragments with their tiles, enumerations, metadata and commits. " +
		"Open the folder of an array for its cells, or one of its files.",
	Exts: []string{".tdb"},
	Types: []model.FileType{{MIME: "application/x-tiledb", Name: "TileDB file", Names: []string{"__array_schema.tdb 80", "__fragment_metadata.tdb 80", "*.tdb 40"}, Priority: 60,
		// A generic tile has no magic: a small version, then datatype CHAR with cells of one byte.
		Magics: []model.Magic{{Bytes: "\x00\x00\x00", At: 1}}, Also: &model.Magic{Bytes: "\x04\x01\x00\x00\x00\x00\x00\x00\x00", At: 20}}},
	Files:  "a folder with `__schema`, or any file of it",
	Beyond: "cells through all filters, encrypted arrays too; schema evolution; restore commits and names",
	Sample: model.Sample{From: "good/sparse-v23"},
	Detect: detect,
	Dataset: &model.Dataset{Beside: true, Detect: detectFolder, Home: levelsUp, Lock: "__lock.tdb",
		Prune: true, Aside: func(name string) string { return strings.ReplaceAll(name, "/", ".") }},
	Parse:   parse,
	Card:    card,
	Tables:  tables,
	Outline: outline,
	Deep:    deep,
	Sizes:   compareSizes,
	Rules:   rule.Rules,
	Readers: readers,
	Repairs: repairs,
	Actions: actions,
	Prepare: prepare,
	Salvage: salvageArray, Extents: extents, Quantities: quantities,
	Secrets: []*model.Secret{storage.Secret},
}
