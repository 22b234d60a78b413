package taridx

import "spandrel/model"

// Format is the format TARIDX.
var Format = &model.Format{
	Name: "taridx", Title: "TARIDX index", Exts: []string{".taridx"},
	Types:   []model.FileType{{MIME: "application/x-taridx", Name: "TARIDX index", Names: []string{"*.taridx"}, Magics: []model.Magic{{Bytes: magic}}}},
	Files:   "`*.taridx`, with the shards beside it",
	Beyond:  "rows by sample; rebuild the index from its shards; remove and sort rows; rename, extract and replace samples in shard and index together",
	Sample:  model.Sample{From: "good/three-shards", Open: "train.taridx"},
	Dataset: &model.Dataset{Beside: true, Detect: detectFolder},
	Doc:     "An index of the members of tar shards: location, size and sample of each.",
	Detect:  detect, Parse: read, Tables: tables, Outline: outline, Deep: deep,
	Magics: []model.Magic{{Bytes: magic}}, Extents: extents, Quantities: quantities, Salvage: salvage,
	Rules: rules, Readers: readers, Repairs: repairs, Actions: actions, Prepare: prepare,
}
