package wds

import "spandrel/model"

// Format is the format of webdataset indexes.
var Format = &model.Format{
	Name:  "wds",
	Title: "webdataset index",
	Doc:   "Where the samples of a webdataset are in its tar archives: the .idx files of NVIDIA DALI, and the JSON of wids.",
	Exts:  []string{".idx"},
	Types: []model.FileType{{MIME: "application/x-webdataset-index", Name: "webdataset index", Names: []string{"*.idx"},
		Magics: []model.Magic{{Bytes: "v1."}}, Priority: 40}},
	Files:   "`*.idx` of DALI and `*.json` of wids",
	Beyond:  "offsets, sizes, names and counts compared with the archives beside it",
	Sample:  model.Sample{From: "good/dali", Open: "train.idx"},
	Dataset: &model.Dataset{Beside: true, Detect: detectFolder},
	Detect:  detect,
	Parse:   parse,
	Extents: extents,
	Tables:  tables,
	Card:    card,
	Deep:    deep,
	Rules:   rules,
	Repairs: repairs,
	Actions: actions,
	Readers: readers,
}
