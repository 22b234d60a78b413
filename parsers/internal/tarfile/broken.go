package tarfile

import (
	"bytes"
	"fmt"

	"spandrel/model"
)

// Mended is a change after which a header is valid.
type Mended struct {
	Field  *model.Field
	At     int // of the field, in the header
	Is     []byte
	Proven bool // no other field, and no other value of it, can be what was damaged
}

// Says prints the new value of the field.
func (m Mended) Says() string {
	_, number := m.Field.Codec.(Octal)
	if n := Number(m.Is); number && n < 0 {
		return "no number"
	} else if number && m.Field.Name == "mode" {
		return fmt.Sprintf("0%o", n)
	} else if number {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%q", bytes.TrimRight(m.Is, "\x00"))
}

// Saying is a sentence about the damaged header.
func (m Mended) Saying(header []byte) string {
	name := Parse(header).Name
	if m.Field.Name == "name" {
		name = string(bytes.TrimRight(m.Is, "\x00"))
	}
	if m.Field.Name == "checksum" {
		return fmt.Sprintf("the checksum in the header of %s is damaged: all other fields of the header agree with their surroundings", name)
	}
	was := Mended{Field: m.Field, Is: header[m.At : m.At+len(m.Is)]}.Says()
	if r := []rune(was); len(r) > 24 {
		was = string(r[:24]) + "…"
	}
	return fmt.Sprintf("the %s in the header of %s is damaged: with %s instead of %s its checksum agrees", m.Field.Name, name, m.Says(), was)
}

// Change is the place of the changed bytes in the header, and their new value.
func (m Mended) Change(header []byte) (at int, is []byte) {
	was, is := header[m.At:m.At+len(m.Is)], m.Is
	for at = m.At; len(is) > 0 && is[0] == was[0]; at++ {
		was, is = was[1:], is[1:]
	}
	for len(is) > 0 && is[len(is)-1] == was[len(is)-1] {
		is = is[:len(is)-1]
	}
	return at, is
}

// Broken is a damaged header: its range, its bytes, and the candidates for the original, the likeliest first.
type Broken struct {
	At      model.Range
	Header  []byte
	Answers []Mended
}

// Sure returns the one field that was damaged, with its original value; ok is false if several are possible.
func (b Broken) Sure() (m Mended, ok bool) {
	if len(b.Answers) == 0 || !b.Answers[0].Proven {
		return m, false
	}
	return b.Answers[0], true
}

// Fixes returns a repair for each candidate, which sets the damaged field. sure tells that nothing but a field is wrong.
func (b Broken) Fixes(sure bool) (out []model.Fix) {
	for _, m := range b.Answers {
		at, is := m.Change(b.Header)
		r := model.Range{Space: b.At.Space, Off: b.At.Off + int64(at), Len: int64(len(is))}
		out = append(out, model.Fix{Label: fmt.Sprintf("set %s to %s", m.Field.Name, m.Says()), Safe: m.Proven && sure, Witnessed: m.Proven && sure,
			Edits: []model.Edit{model.Splice{Range: r, With: model.Memory(is), Loose: true}}})
	}
	return out
}
