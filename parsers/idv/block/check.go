package block

import (
	"encoding/binary"
	"fmt"

	"spandrel/model"
)

// Problem is a kind of problem in a block.
type Problem uint8

// The problems, in the order of the rules of the sheet (§5).
const (
	Short         Problem = iota // the values run past the end of the block
	Surplus                      // bytes follow the values
	TextSize                     // the length of the text is malformed
	TextCount                    // the number of texts does not match the rows
	BoundOrder                   // a text ends before it begins
	TextEnd                      // the last text does not end where the text does
	Encoding                     // not UTF-8
	SplitPair                    // a text ends inside a surrogate pair
	ThreeState                   // a boolean that is neither true, false nor missing
	UnusedBits                   // set bits after the last Boolean
	DateRange                    // not a date
	ZoneRange                    // not a time zone, or not a date in it
	VectorCount                  // the number of vectors does not match the rows
	VectorSize                   // the length of vectors does not match the type
	LengthRange                  // a negative length
	LengthUnit                   // a length that does not fill whole rows of a matrix
	CountRange                   // an impossible number of explicit items
	IndexOrder                   // indices that do not increase or lead outside
	IndexSum                     // the number of indices does not match the vectors
	KeyRange                     // a key above the count
	LegacyMissing                // a missing value that newer readers read as a number
	problems
)

// Issue is one thing that is wrong in a block.
type Issue struct {
	Problem Problem
	At, N   int64 // bytes of the block
	Found   any
	Want    any
	Set     model.Value // the right value of the number at the place, if known
	Sure    bool        // nothing else can be wrong
	Fits    bool        // with the wanted value, everything fits
	Instead *Patch      // an alternative
	More    bool        // there may be more of this kind
}

// Patch is bytes in place of others.
type Patch struct {
	At    int64
	With  []byte
	Label string
}

// MaxIssues is how many issues of one kind a block has.
const MaxIssues = 8

// Options says how values are judged.
type Options struct {
	Legacy bool // the writer knew missing numbers (§3.9)
	Cut    bool // the block did not inflate completely, which has been reported
}

// checking is a check of the values of a block.
type checking struct {
	*Block
	Options
	report func(Issue)
	count  [problems]int
}

// Check reports everything that is wrong with a block.
func (k *Block) Check(o Options, report func(Issue)) {
	c := &checking{Block: k, Options: o, report: report}
	fatal, cut := c.read()
	if cut {
		return
	}
	if fatal || !k.Codec.Readable() && k.Codec.Base() != Vector {
		if k.txt.bounds != nil && k.Own == k.N {
			c.bounds(-1)
		}
		return
	}
	if k.Codec.Kind == Vector && !c.vectors() {
		return
	}
	scalar, n := k.Codec, k.N
	if k.Codec.Kind == Vector {
		scalar, n = k.Codec.Item, k.items
	}
	c.scalars(scalar, n)
	if !k.failed {
		c.surplus()
	}
}

// read reports problems found while reading: cut means that the block ends before its values, which has been reported, and fatal that these cannot be checked.
func (c *checking) read() (fatal, cut bool) {
	for _, i := range c.issues {
		if i.Problem == Short && c.Cut {
			return fatal, true
		}
		if i.Fits {
			i.Set = model.I(i.Want.(int64))
		}
		fatal = fatal || !i.Fits && (i.Problem != IndexSum || !c.Tiled())
		c.add(i)
		if i.Problem == IndexSum && fatal { // the wrong vector may still be identified
			c.lengths()
			c.counts()
		}
	}
	return fatal, false
}

// surplus reports what follows the values.
func (c *checking) surplus() {
	if p, ok := c.Part(Leftover, false); ok {
		c.add(Issue{Problem: Surplus, At: p.Off, N: p.N, Found: model.Words("%d bytes", p.N), Want: "none"})
	}
}

func (c *checking) add(i Issue) {
	if c.count[i.Problem]++; c.count[i.Problem] > MaxIssues {
		return
	}
	i.More = c.count[i.Problem] == MaxIssues
	c.report(i)
}

// scalars checks n values that are no vectors: those of the block, or the items of its vectors.
func (c *checking) scalars(codec *Codec, n int64) {
	deep := codec != c.Codec
	part := func(r Role) (Part, []byte) {
		p, _ := c.Part(r, deep)
		return p, c.B[p.Off:p.End()]
	}
	switch base := codec.Base(); base {
	case Text:
		c.text()
	case Bool, Bool2:
		p, b := part(Bits)
		c.bools(p, b, n, base)
	case DateZone:
		m, minutes := part(Minutes)
		t, ticks := part(Ticks)
		c.zones(minutes, ticks, m.Off, t.Off)
	case DateTime, TimeSpan:
		p, b := part(Values)
		c.times(b, p.Off, base == DateTime)
	default:
		p, b := part(Values)
		if codec.Kind == Key {
			c.keys(b, base.Width(), p.Off, codec.Count)
		} else if c.Legacy && base >= I1 && base <= I8 {
			c.minima(b, base.Width(), p.Off)
		}
	}
}

func (c *checking) times(b []byte, at int64, date bool) {
	for i := 0; i+8 <= len(b); i += 8 {
		v := int64(binary.LittleEndian.Uint64(b[i:]))
		switch {
		case v == Missing:
			c.add(Issue{Problem: LegacyMissing, At: at + int64(i), N: 8, Found: "a missing time"})
		case date && (v < 0 || v > MaxTicks):
			c.add(Issue{Problem: DateRange, At: at + int64(i), N: 8, Found: v, Want: fmt.Sprintf("0 to %d", int64(MaxTicks))})
		}
	}
}

func (c *checking) zones(minutes, ticks []byte, minutesAt, ticksAt int64) {
	for i := range len(ticks) / 8 {
		m := int64(int16(binary.LittleEndian.Uint16(minutes[2*i:])))
		v := int64(binary.LittleEndian.Uint64(ticks[8*i:]))
		at := ticksAt + int64(8*i)
		if v == Missing {
			c.add(Issue{Problem: LegacyMissing, At: at, N: 8, Found: "a missing time"})
			v = 0 // .NET accepts it, then checks the minutes
		}
		if m == -1<<15 {
			m = 0
		}
		utc := v - m*ticksPerMinute
		switch {
		case m < -maxZone || m > maxZone:
			c.add(Issue{Problem: ZoneRange, At: minutesAt + int64(2*i), N: 2, Found: m, Want: "-840 to 840"})
		case v < 0 || v > MaxTicks || utc < 0 || utc > MaxTicks:
			c.add(Issue{Problem: ZoneRange, At: at, N: 8, Found: v, Want: fmt.Sprintf("0 to %d, also in UTC", int64(MaxTicks))})
		}
	}
}

// minima notes the smallest signed integer, which writers before 1.1.1.6 used for missing values.
func (c *checking) minima(b []byte, w, at int64) {
	for i := int64(0); i+w <= int64(len(b)); i += w {
		if unsigned(b[i:], w) == 1<<(8*w-1) {
			c.add(Issue{Problem: LegacyMissing, At: at + i, N: w, Found: "a missing number"})
			if c.count[LegacyMissing] > MaxIssues {
				return
			}
		}
	}
}

func unsigned(b []byte, w int64) uint64 {
	switch w {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func (c *checking) keys(b []byte, w, at int64, count uint64) {
	for i := int64(0); i+w <= int64(len(b)); i += w {
		if v := unsigned(b[i:], w); v > count { // or the count is wrong
			c.add(Issue{Problem: KeyRange, At: at + i, N: w, Found: v, Want: fmt.Sprintf("at most %d", count), Set: model.U(0)})
		}
	}
}

// bools checks n booleans of either kind.
func (c *checking) bools(p Part, b []byte, n int64, kind Kind) {
	if kind == Bool2 {
		for i := int64(0); i < n; i++ {
			word := binary.LittleEndian.Uint32(b[i/16*4:])
			if word == 0 {
				i |= 15
				continue
			}
			switch word >> (2 * (i % 16)) & 3 {
			case 2:
				c.add(Issue{Problem: LegacyMissing, At: p.Off + i/16*4, N: 4, Found: fmt.Sprintf("value %d is missing", i)})
			case 3:
				c.add(Issue{Problem: ThreeState, At: p.Off + i/16*4, N: 4, Found: fmt.Sprintf("value %d is 11", i), Want: "00, 01 or 10",
					Set: model.U(uint64(word &^ (1 << (2 * (i % 16)))))}) // one of its two bits is wrong, and it may be either
			}
		}
	}
	w, per := kind.unit()
	used := n % per * 8 * w / per
	if used == 0 || len(b) == 0 {
		return
	}
	v := unsigned(b[int64(len(b))-w:], w)
	if v>>used != 0 {
		c.add(Issue{Problem: UnusedBits, At: p.End() - w, N: w, Found: fmt.Sprintf("0x%x", v), Want: model.Words("%d unused bits of 0", 8*w-used),
			Set: model.U(v & (1<<used - 1)), Sure: true})
	}
}

// vectors checks counts, lengths and indices, and tells whether the items can be checked.
func (c *checking) vectors() bool {
	v := &c.vec
	c.lengths()
	wrong := c.counts()
	if wrong {
		return false
	}
	if v.sum.explicit > int64(len(v.indices))/4 && !v.bare {
		return false
	}
	c.indices()
	return c.Codec.Item.Readable()
}

func (c *checking) lengths() {
	p, ok := c.Part(Lengths, false)
	if !ok {
		return
	}
	unit := int64(1)
	for i, d := range c.Codec.Dims {
		if i > 0 && d > 0 && unit < 1<<31 {
			unit *= int64(d)
		}
	}
	for i := range p.N / 4 {
		switch v := num32(c.vec.lengths, i); {
		case v < 0:
			c.add(Issue{Problem: LengthRange, At: p.Off + 4*i, N: 4, Found: v, Want: "0 or more"})
		case v%unit != 0:
			c.add(Issue{Problem: LengthUnit, At: p.Off + 4*i, N: 4, Found: v, Want: fmt.Sprintf("a multiple of %d", unit)})
		}
	}
}

// counts checks the numbers of items of vectors, and tells whether one is impossible. A full vector must be dense.
func (c *checking) counts() (wrong bool) {
	v := &c.vec
	listed := v.sum.explicit == int64(len(v.indices))/4
	for i := range v.n {
		count, n := num32(v.counts, i), v.length(i)
		issue := Issue{Problem: CountRange, At: v.countsAt + 4*i, N: 4, Found: count}
		switch {
		case count == -1 || count >= 0 && count < n:
			continue
		case count != n:
			issue.Want, wrong = fmt.Sprintf("-1, or 0 to %d", n-1), true
		default:
			issue.Want = "-1: all items are there"
			if v.bare || count == 0 && listed {
				issue.Set, issue.Sure = model.I(-1), true
			}
		}
		c.add(issue)
	}
	return wrong
}

// indices checks that those of each sparse vector increase and are in range.
func (c *checking) indices() {
	v := &c.vec
	j, last := int64(0), int64(len(v.indices))/4
	for i := range v.n {
		prev, n := int64(-1), v.length(i)
		for range max(0, v.listed(i)) {
			if j >= last {
				return
			}
			x := num32(v.indices, j)
			if x <= prev || x >= n {
				c.add(Issue{Problem: IndexOrder, At: v.indicesAt + 4*j, N: 4, Found: x, Want: fmt.Sprintf("%d to %d", prev+1, n-1)})
			}
			prev = x
			j++
		}
	}
}
