package tar

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"spandrel/parsers/internal/tarfile"
)

// described is what the headers before a member say about it: long names (GNU) or records (pax).
type described struct {
	path, link string
	size       int64 // size of the payload; −1: not stated
	real       int64 // size of the file with its holes; −1: not stated
	mtime      string
	sparse     string // the real name of a sparse file: the one in its header is invented
}

func undescribed() described { return described{size: -1, real: -1} }

// isHelper tells whether a header is for another: it contains a long name or records.
func isHelper(typ byte) bool { return strings.IndexByte("xgLK", typ) >= 0 }

// mostHelper is how many bytes of a long name or of records are read.
const mostHelper = 1 << 20

// add stores what a header with its payload says about the next member.
func (d *described) add(h tarfile.Head, payload []byte) {
	text, _, _ := bytes.Cut(payload, []byte{0})
	switch h.Typ {
	case 'L':
		d.path = string(text)
	case 'K':
		d.link = string(text)
	case 'x':
		tarfile.EachRecord(payload, func(key, value string) {
			switch key {
			case "path":
				d.path = value
			case "linkpath":
				d.link = value
			case "size":
				d.size = number(value)
			case "mtime":
				d.mtime = value
			case "GNU.sparse.name":
				d.sparse = value
			case "GNU.sparse.size", "GNU.sparse.realsize":
				d.real = number(value)
			}
		})
	}
}

func number(s string) int64 {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && n >= 0 && n < 1<<62 {
		return n
	}
	return -1
}

// name is the name of a member, and whether it is the one in the 100 bytes of its header.
func (d *described) name(header []byte, h tarfile.Head) (name string, own bool) {
	switch {
	case d.sparse != "":
		return d.sparse, false
	case d.path != "":
		return d.path, false
	}
	if prefix, _, _ := bytes.Cut(header[345:500], []byte{0}); string(header[257:263]) == "ustar\x00" && len(prefix) > 0 && h.Typ != 'S' {
		return strings.ToValidUTF8(string(prefix), "\uFFFD") + "/" + h.Name, false
	}
	return h.Name, true
}

// payload is how many bytes follow a header: according to its records, otherwise to itself.
func (d *described) payload(h tarfile.Head) int64 {
	if n := h.Payload(); d.size < 0 || n != h.Size || isHelper(h.Typ) {
		return n
	}
	return d.size
}

// sample is the sample of a dataset formed by consecutive members whose names differ only after the first dot.
type sample struct {
	key     string
	seen    map[string]bool
	samples int  // samples with several members so far
	began   bool // the member of the last call is the first of a sample
}

var sampleName = regexp.MustCompile(`^((?:.*/)?[^./]+)\.([^/]*)$`)

// mostOfSample is how many members of a sample are compared.
const mostOfSample = 1024

// hasDuplicate tells whether a sample already has a member with this name.
func (s *sample) hasDuplicate(name string) bool {
	m := sampleName.FindStringSubmatch(name)
	if s.began = false; m == nil {
		s.key = ""
		return false
	}
	if s.began = m[1] != s.key || s.seen == nil; s.began {
		s.key, s.seen = m[1], map[string]bool{}
	}
	ext := strings.ToLower(m[2])
	was := s.seen[ext]
	if len(s.seen) < mostOfSample {
		s.seen[ext] = true
	}
	if !was && len(s.seen) == 2 {
		s.samples++
	}
	return was
}
