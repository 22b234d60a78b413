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

// parseZip reads a model archive (§9.1): of members that are neither streams nor vocabularies the bytes are shown, and checked like any member.
func parseZip(c *model.Cursor, st *state) {
	st.zip = zipfile.Read(c, zipfile.Client{Rules: zipRules, Content: func(c *model.Cursor, m *zipfile.Member) {
		m.Leaf(c)
		field, read := contentOf(m)
		if read == nil {
			if m.Method == 8 && !m.Encrypted() {
				m.Derive(c, zipPart, zipfile.Deflated, func(c *model.Cursor) { c.Rest(zipBytes) }, nil)
			}
			return
		}
		m.Derive(c, field, zipfile.Deflated, func(c *model.Cursor) { read(c, st, m.Name) }, nil)
		if m.Plain.Span != nil {
			st.boxed = append(st.boxed, m.Plain.Span)
		}
	}})
	checkFolder(c, st.zip)
}

// contentOf tells what a member is, and how it is read: a stream begins at its start or after a length.
func contentOf(m *zipfile.Member) (*model.Field, func(*model.Cursor, *state, string)) {
	at := func(off int) bool {
		return len(m.Front) >= off+8 && binary.LittleEndian.Uint64(m.Front[off:]) == headSignature
	}
	switch {
	case at(0):
		return zipContent, parseStream
	case at(4):
		return zipContent, prefixedStream
	case isVocabulary(m):
		return vocabularyContent, parseVocabulary
	}
	return nil, nil
}
