package idv

import "spandrel/model"

// Format is the format IDV.
var Format = &model.Format{
	Name:  "idv",
	Title: "ML.NET Binary DataView",
	Doc: "Columns of typed values in compressed blocks of rows, followed by a directory. Whole files (.idv), transposed files (.tdv), " +
		"and schemas and maps inside ML.NET model archives (.zip, .mlnet).",
	Exts:   []string{".idv", ".tdv"},
	Inside: []string{".zip", ".mlnet"},
	Types: []model.FileType{{MIME: "application/x-mlnet-idv", Name: "ML.NET binary data view", Names: []string{"*.idv", "*.tdv"},
		Magics: []model.Magic{{Bytes: "CML\x00DVB\x00"}, {Bytes: "XPOSEDDV"}}}},
	Files:      "`*.idv`, `*.tdv`, and those in model archives (`*.zip`)",
	Beyond:     "rows as a table; rename, move and remove columns; change the compression",
	Sample:     model.Sample{From: "good/deflated.idv"},
	Detect:     detect,
	Parse:      parse,
	Card:       card,
	Tables:     tables,
	Lists:      map[string]string{"columns": toc.Name},
	Outline:    outline,
	Deep:       deep,
	Rules:      rules,
	Readers:    readers,
	Repairs:    repairs,
	Actions:    actions,
	Prepare:    prepare,
	Magics:     magics,
	Extents:    extents,
	Quantities: quantities,
	Salvage:    salvage,
}
