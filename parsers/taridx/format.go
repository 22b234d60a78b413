package taridx

import "spandrel/model"

// Format is the value that the program knows the format by.
var Format = &model.Format{
	Name: "taridx", Title: "TARIDX index", Exts: []string{".taridx"}, MIME: []string{"application/x-taridx"},
	Dataset: &model.Dataset{Beside: true, Detect: detectFolder},
	Doc:     "An index of the members of tar shards: where each is, how long, of which sample.",
	Detect:  detect, Parse: read, Tables: tables, Outline: outline, Deep: deep,
	Magics: []model.Magic{{Bytes: magic}}, Extents: extents, Quantities: quantities, Salvage: salvage,
	Rules: rules, Repairs: repairs, Actions: actions, Prepare: prepare,
}
