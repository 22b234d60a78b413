package cause

import (
	"archive/tar"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io"
	"mime/quotedprintable"
	"regexp"
	"strconv"

	"spandrel/model"
)

// A binary file written as text, in one of the ways in which programs print, send and store bytes. Each is undone exactly or not at all.

// spelling is a way to write bytes as text.
type spelling struct {
	text     string // follows the name of the file
	means    string
	evidence string
	read     func(b []byte) []byte // returns nil if the bytes are not written so
	loses    string
}

var spellings = []spelling{
	{"is written as text, one character 0 or 1 for each bit", "A program printed the bits.", "every byte is 0 or 1", readBits, ""},
	{"is written as a list of numbers, one for each byte", "JSON has no type for bytes, so programs write lists.", "every number is that of a byte", readList, ""},
	{"is written as text, in Intel HEX", "objcopy and programmers of chips write binary files this way.", "each line matches its checksum", func(b []byte) []byte { return readIntel(b, true) }, ""},
	{"is written as text, in Intel HEX, and its end is missing", "objcopy and programmers of chips write binary files this way. Copy or send the text again.", "each line matches its checksum, but the last is not there", func(b []byte) []byte { return readIntel(b, false) }, ""},
	{"is written as text, in hexadecimal", "Tools print binary files this way.", "every byte is a hexadecimal digit", readHex, ""},
	{"is written as text, in base32", "Some services send binary files this way.", "every byte is a character of base32", readBase32, ""},
	{"is written as text, in base64, and each + became a space", "Web forms decode + as a space.", "with + in place of spaces, all of it is base64", readForgotten, ""},
	{"is written as text, in base64", "Mail and web services send binary files this way.", "every byte is a character of base64", readBase64, ""},
	{"is written as text, in base64, and its end is missing", "Mail and web services send binary files this way. Copy or send the text again.", "every byte is a character of base64, but the length is not a whole number of bytes", readBase64Cut, ""},
	{"is written as text, with other bytes as %XX", "URLs encode bytes this way.", "every byte is a valid URL character", readPercent, ""},
	{"is written as a JSON string, one character for each byte", "JSON has no type for bytes, so a program treated them as Latin-1.", "all of it is one string, and no character of it is beyond U+00FF", readString, ""},
	{"is written as text, in base85", "Python and git write binary files this way.", "every byte is a character of base85", func(b []byte) []byte { return readBase85(b, digits85) }, ""},
	{"is written as text, in Z85", "ZeroMQ writes bytes this way.", "every byte is a character of Z85", func(b []byte) []byte { return readBase85(b, digitsZ85) }, ""},
	{"is a data URL: its bytes are written in base64", "Web pages embed files this way.", "it begins like a data URL", readDataURL, ""},
	{"is a text with its bytes in base64 inside", "Mail and web services send binary files this way.", "the longest piece of it is base64", readInside, ""},
	{"is written as text, by uuencode", "Old mail programs sent binary files this way.", "each line has the length that it states", readUU, ""},
	{"is written as text, by uuencode, and its lines lost the blanks at their ends", "Mail programs remove them.", "with them each line has the length that it states", readStripped, ""},
	{"is the hex dump of a file, not the file", "Tools print binary files this way.", "each line has its offset and its bytes", readDump, ""},
	{"is the dump of a file in words of 16 bits, not the file", "hexdump and od print binary files this way.", "each line has its offset and its words", readWords, ""},
	{"is Python's printed form of the bytes of a file", "A program wrote str(data) instead of data.", "all of it is one bytes literal", readRepr, ""},
	{"is written as text, each byte that is none with a backslash in front", "Programs and databases print bytes this way.", "all of it is text, with the escapes of C in it", readEscapes, ""},
	{"was read as text, with invalid bytes written as \\xNN", "A program decoded the file with errors=backslashreplace, and saved it.", "the rest is valid UTF-8", readEscaped, ""},
	{"is written as a MySQL database exports or quotes bytes: zeros as \\0, and others with a backslash in front", "INTO DUMPFILE writes bytes unchanged, INTO OUTFILE does not.", "it contains no zeros, and every backslash is one of such an escape", readSQL, ""},
	{"is written in quoted-printable, like mail", "A mail program treated the file as text.", "all of it is printable characters and =XX", readQuoted, ""},
	{"is packed into a tar archive", "Readers of the format do not unpack it themselves.", "it is the only member of the archive", readTar, ""},
	{"is a form upload of a browser, with the file inside", "A server saved the upload without decoding it.", "its first line is its last", readForm, ""},
	{"still has the chunk lengths of an HTTP transfer in it", "A program saved the HTTP response without decoding it.", "each chunk has the length given before it", readChunks, ""},
	{"still has the headers of a Docker stream in it", "The attach and log streams of Docker have one before each chunk.", "each chunk has the length given before it", readFrames("\x01\x00\x00\x00"), ""},
	{"still has the headers of gRPC messages in it", "A program saved the stream without reading its messages.", "each message has the length given before it", readFrames("\x00"), ""},
	{"still has the lengths of records in it, as an image of a tape or a file of Fortran", "A program copied the records with what separates them.", "each record has its length before and after it", readRecords, ""},
	{"was saved as text in UTF-16: each byte became two", "A program treated the file as text, as PowerShell does when it redirects output with >.", "every second byte is zero", readWide, ""},
	{"was saved as a CSV file: its blanks became commas", "A spreadsheet program opened the file and saved it.", "each line has the same number of commas", readCells, ""},
	{"was widened: each byte became 16 bits", "A program read signed bytes and wrote 16-bit numbers.", "every second byte is the sign of the one before", readSigned, ""},
	{"has each byte twice", "A program wrote each byte as one of two channels, or as two of the same.", "each second byte is the one before", readTwice, ""},
	{"contains git conflict markers: two versions of the file, one after the other", "Git treated the file as text. The first version is from your branch.",
		"its first and last lines are conflict markers", readConflict, "the second version"},
	{"is written as text, in Ascii85", "PostScript and PDF embed binary data this way.", "every byte is a character of Ascii85, and it ends with the Ascii85 end mark", readAscii85, ""},
}

// decoding is the repair of a file that is written as text.
const decoding = "decode the file"

// leastSpelled is the smallest number of bytes in a file that is written as text.
const leastSpelled = 16

// spelledAsText tries to decode the file. Digits may be hexadecimal, base64 and numbers: the first decoding with a recognised result is meant, and otherwise
// the first of all, because the fewer characters a code uses, the less likely other text consists of them.
func spelledAsText(g *subject) {
	if len(g.b) < leastSpelled {
		return
	}
	var first *trial
	for _, s := range spellings {
		b := s.read(g.b)
		if len(b) == 0 {
			continue
		}
		in, too := unpackedWithin(g, b, &s)
		t := g.becomes(in, decoding, s.means, s.evidence, model.Words("%s %s%s.", g.the(), s.text, too))
		if t == nil {
			continue
		}
		if t.loses = s.loses; g.fitter(in) {
			g.spelt = t
			if s.loses == "" { // all of the file is written so
				t.op = unpackFile
			}
			g.withdraw(first)
			return
		}
		if first == nil {
			first = t
			continue
		}
		g.withdraw(t)
		first.unsure = true // it may be the other
	}
}

// unpackedWithin is the decoded content or, if only that is what the file should be, what it contains in turn: a compressed file in base64, base64 of
// base64.
func unpackedWithin(g *subject, b []byte, as *spelling) (in *model.Content, what string) {
	in = model.BytesContent(b)
	if g.fitter(in) {
		return in, ""
	}
	for _, w := range wrappers {
		if out, err := w.unpack(in); err == nil && len(out) > 0 && (g.fitter(model.BytesContent(out)) || !g.primary && w.magic != "") {
			return model.BytesContent(out), ", and the decoded content is compressed with " + w.name
		}
	}
	if !plain(b) || len(b) < leastSpelled {
		return in, ""
	}
	for _, s := range spellings {
		out := s.read(b)
		switch {
		case len(out) == 0 || (g.primary || plain(out)) && !g.fitter(model.BytesContent(out)):
			continue
		case s.text == as.text:
			return model.BytesContent(out), ", twice"
		}
		return model.BytesContent(out), ", and the decoded content " + s.text
	}
	return in, ""
}

// without drops line ends and spaces. It returns nil if another byte is not a character of the code, or if every character is a word of its own:
// those are numbers.
func without(b []byte, may func(byte) bool) []byte {
	text := make([]byte, 0, len(b))
	for _, x := range b {
		switch {
		case x == '\n' || x == '\r' || x == ' ':
		case may(x):
			text = append(text, x)
		default:
			return nil
		}
	}
	if len(b) >= 2*len(text)-1 && len(bytes.Fields(b)) == len(text) {
		return nil
	}
	return text
}

func isHex(x byte) bool { return x >= '0' && x <= '9' || x|0x20 >= 'a' && x|0x20 <= 'f' }

func isBase64(x byte) bool {
	return x|0x20 >= 'a' && x|0x20 <= 'z' || x >= '0' && x <= '9' || bytes.IndexByte([]byte("+/=-_"), x) >= 0
}

// hexMarks are what programs write around hexadecimal digits: C and shells, SQL databases, openssl and ssh-keygen.
var hexMarks = regexp.MustCompile(`(?i)0x|\\x|[x:'"]`)

func readHex(b []byte) []byte {
	return orNil(hex.DecodeString(string(without(hexMarks.ReplaceAll(b, nil), isHex))))
}

// orNil is what a decoder returns, without what it decoded before an error.
func orNil(b []byte, err error) []byte {
	if err != nil {
		return nil
	}
	return b
}

func readBase64(b []byte) []byte {
	if t := bytes.TrimSpace(b); len(t) > 2 && t[0] == '"' && t[len(t)-1] == '"' { // a JSON value
		b = bytes.ReplaceAll(t[1:len(t)-1], []byte(`\/`), []byte("/"))
	}
	var out []byte
	for _, piece := range padded.FindAllString(string(without(b, isBase64)), -1) {
		in := fromBase64(piece)
		if in == nil {
			return nil
		}
		out = append(out, in...)
	}
	return out
}

// padded is base64 up to its padding: text that was encoded piece by piece has several.
var padded = regexp.MustCompile(`[^=]+={0,2}`)

func fromBase64(text string) []byte {
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if out, err := e.DecodeString(text); err == nil {
			return out
		}
	}
	return nil
}

func readDataURL(b []byte) []byte {
	head, rest, ok := bytes.Cut(bytes.TrimLeft(b, "\""), []byte(";base64,"))
	if !ok || !bytes.HasPrefix(head, []byte("data:")) {
		return nil
	}
	return readBase64(bytes.TrimRight(rest, "\"\n\r"))
}

// perLine is the number of bytes in a line of a hex dump.
const perLine = 16

// readDump reads lines of an offset, bytes, and their characters. A line of * repeats the previous one; the last line may be an offset alone.
func readDump(b []byte) []byte {
	if wordy.Match(b) {
		return nil
	}
	if out := readDumpIn(b, 16); out != nil {
		return out
	}
	return readDumpIn(b, 8) // od prints octal offsets
}

func readDumpIn(b []byte, base int) (out []byte) {
	repeats := false
	for line := range bytes.SplitSeq(bytes.TrimRight(b, "\r\n"), []byte("\n")) {
		if string(bytes.TrimRight(line, "\r")) == "*" {
			repeats = true
			continue
		}
		offset, rest, _ := bytes.Cut(bytes.TrimRight(line, "\r"), []byte(" "))
		at, err := strconv.ParseUint(string(bytes.TrimRight(offset, ":")), base, 40)
		if err != nil || len(offset) < 6 {
			return nil
		}
		for repeats && len(out) >= perLine && uint64(len(out)) < min(at, maxTransform) {
			out = append(out, out[len(out)-perLine:]...)
		}
		if repeats = false; uint64(len(out)) != at {
			return nil
		}
		out = append(out, dumped(rest)...)
	}
	return out
}

// wordy is the first line of a dump in little-endian 16-bit words; xxd, which prints bytes in order, puts a colon after the offset.
var wordy = regexp.MustCompile(`^[0-9a-f]{6,8} +[0-9a-f]{4} [^|]*\n`)

// readWords reads such a dump. The last word may contain one byte too many.
func readWords(b []byte) []byte {
	if b = bytes.TrimRight(b, "\r\n"); !wordy.Match(b) {
		return nil
	}
	at := bytes.LastIndexByte(b, '\n')
	for _, base := range []int{16, 8} {
		size, err := strconv.ParseUint(string(bytes.TrimRight(b[at+1:], "\r")), base, 40)
		if out := readDumpIn(b[:max(0, at)], base); err == nil && uint64(len(out)) == size+size%2 {
			return exchanged(out, 2)[:size]
		}
	}
	return nil
}

// dumped reads the bytes of a line: up to their characters, or up to the spaces of an incomplete line.
func dumped(line []byte) (out []byte) {
	for gap := 0; len(line) > 0 && len(out) < perLine; {
		if line[0] == ' ' {
			gap, line = gap+1, line[1:]
			continue
		}
		word, rest, _ := bytes.Cut(line, []byte(" "))
		bits, err := hex.DecodeString(string(word))
		if err != nil || len(bits) > 8 || gap > 2 {
			break
		}
		out, line, gap = append(out, bits...), rest, 1
	}
	return out
}

// leastQuoted is the smallest number of escaped bytes in quoted-printable text.
const leastQuoted = 8

// readQuoted reads quoted-printable. Its lines end with CR LF in mail, whatever the text had: with line feeds, if it has other carriage returns too.
func readQuoted(b []byte) []byte {
	if !plain(b) || bytes.Count(b, []byte("=0")) < leastQuoted {
		return nil
	}
	if lines := bytes.Count(b, []byte("\r\n")); bytes.Count(b, []byte("\r"))+bytes.Count(b, []byte("=0D")) > lines {
		b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	}
	out, err := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(b)))
	if err != nil || len(out) >= len(b) {
		return nil
	}
	return out
}

// readForm returns the only part of a multipart form.
func readForm(b []byte) []byte {
	mark, rest, ok := bytes.Cut(b[:min(len(b), sector)], []byte("\r\n"))
	if !ok || !bytes.HasPrefix(mark, []byte("--")) || len(mark) < 4 {
		return nil
	}
	head, _, ok := bytes.Cut(rest, []byte("\r\n\r\n"))
	end := []byte("\r\n" + string(mark) + "--")
	in, last := bytes.CutSuffix(bytes.TrimRight(b[len(mark):], "\r\n"), end)
	if at := 2 + len(head) + 4; ok && last && at <= len(in) && !bytes.Contains(in, mark) {
		return in[at:]
	}
	return nil
}

// readTar reads the only file of an archive.
func readTar(b []byte) (out []byte) {
	if len(b) < sector || !bytes.HasPrefix(b[257:], []byte("ustar")) {
		return nil
	}
	for r := tar.NewReader(bytes.NewReader(b)); ; {
		h, err := r.Next()
		switch {
		case err == io.EOF:
			return out
		case err == nil && appleDouble(h.Name):
			continue
		case err != nil || h.Typeflag != tar.TypeReg || out != nil:
			return nil
		}
		if out, err = io.ReadAll(r); err != nil {
			return nil
		}
	}
}

// readWide reads UTF-16 in which every character is a byte.
func readWide(b []byte) []byte {
	high := 1 // which of two bytes is zero
	if bytes.HasPrefix(b, []byte("\xfe\xff")) {
		high = 0
	} else if !bytes.HasPrefix(b, []byte("\xff\xfe")) {
		return nil
	}
	return everySecond(b[2:], 1-high, func(x, other byte) bool { return other == 0 })
}

// readSigned reads bytes stored as 16-bit numbers, signed or not.
func readSigned(b []byte) []byte {
	return everySecond(b, 0, func(x, other byte) bool { return other == 0 || other == byte(int8(x)>>7) })
}

// readTwice reads bytes that are all doubled.
func readTwice(b []byte) []byte {
	return everySecond(b, 0, func(x, other byte) bool { return x == other })
}

// everySecond returns the first or second byte of every two; nil if the other one is not as expected.
func everySecond(b []byte, at int, fits func(x, other byte) bool) []byte {
	out := make([]byte, 0, len(b)/2)
	for i := 0; i < len(b); i += 2 {
		if i+1 == len(b) || !fits(b[i+at], b[i+1-at]) {
			return nil
		}
		out = append(out, b[i+at])
	}
	return out
}
