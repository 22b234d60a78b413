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

// Query is what Search looks for: bytes with optional wildcards, with or without case; or matches of a regular expression.
type Query struct {
	pattern []byte
	mask    []byte // nil: every bit counts
	fold    bool   // ASCII letters in either case
	from    int    // the bytes searched first: the longest run in which every bit counts
	run     []byte
	key     int // the rarest byte, which fold searches first
	re      *regexp.Regexp
	wide    bool // UTF-16 of one byte order
}

// TextQuery looks for UTF-8 text.
func TextQuery(s string, fold bool) Query {
	q := Query{pattern: []byte(s), fold: fold}
	if fold {
		q.pattern = asciiLower(q.pattern)
		q.key = rarest(q.pattern)
	}
	return q
}

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
	for i := 0; i < len(q.mask); i++ {
		n := i
		for n < len(q.mask) && q.mask[n] == 0xff {
			n++
		}
		if n-i > len(q.run) {
			q.from, q.run = i, q.pattern[i:n]
		}
		i = n
	}
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
	return q.pattern, q.mask == nil && !q.fold && q.re == nil
}

// index returns the first match in b that starts before most, or the last one, and its length; -1 if there is none.
func (q Query) index(b []byte, most int, last bool) (at, n int) {
	n = len(q.pattern)
	b = b[:min(len(b), most+int(q.Len())-1)]
	switch {
	case q.re != nil:
		return q.match(b, most, last)
	case q.fold:
		return q.folded(b, last), n
	case q.mask != nil:
		return q.wild(b, last), n
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

// wild finds the longest run without a wildcard, and compares the rest there.
func (q Query) wild(b []byte, last bool) int {
	if len(q.pattern) > len(b) {
		return -1
	}
	if len(q.run) == 0 { // anything will do
		if last {
			return len(b) - len(q.pattern)
		}
		return 0
	}
	lo, hi := q.from, len(b)-len(q.pattern)+q.from+len(q.run) // where the run may stand
	for lo < hi {
		i := bytes.Index(b[lo:hi], q.run)
		if last {
			i = bytes.LastIndex(b[lo:hi], q.run)
		}
		if i < 0 {
			return -1
		}
		if at := lo + i - q.from; q.at(b[at:]) {
			return at
		}
		if last {
			hi = lo + i + len(q.run) - 1
		} else {
			lo += i + 1
		}
	}
	return -1
}

func (q Query) at(b []byte) bool {
	for i, p := range q.pattern {
		if (b[i]^p)&q.mask[i] != 0 {
			return false
		}
	}
	return true
}

// folded finds the rarest byte of the pattern in both cases, and compares the rest there.
func (q Query) folded(b []byte, last bool) int {
	if len(q.pattern) == 0 || len(q.pattern) > len(b) {
		return -1
	}
	lo, hi := q.key, len(b)-len(q.pattern)+q.key+1 // where the byte may stand
	low := q.pattern[q.key]
	cases := []byte{low}
	if 'a' <= low && low <= 'z' {
		cases = append(cases, low-('a'-'A'))
	}
	next := [2]int{-2, -2} // next position for each case; -1: none left, -2: not searched yet
	for {
		best := -1
		for k, c := range cases {
			switch {
			case next[k] == -2 && last:
				next[k] = bytes.LastIndexByte(b[:max(lo, hi)], c)
			case next[k] == -2:
				if next[k] = bytes.IndexByte(b[min(lo, hi):hi], c); next[k] >= 0 {
					next[k] += lo
				}
			}
			if next[k] >= 0 && (best < 0 || (next[k] > next[best]) == last) {
				best = k
			}
		}
		if best < 0 || last && next[best] < q.key {
			return -1
		}
		at := next[best]
		if sameLetters(b[at-q.key:], q.pattern) {
			return at - q.key
		}
		if next[best] = -2; last {
			hi = at
		} else {
			lo = at + 1
		}
	}
}

// sameLetters tells whether b begins with a pattern in lower case, in either case.
func sameLetters(b, pattern []byte) bool {
	for i, p := range pattern {
		c := b[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != p {
			return false
		}
	}
	return true
}

// rarest is the position of the byte that is rarest in data files, so that little has to be compared.
func rarest(pattern []byte) int {
	const common = "jzqxkvbpgwymcufdlhrsnioate _0\x00" // the rarest first
	best, rank := 0, 1<<10
	for i, c := range pattern {
		if r := strings.IndexByte(common, c); r < rank {
			best, rank = i, r
		}
	}
	return best
}

// asciiLower keeps the length, unlike bytes.ToLower for text that is not ASCII.
func asciiLower(b []byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		out[i] = c
	}
	return out
}
