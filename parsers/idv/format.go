package idv

import "spandrel/model"

// Format is the value that the program knows the format by.
var Format = &model.Format{
	Name:  "idv",
	Title: "ML.NET Binary DataView",
	Doc: "Columns of typed values in compressed blocks of rows, with a directory behind the data. Whole files (.idv), transposed files (.tdv), " +
		"and schemas and maps inside ML.NET model archives (.zip, .mlnet).",
	Exts:       []string{".idv", ".tdv"},
	Inside:     []string{".zip", ".mlnet"},
	MIME:       []string{"application/x-mlnet-idv"},
	Detect:     detect,
	Parse:      read,
	Tables:     tables,
	Outline:    outline,
	Deep:       deep,
	Rules:      rules,
	Messages:   messages,
	Repairs:    repairs,
	Actions:    actions,
	Prepare:    prepare,
	Magics:     magics,
	Extents:    extents,
	Quantities: quantities,
	Salvage:    salvage,
}
