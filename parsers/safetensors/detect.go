package safetensors

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"spandrel/model"
)

// detect recognises files whose first 8 bytes can be the length of the JSON object that follows.
func detect(name string, head, _ []byte, size int64) (sure model.Confidence, reason string) {
	if isIndex(name) {
		if text := bytes.TrimLeft(head, " \t\r\n"); len(text) > 0 && text[0] == '{' {
			return 95, ""
		}
		return 15, ""
	}
	named := strings.HasSuffix(strings.ToLower(name), ".safetensors")
	if len(head) > 8 && head[8] == '{' && binary.LittleEndian.Uint64(head) <= maxHeader {
		switch fits := binary.LittleEndian.Uint64(head) <= uint64(size-8); {
		case bytes.Contains(head, []byte(`"data_offsets"`)), named && fits:
			return 95, ""
		case fits && bytes.Contains(head, []byte(`"__metadata__"`)):
			return 60, ""
		}
	}
	switch {
	case named:
		return 15, ""
	case len(head) < 9:
		return 0, "is too short for a header length and a header"
	}
	return 0, fmt.Sprintf("has %s at 0x8, not the JSON object of a header, or no data_offsets in it", model.Opening(head[8:]))
}

const indexEnding = ".safetensors.index.json"

func isIndex(name string) bool { return strings.HasSuffix(strings.ToLower(name), indexEnding) }
