package samediff

import "spandrel/model"

// Format is the value that the program knows the format by.
var Format = &model.Format{
	Name:  "samediff",
	Title: "SameDiff model",
	Doc: "Models of the SameDiff engine of Eclipse Deeplearning4j: section containers, SDNB, SDZ archives and FlatBuffers graphs, " +
		"with their shards and external arrays.",
	Exts:       []string{".sdc", ".sdnb", ".sdz", ".fb"},
	MIME:       []string{"application/x-samediff", "application/x-samediff-zip"},
	Detect:     detect,
	Dataset:    &model.Dataset{Beside: true},
	Parse:      func(c *model.Cursor) { parse(c, whenRead) },
	Tables:     tables,
	Graph:      graphPicture,
	Deep:       deep,
	Rules:      rules,
	Messages:   messages,
	Repairs:    repairs,
	Magics:     magics,
	Extents:    extents,
	Quantities: quantities,
	Salvage:    salvage,
	Actions:    actions,
	Prepare:    prepare,
}
