package tiledb

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/storage"
)

// Enumerations (3.6), array and group metadata (5.3) and group details (5.5).
var (
	metaF       = &model.Field{Name: "metadata", Doc: "keys and values, sorted by key", Ref: "5.3"}
	metaEntries = &model.Field{Name: "entries", Ref: "5.3"}
	metaEntry   = &model.Field{Name: "entry", Ref: "5.3"}
	metaKeyLen  = &model.Field{Name: "key_length", Ref: "5.3", Codec: model.U32LE}
	metaKey     = &model.Field{Name: "key", Ref: "5.3", Codec: model.UTF8, Check: printable, Rule: rule.OddMetadata}
	metaDeleted = &model.Field{Name: "deleted", Doc: "1: the key is deleted, and nothing follows", Ref: "5.3", Codec: model.U8}
	metaType    = &model.Field{Name: "value_type", Ref: "5.3", Codec: model.U8, Enum: storage.Datatypes, Check: metaTypes, Rule: rule.OddMetadata}
	metaNum     = &model.Field{Name: "value_num", Ref: "5.3", Codec: model.U32LE}
	metaValue   = &model.Field{Name: "value", Ref: "5.3"}

	groupF        = &model.Field{Name: "group", Ref: "5.5"}
	groupVersion  = &model.Field{Name: "version", Ref: "5.5", Codec: model.U32LE}
	groupCount    = &model.Field{Name: "member_count", Ref: "5.5", Codec: model.U64LE}
	groupMembers  = &model.Field{Name: "members", Ref: "5.5"}
	groupMember   = &model.Field{Name: "member", Ref: "5.5"}
	memberType    = &model.Field{Name: "object_type", Ref: "5.5", Codec: model.U8, Enum: objects}
	memberRel     = &model.Field{Name: "relative", Doc: "the address is inside the group", Ref: "5.5", Codec: model.U8}
	memberURILen  = &model.Field{Name: "uri_length", Ref: "5.5", Codec: model.U64LE}
	memberURI     = &model.Field{Name: "uri", Ref: "5.5", Codec: model.UTF8}
	memberNamed   = &model.Field{Name: "name_set", Ref: "5.5", Codec: model.U8}
	memberNameLen = &model.Field{Name: "name_length", Ref: "5.5", Codec: model.U64LE}
	memberDeleted = &model.Field{Name: "deleted", Ref: "5.5", Codec: model.U8}
)
