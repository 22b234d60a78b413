package cause

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
)

// Bytes that are only a part of a text: a list in a program's source, base64 in a mail, one of two conflicting versions.

// numbered is a list of numbers, in JSON or in a program's source, after what may precede it: nothing, a name, a type.
var numbered = regexp.MustCompile(`(?s)^.{0,200}?[\[{]([-0-9a-fA-FxX,\s]{30,})[\]}]`)

// indices are the keys of a byte array that JavaScript writes as an object.
var indices = regexp.MustCompile(`"\d+"\s*:`)

// readList reads bytes written as numbers, signed or not: a list in JSON, a Node.js buffer, a list in a program's source, or one
// number on each line, as numpy.savetxt writes them.
func readList(b []byte) []byte {
	if !plain(b) {
		return nil
	}
	in := b
	if bytes.HasPrefix(b, []byte(`{"0":`)) {
		b = indices.ReplaceAll(b, nil)
	}
	if m := numbered.FindSubmatch(b); m != nil {
		in = m[1]
	}
	words := bytes.FieldsFunc(in, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\r' || r == '\t' })
	if len(words) < leastSpelled || 2*len(in) < len(b) {
		return nil
	}
	out := make([]byte, len(words))
	for i, w := range words {
		x, err := strconv.ParseInt(string(w), 0, 16)
		if err != nil {
			f, bad := strconv.ParseFloat(string(w), 64)
			if x, err = int64(f), bad; float64(x) != f {
				return nil
			}
		}
		if err != nil || x < -128 || x > 255 {
			return nil
		}
		out[i] = byte(x)
	}
	return out
}

// readCells reads text, of more than numbers, that a spreadsheet saved as CSV: commas where its blanks were, as many in each line.
func readCells(b []byte) (out []byte) {
	if b[0]|0x20 < 'a' || b[0]|0x20 > 'z' || bytes.ContainsAny(b, " \t\"\x00") {
		return nil
	}
	commas := -1
	for line := range bytes.Lines(b) {
		line = bytes.TrimRight(line, "\r\n")
		n := bytes.Count(line, []byte(","))
		if n == 0 || commas >= 0 && n != commas {
			return nil
		}
		commas = n
		out = append(append(out, bytes.ReplaceAll(bytes.TrimRight(line, ","), []byte(","), []byte(" "))...), '\n')
	}
	return out
}

// leastInside is the shortest base64 that is more than a word of the text around it.
const leastInside = 64

// inBase64 is a piece of base64 inside a text, over any number of lines.
var inBase64 = regexp.MustCompile(`[A-Za-z0-9+/_-]{16,}(?:\r?\n[ \t]*[A-Za-z0-9+/_-]+)*={0,2}`)

// readInside reads the longest piece of base64 in a text if it is a large part of it: the value of a JSON field, the body of a mail.
func readInside(b []byte) []byte {
	if !plain(b) {
		return nil
	}
	var longest []byte
	for _, in := range inBase64.FindAll(bytes.ReplaceAll(b, []byte(`\/`), []byte("/")), -1) {
		if len(in) > len(longest) {
			longest = in
		}
	}
	if len(longest) < leastInside || 4*len(longest) < len(b) {
		return nil
	}
	return readBase64(longest)
}

// readUU reads uuencoded lines: a character for the length, and four for every three bytes.
func readUU(b []byte) (out []byte) { return uudecoded(b, false) }

// readStripped reads such lines without the blanks at their ends: none has any, and all are there from the first to the last.
func readStripped(b []byte) []byte {
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	if !bytes.HasPrefix(b, []byte("begin ")) || !bytes.HasSuffix(bytes.TrimRight(b, "\n"), []byte("\nend")) || bytes.Contains(b, []byte(" \n")) {
		return nil
	}
	return uudecoded(b, true)
}

// uudecoded reads uuencoded lines, with the blanks that they lost at their ends if they are stripped.
func uudecoded(b []byte, stripped bool) (out []byte) {
	head, rest, _ := bytes.Cut(b, []byte("\n"))
	if !bytes.HasPrefix(head, []byte("begin ")) {
		rest = b // as Python's binascii writes them
	}
	if !plain(b) {
		return nil
	}
	for line := range bytes.SplitSeq(rest, []byte("\n")) {
		line = bytes.TrimRight(line, "\r")
		if len(line) == 0 || string(line) == "end" {
			continue
		}
		n := int(line[0]-' ') & 0x3f
		end := 1 + (n+2)/3*4
		if short := end - len(line); stripped && short > 0 {
			line = append(bytes.Clone(line), bytes.Repeat([]byte(" "), short)...)
		}
		if end > len(line) || end+1 < len(line) { // one more character may be a checksum
			return nil
		}
		out = append(out, sixBits(line[1:end])[:n]...)
	}
	return out
}

// sixBits are three bytes for every four characters, of which each has six bits.
func sixBits(text []byte) (out []byte) {
	for group := range slices.Chunk(text, 4) {
		var x uint32
		for _, c := range group {
			x = x<<6 | uint32(c-' ')&0x3f
		}
		out = append(out, byte(x>>16), byte(x>>8), byte(x))
	}
	return out
}

// readConflict reads the first of two versions between git's conflict markers.
func readConflict(b []byte) []byte {
	head, rest, ok := bytes.Cut(b, []byte("\n"))
	end := bytes.LastIndex(rest, []byte("\n>>>>>>> "))
	if !ok || end < 0 || !bytes.HasPrefix(head, []byte("<<<<<<< ")) || bytes.IndexByte(bytes.TrimRight(rest[end+1:], "\r\n"), '\n') >= 0 {
		return nil
	}
	first, _, ok := bytes.Cut(rest[:end], []byte("=======\n"))
	if !ok {
		return nil
	}
	return first
}
