package parsers

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// What the sentences say of some events, or must not say.
const (
	cutShort  = "truncated|is incomplete|missing at (its|the) end|first \\S+ bytes of .* are there|last .* (is|are) missing|is empty"
	lengthens = "insert|does not belong|do not belong"
	elsewhere = "another|other (file|data)|something else|does not contain|not what|was changed|checksum|copy of|each other|overwritten|written over|not the|mixed|two"
	blanked   = "zero"
	changed1  = "byte|bit|is 0x|checksum|wrong|should be|damaged|was changed|swapped|another"
)

// leastLost is how many bytes are lost where that shows.
const leastLost = 64

// events is the table. A new line is a thing that people do to files, not a file that was found.
var events = slices.Concat(converted, stored)

// converted is what transfers, programs and people make of a file.
var converted = []event{
	// Transfers that end, stop or are taken up again.
	{name: "cut anywhere", says: cutShort, bytes: func(p *patient) []byte { return p.b[:p.IntN(len(p.b))] }},
	{name: "cut at a power of two less one", says: cutShort, bytes: fat32},
	{name: "head -c in MB for MiB", says: cutShort, bytes: func(p *patient) []byte { return p.b[:len(p.b)*1000/1024] }},
	{name: "read as a C string", says: cutShort, bytes: func(p *patient) []byte { return until(p.b, 0) }},
	{name: "read up to Control-Z", says: cutShort, bytes: func(p *patient) []byte { return until(p.b, 0x1a) }},
	{name: "zeros at its end stripped", says: cutShort, bytes: func(p *patient) []byte { return bytes.TrimRight(p.b, "\x00") }},
	{name: "cut, and the rest preallocated", says: blanked, never: "pad",
		bytes: func(p *patient) []byte { clear(p.b[p.IntN(len(p.b)):]); return p.b }},
	{name: "a piece of a torrent missing", says: blanked + "|" + elsewhere, never: lengthens + "|truncated", bytes: torrent},
	{name: "parts out of order", says: "order|each other|exchanged|swapped|mixed", never: "truncated|insert|missing", back: true,
		bytes: partsSwapped},
	{name: "a part twice", says: "twice|repeated|second copy|do not belong", never: "truncated|is missing", back: true, bytes: partTwice},
	{name: "a part dropped", says: "missing", bytes: partDropped},
	{name: "a part in place of the next", says: "copy of|repeated|twice|" + elsewhere, never: "truncated|insert", bytes: partRepeated},
	{name: "resumed too early", says: "twice|repeated|second copy|do not belong|insert", never: "truncated|is missing",
		bytes: func(p *patient) []byte {
			at := 1 + p.IntN(len(p.b))
			return append(bytes.Clone(p.b[:at]), p.b[at-1-p.IntN(min(at, 5000)):]...)
		}},
	{name: "begun anew behind a part", says: "twice|repeated|second copy|begins again|do not belong|insert|precede|front", never: "truncated|is missing", bytes: func(p *patient) []byte {
		return append(bytes.Clone(p.b[:1+p.IntN(len(p.b))]), p.b...)
	}},
	{name: "begun in the middle", says: "in its middle|its first .* belong at its end", never: "truncated|is missing", back: true, only: "npy gguf scdl idv samediff",
		bytes: func(p *patient) []byte {
			at := len(p.b) * (20 + p.IntN(60)) / 100
			return append(bytes.Clone(p.b[at:]), p.b[:at]...)
		}},
	{name: "HTTP chunks left in", says: "chunk", never: "truncated", back: true, bytes: chunks},
	{name: "signed chunks left in", says: "chunk", never: "truncated", back: true, bytes: func(p *patient) []byte {
		sign := func() string { return hex.EncodeToString(random(p, 32)) }
		return fmt.Appendf(nil, "%x;chunk-signature=%s\r\n%s\r\n0;chunk-signature=%s\r\n\r\n", len(p.b), sign(), p.b, sign())
	}},
	{name: "an error page behind a part", says: cutShort + "|follow|web page|text", never: lengthens, bytes: func(p *patient) []byte {
		return append(bytes.Clone(p.b[:p.IntN(len(p.b))]), page...)
	}},
	{name: "an error page inside", says: "web page|text", never: "truncated|is missing|precede", back: true, bytes: func(p *patient) []byte {
		return slices.Insert(bytes.Clone(p.b), 1+p.IntN(len(p.b)), []byte(page)...)
	}},
	{name: "a second response inside", says: "HTTP", never: "truncated|is missing", back: true, bytes: func(p *patient) []byte {
		at := 1 + p.IntN(len(p.b))
		head := fmt.Sprintf("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes %d-%d/%d\r\n\r\n", at, len(p.b)-1, len(p.b))
		return slices.Insert(bytes.Clone(p.b), at, []byte(head)...)
	}},
	{name: "a line of a log inside", says: "text|belong", never: "truncated|is missing|precede", back: true, bytes: func(p *patient) []byte {
		return slices.Insert(bytes.Clone(p.b), 1+p.IntN(len(p.b)), []byte("2026-03-02 11:20:31,402 WARNING retrying after connection broken\n")...)
	}},
	{name: "an error page before it", says: "precede.*web page", never: "truncated|not the file", back: true,
		bytes: func(p *patient) []byte { return append([]byte(page), p.b...) }},
	{name: "an error page over a part", says: "web page|" + elsewhere, never: "truncated|insert|is missing", bytes: func(p *patient) []byte {
		if len(p.b) < 2*len(page) {
			return nil
		}
		copy(p.b[1+p.IntN(len(p.b)-len(page)-1):], page)
		return p.b
	}},
	{name: "first sector skipped", says: "first .* missing|does not begin", never: "truncated|last", bytes: func(p *patient) []byte {
		if len(p.b) < 1024 {
			return nil
		}
		return p.b[512:]
	}},
	{name: "short reads padded by dd", says: "insert|zeros|pad|do(es)? not belong", never: "truncated|is missing", bytes: padded},

	// Something else in its place.
	{name: "an error page", says: "web page", bytes: becomes(page)},
	{name: "a JSON refusal", says: "message in JSON", bytes: becomes(`{"error":"Repository not found"}`)},
	{name: "a symbolic link as text", says: "symbolic link|path", never: "truncated",
		bytes: becomes("../../blobs/4f8a3c9be1d2035f6c7b8a9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b")},
	{name: "a Git-LFS pointer", says: "LFS",
		bytes: becomes("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393" +
			"\nsize 12345\n")},
	{name: "an AppleDouble file", says: "AppleDouble|macOS|Finder", never: "truncated|insert",
		bytes: becomes("\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        \x00\x02\x00\x00\x00\x09\x00\x00\x002\x00\x00\x00\xb0\x00\x00\x00\x02\x00\x00\x00\xe2\x00\x00\x00" +
			"\x00" + strings.Repeat("\x00", 160))},
	{name: "encrypted by OpenPGP", says: "encrypted|PGP", never: "truncated|insert",
		bytes: func(p *patient) []byte { return append([]byte("\x85\x01\x0c\x03"), random(p, 300)...) }},
	{name: "noise", says: "not |does not begin|encrypted|overwritten|" + elsewhere, never: "truncated|insert|precede",
		bytes: func(p *patient) []byte { return random(p, max(64, len(p.b))) }},
	{name: "all zeros", says: "zero", never: "truncated", bytes: func(p *patient) []byte { clear(p.b); return p.b }},
	{name: "an ASCII-armoured message", says: "PGP|encrypted|armou?r", never: "truncated",
		bytes: becomes("-----BEGIN PGP MESSAGE-----\n\nhQEMA+bigfake0123AQf/Y2FuIG5vdCBiZSByZWFk\n=abcd\n-----END PGP MESSAGE-----\n")},

	// Two saves, two data sets.
	{name: "two saves mixed", says: elsewhere, never: "truncated|insert|order mark|line feed", bytes: mixed},
	{name: "old tail left behind", says: "follow|do not belong|too long|left over|second copy", never: "truncated",
		bytes: func(p *patient) []byte {
			return append(bytes.Clone(p.b), random(p, 1+p.IntN(3000))...)
		}},
	{name: "appended to itself", says: "second copy", bytes: func(p *patient) []byte { return append(bytes.Clone(p.b), p.b...) }},
	{name: "another one appended", says: "joined|second|two", never: "truncated|insert", bytes: func(p *patient) []byte {
		if p.other == nil {
			return nil
		}
		return append(bytes.Clone(p.b), p.other...)
	}},
	{name: "a page of another file", says: elsewhere + "|" + changed1, never: "truncated|insert|order mark", bytes: foreignPage},
	{name: "another data set's file", says: elsewhere, never: "truncated|insert", only: "taridx scdl tiledb", files: otherFile},
	{name: "shards made again", says: elsewhere, never: "truncated|insert", only: "taridx", files: shardsAgain},

	// Wrapped, or spelled.
	{name: "gzip", says: "gzip", back: true, bytes: func(p *patient) []byte { return gzipOf(p.b) }},
	{name: "gzip twice", says: "gzip", bytes: func(p *patient) []byte { return gzipOf(gzipOf(p.b)) }},
	{name: "gzip, cut", says: "gzip", bytes: func(p *patient) []byte { z := gzipOf(p.b); return z[:len(z)*3/4] }},
	{name: "gzip, damaged", says: "gzip", never: "truncated", bytes: func(p *patient) []byte {
		z := gzipOf(p.b)
		z[len(z)/2] ^= 0x55
		return z
	}},
	{name: "gzip, and a line end", says: "gzip", never: "truncated|damaged", back: true, bytes: func(p *patient) []byte { return append(gzipOf(p.b), '\n') }},
	{name: "Zstandard in a gzip", says: "(zstd|Zstandard).*gzip", never: "truncated", back: true, bytes: func(p *patient) []byte { return gzipOf(zstandard(p)) }},
	{name: "LZ4", says: "LZ4", never: "truncated", back: true, bytes: lz4Of},
	{name: "Zstandard", says: "zstd|Zstandard", back: true, bytes: zstandard},
	{name: "an archive of it", says: "tar|archive", never: "truncated|insert|precede", back: true, bytes: inTar},
	{name: "base64", says: "base64", back: true, bytes: func(p *patient) []byte { return []byte(base64.StdEncoding.EncodeToString(p.b)) }},
	{name: "a data URL", says: "base64|data URL", back: true, bytes: func(p *patient) []byte {
		return []byte("data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(p.b))
	}},
	{name: "quoted base64", says: "base64|JSON", back: true,
		bytes: func(p *patient) []byte { return []byte(`"` + base64.StdEncoding.EncodeToString(p.b) + `"`) }},
	{name: "hexadecimal", says: "hexadecimal", back: true, bytes: func(p *patient) []byte { return []byte(hex.EncodeToString(p.b)) }},
	{name: "hex dump of xxd", says: "hex|dump", back: true, bytes: func(p *patient) []byte { return xxd(p.b) }},
	{name: "hex dump of hexdump -C", says: "hex|dump", back: true, bytes: func(p *patient) []byte { return []byte(hex.Dump(p.b)) }},
	{name: "Python's repr of bytes", says: "Python", never: "truncated", back: true, bytes: func(p *patient) []byte { return repr(p.b) }},
	{name: "a list of numbers", says: "list of (numbers|bytes)|numbers", never: "truncated", back: true, bytes: func(p *patient) []byte {
		return []byte(strings.ReplaceAll(fmt.Sprint(p.b), " ", ", "))
	}},
	{name: "base64 in JSON", says: "base64", never: "truncated", back: true, bytes: func(p *patient) []byte {
		return []byte(`{"name": "model", "content": "` + base64.StdEncoding.EncodeToString(p.b) + `"}`)
	}},
	{name: "a mail with base64", says: "base64|mail", never: "truncated", back: true, bytes: mail},
	{name: "uuencode without blanks", says: "uuencode", never: "truncated", back: true, bytes: func(p *patient) []byte {
		return regexp.MustCompile(` +\n`).ReplaceAll(uuencoded(p), []byte("\n"))
	}},
	{name: "uuencode", says: "uuencode", never: "truncated", back: true, bytes: uuencoded},
	{name: "octal dump of od", says: "hex|dump", never: "truncated", back: true, bytes: func(p *patient) []byte { return octalDump(p.b) }},
	{name: "a number on each line", says: "numbers", never: "truncated", back: true, bytes: func(p *patient) []byte {
		return []byte(strings.ReplaceAll(strings.Trim(fmt.Sprint(p.b), "[]"), " ", "\r\n") + "\r\n")
	}},
	{name: "an array in C", says: "numbers", never: "truncated", back: true, bytes: func(p *patient) []byte {
		return []byte("unsigned char model_bin[] = {\n  " + strings.TrimPrefix(fmt.Sprintf("%#v", p.b), "[]byte{") + ";\n")
	}},
	{name: "escaped by Python", says: "as text", never: "truncated", back: true, bytes: func(p *patient) []byte { return backslashed(p.b) }},
	{name: "base64, its + taken for blanks", says: "base64", never: "truncated", back: true, bytes: func(p *patient) []byte {
		return bytes.ReplaceAll([]byte(base64.StdEncoding.EncodeToString(p.b)), []byte("+"), []byte(" "))
	}},
	{name: "base64 twice", says: "base64.*twice", never: "truncated", back: true, bytes: func(p *patient) []byte {
		return []byte(base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString(p.b))))
	}},
	{name: "base64 of a gzip", says: "base64", never: "truncated", back: true, bytes: func(p *patient) []byte {
		return []byte(base64.StdEncoding.EncodeToString(gzipOf(p.b)))
	}},
	{name: "base64, cut", says: "base64", bytes: func(p *patient) []byte {
		text := base64.StdEncoding.EncodeToString(p.b)
		return []byte(text[:len(text)*2/3])
	}},
	{name: "base64, piece by piece", says: "base64", never: "truncated", back: true, bytes: func(p *patient) (out []byte) {
		for b := range slices.Chunk(p.b, 1000) {
			out = append(out, base64.StdEncoding.EncodeToString(b)...)
		}
		return out
	}},
	{name: "base64 in YAML", says: "base64", never: "truncated", back: true, bytes: func(p *patient) []byte {
		return []byte("data: !!binary |\n  " + strings.Join(cutEach(base64.StdEncoding.EncodeToString(p.b), 76), "\n  ") + "\n")
	}},
	{name: "hexadecimal of a database", says: "hexadecimal", never: "truncated", back: true, bytes: func(p *patient) []byte {
		return fmt.Appendf(nil, []string{"X'%x'", "0x%x", "\\x%x\n"}[p.IntN(3)], p.b)
	}},
	{name: "hexadecimal with marks", says: "hexadecimal", never: "truncated", back: true, bytes: func(p *patient) []byte {
		return []byte(strings.Join(cutEach(hex.EncodeToString(p.b), 2), []string{":", "\\x"}[p.IntN(2)]))
	}},
	{name: "words of hexdump", says: "dump", never: "truncated", back: true, bytes: wordDump},
	{name: "escapes of C", says: "backslash", never: "truncated", back: true, bytes: func(p *patient) []byte { return cEscapes(p.b) }},
	{name: "a bytearray printed", says: "Python", never: "truncated", back: true, bytes: func(p *patient) []byte {
		return fmt.Appendf(nil, "bytearray(%s)", repr(p.b))
	}},
	{name: "numpy.savetxt", says: "numbers", never: "truncated", back: true, bytes: func(p *patient) (out []byte) {
		for _, x := range p.b {
			out = fmt.Appendf(out, "%.18e\n", float64(x))
		}
		return out
	}},
	{name: "an object of JavaScript", says: "numbers|JSON", never: "truncated", back: true, bytes: func(p *patient) []byte {
		var out []string
		for i, x := range p.b {
			out = append(out, fmt.Sprintf("%q:%d", fmt.Sprint(i), x))
		}
		return []byte("{" + strings.Join(out, ",") + "}")
	}},
	{name: "Ascii85 of Python", says: "Ascii85", never: "truncated", back: true, bytes: func(p *patient) []byte {
		return bytes.TrimSuffix(bytes.TrimPrefix(ascii(p), []byte("<~")), []byte("~>\n"))
	}},
	{name: "base32", says: "base32", never: "truncated", back: true, bytes: func(p *patient) []byte { return []byte(base32.StdEncoding.EncodeToString(p.b)) }},
	{name: "Ascii85", says: "Ascii85", never: "truncated", back: true, bytes: ascii},
	{name: "percent-encoded", says: "%XX", never: "truncated", back: true, bytes: func(p *patient) []byte { return []byte(url.PathEscape(string(p.b))) }},
	{name: "a string of JSON", says: "JSON", never: "truncated", back: true, bytes: jsonString},
	{name: "its bits printed", says: "each bit", never: "truncated", back: true, bytes: func(p *patient) []byte {
		return []byte(strings.Trim(strings.ReplaceAll(fmt.Sprintf("%08b", p.b), " ", ""), "[]"))
	}},
	{name: "deflate without a header", says: "deflate", never: "truncated", back: true, bytes: headless},
	{name: "encrypted by git-crypt", says: "git-crypt|encrypted", never: "truncated|insert",
		bytes: func(p *patient) []byte { return append([]byte("\x00GITCRYPT\x00"), random(p, 300)...) }},
	{name: "a pointer of DVC", says: "DVC", never: "truncated|insert",
		bytes: becomes("outs:\n- md5: 3f786850e387550fdab836ed7e6dc881\n  size: 34432\n  hash: md5\n  path: data\n")},
	{name: "what is no text left out", says: "as text|left out", never: "truncated|insert", bytes: func(p *patient) []byte {
		if out := bytes.ToValidUTF8(p.b, nil); len(out)+leastLost < len(p.b) {
			return out
		}
		return nil
	}},
	{name: "a piece of it", says: "first .* missing|begin|piece", never: "truncated|insert", bytes: func(p *patient) []byte {
		return p.b[len(p.b)/3 : len(p.b)*2/3]
	}},
	{name: "a tar in a gzip", says: "gzip|tar|archive", never: "truncated|insert|precede", back: true, bytes: func(p *patient) []byte {
		if b := inTar(p); b != nil {
			return gzipOf(b)
		}
		return nil
	}},
	{name: "conflict markers of git", says: "conflict", never: "truncated|precede|middle", back: true, bytes: func(p *patient) []byte {
		return []byte("<<<<<<< HEAD\n" + string(p.b) + "=======\n" + string(random(p, 500)) + "\n>>>>>>> feature\n")
	}},
	{name: "quoted-printable", says: "quoted-printable", never: "truncated|insert", back: true, bytes: quotedPrintable},

	// Taken for text.
	{name: "Latin-1 to UTF-8", says: "as text", back: true, bytes: func(p *patient) []byte { return widened(p.b) }},
	{name: "a code page to UTF-8", says: "as text", never: "truncated|lost", back: true, bytes: func(p *patient) []byte {
		out, _ := []*charmap.Charmap{charmap.CodePage437, charmap.Macintosh, charmap.CodePage850}[p.IntN(3)].NewDecoder().Bytes(p.b)
		return out
	}},
	{name: "UTF-16 to UTF-8", says: "as text", never: "truncated|insert|precede", bytes: func(p *patient) []byte { return fromUTF16(p.b) }},
	{name: "Latin-1 to UTF-8 twice", says: "as text", back: true, bytes: func(p *patient) []byte { return widened(widened(p.b)) }},
	{name: "byte order mark and CR LF", says: "CR LF|byte order mark", never: "truncated", back: true, bytes: func(p *patient) []byte {
		if bytes.Contains(p.b, []byte("\r\n")) {
			return nil // one of them is the file's own
		}
		return append([]byte("\xef\xbb\xbf"), bytes.ReplaceAll(p.b, []byte("\n"), []byte("\r\n"))...)
	}},
	{name: "Latin-1 to UTF-8, some lost", says: "as text", never: "truncated|too long", bytes: func(p *patient) []byte {
		return widened(slices.DeleteFunc(p.b, func(x byte) bool { return x > 0x7f && x%16 == 13 }))
	}},
	{name: "replacement characters", says: "replaced|U\\+FFFD|as text",
		bytes: func(p *patient) []byte { return bytes.ToValidUTF8(p.b, []byte("\uFFFD")) }},
	{name: "ASCII with question marks", says: "question mark|0x3f|above 0x7f|as text", never: "truncated|insert",
		bytes: func(p *patient) []byte {
			return mapped(p.b, func(x byte) byte {
				if x > 0x7f {
					return '?'
				}
				return x
			})
		}},
	{name: "UTF-16 by a shell", says: "UTF-16|as text", back: true, bytes: func(p *patient) []byte { return utf16le(p.b, "\xff\xfe") }},
	{name: "a code page as UTF-16 by a shell", says: "UTF-16", never: "truncated", back: true, bytes: func(p *patient) []byte {
		text, _ := []*charmap.Charmap{charmap.CodePage437, charmap.CodePage850}[p.IntN(2)].NewDecoder().Bytes(p.b)
		out := []byte("\xff\xfe")
		for _, u := range utf16.Encode([]rune(string(text))) {
			out = append(out, byte(u), byte(u>>8))
		}
		return out
	}},
	{name: "each byte twice", says: "each byte twice", never: "truncated|second copy", back: true, bytes: func(p *patient) (out []byte) {
		for _, x := range p.b {
			out = append(out, x, x)
		}
		return out
	}},
	{name: "escaped for telnet", says: "after each byte", never: "truncated|is missing", back: true, bytes: func(p *patient) []byte {
		out := bytes.ReplaceAll(p.b, []byte("\r"), []byte("\r\x00"))
		if p.IntN(2) == 0 {
			out = bytes.ReplaceAll(p.b, []byte{0xff}, []byte{0xff, 0xff})
		}
		if len(out) < len(p.b)+3 {
			return nil
		}
		return out
	}},
	{name: "LF to CR LF twice", says: "CR LF|line feed", never: "truncated", back: true, bytes: func(p *patient) []byte {
		return bytes.ReplaceAll(p.b, []byte("\n"), []byte("\r\r\n"))
	}},
	{name: "bytes as 16 bits with sign", says: "16 bits|two bytes|UTF-16|each byte", back: true, bytes: func(p *patient) []byte {
		var out []byte
		for _, x := range p.b {
			out = append(out, x, byte(int8(x)>>7))
		}
		return out
	}},
	{name: "LF to CR LF", says: "CR LF|line feed", back: true,
		bytes: func(p *patient) []byte { return bytes.ReplaceAll(p.b, []byte("\n"), []byte("\r\n")) }},
	{name: "CR LF to LF", says: "CR LF|line feed|missing",
		bytes: func(p *patient) []byte { return bytes.ReplaceAll(p.b, []byte("\r\n"), []byte("\n")) }},
	{name: "LF to CR", says: "line feed|carriage|line end|CR", never: "truncated|insert",
		bytes: func(p *patient) []byte { return bytes.ReplaceAll(p.b, []byte("\n"), []byte("\r")) }},
	{name: "CR to LF", says: "line feed|carriage|line end|CR", never: "truncated|insert",
		bytes: func(p *patient) []byte { return bytes.ReplaceAll(p.b, []byte("\r"), []byte("\n")) }},
	{name: "its letters made small", says: "small|letter|as text|checksum", never: "truncated|insert|is missing", bytes: func(p *patient) []byte {
		return mapped(p.b, func(x byte) byte {
			if x >= 'A' && x <= 'Z' {
				x |= 0x20
			}
			return x
		})
	}},
	{name: "the eighth bit stripped", says: "7 bits|eighth bit|high bit|above 0x7f", never: "truncated|insert",
		bytes: func(p *patient) []byte { return mapped(p.b, func(x byte) byte { return x & 0x7f }) }},
	{name: "zero bytes removed", says: "zero byte", never: "truncated|insert",
		bytes: func(p *patient) []byte { return bytes.ReplaceAll(p.b, []byte{0}, nil) }},
	{name: "zeros to spaces", says: "zero byte|space|header_size", never: "truncated|insert",
		bytes: func(p *patient) []byte { return bytes.ReplaceAll(p.b, []byte{0}, []byte{' '}) }},
	{name: "white space trimmed", says: cutShort + "|first .* missing", bytes: func(p *patient) []byte { return bytes.TrimSpace(p.b) }},
	{name: "a line end appended", says: "follow|line (end|feed)|does not belong",
		bytes: func(p *patient) []byte { return append(p.b, '\n') }},
	{name: "byte order mark", says: "byte order mark|precede", back: true,
		bytes: func(p *patient) []byte { return append([]byte("\xef\xbb\xbf"), p.b...) }},
}

const page = "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1><hr>nginx</body></html>\n"

func becomes(text string) func(*patient) []byte { return func(*patient) []byte { return []byte(text) } }

// fromUTF16 takes each two bytes for a character, and saves the text in UTF-8.
func fromUTF16(b []byte) []byte {
	var units []uint16
	for b := range slices.Chunk(append(b, 0)[:(len(b)+1)&^1], 2) {
		units = append(units, uint16(b[0])|uint16(b[1])<<8)
	}
	return []byte(string(utf16.Decode(units)))
}

func utf16le(b []byte, mark string) []byte {
	var wide []rune
	for _, x := range b {
		wide = append(wide, rune(x))
	}
	out := []byte(mark)
	for _, u := range utf16.Encode(wide) {
		out = append(out, byte(u), byte(u>>8))
	}
	return out
}
