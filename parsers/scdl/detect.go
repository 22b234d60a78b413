package scdl

import (
	"fmt"
	"path"
	"strings"

	"spandrel/model"
)

// detect returns the confidence that a file is of the format, or why it is not.
func detect(name string, head, _ []byte, size int64) (model.Confidence, string) {
	if len(head) >= 4 && string(head[:4]) == "SCDL" {
		return 95, ""
	}
	if size >= 20 && len(head) >= 12 && head[4] == 0 && head[5] <= 1 && head[7] == 1 && string(head[8:12]) == "\x00\x00\x00\x01" {
		return 20, "" // the magic alone may be damaged
	}
	if strings.HasSuffix(name, ".sch") && (size < 16 || like(head)) {
		return 10, "" // too short to say anything else, or nothing but its beginning is damaged
	}
	return 0, declined(head)
}

// like tells whether the rest of a header can be read, though its first bytes are wrong.
func like(head []byte) bool {
	for _, shift := range []int{0, 1, -1} { // a byte may be missing or surplus
		b := head
		if shift > 0 {
			b = append([]byte{'S'}, head...)
		} else if shift < 0 && len(head) > 0 {
			b = head[1:]
		}
		if w := (&walk{b: b, corrected: correction{at: -1}, strict: true}); w.header() {
			return true
		}
	}
	return false
}

// declined says why detect declines.
func declined(head []byte) string {
	why := "begins with " + model.Opening(head) + ", not 53 43 44 4C (SCDL)"
	if len(head) >= 12 {
		why += fmt.Sprintf("; byte order and backend at 0x7 are % X, not 01 00 00 00 01", head[7:12])
	}
	return why
}

func detectFolder(s *model.Snapshot) (string, model.Confidence) {
	if isArchive(s, ".") {
		if c, err := s.Content("header.sch"); err == nil && c != nil {
			return "header.sch", 95
		}
		return "", 80
	}
	if len(members(s)) > 0 {
		return "", 70
	}
	return "", 0
}

// isArchive tells whether a folder has the three main arrays, or a header together with something else of an archive, because
// other formats also call files so.
func isArchive(s *model.Snapshot, dir string) bool {
	list, _, err := s.List(dir)
	if err != nil {
		return false
	}
	arrays, others, header := 0, 0, ""
	for _, e := range list {
		switch path.Base(e.Name) {
		case "header.sch":
			if e.Regular {
				header = e.Name
			}
		case "data.npy", "row_ptr.npy", "col_ptr.npy":
			arrays++
		case "metadata.json", "version.json", "var_features", "obs_features", "features", "chunk_00000":
			others++
		}
	}
	return arrays == 3 || header != "" && (arrays+others > 0 || isHeader(s, header))
}

// isHeader tells whether a file on its own could be a header.
func isHeader(s *model.Snapshot, name string) bool {
	c, err := s.Content(name)
	if err != nil {
		return false
	}
	head := make([]byte, min(c.Len(), 4096))
	n, _ := c.ReadAt(head, 0)
	sure, _ := detect(name, head[:n], nil, c.Len())
	return sure > 0
}

// members returns the archives of a collection: a folder with version.json whose sub-folders are archives (section 2).
func members(s *model.Snapshot) (dirs []string) {
	list, _, err := s.List(".")
	if err != nil {
		return nil
	}
	version := false
	for _, e := range list {
		if e.Name == "version.json" {
			version = true
		} else if e.Dir && isArchive(s, e.Name) {
			dirs = append(dirs, e.Name)
		}
	}
	if !version {
		return nil
	}
	return dirs
}
