package tiledb

import (
	"strings"

	"spandrel/model"
)

// Format is the value that the program knows the format by.
var Format = &model.Format{
	Name:  "tiledb",
	Title: "TileDB array",
	Doc: "Arrays and groups of TileDB: schemas of every version, fragments with their tiles, enumerations, metadata and commits. " +
		"Open the folder of an array for its cells, or one of its files.",
	Exts:   []string{".tdb"},
	MIME:   []string{"application/x-tiledb"},
	Detect: detect,
	Dataset: &model.Dataset{Beside: true, Detect: detectFolder, Home: home, Lock: "__lock.tdb",
		Aside: func(name string) string { return strings.ReplaceAll(name, "/", ".") }},
	Parse:    func(c *model.Cursor) { parse(c, &whenRead) },
	Tables:   tables,
	Outline:  outline,
	Deep:     deep,
	Rules:    rules,
	Messages: messages,
	Repairs:  repairs,
	Actions:  actions,
	Prepare:  prepare,
	Salvage:  salvageArray, Extents: extents, Quantities: quantities,
	Secrets: []*model.Secret{secret},
}
