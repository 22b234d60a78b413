package cause

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"spandrel/model"
)

// fromCodePage is the trial of a file whose bytes were taken for characters of a code page.
func fromCodePage(g *subject, out []byte, code, how string) {
	g.becomes(model.BytesContent(out), "restore the original bytes", "A program treated the file as text.", "the whole file is valid text, and decodes exactly, from "+code,
		model.Words("%s was saved as text%s.", g.the(), how))
}

// codes are the code pages other than Latin-1 that systems used longest as their own: of DOS, the Macintosh, and for Cyrillic.
var codes = []*charmap.Charmap{charmap.CodePage437, charmap.CodePage850, charmap.Macintosh, charmap.Windows1251, charmap.CodePage866, charmap.KOI8R}

// codePages tries these code pages if Latin-1 fails.
func codePages(g *subject) {
	b, mark := marked(g.b)
	wide := fromUTF16(g.b)
	if wide != nil {
		b, mark = wide, " in UTF-16"
	}
	for _, page := range codes {
		out, c := narrowed(b, page)
		if out == nil || c.other > 0 || c.high == 0 {
			continue
		}
		how := model.Words(": every byte above 0x7f became two or more, %s in all%s", model.Thousands(c.high), mark)
		if wide != nil {
			how = mark
			if lf := bytes.ReplaceAll(out, []byte("\r\n"), []byte("\n")); len(lf) < len(out) { // what writes UTF-16 also writes the line ends of Windows
				out, how = lf, how+", and its line feeds became CR LF"
			}
		}
		fromCodePage(g, out, page.String(), how)
	}
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
