package cause

import (
	"bytes"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bytes that are not text written as escapes, as in a program's string.

// literal is bytes as Python prints them.
var literal = regexp.MustCompile(`(?s)^(?:bytearray\()?b?(?:'(.*)'|"(.*)")\)?$`)

// readRepr reads a bytes literal as Python prints it.
func readRepr(b []byte) []byte {
	m := literal.FindSubmatch(bytes.TrimSpace(b))
	if m == nil {
		return nil
	}
	return unescaped(append(m[1], m[2]...))
}

// readEscapes reads what is between the quotes of such a literal.
func readEscapes(b []byte) []byte {
	if bytes.Count(b, []byte(`\`)) < leastQuoted {
		return nil
	}
	return unescaped(bytes.TrimRight(b, "\r\n"))
}

// escape is how C programs write a byte that is not text: as an octal or hexadecimal number, or as a letter.
var escape = regexp.MustCompile(`\\(?:x([0-9a-fA-F]{2})|([0-3][0-7]{2})|(.))`)

// letters are the escapes of one letter, and stand is what they stand for.
const letters, stand = `\'"nrtabfv0`, "\\'\"\n\r\t\a\b\f\v\x00"

// unescaped decodes the escapes in a text; nil if it is not text, or has other escapes.
func unescaped(b []byte) []byte {
	if !plain(b) {
		return nil
	}
	ok := true
	out := escape.ReplaceAllFunc(b, func(e []byte) []byte {
		digits, base := e[1:], 8
		if e[1] == 'x' {
			digits, base = e[2:], 16
		}
		x, err := strconv.ParseUint(string(digits), base, 8)
		if i := strings.IndexByte(letters, e[1]); i >= 0 && len(e) == 2 {
			x, err = uint64(stand[i]), nil
		}
		ok = ok && err == nil
		return []byte{byte(x)}
	})
	if !ok {
		return nil
	}
	return out
}

// escaped is how Python's backslashreplace writes a byte that is not text.
var escaped = regexp.MustCompile(`\\x[89a-f][0-9a-f]`)

func readEscaped(b []byte) []byte {
	if !utf8.Valid(b) || !escaped.Match(b) {
		return nil
	}
	return escaped.ReplaceAllFunc(b, func(e []byte) []byte {
		x, _ := hex.DecodeString(string(e[2:]))
		return x
	})
}

// sqlLetters are what MySQL writes after a backslash, in exported files and in statements, and sqlStand is what they stand for.
const sqlLetters, sqlStand = "0\\\t\nntrbZ'\"", "\x00\\\t\n\n\t\r\b\x1a'\""

// readSQL reads bytes that MySQL exported (INTO OUTFILE) or that were quoted for a statement: zeros are \0, and a backslash is in front of what would end the value.
func readSQL(b []byte) (out []byte) {
	if bytes.IndexByte(b, 0) >= 0 || bytes.Count(b, []byte(`\0`)) < leastQuoted {
		return nil
	}
	if in, ended := bytes.CutSuffix(b, []byte("\n")); ended && bytes.Count(in, []byte("\n")) == bytes.Count(in, []byte("\\\n")) {
		b = in // the line end after the row
	}
	for i := 0; i < len(b); i++ {
		x := b[i]
		if x == '\\' {
			if i++; i == len(b) || strings.IndexByte(sqlLetters, b[i]) < 0 {
				return nil
			}
			x = sqlStand[strings.IndexByte(sqlLetters, b[i])]
		}
		out = append(out, x)
	}
	return out
}
