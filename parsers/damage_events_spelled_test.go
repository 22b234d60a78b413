package parsers

import (
	"archive/tar"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/ascii85"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"mime/quotedprintable"
	"path"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// How files are packed, and written as text, in the events of damage_events_list_test.go.

func gzipOf(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

func zstandard(p *patient) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		return nil
	}
	return w.EncodeAll(p.b, nil)
}

func inTar(p *patient) []byte {
	if p.format == "tar" {
		return nil // an archive in an archive is one
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	w.WriteHeader(&tar.Header{Name: path.Base(p.file), Mode: 0o644, Size: int64(len(p.b))})
	w.Write(p.b)
	w.Close()
	return out.Bytes()
}

func xxd(b []byte) []byte {
	var out bytes.Buffer
	for at := 0; at < len(b); at += 16 {
		line := b[at:min(at+16, len(b))]
		fmt.Fprintf(&out, "%08x: ", at)
		for i := 0; i < 16; i++ {
			if i < len(line) {
				out.WriteString(hex.EncodeToString(line[i : i+1]))
			} else {
				out.WriteString("  ")
			}
			if i%2 == 1 {
				out.WriteByte(' ')
			}
		}
		out.WriteByte(' ')
		for _, x := range line {
			if x < 0x20 || x > 0x7e {
				x = '.'
			}
			out.WriteByte(x)
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}

func repr(b []byte) []byte {
	var out bytes.Buffer
	out.WriteString("b'")
	for _, x := range b {
		switch {
		case x == '\\' || x == '\'':
			out.WriteByte('\\')
			out.WriteByte(x)
		case x == '\n':
			out.WriteString(`\n`)
		case x == '\r':
			out.WriteString(`\r`)
		case x == '\t':
			out.WriteString(`\t`)
		case x < 0x20 || x > 0x7e:
			fmt.Fprintf(&out, `\x%02x`, x)
		default:
			out.WriteByte(x)
		}
	}
	out.WriteString("'")
	return out.Bytes()
}

func quotedPrintable(p *patient) []byte {
	var out bytes.Buffer
	w := quotedprintable.NewWriter(&out)
	w.Binary = true
	w.Write(p.b)
	w.Close()
	return out.Bytes()
}

func widened(b []byte) []byte {
	var out []rune
	for _, x := range b {
		out = append(out, rune(x))
	}
	return []byte(string(out))
}

func mail(p *patient) []byte {
	out := []byte("From: a@example.org\r\nMIME-Version: 1.0\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n")
	for text := base64.StdEncoding.EncodeToString(p.b); text != ""; {
		n := min(76, len(text))
		out = append(append(out, text[:n]...), "\r\n"...)
		text = text[n:]
	}
	return out
}

func ascii(p *patient) []byte {
	var out bytes.Buffer
	out.WriteString("<~")
	w := ascii85.NewEncoder(&out)
	w.Write(p.b)
	w.Close()
	out.WriteString("~>\n")
	return out.Bytes()
}

func jsonString(p *patient) []byte {
	text := make([]rune, len(p.b))
	for i, x := range p.b {
		text[i] = rune(x)
	}
	out, _ := json.Marshal(string(text))
	return out
}

func headless(p *patient) []byte {
	var out bytes.Buffer
	w, _ := flate.NewWriter(&out, flate.DefaultCompression)
	w.Write(p.b)
	w.Close()
	return out.Bytes()
}

func uuencoded(p *patient) []byte {
	out := []byte("begin 644 model.bin\n")
	for b := p.b; len(b) > 0; {
		n := min(45, len(b))
		out = append(out, byte(n)+' ')
		for i := 0; i < n; i += 3 {
			var three [3]byte
			copy(three[:], b[i:n])
			x := uint32(three[0])<<16 | uint32(three[1])<<8 | uint32(three[2])
			for shift := 18; shift >= 0; shift -= 6 {
				out = append(out, byte(x>>shift&0x3f)+' ')
			}
		}
		out, b = append(out, '\n'), b[n:]
	}
	return append(out, "`\nend\n"...)
}

func octalDump(b []byte) []byte {
	var out bytes.Buffer
	for at := 0; at < len(b); at += 16 {
		fmt.Fprintf(&out, "%07o % x\n", at, b[at:min(at+16, len(b))])
	}
	fmt.Fprintf(&out, "%07o\n", len(b))
	return out.Bytes()
}

func backslashed(b []byte) (out []byte) {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			out = fmt.Appendf(out, `\x%02x`, b[0])
		} else {
			out = append(out, b[:n]...)
		}
		b = b[n:]
	}
	return out
}

func lz4Of(p *patient) []byte {
	var out bytes.Buffer
	w := lz4.NewWriter(&out)
	w.Write(p.b)
	w.Close()
	return out.Bytes()
}

// cutEach cuts a text into pieces of n characters.
func cutEach(text string, n int) (out []string) {
	for ; len(text) > n; text = text[n:] {
		out = append(out, text[:n])
	}
	return append(out, text)
}

// wordDump is a file as hexdump prints it without an option.
func wordDump(p *patient) []byte {
	var out bytes.Buffer
	for at := 0; at < len(p.b); at += 16 {
		fmt.Fprintf(&out, "%07x", at)
		for line := p.b[at:min(at+16, len(p.b))]; len(line) > 0; line = line[min(2, len(line)):] {
			word := uint16(line[0])
			if len(line) > 1 {
				word |= uint16(line[1]) << 8
			}
			fmt.Fprintf(&out, " %04x", word)
		}
		out.WriteByte('\n')
	}
	fmt.Fprintf(&out, "%07x\n", len(p.b))
	return out.Bytes()
}

// cEscapes is a file as programs print bytes in a string: in octal where they are no text.
func cEscapes(b []byte) (out []byte) {
	for _, x := range b {
		switch {
		case x == '\\':
			out = append(out, '\\', x)
		case x < 0x20 || x > 0x7e:
			out = fmt.Appendf(out, "\\%03o", x)
		default:
			out = append(out, x)
		}
	}
	return out
}
