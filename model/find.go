package model

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Query is what Search looks for: bytes, of which some may be anything, in one case or both.
type Query struct {
	pattern []byte
	mask    []byte // nil: every bit counts
	fold    bool   // ASCII letters in either case
}

// TextQuery looks for UTF-8 text.
func TextQuery(s string, fold bool) Query {
	if fold {
		return Query{pattern: bytes.ToLower([]byte(s)), fold: true}
	}
	return Query{pattern: []byte(s)}
}

// HexQuery reads a pattern such as "50 4b ?? ??", where ?? is any byte.
func HexQuery(s string) (Query, error) {
	s = strings.Join(strings.Fields(s), "")
	var q Query
	if len(s)%2 != 0 {
		return q, errors.New("a byte has two digits")
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
	}
	return q, nil
}

// Len returns the number of bytes that a match has.
func (q Query) Len() int64 { return int64(len(q.pattern)) }

// Bytes returns the bytes of the pattern, and whether every bit of them counts.
func (q Query) Bytes() (b []byte, exact bool) { return q.pattern, q.mask == nil && !q.fold }

// index returns the first match in b, or the last one, or -1.
func (q Query) index(b []byte, last bool) int {
	if q.fold {
		b = asciiLower(b)
	}
	switch {
	case q.mask == nil && last:
		return bytes.LastIndex(b, q.pattern)
	case q.mask == nil:
		return bytes.Index(b, q.pattern)
	}
	n := len(b) - len(q.pattern)
	for k := 0; k <= n; k++ {
		i := k
		if last {
			i = n - k
		}
		if q.at(b[i:]) {
			return i
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

// asciiLower keeps the length, which bytes.ToLower does not for text that is not ASCII.
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

const searchStep = 1 << 20

// Search returns the next match in a space that starts at or behind from; with back, the last match that starts before from.
// io.EOF says that there is none. It can be cancelled and reports how far it is.
func (t *Tree) Search(ctx context.Context, space SpaceID, q Query, from int64, back bool, progress func(done, total int64)) (Range, error) {
	size, err := t.Size(ctx, space)
	if err != nil {
		return Range{}, err
	}
	n := q.Len()
	if n == 0 || n > searchStep {
		return Range{}, io.EOF
	}
	found := Range{Space: space, Len: n}
	look := func(lo, hi int64) (hit bool, err error) { // matches that start in [lo, hi)
		r := Range{space, lo, min(hi+n-1, size) - lo}
		fault := Guard(func() {
			var b []byte
			if b, err = t.view(ctx, r); err == nil {
				if i := q.index(b, back); i >= 0 {
					found.Off, hit = lo+int64(i), true
				}
			}
		})
		if fault != nil {
			err = fault
		}
		return hit, err
	}
	from = max(0, min(from, size))
	for done := int64(0); ; done += searchStep {
		if err := ctx.Err(); err != nil {
			return Range{}, err
		}
		lo, hi := from+done, min(from+done+searchStep, size)
		if back {
			lo, hi = max(0, from-done-searchStep), from-done
		}
		if lo >= hi {
			return Range{}, io.EOF
		}
		if hit, err := look(lo, hi); hit || err != nil {
			return found, err
		}
		if progress != nil {
			progress(done, size)
		}
	}
}
