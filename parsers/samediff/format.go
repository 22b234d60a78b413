package samediff

import "spandrel/model"

// Format is the format SameDiff.
var Format = &model.Format{
	Name:  "samediff",
	Title: "SameDiff model",
	Doc: "SameDiff models of Eclipse Deeplearning4j: section containers, SDNB, SDZ archives and FlatBuffers graphs, " +
		"with their shards and external arrays.",
	Exts: []string{".sdc", ".sdnb", ".sdz", ".fb"},
	Types: []model.FileType{{MIME: "application/x-samediff", Name: "SameDiff model", Names: []string{"*.sdnb", "*.sdc", "*.fb 40"},
		Magics: []model.Magic{{Bytes: "SAMEDIFF_MOD"}, {Bytes: "SAMEDIFF_MODEL", At: 2}, {Bytes: "SDNB\x00\x00\x00"}}},
		{MIME: "application/x-samediff-zip", Name: "SameDiff model archive", Names: []string{"*.sdz"}, Zip: true}},
	Files:      "`*.sdnb`, `*.sdz`, `*.fb`, `*.sdc`",
	Beyond:     "the graph; variables and arrays; checksums locate wrong bytes",
	Sample:     model.Sample{From: "good/arrays.sdc"},
	Detect:     detect,
	Dataset:    &model.Dataset{Beside: true},
	Parse:      parse,
	Tables:     tables,
	Graph:      graphPicture,
	Deep:       deep,
	Rules:      rules,
	Readers:    readers,
	Repairs:    repairs,
	Magics:     magics,
	Extents:    extents,
	Quantities: quantities,
	Salvage:    salvage,
	Actions:    actions,
	Prepare:    prepare,
}
