package idv

import (
	"encoding/binary"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
)

// inspect checks a decoded block (§5, 056 to 075; 088 to 093 for metadata) and reports at offsets of its bytes.
func (s *stream) inspect(sh shape, b []byte, how inflate.Outcome, report func(finding)) {
	bad, meta := false, sh.meta != nil
	k := &checker{b: b, legacy: s.version <= versionBase+5, report: func(f finding) {
		if meta && f.rule == 58 {
			f.rule = 89
		}
		grade := f.sev
		if grade == 0 {
			grade = rules[f.rule].Severity
		}
		bad = bad || grade == model.Error
		report(f)
	}}
	k.short = sh.problems(b, how, k.report) || int64(len(b)) < sh.size()
	if sh.codec.readable() {
		if sh.declared >= 0 {
			k.b = b[:min(int64(len(b)), sh.declared)]
		}
		if k.values(sh.codec, sh.rows) && int64(len(k.b)) > k.pos {
			k.found(58, 0, k.pos, int64(len(k.b))-k.pos, fmt.Sprintf("%d bytes", int64(len(k.b))-k.pos), "none")
		}
	}
	if meta && bad {
		report(finding{rule: 88, at: -1, found: sh.codec.String(), fixes: s.dropEntry(sh.col, sh.meta)})
	}
	if meta && !bad && sh.codec.readable() && sh.meta.kind.s == "CategoricalSlotRanges" && sh.codec.kind == kindVector && sh.codec.item.kind == kindI4 {
		s.checkRanges(sh, b, report)
	}
}

// maxFound is how many findings of one rule a block reports.
const maxFound = 8

// checker walks a decoded block.
type checker struct {
	b      []byte
	pos    int64
	legacy bool // the writer knew missing numbers (§3.9)
	short  bool // the block did not inflate to the end, which has been said
	report func(finding)
	count  [130]int
}

func (k *checker) found(rule int, sev model.Severity, at, n int64, found, expected string, set ...*model.Value) {
	f := finding{rule: rule, sev: sev, at: at, n: n, found: found, expected: expected}
	if len(set) > 0 {
		f.set = set[0]
	}
	k.add(f)
}

func (k *checker) add(f finding) {
	if k.count[f.rule]++; k.count[f.rule] > maxFound {
		return
	}
	if k.count[f.rule] == maxFound {
		f.message = "and perhaps more in this block"
	}
	k.report(f)
}

// need returns the next n bytes, or reports that the block ends before.
func (k *checker) need(n int64) []byte {
	if left := int64(len(k.b)) - k.pos; n < 0 || n > left {
		if !k.short {
			k.found(59, 0, k.pos, left, fmt.Sprintf("%d bytes", left), fmt.Sprintf("%d bytes", n))
		}
		return nil
	}
	b := k.b[k.pos : k.pos+n]
	k.pos += n
	return b
}

func (k *checker) i32() (v int64, ok bool) {
	b := k.need(4)
	if b == nil {
		return 0, false
	}
	return int64(int32(binary.LittleEndian.Uint32(b))), true
}

// values checks n values of a codec and tells whether it got behind them.
func (k *checker) values(c *codec, n int64) bool {
	at := k.pos
	base := c.base()
	switch base {
	case kindText:
		return k.text(n)
	case kindVector:
		return k.vectors(c, n)
	case kindBool:
		return k.bools(n, 8, 1)
	case kindBool2:
		return k.bools(n, 16, 4)
	case kindDateZone:
		minutes, ticks := k.need(2*n), []byte(nil)
		if minutes == nil && n > 0 {
			return false
		}
		if ticks = k.need(8 * n); ticks == nil && n > 0 {
			return false
		}
		k.zones(minutes, ticks, at)
		return true
	}
	w := base.width()
	b := k.need(w * n)
	if b == nil && n > 0 {
		return false
	}
	switch {
	case c.kind == kindKey:
		k.keys(b, w, at, c.count)
	case base == kindDateTime || base == kindTimeSpan:
		k.times(b, at, base == kindDateTime)
	case k.legacy && base >= kindI1 && base <= kindI8:
		k.minima(b, w, at)
	}
	return true
}

const (
	maxTicks = 3155378975999999999 // the end of year 9999
	minute1  = 600_000_000         // ticks
	missing  = -1 << 63
)

func (k *checker) times(b []byte, at int64, date bool) {
	for i := 0; i+8 <= len(b); i += 8 {
		v := int64(binary.LittleEndian.Uint64(b[i:]))
		switch {
		case v == missing:
			k.found(75, 0, at+int64(i), 8, "a missing time", "")
		case date && (v < 0 || v > maxTicks):
			k.found(66, 0, at+int64(i), 8, fmt.Sprint(v), fmt.Sprintf("0 to %d", int64(maxTicks)))
		}
	}
}

func (k *checker) zones(minutes, ticks []byte, at int64) {
	n := len(minutes) / 2
	for i := range n {
		m := int64(int16(binary.LittleEndian.Uint16(minutes[2*i:])))
		v := int64(binary.LittleEndian.Uint64(ticks[8*i:]))
		tickAt := at + int64(2*n+8*i)
		if v == missing {
			k.found(75, 0, tickAt, 8, "a missing time", "")
			continue
		}
		if m == -1<<15 {
			m = 0
		}
		utc := v - m*minute1
		switch {
		case m < -840 || m > 840:
			k.found(67, 0, at+int64(2*i), 2, fmt.Sprint(m), "-840 to 840")
		case v < 0 || v > maxTicks || utc < 0 || utc > maxTicks:
			k.found(67, 0, tickAt, 8, fmt.Sprint(v), fmt.Sprintf("0 to %d, also in UTC", int64(maxTicks)))
		}
	}
}

// minima notes the least value of signed integers, which writers before 1.1.1.6 meant as missing.
func (k *checker) minima(b []byte, w, at int64) {
	for i := int64(0); i+w <= int64(len(b)); i += w {
		if signed(b[i:], w) == -1<<(8*w-1) {
			k.found(75, 0, at+i, w, "a missing number", "")
			if k.count[75] > maxFound {
				return
			}
		}
	}
}

func signed(b []byte, w int64) int64 {
	switch w {
	case 1:
		return int64(int8(b[0]))
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	}
	return int64(binary.LittleEndian.Uint64(b))
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

func (k *checker) keys(b []byte, w, at int64, count uint64) {
	missing := model.U(0) // or the count is wrong
	for i := int64(0); i+w <= int64(len(b)); i += w {
		if v := unsigned(b[i:], w); v > count {
			k.add(finding{rule: 74, at: at + i, n: w, found: fmt.Sprint(v), expected: fmt.Sprintf("at most %d", count), set: &missing, ask: true})
		}
	}
}

// bools checks n booleans, per of them in a unit of w bytes.
func (k *checker) bools(n, per, w int64) bool {
	units := n/per + min(1, n%per)
	at := k.pos
	b := k.need(units * w)
	if b == nil {
		return n == 0
	}
	if per == 16 {
		for i := int64(0); i < n; i++ {
			word := binary.LittleEndian.Uint32(b[i/16*4:])
			if word == 0 {
				i |= 15
				continue
			}
			switch word >> (2 * (i % 16)) & 3 {
			case 2:
				k.found(75, 0, at+i/16*4, 4, fmt.Sprintf("value %d is missing", i), "")
			case 3:
				v := model.U(uint64(word &^ (1 << (2 * (i % 16)))))
				k.found(64, 0, at+i/16*4, 4, fmt.Sprintf("value %d is 11", i), "00, 01 or 10", &v)
			}
		}
	}
	if used := n % per * 8 * w / per; used != 0 {
		last := b[(units-1)*w:]
		v := uint64(last[0])
		if w == 4 {
			v = uint64(binary.LittleEndian.Uint32(last))
		}
		if v>>used != 0 {
			clear := model.U(v & (1<<used - 1))
			k.found(65, 0, at+(units-1)*w, w, fmt.Sprintf("0x%x", v), fmt.Sprintf("%d unused bits of 0", 8*w-used), &clear)
		}
	}
	return true
}
