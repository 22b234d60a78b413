package samediff

import (
	"spandrel/model"
	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/internal/zipfile"
)

// zipRules are the rules of what can be wrong with the archive itself.
var zipRules = map[zipfile.Kind]*model.Rule{zipfile.NoDirectory: noDirectory, zipfile.NoMember: noDirectory, zipfile.Differs: localHeader,
	zipfile.Junk: aroundArchive, zipfile.WrongData: memberChecksum}

// parseZip reads an archive and the models in it.
func parseZip(c *model.Cursor, d *doc) {
	client := zipfile.Client{Content: func(c *model.Cursor, m *zipfile.Member) { member(c, d, m) }}
	if d.family == familyZipped {
		client.Rules = zipRules
	}
	d.zip = &archive{}
	if d.zip.Archive = zipfile.Read(c, client); d.family == familyZipped {
		d.st.checks.archive(c, d.zip)
	}
}

// member reads the content of a member: SDNB in place when it is stored, or in an address space of its own when it is deflated.
func member(c *model.Cursor, d *doc, m *zipfile.Member) {
	if isModel(m) {
		d.zip.models++
	}
	switch {
	case m.Encrypted(), isModel(m) && d.zip.models > mostModels:
	case m.Method == 0 && isModel(m) && m.Packed >= 32:
		m.Data = c.Block(zipfile.Data, m.Packed, func(c *model.Cursor) { parseNB(c, d, m.Packed, m.Name) })
		m.Plain = m.Data
	case m.Method == 8 && !tooLarge(m): // the limits are reported with the directory
		m.Data = c.FieldN(zipfile.Data, m.Packed)
		fail := func(err error) model.Finding { return model.Wrong(memberChecksum, m.Data.Span, err, nil) }
		m.Derive(c, zipfile.Inflated, inflate.Transform(inflate.Raw, 6, maxInflated, maxRatio), func(e *model.Cursor) {
			if n := e.Left(); n >= 32 && string(e.Peek(4)) == "SDNB" {
				parseNB(e, d, n, m.Name)
			} else if n > 0 {
				e.Rest(zipfile.Data)
			}
		}, fail)
		d.st.later(m.Plain)
	}
}

// tooLarge tells whether a member is beyond the limits of the format.
func tooLarge(m *zipfile.Member) bool {
	return m.Size > maxInflated || m.Packed > 0 && m.Size/m.Packed > maxRatio
}
