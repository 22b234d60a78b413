package cause

import (
	"bytes"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bytes that are no text written by an escape, as in a string of a program.

// literal is bytes as Python prints them.
var literal = regexp.MustCompile(`(?s)^(?:bytearray\()?b?(?:'(.*)'|"(.*)")\)?$`)

// readRepr reads a literal of bytes as Python prints it.
func readRepr(b []byte) []byte {
	m := literal.FindSubmatch(bytes.TrimSpace(b))
	if m == nil {
		return nil
	}
	return unescaped(append(m[1], m[2]...))
}

// readEscapes reads what stands between the quotes of such a literal.
func readEscapes(b []byte) []byte {
	if bytes.Count(b, []byte(`\`)) < leastQuoted {
		return nil
	}
	return unescaped(bytes.TrimRight(b, "\r\n"))
}

// escape is a byte as programs write one that is no text: as C does, by its number in octal or in hexadecimal, or by a letter.
var escape = regexp.MustCompile(`\\(?:x([0-9a-fA-F]{2})|([0-3][0-7]{2})|(.))`)

// letters are the escapes of one letter, and what each stands for.
const letters, stand = `\'"nrtabfv0`, "\\'\"\n\r\t\a\b\f\v\x00"

// unescaped takes the escapes of a text back; nil where it is no text, or has others.
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

// escaped is a byte as Python's backslashreplace writes one that is no text.
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
