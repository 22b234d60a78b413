package idv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"spandrel/model"
)

func detect(name string, head, tail []byte, size int64) (model.Confidence, string) {
	if c := confidence(name, head, tail, size); c > 0 {
		return c, ""
	}
	return 0, decline(head, tail)
}

func confidence(name string, head, tail []byte, size int64) model.Confidence {
	ext := strings.HasSuffix(strings.ToLower(name), ".idv") || strings.HasSuffix(strings.ToLower(name), ".tdv")
	switch {
	case len(head) >= 8 && (binary.LittleEndian.Uint64(head) == headSignature || binary.LittleEndian.Uint64(head) == transposedSignature):
		return 100
	case len(head) >= 12 && binary.LittleEndian.Uint64(head[4:]) == headSignature:
		return 95
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		for _, mark := range []string{"Model.key", "TrainingInfo", "Schema.idv", "TransformerChain", "DefaultMap.idv", "\x00Schema"} {
			if bytes.Contains(tail, []byte(mark)) {
				return 80
			}
		}
	case ext:
		return 60
	case len(tail) >= 8 && size > headerSize && (binary.LittleEndian.Uint64(tail[len(tail)-8:]) == tailSignature || transposedTailed(tail)):
		return 70
	}
	return 0
}

// decline says why confidence is 0.
func decline(head, tail []byte) string {
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return "is a ZIP archive without any part of an ML.NET model"
	}
	return fmt.Sprintf("begins with %s, not 43 4D 4C 00 44 56 42 00 (CML.DVB.), and ends with %s, not 00 42 56 44 00 4C 4D 43 (.BVD.LMC)",
		model.Opening(head), model.Opening(tail[max(0, len(tail)-8):]))
}
