package parsers

import (
	"fmt"
	"math"
	"strings"

	"spandrel/model"
)

// idvKind is how the values of a codec are stored (§3).
type idvKind uint8

const (
	idvUnknown idvKind = iota
	idvI1
	idvI2
	idvI4
	idvI8
	idvU1
	idvU2
	idvU4
	idvU8
	idvR4
	idvR8
	idvBool
	idvBool2 // two bits a value
	idvTextKind
	idvTimeSpan
	idvDateTime
	idvDateZone
	idvRowID
	idvVector
	idvKey
)

// idvLoadNames are the codecs by load name (§3.1), those of old writers among them.
var idvLoadNames = map[string]idvKind{
	"SByte": idvI1, "Int16": idvI2, "Int32": idvI4, "Int64": idvI8, "Byte": idvU1, "UInt16": idvU2, "UInt32": idvU4, "UInt64": idvU8,
	"Single": idvR4, "Double": idvR8, "Boolean": idvBool, "DvBool": idvBool2, "TextSpan": idvTextKind,
	"TimeSpan": idvTimeSpan, "DvTimeSpan": idvTimeSpan, "DateTime": idvDateTime, "DvDateTime": idvDateTime,
	"DateTimeOffset": idvDateZone, "DvDateTimeZone": idvDateZone, "DataViewRowId": idvRowID, "RowId": idvRowID, "UInt128": idvRowID,
	"VBuffer": idvVector, "Key2": idvKey, "Key": idvKey,
}

// idvWidth is the bytes of one value of fixed width, 0 where values have none.
func (k idvKind) width() int64 {
	switch k {
	case idvI1, idvU1:
		return 1
	case idvI2, idvU2:
		return 2
	case idvI4, idvU4, idvR4:
		return 4
	case idvI8, idvU8, idvR8, idvTimeSpan, idvDateTime:
		return 8
	case idvRowID:
		return 16
	}
	return 0
}

// idvCodec is a codec definition (§3.1).
type idvCodec struct {
	name  idvText
	kind  idvKind
	item  *idvCodec // of a vector or a key
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
func (c *idvCodec) readable() bool {
	if c == nil || c.kind == idvUnknown {
		return false
	}
	return c.kind < idvVector || c.item.readable() && (c.kind == idvKey || c.item.kind != idvVector)
}

// base is the kind of the stored numbers: that of the item of a key, the kind itself otherwise.
func (c *idvCodec) base() idvKind {
	for c != nil && c.kind == idvKey {
		c = c.item
	}
	if c == nil {
		return idvUnknown
	}
	return c.kind
}

// String names the type as people know it: Single, Vector<Text, 5>, Key<UInt32, 3>.
func (c *idvCodec) String() string {
	switch {
	case c == nil:
		return "?"
	case c.kind == idvVector && len(c.dims) > 0:
		return fmt.Sprintf("Vector<%s, %s>", c.item, strings.ReplaceAll(strings.Trim(fmt.Sprint(c.dims), "[]"), " ", "×"))
	case c.kind == idvVector:
		return fmt.Sprintf("Vector<%s>", c.item)
	case c.kind == idvKey:
		return fmt.Sprintf("Key<%s, %d>", c.item, c.count)
	}
	return c.name.s
}

const (
	idvMaxNest = 8
	idvMaxDims = 64 // that are kept, and can have findings
)

// codec reads a codec definition. Rule short is reported when it does not end.
func (r *idvReader) codec(short, depth int) *idvCodec {
	c := &idvCodec{off: r.pos}
	f := idvCodecField
	if depth > 0 {
		f = idvItemField
	}
	r.group(f, false, func() {
		c.name = r.text(idvLoadName, short, 27)
		at := r.pos
		n := r.uleb(idvParamLength, short, 22)
		r.nodes[len(r.nodes)-1].measures, r.nodes[len(r.nodes)-1].all = true, true
		if n > uint64(r.end-r.pos) {
			r.stop(idvFinding{rule: 28, at: at, n: r.pos - at, found: fmt.Sprint(n), expected: fmt.Sprintf("at most %d", r.end-r.pos)})
		}
		end := r.pos + int64(n)
		if c.kind = idvLoadNames[c.name.s]; c.kind == idvUnknown {
			if depth > 0 {
				r.report(idvFinding{rule: 31, at: c.name.at, n: c.name.n, found: c.name.s, set: idvAlias(c.name), ask: true})
			}
			if n > 0 {
				r.add(idvParams, int64(n))
			}
			return
		}
		whole := r.params(c, at, end, depth)
		if used := r.pos - (end - int64(n)); whole && r.pos != end {
			r.report(idvFinding{rule: 29, at: at, n: end - int64(n) - at, found: fmt.Sprint(n), expected: fmt.Sprint(used), set: idvInt(used), ask: true}) // or the surplus goes
		}
		if r.pos != end {
			c.surplus = [2]int64{r.pos, end - r.pos}
			r.add(idvParams, end-r.pos)
		}
	})
	c.n = r.pos - c.off
	return c
}

// params reads the parameters of a known codec, whose length stands at an offset and which end at end, and tells whether nothing
// stopped it.
func (r *idvReader) params(c *idvCodec, at, end int64, depth int) bool {
	if c.kind != idvVector && c.kind != idvKey {
		return true
	}
	outer, declared := r.end, r.declared
	r.end, r.declared = end, [2]int64{at, r.pos - at}
	defer func() { r.end, r.declared = outer, declared }()
	return r.try(func() {
		if depth >= idvMaxNest {
			r.stop(idvFinding{rule: 32, at: r.pos, n: end - r.pos, found: "codecs nested too deeply"})
		}
		c.item = r.codec(29, depth+1)
		switch bad := c.item.kind != idvUnknown; {
		case bad && c.kind == idvVector && c.item.kind == idvVector,
			bad && c.kind == idvKey && (c.item.base() < idvU1 || c.item.base() > idvU8):
			r.report(idvFinding{rule: 32, at: c.item.name.at, n: c.item.name.n, found: c.item.String()})
		}
		switch {
		case c.kind == idvVector:
			r.dims(c)
		case c.name.s == "Key2":
			at := r.pos
			c.count = r.fixed(idvCount, 29).Uint()
			if top := idvTop(c.item); c.count < 1 || c.count > top {
				r.report(idvFinding{rule: 34, at: at, n: 8, found: fmt.Sprint(c.count), expected: fmt.Sprintf("1 to %d", top)})
				c.count, c.badCount = top, true
			}
		default:
			r.legacyKey(c)
		}
	})
}

// idvTop is the largest value of an unsigned codec.
func idvTop(c *idvCodec) uint64 {
	if w := c.base().width(); c.base() >= idvU1 && c.base() <= idvU8 {
		return math.MaxUint64 >> (64 - 8*w)
	}
	return math.MaxUint64
}

func (r *idvReader) legacyKey(c *idvCodec) {
	bad := func(at, n int64, found, expected string) {
		r.report(idvFinding{rule: 35, at: at, n: n, found: found, expected: expected})
	}
	at := r.pos
	if v := r.fixed(idvContiguous, 29).Uint(); v != 1 {
		bad(at, 1, fmt.Sprintf("contiguous is %d", v), "1")
	}
	at = r.pos
	if c.min = r.fixed(idvMin, 29).Uint(); c.min != 0 {
		bad(at, 8, fmt.Sprintf("min is %d", c.min), "0")
	}
	at = r.pos
	n, top := r.fixed(idvLegacyCount, 29).Int(), idvTop(c.item)
	if c.count = uint64(n); n == 0 {
		c.count = top
	}
	if n < 0 || n > 0 && uint64(n) > top {
		bad(at, 4, fmt.Sprintf("count is %d", n), fmt.Sprintf("0 to %d", min(top, math.MaxInt32)))
		c.count, c.badCount = top, true
	}
}

// dims reads the rank and the dimensions of a vector type.
func (r *idvReader) dims(c *idvCodec) {
	at := r.pos
	c.rank = r.fixed(idvRank, 29).Int()
	switch left := (r.end - r.pos) / 4; {
	case c.rank < 0 || c.rank > left:
		r.stop(idvFinding{rule: 33, at: at, n: 4, found: fmt.Sprintf("rank %d", c.rank), expected: fmt.Sprintf("0 to %d", left)})
	case c.rank == 0:
		r.report(idvFinding{rule: 33, sev: model.Note, at: at, n: 4, found: "rank 0", message: "a legacy way to say that the length is unknown"})
		return
	}
	start, product, known := r.pos, int64(1), true
	for i := range c.rank {
		v, _, _ := model.I32LE.Decode(r.bytes(r.pos+4*i, 4))
		d := v.Int()
		if d < 0 {
			r.report(idvFinding{rule: 33, at: r.pos + 4*i, n: 4, found: fmt.Sprintf("dimension %d", d), expected: "0 or more"})
		}
		if i < idvMaxDims {
			c.dims = append(c.dims, int32(d))
		}
		if known = known && d > 0; known {
			if product *= d; product > math.MaxInt32 {
				r.report(idvFinding{rule: 33, at: start, n: 4 * c.rank, found: "a product above 2147483647"})
				known = false
			}
		}
	}
	if known {
		c.size = product
	}
	r.nodes = append(r.nodes, idvNode{field: idvDims, elem: idvDim, off: start, n: 4 * c.rank})
	r.pos += 4 * c.rank
}

// idvAlias returns today's name for the old names of row ids.
func idvAlias(t idvText) *model.Value {
	if t.s != "UInt128" && t.s != "RowId" {
		return nil
	}
	return idvStr("DataViewRowId")
}
