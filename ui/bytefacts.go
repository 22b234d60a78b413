package ui

import (
	"context"
	"encoding/binary"

	"spandrel/model"
)

// byteFacts is the data inspector: what the bytes at a place would be as other types.
func byteFacts(ctx context.Context, t *model.Tree, at model.Range, bigFirst bool) []fact {
	size, err := t.Size(ctx, at.Space)
	if err != nil || at.Off >= size {
		return nil
	}
	at.Len = min(16, size-at.Off)
	b, err := t.Bytes(ctx, at)
	if err != nil {
		return nil
	}
	head := fact{label: "BYTES AS", heading: true, text: "LE", other: "BE"}
	if bigFirst {
		head.text, head.other = "BE", "LE"
	}
	out := append([]fact{head}, interpret(b, bigFirst)...)
	for i := range out {
		out[i].at = at
	}
	return out
}

// interpret reads the front of b as each type that fits, in both byte orders where there are two.
func interpret(b []byte, bigFirst bool) (out []fact) {
	for i := range readings {
		r := &readings[i]
		if len(b) < r.need {
			continue
		}
		f := fact{label: r.label, text: r.text(b, binary.LittleEndian), write: [2]model.Codec{r.le, r.be}}
		if !r.oneOrder {
			if f.other = r.text(b, binary.BigEndian); bigFirst {
				f.text, f.other, f.write = f.other, f.text, [2]model.Codec{r.be, r.le}
			}
		}
		if f.text != "" {
			out = append(out, f)
		}
	}
	return out
}
