package cause

import (
	"bytes"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Codes other than hexadecimal and base64 that write bytes as characters.

// leastCoded is how many characters show that a text is of a code whose characters also form words.
const leastCoded = 64

// readForgotten reads base64 in which + became a space, as in a web form.
func readForgotten(b []byte) []byte {
	b = bytes.Trim(b, "\r\n\t")
	if !bytes.Contains(b, []byte(" ")) || bytes.ContainsAny(b, "+\n") {
		return nil
	}
	return orNil(base64.StdEncoding.Strict().DecodeString(string(bytes.ReplaceAll(b, []byte(" "), []byte("+")))))
}

// readBase64Cut reads base64 that ends inside a group of four characters.
func readBase64Cut(b []byte) []byte {
	text := without(b, isBase64)
	if len(text) < leastCoded || len(text)%4 == 0 || bytes.IndexByte(text, '=') >= 0 {
		return nil
	}
	return readBase64(text[:len(text)/4*4])
}

// readBase32 reads base32, with or without padding.
func readBase32(b []byte) []byte {
	text := bytes.TrimRight(without(b, func(x byte) bool { return x >= 'A' && x <= 'Z' || x >= '2' && x <= '7' || x == '=' }), "=")
	if len(text) < leastCoded {
		return nil
	}
	return orNil(base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(string(text)))
}

// readAscii85 reads what is between <~ and ~>, before ~>, or a long text without either, as Python writes it.
func readAscii85(b []byte) []byte {
	text, ok := bytes.CutSuffix(bytes.TrimSpace(b), []byte("~>"))
	text = without(bytes.TrimPrefix(text, []byte("<~")), func(x byte) bool { return x >= '!' && x <= 'u' || x == 'z' })
	if len(text) == 0 || !ok && len(text) < leastCoded {
		return nil
	}
	out := make([]byte, 4*len(text)) // z stands for four zeros
	n, _, err := ascii85.Decode(out, text, true)
	return orNil(out[:n], err)
}

// digits85 are those of RFC 1924, which Python and git use.
const digits85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

// digitsZ85 are those of ZeroMQ.
const digitsZ85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"

// readBase85 reads five characters for every four bytes; the last group may be shorter.
func readBase85(b []byte, digits string) []byte {
	text := without(b, func(x byte) bool { return strings.IndexByte(digits, x) >= 0 })
	if len(text) < leastCoded || len(text)%5 == 1 {
		return nil
	}
	out := make([]byte, 0, len(text)/5*4+4)
	for len(text) > 0 {
		var x uint64
		n := min(5, len(text))
		for i := range 5 {
			digit := len(digits) - 1 // as if the last group continued
			if i < n {
				digit = strings.IndexByte(digits, text[i])
			}
			x = x*85 + uint64(digit)
		}
		if x >= 1<<32 {
			return nil
		}
		out = append(out, []byte{byte(x >> 24), byte(x >> 16), byte(x >> 8), byte(x)}[:n-1]...)
		text = text[n:]
	}
	return out
}

// readBits reads the characters 0 and 1, eight for every byte.
func readBits(b []byte) []byte {
	text := without(b, func(x byte) bool { return x == '0' || x == '1' })
	if len(text) < leastCoded || len(text)%8 != 0 {
		return nil
	}
	out := make([]byte, len(text)/8)
	for i, x := range text {
		out[i/8] = out[i/8]<<1 | (x - '0')
	}
	return out
}

// readPercent reads text in which bytes other than letters and digits are written as %XX.
func readPercent(b []byte) []byte {
	b = bytes.TrimSpace(b)
	if !plain(b) || !bytes.Contains(b, []byte("%00")) {
		return nil
	}
	out, err := url.PathUnescape(string(b))
	return orNil([]byte(out), err)
}

// readString reads a JSON string in which every character is a byte.
func readString(b []byte) []byte {
	b = bytes.TrimSpace(b)
	var text string
	if len(b) < 2 || b[0] != '"' || json.Unmarshal(b, &text) != nil {
		return nil
	}
	out := make([]byte, 0, utf8.RuneCountInString(text))
	for _, r := range text {
		if r > 0xff {
			return nil
		}
		out = append(out, byte(r))
	}
	return out
}

// mostChunkLine is the longest line with the length of a chunk.
const mostChunkLine = 256

// readChunks removes the lengths of chunks of an HTTP transfer.
func readChunks(b []byte) (out []byte) {
	for {
		line, _, ok := bytes.Cut(b[:min(len(b), mostChunkLine)], []byte("\r\n"))
		size, _, _ := bytes.Cut(line, []byte(";")) // extensions may follow, such as the signatures of object stores
		if n, err := strconv.ParseUint(string(size), 16, 40); !ok || err != nil || n+2 > uint64(len(b)-len(line)-2) {
			return nil
		} else if b = b[len(line)+2:]; n > 0 && string(b[n:n+2]) != "\r\n" {
			return nil
		} else if n == 0 {
			if len(bytes.TrimRight(b, "\r\n")) > 0 {
				return nil
			}
			return out
		} else {
			out, b = append(out, b[:n]...), b[n+2:]
		}
	}
}

// fewFrames is the smallest number of frames that are no coincidence.
const fewFrames = 2

// readFrames removes what precedes each frame of a stream: some bytes, and the length of the frame.
func readFrames(mark string) func(b []byte) []byte {
	head := len(mark) + 4
	return func(b []byte) (out []byte) {
		n := 0
		for ; len(b) > head && string(b[:len(mark)]) == mark; n++ {
			size := int64(binary.BigEndian.Uint32(b[len(mark):]))
			if size > int64(len(b)-head) {
				return nil
			}
			out, b = append(out, b[head:head+int(size)]...), b[head+int(size):]
		}
		if n < fewFrames || len(b) > 0 {
			return nil
		}
		return out
	}
}

// readRecords removes the length of each record before and after it: of images of tapes for SIMH, whose end is marked by zeros or ones, and of unformatted files
// of Fortran.
func readRecords(b []byte) []byte {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		var out []byte
		record, rest := firstRecord(b, order)
		for ; record != nil; record, rest = firstRecord(rest, order) {
			out = append(out, record...)
		}
		if len(bytes.Trim(rest, "\x00\xff")) == 0 {
			return out
		}
	}
	return nil
}

// firstRecord is a record between its lengths, perhaps padded to an even one, and what follows; nil if none begins there.
func firstRecord(b []byte, order binary.ByteOrder) (record, rest []byte) {
	const wide = 4
	if len(b) < 2*wide {
		return nil, b
	}
	length, n := b[:wide], int64(order.Uint32(b))
	for end := wide + n; n > 0 && end <= wide+n+n%2 && end+wide <= int64(len(b)); end++ {
		if bytes.HasPrefix(b[end:], length) {
			return b[wide : wide+n], b[end+wide:]
		}
	}
	return nil, b
}

// readIntel reads lines of Intel HEX whose bytes follow each other. If it has not ended, the line at which it breaks off may be cut.
func readIntel(b []byte, ended bool) (out []byte) {
	if len(b) == 0 || b[0] != ':' || !plain(b) {
		return nil
	}
	lines := bytes.Fields(b)
	last := intelLine(lines[len(lines)-1])
	if is := last != nil && last[3] == intelEnd; is != ended {
		return nil
	} else if is || last == nil {
		lines = lines[:len(lines)-1]
	}
	in := intelHex{first: -1}
	for _, line := range lines {
		if x := intelLine(line); x == nil || !in.take(x) {
			return nil
		}
	}
	return in.out
}

// intelHex is what has been read: bytes that follow each other.
type intelHex struct {
	upper, first int64 // the higher part of the addresses, and the first address
	out          []byte
}

// take adds a line, and tells whether its bytes follow.
func (h *intelHex) take(x []byte) bool {
	data := x[4 : len(x)-1]
	if shift := intelUpper[x[3]]; shift > 0 && len(data) == 2 {
		h.upper = int64(binary.BigEndian.Uint16(data)) << shift
	}
	if x[3] != intelData {
		return true
	}
	at := h.upper + int64(binary.BigEndian.Uint16(x[1:]))
	if h.first < 0 {
		h.first = at
	}
	follows := at-h.first == int64(len(h.out))
	h.out = append(h.out, data...)
	return follows
}

// The kinds of lines of Intel HEX with bytes, and at its end.
const intelData, intelEnd = 0, 1

// intelUpper are the kinds of lines that hold the higher part of the addresses after them, and by how many bits that is shifted.
var intelUpper = map[byte]int{2: 4, 4: 16}

// intelLine are the number of bytes of a line, their address, its kind, the bytes, and the checksum, with which the sum of all is zero; nil if they are not.
func intelLine(line []byte) []byte {
	text, ok := bytes.CutPrefix(line, []byte(":"))
	x, err := hex.DecodeString(string(text))
	if !ok || err != nil || len(x) < 5 || len(x) != int(x[0])+5 {
		return nil
	}
	sum := byte(0)
	for _, v := range x {
		sum += v
	}
	if sum != 0 {
		return nil
	}
	return x
}
