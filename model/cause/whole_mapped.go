package cause

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"spandrel/model"
)

// mappings are changes of every byte, undone.
var mappings = []struct {
	text, means string
	undo        func(byte) byte
	unsure      bool // one of several similar ones, which differ in a few bytes
}{
	{"was converted to EBCDIC", "A transfer from or to a mainframe treated the file as text.", ebcdic, true},
	{"has the bits of every byte in reverse order", "It was read through hardware that sends the highest bit first.", bits.Reverse8, false},
}

// unkey is the repair of a file whose bytes were all combined with the same one.
const unkey = "combine every byte with it again"

// ebcdic is the Latin-1 character of a byte of the commonest code page of mainframes, which has all of them.
func ebcdic(x byte) byte { return byte(charmap.CodePage037.DecodeByte(x)) }

// mapped undoes a change of every byte: the beginning of the file shows which.
func mapped(g *subject) {
	if !g.all || !g.blamed || hasMagic(g.r, g) {
		return
	}
	for _, m := range mappings {
		if to := model.BytesContent(each(g.b, m.undo)); g.fitter(to) {
			if t := g.becomes(to, "restore the original bytes", m.means, "its beginning is then right", model.Words("%s %s.", g.the(), m.text)); t != nil {
				t.unsure = m.unsure
			}
		}
	}
	in := *g
	for key := byte(1); key > 0; key++ {
		xor := func(x byte) byte { return x ^ key }
		in.b = each(g.b[:min(len(g.b), sector)], xor)
		how := fmt.Sprintf("combined with 0x%02x by XOR", key)
		switch {
		case key == 0xff && g.fitter(model.BytesContent(each(g.b, xor))):
			how += ": all bits are inverted"
		case !g.anyMagic(in.begins):
			continue
		}
		g.becomes(model.BytesContent(each(g.b, xor)), unkey, "Virus scanners store files in quarantine like this.", "its beginning is then right",
			fmt.Sprintf("Every byte of %s was %s.", lower(g.the()), how))
	}
}

// each maps every byte.
func each(b []byte, to func(byte) byte) []byte {
	out := bytes.Clone(b)
	for i, x := range out {
		out[i] = to(x)
	}
	return out
}

// fromUTF16 returns UTF-16 text with a byte order mark as UTF-8; nil if the file is none.
func fromUTF16(b []byte) []byte {
	if !bytes.HasPrefix(b, []byte("\xff\xfe")) || len(b)%2 > 0 {
		return nil
	}
	units := make([]uint16, 0, len(b)/2)
	for i := 2; i < len(b); i += 2 {
		units = append(units, binary.LittleEndian.Uint16(b[i:]))
	}
	return []byte(string(utf16.Decode(units)))
}
