package model

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
)

// Query is what Search looks for: bytes, some bits of which may not count, or matches of a regular expression.
type Query struct {
	pattern []byte
	mask    []byte // the bits that count; nil: all of them
	from    int    // where anchors are in the pattern
	anchors [][]byte
	re      *regexp.Regexp
	wide    bool // UTF-16 of one byte order
}

// TextQuery looks for UTF-8 text; with fold, for ASCII letters in either case.
func TextQuery(s string, fold bool) Query {
	q := Query{pattern: []byte(s)}
	if !fold || s == "" {
		return q
	}
	q.mask = bytes.Repeat([]byte{0xff}, len(s))
	for i, c := range q.pattern {
		if isLetter(c) {
			q.mask[i] = 0xff &^ caseBit
		}
	}
	q.from = rarest(s)
	c := q.pattern[q.from]
	q.anchors = [][]byte{{c}}
	if isLetter(c) {
		q.anchors = append(q.anchors, []byte{c ^ caseBit})
	}
	return q
}

// caseBit is the bit in which upper and lower case of an ASCII letter differ.
const caseBit = 'a' - 'A'

func isLetter(c byte) bool { return 'a' <= c|caseBit && c|caseBit <= 'z' }

// UTF16Query looks for UTF-16 text in a byte order. Given queries for both orders, SearchAll picks the order of the letters.
func UTF16Query(s string, order binary.ByteOrder) Query {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, 0, 0)
		order.PutUint16(b[len(b)-2:], u)
	}
	return Query{pattern: b, wide: true}
}

// ValueQuery looks for a value as a codec writes it: a number of a given type and byte order.
func ValueQuery(c Codec, text string) (Query, error) {
	v, err := ParseValue(c.Kind(), text)
	if err != nil {
		return Query{}, fmt.Errorf("%q is not a valid %s", text, c.Type())
	}
	b, err := c.Encode(v)
	return Query{pattern: b}, err
}

// maxMatch is the longest match of a regular expression.
const maxMatch = 64 << 10

// RegexpQuery looks for matches of a regular expression (RE2), of at most 64 KiB each. Text is taken as UTF-8; \xNN is a byte only
// up to 7f.
func RegexpQuery(s string) (Query, error) {
	re, err := regexp.Compile(s)
	if err == nil && re.MatchString("") {
		err = errors.New("the expression matches the empty string, so it is found everywhere")
	}
	return Query{re: re}, err
}

// HexQuery reads a pattern such as "50 4b ?? ??", where ?? is any byte.
func HexQuery(s string) (Query, error) {
	s = strings.Join(strings.Fields(s), "")
	var q Query
	if len(s)%2 != 0 {
		return q, errors.New("a byte needs two digits")
	}
	wild := false
	for i := 0; i < len(s); i += 2 {
		if s[i:i+2] == "??" {
			q.pattern, q.mask, wild = append(q.pattern, 0), append(q.mask, 0), true
			continue
		}
		b, err := hex.DecodeString(s[i : i+2])
		if err != nil {
			return q, fmt.Errorf("%q is not hexadecimal", s[i:i+2])
		}
		q.pattern, q.mask = append(q.pattern, b[0]), append(q.mask, 0xff)
	}
	if !wild {
		q.mask = nil
		return q, nil
	}
	var run []byte // the longest without a wildcard
	for i := 0; i < len(q.mask); i++ {
		n := i
		for n < len(q.mask) && q.mask[n] == 0xff {
			n++
		}
		if n-i > len(run) {
			q.from, run = i, q.pattern[i:n]
		}
		i = n
	}
	q.anchors = [][]byte{run}
	return q, nil
}

// Len returns the length of the longest match.
func (q Query) Len() int64 {
	if q.re != nil {
		return maxMatch
	}
	return int64(len(q.pattern))
}

// Bytes returns the bytes of the pattern, and whether every bit of them must match.
func (q Query) Bytes() (b []byte, exact bool) {
	return q.pattern, q.mask == nil && q.re == nil
}

// index returns the first match in b that starts before most, or the last one, and its length; -1 if there is none.
func (q Query) index(b []byte, most int, last bool) (at, n int) {
	n = len(q.pattern)
	b = b[:min(len(b), most+int(q.Len())-1)]
	switch {
	case q.re != nil:
		return q.match(b, most, last)
	case q.mask != nil:
		return q.masked(b, last), n
	case last:
		return bytes.LastIndex(b, q.pattern), n
	}
	return bytes.Index(b, q.pattern), n
}

// match finds what the expression matches.
func (q Query) match(b []byte, most int, last bool) (at, n int) {
	if !last {
		if at := q.re.FindIndex(b); at != nil && at[0] < most {
			return at[0], at[1] - at[0]
		}
		return -1, 0
	}
	at = -1
	for _, m := range q.re.FindAllIndex(b, -1) {
		if m[0] < most {
			at, n = m[0], m[1]-m[0]
		}
	}
	return at, n
}

// masked finds the anchors, and compares the rest of the pattern there. Each anchor has a place of its own, so that a rare one is not looked for again
// and again.
func (q Query) masked(b []byte, last bool) int {
	if len(q.pattern) > len(b) {
		return -1
	}
	list := make([]anchor, len(q.anchors))
	for i, text := range q.anchors {
		list[i] = anchor{text: text, lo: q.from, hi: len(b) - len(q.pattern) + q.from + len(text)}
		list[i].next(b, last)
	}
	for {
		var best *anchor
		for i := range list {
			if x := &list[i]; x.at >= 0 && (best == nil || (x.at > best.at) == last) {
				best = x
			}
		}
		switch {
		case best == nil:
			return -1
		case q.at(b[best.at-q.from:]):
			return best.at - q.from
		}
		best.next(b, last)
	}
}

// anchor is bytes that every match contains: where they may still be, and where they are next; -1 for nowhere.
type anchor struct {
	text       []byte
	lo, hi, at int
}

func (a *anchor) next(b []byte, last bool) {
	find := bytes.Index
	if last {
		find = bytes.LastIndex
	}
	if a.at = find(b[a.lo:max(a.lo, a.hi)], a.text); a.at >= 0 {
		a.at += a.lo
	}
	if last {
		a.hi = a.at + len(a.text) - 1
	} else {
		a.lo = a.at + 1
	}
}

func (q Query) at(b []byte) bool {
	for i, p := range q.pattern {
		if (b[i]^p)&q.mask[i] != 0 {
			return false
		}
	}
	return true
}

// rarest is the position of the byte of a text that is rarest in data files, so that little has to be compared.
func rarest(s string) int {
	const common = "jzqxkvbpgwymcufdlhrsnioate _0\x00" // the rarest first
	best, rank := 0, 1<<10
	for i, c := range []byte(s) {
		if isLetter(c) {
			c |= caseBit
		}
		if r := strings.IndexByte(common, c); r < rank {
			best, rank = i, r
		}
	}
	return best
}
