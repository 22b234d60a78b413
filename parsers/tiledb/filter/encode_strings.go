package filter

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/bits"
)

// FilterStrings filters the values of variable cells whose offsets the first filter includes (RLE and DICTIONARY on texts), as one
// chunk. starts are where the cells start in data. The tile of the offsets then has no chunk.
func (how Coding) FilterStrings(ctx context.Context, data []byte, starts []int64) ([]byte, error) {
	p, err := how.compile()
	if err != nil {
		return nil, err
	}
	w := &writer{work{pipeline: p, ctx: ctx}}
	w.s = &p.stages[0]
	var md, packed []byte
	if w.s.op == RLE {
		md, packed = stringRuns(data, starts)
	} else {
		md, packed = dictionary(data, starts)
	}
	rest := *p
	rest.stages = p.stages[1:]
	w.pipeline = &rest
	if err := w.writable(); err != nil {
		return nil, err
	}
	if md, packed, err = w.applyAll(md, packed); err != nil {
		return nil, err
	}
	return appendChunk(binary.LittleEndian.AppendUint64(nil, 1), len(data), md, packed), nil
}

// cell is the bytes of cell i.
func cell(data []byte, starts []int64, i int) []byte {
	if i+1 < len(starts) {
		return data[starts[i]:starts[i+1]]
	}
	return data[starts[i]:]
}

// widthOf is how many bytes a number takes: 1, 2, 4 or 8.
func widthOf(n uint64) int {
	for _, w := range []int{1, 2, 4} {
		if bits.Len64(n) <= 8*w {
			return w
		}
	}
	return 8
}

// appendBig appends a number of so many bytes, the highest first.
func appendBig(b []byte, v uint64, width int) []byte {
	var x [8]byte
	binary.BigEndian.PutUint64(x[:], v)
	return append(b, x[8-width:]...)
}

// stringsBlock is the block of string mode except what follows the two widths.
func stringsBlock(values, packed, cells, first, second int) []byte {
	var b []byte
	for _, n := range []int{0, 1, values, packed, 8 * cells} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return append(b, byte(first), byte(second))
}

// stringRuns repeats run length, string length, string.
func stringRuns(data []byte, starts []int64) (md, out []byte) {
	longest, longRun := 0, 0
	runs := func(run func(text []byte, n int)) {
		for i := 0; i < len(starts); {
			text, n := cell(data, starts, i), 1
			for i+n < len(starts) && bytes.Equal(text, cell(data, starts, i+n)) {
				n++
			}
			run(text, n)
			i += n
		}
	}
	runs(func(text []byte, n int) { longest, longRun = max(longest, len(text)), max(longRun, n) })
	runWidth, lenWidth := widthOf(uint64(longRun)), widthOf(uint64(longest))
	runs(func(text []byte, n int) {
		out = append(appendBig(appendBig(out, uint64(n), runWidth), uint64(len(text)), lenWidth), text...)
	})
	return stringsBlock(len(data), len(out), len(starts), runWidth, lenWidth), out
}

// dictionary stores every distinct word once, and a number for each cell.
func dictionary(data []byte, starts []int64) (md, out []byte) {
	longest := 0
	for i := range starts {
		longest = max(longest, len(cell(data, starts, i)))
	}
	idWidth, lenWidth := widthOf(uint64(len(starts))), widthOf(uint64(longest))
	ids := map[string]uint64{}
	var words []byte
	for i := range starts {
		text := cell(data, starts, i)
		id, ok := ids[string(text)]
		if !ok {
			id = uint64(len(ids))
			ids[string(text)] = id
			words = append(appendBig(words, uint64(len(text)), lenWidth), text...)
		}
		out = appendBig(out, id, idWidth)
	}
	md = stringsBlock(len(data), len(out), len(starts), idWidth, lenWidth)
	return append(binary.LittleEndian.AppendUint32(md, uint32(len(words))), words...), out
}
