package idv

import (
	"fmt"
	"math"
	"strings"

	"spandrel/model"
)

// valueKind is how the values of a codec are stored (§3).
type valueKind uint8

const (
	kindUnknown valueKind = iota
	kindI1
	kindI2
	kindI4
	kindI8
	kindU1
	kindU2
	kindU4
	kindU8
	kindR4
	kindR8
	kindBool
	kindBool2 // two bits a value
	kindText
	kindTimeSpan
	kindDateTime
	kindDateZone
	kindRowID
	kindVector
	kindKey
)

// loadNames are the codecs by load name (§3.1), those of old writers among them.
var loadNames = map[string]valueKind{
	"SByte": kindI1, "Int16": kindI2, "Int32": kindI4, "Int64": kindI8, "Byte": kindU1, "UInt16": kindU2, "UInt32": kindU4, "UInt64": kindU8,
	"Single": kindR4, "Double": kindR8, "Boolean": kindBool, "DvBool": kindBool2, "TextSpan": kindText,
	"TimeSpan": kindTimeSpan, "DvTimeSpan": kindTimeSpan, "DateTime": kindDateTime, "DvDateTime": kindDateTime,
	"DateTimeOffset": kindDateZone, "DvDateTimeZone": kindDateZone, "DataViewRowId": kindRowID, "RowId": kindRowID, "UInt128": kindRowID,
	"VBuffer": kindVector, "Key2": kindKey, "Key": kindKey,
}

// idvWidth is the bytes of one value of fixed width, 0 where values have none.
func (k valueKind) width() int64 {
	switch k {
	case kindI1, kindU1:
		return 1
	case kindI2, kindU2:
		return 2
	case kindI4, kindU4, kindR4:
		return 4
	case kindI8, kindU8, kindR8, kindTimeSpan, kindDateTime:
		return 8
	case kindRowID:
		return 16
	}
	return 0
}

// codec is a codec definition (§3.1).
type codec struct {
	name  text
	kind  valueKind
	item  *codec // of a vector or a key
	dims  []int32
	size  int64  // of a vector: its fixed length, or 0
	rank  int64  // as stored
	count uint64 // of a key: the largest raw value
	min   uint64 // of a legacy key
	// badCount tells that the count of a key is out of range: count is the largest of its type then.
	badCount bool
	surplus  [2]int64 // parameters behind those that the codec has: where they start and their size

	off int64 // of the definition
	n   int64
}

// readable tells whether the values can be decoded.
func (c *codec) readable() bool {
	if c == nil || c.kind == kindUnknown {
		return false
	}
	return c.kind < kindVector || c.item.readable() && (c.kind == kindKey || c.item.kind != kindVector)
}

// base is the kind of the stored numbers: that of the item of a key, the kind itself otherwise.
func (c *codec) base() valueKind {
	for c != nil && c.kind == kindKey {
		c = c.item
	}
	if c == nil {
		return kindUnknown
	}
	return c.kind
}

// String names the type as people know it: Single, Vector<Text, 5>, Key<UInt32, 3>.
func (c *codec) String() string {
	switch {
	case c == nil:
		return "?"
	case c.kind == kindVector && len(c.dims) > 0:
		return fmt.Sprintf("Vector<%s, %s>", c.item, strings.ReplaceAll(strings.Trim(fmt.Sprint(c.dims), "[]"), " ", "×"))
	case c.kind == kindVector:
		return fmt.Sprintf("Vector<%s>", c.item)
	case c.kind == kindKey:
		return fmt.Sprintf("Key<%s, %d>", c.item, c.count)
	}
	return c.name.s
}

const (
	maxNest = 8
	maxDims = 64 // that are kept, and can have findings
)

// codec reads a codec definition. Rule short is reported when it does not end.
func (r *reader) codec(short, depth int) *codec {
	c := &codec{off: r.pos}
	f := codecField
	if depth > 0 {
		f = itemField
	}
	r.group(f, false, func() {
		c.name = r.text(loadName, short, 27)
		at := r.pos
		n := r.uleb(paramLength, short, 22)
		r.nodes[len(r.nodes)-1].measures, r.nodes[len(r.nodes)-1].all = true, true
		if n > uint64(r.end-r.pos) {
			r.stop(finding{rule: 28, at: at, n: r.pos - at, found: fmt.Sprint(n), expected: fmt.Sprintf("at most %d", r.end-r.pos)})
		}
		end := r.pos + int64(n)
		if c.kind = loadNames[c.name.s]; c.kind == kindUnknown {
			if depth > 0 {
				r.report(finding{rule: 31, at: c.name.at, n: c.name.n, found: c.name.s, set: alias(c.name), ask: true})
			}
			if n > 0 {
				r.add(params, int64(n))
			}
			return
		}
		whole := r.params(c, at, end, depth)
		if used := r.pos - (end - int64(n)); whole && r.pos != end {
			r.report(finding{rule: 29, at: at, n: end - int64(n) - at, found: fmt.Sprint(n), expected: fmt.Sprint(used), set: intOf(used), ask: true}) // or the surplus goes
		}
		if r.pos != end {
			c.surplus = [2]int64{r.pos, end - r.pos}
			r.add(params, end-r.pos)
		}
	})
	c.n = r.pos - c.off
	return c
}

// params reads the parameters of a known codec, whose length stands at an offset and which end at end, and tells whether nothing
// stopped it.
func (r *reader) params(c *codec, at, end int64, depth int) bool {
	if c.kind != kindVector && c.kind != kindKey {
		return true
	}
	outer, declared := r.end, r.declared
	r.end, r.declared = end, [2]int64{at, r.pos - at}
	defer func() { r.end, r.declared = outer, declared }()
	return r.try(func() {
		if depth >= maxNest {
			r.stop(finding{rule: 32, at: r.pos, n: end - r.pos, found: "codecs nested too deeply"})
		}
		c.item = r.codec(29, depth+1)
		switch bad := c.item.kind != kindUnknown; {
		case bad && c.kind == kindVector && c.item.kind == kindVector,
			bad && c.kind == kindKey && (c.item.base() < kindU1 || c.item.base() > kindU8):
			r.report(finding{rule: 32, at: c.item.name.at, n: c.item.name.n, found: c.item.String()})
		}
		switch {
		case c.kind == kindVector:
			r.dims(c)
		case c.name.s == "Key2":
			at := r.pos
			c.count = r.fixed(count, 29).Uint()
			if top := topKey(c.item); c.count < 1 || c.count > top {
				r.report(finding{rule: 34, at: at, n: 8, found: fmt.Sprint(c.count), expected: fmt.Sprintf("1 to %d", top)})
				c.count, c.badCount = top, true
			}
		default:
			r.legacyKey(c)
		}
	})
}

// topKey is the largest value of an unsigned codec.
func topKey(c *codec) uint64 {
	if w := c.base().width(); c.base() >= kindU1 && c.base() <= kindU8 {
		return math.MaxUint64 >> (64 - 8*w)
	}
	return math.MaxUint64
}

func (r *reader) legacyKey(c *codec) {
	bad := func(at, n int64, found, expected string) {
		r.report(finding{rule: 35, at: at, n: n, found: found, expected: expected})
	}
	at := r.pos
	if v := r.fixed(contiguous, 29).Uint(); v != 1 {
		bad(at, 1, fmt.Sprintf("contiguous is %d", v), "1")
	}
	at = r.pos
	if c.min = r.fixed(minRows, 29).Uint(); c.min != 0 {
		bad(at, 8, fmt.Sprintf("min is %d", c.min), "0")
	}
	at = r.pos
	n, top := r.fixed(legacyCount, 29).Int(), topKey(c.item)
	if c.count = uint64(n); n == 0 {
		c.count = top
	}
	if n < 0 || n > 0 && uint64(n) > top {
		bad(at, 4, fmt.Sprintf("count is %d", n), fmt.Sprintf("0 to %d", min(top, math.MaxInt32)))
		c.count, c.badCount = top, true
	}
}

// dims reads the rank and the dimensions of a vector type.
func (r *reader) dims(c *codec) {
	at := r.pos
	c.rank = r.fixed(rank, 29).Int()
	switch left := (r.end - r.pos) / 4; {
	case c.rank < 0 || c.rank > left:
		r.stop(finding{rule: 33, at: at, n: 4, found: fmt.Sprintf("rank %d", c.rank), expected: fmt.Sprintf("0 to %d", left)})
	case c.rank == 0:
		r.report(finding{rule: 33, sev: model.Note, at: at, n: 4, found: "rank 0", message: "a legacy way to say that the length is unknown"})
		return
	}
	start, product, known := r.pos, int64(1), true
	for i := range c.rank {
		v, _, _ := model.I32LE.Decode(r.bytes(r.pos+4*i, 4))
		d := v.Int()
		if d < 0 {
			r.report(finding{rule: 33, at: r.pos + 4*i, n: 4, found: fmt.Sprintf("dimension %d", d), expected: "0 or more"})
		}
		if i < maxDims {
			c.dims = append(c.dims, int32(d))
		}
		if known = known && d > 0; known {
			if product *= d; product > math.MaxInt32 {
				r.report(finding{rule: 33, at: start, n: 4 * c.rank, found: "a product above 2147483647"})
				known = false
			}
		}
	}
	if known {
		c.size = product
	}
	r.nodes = append(r.nodes, treeNode{field: dims, elem: dim, off: start, n: 4 * c.rank})
	r.pos += 4 * c.rank
}

// alias returns today's name for the old names of row ids.
func alias(t text) *model.Value {
	if t.s != "UInt128" && t.s != "RowId" {
		return nil
	}
	return str("DataViewRowId")
}
