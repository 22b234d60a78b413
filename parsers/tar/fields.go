package tar

import (
	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

var types = map[string]string{"0": "file", "\x00": "file", "1": "hard link", "2": "symbolic link", "3": "character device", "4": "block device", "5": "folder", "6": "pipe",
	"7": "file", "x": "records for the next member", "g": "records for all members", "L": "long name", "K": "long link name", "S": "sparse file"}

var (
	members = &model.Field{Name: "members", Doc: "a header, a payload and padding each", Ref: "ustar"}
	member  = &model.Field{Name: "member", Ref: "ustar"}
	header  = &model.Field{Name: "header", Ref: "ustar"}
	sizeF   = &model.Field{Name: "size", Codec: tarfile.Octal(12), Doc: "bytes of the payload", Ref: "ustar", Rule: badSize}
	sumF    = &model.Field{Name: "checksum", Codec: tarfile.Octal(8), Doc: "sum of the bytes of the header, this field as blanks", Ref: "ustar"}
	typeF   = &model.Field{Name: "typeflag", Codec: model.TextOf(1, 0), Doc: "0 file, 5 folder, 1 and 2 links, x and g records", Ref: "ustar"}
	record  = []*model.Field{
		{Name: "name", Codec: model.TextOf(100, 0), Doc: "up to the first NUL", Ref: "ustar"}, {Name: "mode", Codec: tarfile.Octal(8), Ref: "ustar"}, {Name: "uid", Codec: tarfile.Octal(8), Ref: "ustar"},
		{Name: "gid", Codec: tarfile.Octal(8), Ref: "ustar"}, sizeF, {Name: "mtime", Codec: tarfile.Octal(12), Doc: "seconds since 1970", Ref: "ustar"}, sumF, typeF,
		{Name: "linkname", Codec: model.TextOf(100, 0), Ref: "ustar"}, {Name: "magic", Codec: model.BytesOf(8), Doc: "ustar, and a version", Ref: "ustar"},
		{Name: "uname", Codec: model.TextOf(32, 0), Ref: "ustar"}, {Name: "gname", Codec: model.TextOf(32, 0), Ref: "ustar"},
		{Name: "devmajor", Codec: tarfile.Octal(8), Ref: "ustar"}, {Name: "devminor", Codec: tarfile.Octal(8), Ref: "ustar"},
		{Name: "prefix", Codec: model.TextOf(155, 0), Doc: "folder part of a ustar name", Ref: "ustar"}, {Name: "fill", Codec: model.BytesOf(12)},
	}
	payload  = &model.Field{Name: "payload", Codec: model.RawBytes, Ref: "ustar"}
	longName = &model.Field{Name: "payload", Codec: model.UTF8, Doc: "the name for the next member, ended by NUL", Ref: "GNU"}
	lost     = &model.Field{Name: "lost", Codec: model.RawBytes, Doc: "bytes of no member"}
	padding  = &model.Field{Name: "padding", Codec: model.RawBytes, Doc: "up to a multiple of 512", Fixed: "it is as long as the payload needs it"}
	end      = &model.Field{Name: "end", Codec: model.RawBytes, Doc: "zero blocks end the archive", Ref: "ustar", Fixed: "zeros end the archive"}
	behind   = &model.Field{Name: "behind", Codec: model.RawBytes, Doc: "bytes behind the end"}
)
