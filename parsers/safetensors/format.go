package safetensors

import "spandrel/model"

// Format is the format safetensors.
var Format = &model.Format{
	Name:    "safetensors",
	Title:   "safetensors",
	Doc:     "Model tensors: a JSON header with names, types, shapes and offsets, followed by the values.",
	Exts:    []string{".safetensors"},
	Types:   []model.FileType{{MIME: "application/x-safetensors", Name: "safetensors", Names: []string{"*.safetensors"}, Magics: []model.Magic{{Bytes: `{"`, At: 8}}, Priority: 60}},
	Files:   "`*.safetensors`; a folder with `*.safetensors.index.json`",
	Beyond:  "tensors by name; header and offsets follow every edit; remove tensors; a checkpoint in several files as one document, its index rebuilt from the shards",
	Sample:  model.Sample{From: "good/model.safetensors"},
	Dataset: &model.Dataset{Beside: true, Detect: detectFolder},
	Detect:  detect,
	Parse:   parse,
	Deep:    deep,
	Tables:  tables,
	Outline: outline,
	Extents: extents,
	Salvage: salvage,
	Rules:   rules,
	Readers: readers,
	Repairs: repairs,
	Actions: actions,
}
