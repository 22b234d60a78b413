package idv

import (
	"fmt"
	"math"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

const (
	maxNest = 8
	maxDims = 64 // dimensions that are kept, and can have findings
)

// codecFields are the type of a column or of metadata, and one inside another.
var codecFields = [...]*model.Field{codecField, itemField}

// codec reads a codec definition (§3.1). Rule short reports one that does not end.
func (r *reader) codec(short *model.Rule, depth int) *block.Codec {
	c := &block.Codec{}
	c.Off = r.pos
	r.group(codecFields[min(depth, 1)], false, func() {
		name := r.text(loadName, short, codecNameless)
		c.Name, c.NameAt, c.NameLen = name.s, name.at, name.n
		at := r.pos
		n := r.uleb(paramLength, short, numberMalformed)
		r.nodes[len(r.nodes)-1].measures, r.nodes[len(r.nodes)-1].all = true, true
		if n > uint64(r.end-r.pos) {
			r.stop(finding{rule: parametersOutside, at: at, n: r.pos - at, found: fmt.Sprint(n), expected: fmt.Sprintf("at most %d", r.end-r.pos)})
		}
		end := r.pos + int64(n)
		if c.Kind = block.LoadNames[c.Name]; c.Kind == block.Unknown {
			if depth > 0 {
				r.report(finding{rule: itemUnknown, at: c.NameAt, n: c.NameLen, found: c.Name, set: alias(c.Name), ask: true})
			}
			if n > 0 {
				r.add(params, int64(n))
			}
			return
		}
		whole := r.params(c, at, end, depth)
		if used := r.pos - (end - int64(n)); whole && r.pos != end {
			r.report(finding{rule: parametersLength, at: at, n: end - int64(n) - at, found: fmt.Sprint(n), expected: fmt.Sprint(used),
				set: intOf(used), ask: true,
				about: about{column: r.of, codec: c}})
		}
		if r.pos != end {
			r.add(params, end-r.pos)
		}
	})
	c.N = r.pos - c.Off
	return c
}

// params reads the parameters of a known codec, whose length is at an offset and which end at end, and tells whether they are
// complete.
func (r *reader) params(c *block.Codec, at, end int64, depth int) bool {
	if c.Kind != block.Vector && c.Kind != block.Key {
		return true
	}
	outer, declared := r.end, r.declared
	r.end, r.declared = end, [2]int64{at, r.pos - at}
	defer func() { r.end, r.declared = outer, declared }()
	return r.try(func() {
		if depth >= maxNest {
			r.stop(finding{rule: itemWrong, at: r.pos, n: end - r.pos, found: "codecs nested too deeply"})
		}
		c.Item = r.codec(parametersLength, depth+1)
		switch known := c.Item.Kind != block.Unknown; {
		case known && c.Kind == block.Vector && c.Item.Kind == block.Vector,
			known && c.Kind == block.Key && (c.Item.Base() < block.U1 || c.Item.Base() > block.U8):
			r.report(finding{rule: itemWrong, at: c.Item.NameAt, n: c.Item.NameLen, found: c.Item.String()})
		}
		switch {
		case c.Kind == block.Vector:
			r.dims(c)
		case c.Name == "Key2":
			at := r.pos
			c.Count = r.fixed(count, parametersLength).Uint()
			if top := c.Item.TopKey(); c.Count < 1 || c.Count > top {
				r.report(finding{rule: keyCountRange, at: at, n: 8, found: fmt.Sprint(c.Count), expected: fmt.Sprintf("1 to %d", top),
					about: about{column: r.of, codec: c, field: codecFields[min(depth, 1)]}})
				c.Count, c.BadCount = top, true
			}
		default:
			r.legacyKey(c, depth)
		}
	})
}

// legacyKey reads the parameters of a key of the old form. What only old readers accepted is no damage: it is reported, without an
// expected value.
func (r *reader) legacyKey(c *block.Codec, depth int) {
	bad := func(at, n int64, found, expected string, newer bool) {
		if newer {
			expected += ", for ML.NET 0.10 and later"
		}
		r.report(finding{rule: oldKey, at: at, n: n, found: found, expected: expected, newer: newer,
			about: about{column: r.of, codec: c, field: codecFields[min(depth, 1)]}})
	}
	at := r.pos
	if v := r.fixed(contiguous, parametersLength).Uint(); v != 1 {
		bad(at, 1, fmt.Sprintf("contiguous is %d", v), "1", v == 0)
	}
	at = r.pos
	if c.Min = r.fixed(minRows, parametersLength).Uint(); c.Min != 0 {
		bad(at, 8, fmt.Sprintf("min is %d", c.Min), "0", c.Min <= c.Item.TopKey())
	}
	at = r.pos
	n, top := r.fixed(legacyCount, parametersLength).Int(), c.Item.TopKey()
	if c.Count = uint64(n); n == 0 {
		c.Count = top
	}
	if n < 0 || n > 0 && uint64(n) > top {
		bad(at, 4, fmt.Sprintf("count is %d", n), fmt.Sprintf("0 to %d", min(top, math.MaxInt32)), false)
		c.Count, c.BadCount = top, true
	}
}

// dims reads the rank and the dimensions of a vector type.
func (r *reader) dims(c *block.Codec) {
	at := r.pos
	c.Rank = r.fixed(rank, parametersLength).Int()
	switch left := (r.end - r.pos) / 4; {
	case c.Rank < 0 || c.Rank > left:
		r.stop(finding{rule: dimensionsWrong, at: at, n: 4, found: fmt.Sprintf("rank %d", c.Rank), expected: fmt.Sprintf("0 to %d", left)})
	case c.Rank == 0:
		r.report(finding{rule: dimensionsWrong, sev: model.Note, at: at, n: 4, found: "rank 0",
			message: "a legacy form for unknown length"})
		return
	}
	start, product, known := r.pos, int64(1), true
	for i := range c.Rank {
		v, _, _ := model.I32LE.Decode(r.bytes(r.pos+4*i, 4))
		d := v.Int()
		if d < 0 {
			r.report(finding{rule: dimensionsWrong, at: r.pos + 4*i, n: 4, found: fmt.Sprintf("dimension %d", d), expected: "0 or more"})
		}
		if i < maxDims {
			c.Dims = append(c.Dims, int32(d))
		}
		if known = known && d > 0; known {
			if product *= d; product > math.MaxInt32 {
				r.report(finding{rule: dimensionsWrong, at: start, n: 4 * c.Rank, found: "a product above 2147483647"})
				known = false
			}
		}
	}
	if known {
		c.Size = product
	}
	r.nodes = append(r.nodes, treeNode{field: dims, off: start, n: 4 * c.Rank})
	r.pos += 4 * c.Rank
}

// alias returns the present name for old names of row ids, or for a name in other letters.
func alias(name string) *model.Value {
	if name == "UInt128" || name == "RowId" {
		return str("DataViewRowId")
	}
	return misspelt(name)
}
