package taridx

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"spandrel/model"
)

// detect returns the confidence that a file is of the format, or why it is not.
func detect(name string, head, _ []byte, size int64) (model.Confidence, string) {
	switch {
	case bytes.HasPrefix(head, []byte(magic)):
		return 98, ""
	case bytes.HasPrefix(head, []byte("TARIDX")):
		return 80, ""
	case len(head) >= headerSize && isPlausible(head, size):
		return 60, ""
	case strings.HasSuffix(name, ".taridx"):
		return 15, ""
	}
	return 0, declined(head, size)
}

// declined says why detect declines.
func declined(head []byte, size int64) string {
	why := "begins with " + model.Opening(head) + ", not 54 41 52 49 44 58 00 00 (TARIDX); "
	if len(head) < headerSize {
		return why + model.Words("%d bytes are fewer than its %d-byte header", size, headerSize)
	}
	if s := parseStated(head); s.rowSize != rowSize || s.headerSize != headerSize {
		return why + fmt.Sprintf("the sizes of a row and of the header at 0xC are %d and %d, not %d and %d", s.rowSize, s.headerSize, rowSize, headerSize)
	}
	return why + "the offsets of its parts at 0x28 are outside the file"
}

// isPlausible tells whether a header makes sense apart from its magic.
func isPlausible(h []byte, size int64) bool {
	s := parseStated(h)
	return s.rowSize == rowSize && s.headerSize == headerSize && s.inOrder(size)
}

// detectFolder recognises a folder of shards with their index; of several folds the first.
func detectFolder(s *model.Snapshot) (primary string, c model.Confidence) {
	list, _, err := s.List(".")
	if err != nil {
		return "", 0
	}
	shards := map[string]bool{} // by fold
	for _, e := range list {
		if fold, _, ok := strings.Cut(e.Name, "_"); ok && e.Regular && path.Ext(e.Name) == ".tar" {
			shards[fold] = true
		}
	}
	for _, e := range list {
		if fold, ok := strings.CutSuffix(e.Name, ".taridx"); ok && e.Regular && (primary == "" || shards[fold] && c < 90) {
			primary, c = e.Name, 20
			if shards[fold] {
				c = 90
			}
		}
	}
	return primary, c
}
