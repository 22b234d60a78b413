package npy

import (
	"spandrel/model"
	"spandrel/parsers/internal/zipfile"
)

// Format is the format NumPy.
var Format = &model.Format{
	Name:  "npy",
	Title: "NumPy array",
	Doc:   "NumPy arrays: one in a file (.npy), or several in an archive (.npz).",
	Exts:  []string{".npy", ".npz"},
	Types: []model.FileType{{MIME: "application/x-npy", Name: "NumPy array", Names: []string{"*.npy"}, Magics: []model.Magic{{Bytes: "\x93NUMPY"}}},
		{MIME: "application/x-npz", Name: "NumPy arrays", Names: []string{"*.npz"}, Zip: true}},
	Files:      "`*.npy`, `*.npz`",
	Beyond:     "values of every type, structures as rows; reshape, and convert the type; members are recompressed after an edit",
	Sample:     model.Sample{From: "good/arrays.npz"},
	Magics:     []model.Magic{{Bytes: "\x93NUMPY"}},
	Detect:     detect,
	Parse:      parse,
	Card:       card,
	Tables:     tables,
	Actions:    actions,
	Outline:    outline,
	Deep:       deep,
	Extents:    extents,
	Salvage:    salvage,
	Quantities: quantities,
	Rules:      rules,
	Readers:    readers,
	Repairs:    repairs,
}

var repairs = map[*model.Rule]model.Repairer{
	noDirectory: zipfile.Repairs, noMember: zipfile.Repairs, differs: zipfile.Repairs, junk: zipfile.Repairs, wrongData: zipfile.Repairs,
	tooShort: fitType, bytesBehind: fitType, otherType: fitType, badMagic: correctHeader, badHeader: correctHeader, noFeed: correctHeader, wrongLength: correctHeader,
	model.RuleSwapped: otherOrder, headInside: removeHeads,
}
