package tar

import (
	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// Format is the format tar.
var Format = &model.Format{
	Name:    "tar",
	Title:   "tar archive",
	Doc:     "Files one after the other, each with a header: the shards of data sets.",
	Exts:    []string{".tar"},
	Types:   []model.FileType{{MIME: "application/x-tar", Name: "tar archive", Names: []string{"*.tar"}, Magics: tarfile.Magics, Priority: 50, Known: "public.tar-archive"}},
	Files:   "`*.tar`",
	Beyond:  "members after a damaged header; names and pax records of any length",
	Sample:  model.Sample{From: "good/pax.tar"},
	Magics:  []model.Magic{{Bytes: "ustar", At: 257, Again: true}},
	Detect:  detect,
	Parse:   parse,
	Tables:  tables,
	Outline: outline,
	Card:    card,
	Deep:    deep,
	Extents: extents,
	Salvage: salvage,
	Rules:   rules,
	Readers: readers,
	Repairs: repairs,
	Actions: actions,
}
