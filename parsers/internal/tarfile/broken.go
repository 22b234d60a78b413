package tarfile

import (
	"bytes"
	"context"
	"fmt"

	"spandrel/model"
)

// Correction is a change after which a header is valid.
type Correction struct {
	Field      *model.Field
	At         int // of the field, in the header
	Is         []byte
	Proven     bool         // no other field, and no other value of it, can be what was damaged
	Also       []Correction // of other fields, which cannot be what they are
	Impossible bool         // nor can it
}

// number tells whether the field is a number.
func (x Correction) number() bool {
	_, octal := x.Field.Codec.(Octal)
	return octal
}

// Says prints the new value of the field.
func (x Correction) Says() string {
	number := x.number()
	if n := Number(x.Is); number && n < 0 {
		return "no number"
	} else if number && x.Field.Name == "mode" {
		return fmt.Sprintf("0%o", n)
	} else if number {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%q", bytes.TrimRight(x.Is, "\x00"))
}

// Saying is a sentence about the damaged header.
func (x Correction) Saying(header []byte) string {
	name := Parse(header).Name
	for _, c := range append([]Correction{x}, x.Also...) {
		if c.Field.Name == "name" {
			name = string(bytes.TrimRight(c.Is, "\x00"))
		}
	}
	if x.Field.Name == "checksum" {
		return fmt.Sprintf("the checksum in the header of %s is damaged: all other fields of the header agree with their surroundings", name)
	}
	was := Correction{Field: x.Field, Is: header[x.At : x.At+len(x.Is)]}.Says()
	if r := []rune(was); len(r) > 24 {
		was = string(r[:24]) + "…"
	}
	if len(x.Also) > 0 {
		return fmt.Sprintf("%d fields in the header of %s are damaged (%s): with them corrected, its checksum agrees", 1+len(x.Also), name, x.names())
	}
	return fmt.Sprintf("the %s in the header of %s is damaged: with %s instead of %s its checksum agrees", x.Field.Name, name, x.Says(), was)
}

// names lists the fields that are corrected.
func (x Correction) names() string {
	all := x.Field.Name
	for _, c := range x.Also {
		all += ", " + c.Field.Name
	}
	return all
}

// Change is the place of the changed bytes in the header, and their new value.
func (x Correction) Change(header []byte) (at int, is []byte) {
	was, is := header[x.At:x.At+len(x.Is)], x.Is
	for at = x.At; len(is) > 0 && is[0] == was[0]; at++ {
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
	Answers []Correction
	Resum   []model.Fix // if the texts of several headers were changed
}

// Sure returns the one field that was damaged, with its original value; ok is false if several are possible.
func (b Broken) Sure() (x Correction, ok bool) {
	if len(b.Answers) == 0 || !b.Answers[0].Proven {
		return x, false
	}
	return b.Answers[0], true
}

// Fixes returns a repair for each candidate, which sets the damaged fields. sure tells that nothing but a field is wrong.
func (b Broken) Fixes(sure bool) (out []model.Fix) {
	if len(b.Resum) > 0 {
		return b.Resum
	}
	for _, x := range b.Answers {
		fix := model.Fix{Safe: x.Proven && sure, Witnessed: x.Proven && sure, Impossible: x.Impossible}
		if len(x.Also) > 0 {
			fix.Says = x.Saying(b.Header) + "."
		}
		for _, c := range append([]Correction{x}, x.Also...) {
			if fix.Label != "" {
				fix.Label += ", "
			}
			fix.Label += fmt.Sprintf("set %s to %s", c.Field.Name, c.Says())
			at, is := c.Change(b.Header)
			r := model.Range{Space: b.At.Space, Off: b.At.Off + int64(at), Len: int64(len(is))}
			fix.Edits = append(fix.Edits, model.Splice{Range: r, With: model.Memory(is), Loose: true})
		}
		out = append(out, fix)
	}
	return out
}

// BrokenIn solves for the first header of an archive that is not valid, with what is known about the member whose header is at a place. ok is false if there
// is none, or something else is wrong before it.
func BrokenIn(ctx context.Context, read Reader, end int64, known func(at int64) Known) (b Broken, ok bool) {
	for at := int64(0); at < end && ctx.Err() == nil; {
		piece, n := PieceAt(ctx, read, at, end)
		if piece == Damaged {
			k := known(at)
			k.Siblings = Headers(ctx, read, end)
			k = k.UpTo(read, at, n)
			b = Broken{At: model.Range{Off: at, Len: Block}, Header: read(at, Block)}
			b.Answers = Solve(b.Header, k)
			return b, true
		}
		if piece != Member {
			break
		}
		at += n
	}
	return b, false
}
