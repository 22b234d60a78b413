package taridx

import (
	"bytes"
	"fmt"
	"strconv"

	"spandrel/parsers/internal/tarfile"
)

// renamed is a header with another name in its 100 bytes, and the matching checksum.
func renamed(header []byte, name string) ([]byte, error) {
	if len(name) == 0 || len(name) >= 100 {
		return nil, fmt.Errorf("%q: a name in a tar header has 1 to 99 bytes", name)
	}
	b := bytes.Clone(header[:tarfile.Block])
	clear(b[:100])
	copy(b, name)
	return summed(b), nil
}

// resized is a header with another payload size.
func resized(header []byte, size int64) []byte {
	b := bytes.Clone(header[:tarfile.Block])
	copy(b[124:136], fmt.Sprintf("%011o\x00", size))
	return summed(b)
}

// summed writes the checksum of a header: the sum of its bytes, with spaces in place of the checksum.
func summed(b []byte) []byte {
	copy(b[148:156], fmt.Sprintf("%06o\x00 ", tarfile.Parse(b).Sum))
	return b
}

// record is the value of a key in the records of a PAX header; "" if there is none.
func record(records []byte, of string) string {
	found := ""
	tarfile.EachRecord(records, func(key, value string) { found = pick(key == of, value, found) })
	return found
}

// withPath is the records of a PAX header with another path.
func withPath(records []byte, path string) []byte {
	var out []byte
	tarfile.EachRecord(records, func(key, value string) {
		text := " " + key + "=" + pick(key == "path", path, value) + "\n"
		n := len(text) + 1 // a record begins with its own length, digits included
		for n < len(text)+len(strconv.Itoa(n)) {
			n = len(text) + len(strconv.Itoa(n))
		}
		out = append(out, strconv.Itoa(n)+text...)
	})
	return out
}

func pick(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}
