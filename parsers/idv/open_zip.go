package idv

import (
	"bytes"
	"encoding/binary"

	"spandrel/model"
	"spandrel/parsers/internal/zipfile"
)

// A member of a model archive (§9.1): an IDV stream, or a part of the model in a form of its own.
var (
	zipContent = &model.Field{Name: "content", Doc: "an IDV stream", Ref: "§9.1"}
	zipPart    = &model.Field{Name: "content", Doc: "data of a part of the model", Ref: "§9.1"}
	zipBytes   = &model.Field{Name: "bytes", Codec: model.RawBytes, Ref: "§9.1"}
)

// zipRules report the problems of archives: the format's own rules are about streams.
var zipRules = map[zipfile.Kind]*model.Rule{
	zipfile.NoDirectory: model.RuleTruncated,
	zipfile.NoMember:    model.RuleLink,
	zipfile.Differs:     model.RuleLink,
	zipfile.Junk:        model.RuleOverrun,
}

// isZip tells whether bytes begin as an archive does.
func isZip(head []byte) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) }

// parseZip reads a model archive (§9.1): members that begin as an IDV stream, at their start or after a length, are
// streams; of others the bytes are shown, and checked like any member.
func parseZip(c *model.Cursor, st *state) {
	st.zip = zipfile.Read(c, zipfile.Client{Rules: zipRules, Content: func(c *model.Cursor, m *zipfile.Member) {
		m.Leaf(c)
		at := func(off int) bool {
			return len(m.Front) >= off+8 && binary.LittleEndian.Uint64(m.Front[off:]) == headSignature
		}
		if !at(0) && !at(4) {
			if m.Method == 8 && !m.Encrypted() {
				m.Derive(c, zipPart, zipfile.Deflated, func(c *model.Cursor) { c.Rest(zipBytes) }, nil)
			}
			return
		}
		m.Derive(c, zipContent, zipfile.Deflated, func(c *model.Cursor) {
			if at(0) {
				parseStream(c, st, m.Name)
			} else {
				prefixedStream(c, st, m.Name)
			}
		}, nil)
		if m.Plain.Span != nil {
			st.boxed = append(st.boxed, m.Plain.Span)
		}
	}})
}
