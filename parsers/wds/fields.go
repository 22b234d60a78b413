package wds

import (
	"spandrel/model"
	"spandrel/parsers/internal/jsontext"
	"spandrel/parsers/internal/tarfile"
)

var (
	version    = &model.Field{Name: "version", Codec: model.ASCII, Ref: "DALI"}
	count      = &model.Field{Name: "samples", Codec: tarfile.Decimal{}, Doc: "the lines that follow", Ref: "DALI"}
	samples    = &model.Field{Name: "lines", Doc: "one line per sample", Ref: "DALI"}
	line       = &model.Field{Name: "line", Ref: "DALI"}
	components = &model.Field{Name: "components", Ref: "DALI"}
	component  = &model.Field{Name: "component", Ref: "DALI"}
	blank      = &model.Field{Name: "blank", Codec: model.ASCII, Fixed: "it separates the values"}
	broken     = &model.Field{Name: "broken", Codec: model.UTF8, Doc: "no component"}

	text     = &model.Field{Name: "text", Codec: model.UTF8, Doc: "not parsed"}
	entries  = &model.Field{Name: "index", Doc: "metadata of the data set, and its archives", Ref: "wids"}
	entry    = &model.Field{Name: "entry", Ref: "wids"}
	shard    = &model.Field{Name: "shard", Doc: "an archive", Ref: "wids"}
	between  = &model.Field{Name: "syntax", Codec: model.UTF8, Fixed: "brackets and commas are needed between the values"}
	keyField = &model.Field{Name: "key", Codec: jsontext.Scalar{Of: model.Text}, Fixed: "readers look for this name"}
	archive  = &model.Field{Name: "archive", Doc: "the members that the index lists"}
)
