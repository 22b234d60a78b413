package idv

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// errAsCells means that rows must be read as cells.
var errAsCells = errors.New("not as a column")

// batchOf is n values of a column from first.
func batchOf(s cells, c *column, first, n int64) (b model.Batch, err error) {
	if first < 0 || c.rpb <= 0 || n > s.stream.rows-first {
		return b, errAsCells
	}
	for at := first; at < first+n; {
		k := at / c.rpb
		ix, err := s.index(c, k)
		if err != nil {
			return b, err
		}
		to := min(first+n, (k+1)*c.rpb)
		if !ix.ix.Batch(&b, at-k*c.rpb, to-k*c.rpb) || s.ctx.Err() != nil {
			return b, errors.Join(errAsCells, s.ctx.Err())
		}
		at = to
	}
	switch base := c.codec.Base(); {
	case c.codec.Kind == block.Key:
		if names := keyNames(s.contents, c); len(names) > 0 {
			b.Data = model.Places(b.Data, base.Number().Type(), 1, len(names), nil)
		}
	case clockOf(c.codec) != nil:
		b.Null = missingTimes(b.Data)
	}
	return b, nil
}

// missingTimes are flags for missing times; nil if there are none.
func missingTimes(data []byte) (out []bool) {
	for i := 0; 8*i < len(data); i++ {
		if int64(binary.LittleEndian.Uint64(data[8*i:])) == block.Missing {
			if out == nil {
				out = make([]bool, len(data)/8)
			}
			out[i] = true
		}
	}
	return out
}

// keyNames are the distinct names of a column's keys; none if it has no names for them.
func keyNames(s contents, c *column) []string {
	if s.load(c); len(c.labels) == 0 {
		return nil
	}
	names := make([]string, c.codec.Count)
	copy(names, c.labels)
	return model.Distinct(names, 1)
}

// clockOf is the unit of a codec's times: ticks of 100 ns.
func clockOf(c *block.Codec) *model.Clock {
	switch c.Kind {
	case block.DateTime:
		return &model.Clock{Step: 100 * time.Nanosecond, Epoch: time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Unix()}
	case block.TimeSpan:
		return &model.Clock{Step: 100 * time.Nanosecond, Length: true}
	}
	return nil
}

// aboutColumn is the metadata of a column other than the names of its keys and slots.
func aboutColumn(s contents, c *column) (out []string) {
	for _, m := range c.entries {
		if m.kind.s == "KeyValues" || m.kind.s == "SlotNames" {
			continue
		}
		if cell, ok := s.metaCell(c, m.kind.s); ok {
			out = append(out, m.kind.s+": "+cell.String())
		} else {
			out = append(out, m.kind.s)
		}
	}
	slices.Sort(out)
	return out
}
