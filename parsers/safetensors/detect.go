package safetensors

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"spandrel/model"
)

// detect takes files whose first 8 bytes can be the length of the JSON object behind them.
func detect(name string, head, _ []byte, size int64) model.Confidence {
	named := strings.HasSuffix(strings.ToLower(name), ".safetensors")
	if len(head) > 8 && head[8] == '{' && binary.LittleEndian.Uint64(head) <= maxHeader {
		switch fits := binary.LittleEndian.Uint64(head) <= uint64(size-8); {
		case bytes.Contains(head, []byte(`"data_offsets"`)), named && fits:
			return 95
		case fits && bytes.Contains(head, []byte(`"__metadata__"`)):
			return 60
		}
	}
	if named {
		return 15
	}
	return 0
}

func decline(_ string, head, _ []byte, _ int64) string {
	if len(head) < 9 {
		return "is too short for a header length and a header"
	}
	return fmt.Sprintf("has %s at 0x8, not the JSON object of a header, or no data_offsets in it", model.Opening(head[8:]))
}
