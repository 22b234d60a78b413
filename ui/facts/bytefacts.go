package facts

import (
	"context"
	"encoding/binary"

	"spandrel/model"
	"spandrel/ui/show"
)

// mostRead is how many bytes are read as other types.
const mostRead = 16

// byteFacts is the data inspector: the bytes at a place as other types.
func byteFacts(ctx context.Context, t *model.Tree, at model.Range, bigFirst bool) []Fact {
	size, err := t.Size(ctx, at.Space)
	if err != nil || at.Off >= size {
		return nil
	}
	at.Len = min(mostRead, size-at.Off)
	b, err := t.Bytes(ctx, at)
	if err != nil {
		return nil
	}
	head := Fact{Label: "BYTES AS", Heading: true, Text: "LE", Other: "BE"}
	if bigFirst {
		head.Text, head.Other = "BE", "LE"
	}
	out := append([]Fact{head}, interpret(b, bigFirst)...)
	for i := range out {
		out[i].at = at
	}
	return out
}

// interpret reads the front of b as each type that fits, in both byte orders if there are two.
func interpret(b []byte, bigFirst bool) (out []Fact) {
	for i := range show.Readings {
		r := &show.Readings[i]
		if len(b) < r.Need {
			continue
		}
		f := Fact{Label: r.Label, Text: r.Text(b, binary.LittleEndian), write: [2]model.Codec{r.Le, r.Be}}
		if !r.OneOrder {
			if f.Other = r.Text(b, binary.BigEndian); bigFirst {
				f.Text, f.Other, f.write = f.Other, f.Text, [2]model.Codec{r.Be, r.Le}
			}
		}
		if f.Text != "" {
			out = append(out, f)
		}
	}
	return out
}
