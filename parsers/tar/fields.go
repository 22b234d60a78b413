package tar

import (
	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

var types = map[string]string{"0": "file", "\x00": "file", "1": "hard link", "2": "symbolic link", "3": "character device", "4": "block device", "5": "folder", "6": "pipe",
	"7": "file", "x": "records for the next member", "g": "records for all members", "L": "long name", "K": "long link name", "S": "sparse file"}

var (
	member = &model.Field{Name: "member", Ref: "ustar"}
	header = &model.Field{Name: "header", Ref: "ustar"}
	fields = tarfile.Fields(func(f *model.Field) {
		if f.Ref = "ustar"; f.Name == "size" {
			f.Rule = badSize
		}
	})
	payload  = &model.Field{Name: "payload", Codec: model.RawBytes, Ref: "ustar"}
	longName = &model.Field{Name: "payload", Codec: model.UTF8, Doc: "the name of the next member, terminated by NUL", Ref: "GNU"}
	lost     = &model.Field{Name: "lost", Codec: model.RawBytes, Doc: "bytes that belong to no member"}
	padding  = &model.Field{Name: "padding", Codec: model.RawBytes, Doc: "up to a multiple of 512", Fixed: "its length depends on the payload"}
	end      = &model.Field{Name: "end", Codec: model.RawBytes, Doc: "zero blocks end the archive", Ref: "ustar", Fixed: "zeros end the archive", Check: model.Zeros}
	behind   = &model.Field{Name: "behind", Codec: model.RawBytes, Unused: true, Doc: "bytes after the end"}
)
