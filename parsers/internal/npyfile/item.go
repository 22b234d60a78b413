package npyfile

import (
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// sizes are the bytes that the elements of a kind may have; none are any number.
var sizes = map[byte][]int64{'i': {1, 2, 4, 8}, 'u': {1, 2, 4, 8}, 'f': {2, 4, 8, 12, 16}, 'c': {8, 16, 24, 32}, 'b': {1}, 'M': {8}, 'm': {8}, 'S': nil, 'a': nil, 'V': nil, 'U': nil}

// typeName is how numpy writes types that are no kind and size: names, and in old files parts of a structure.
var typeName = regexp.MustCompile(`^[A-Za-z0-9(?][\w()\[\], :?]*$`)

// itemSize is how many bytes an element of a type has; 0 where the type does not say: Python objects, names of types. It refuses a number or
// truth value of a size that numpy knows none of.
func itemSize(descr string) (int64, error) {
	s := strings.TrimLeft(descr, "<>|=")
	if len(s) < 2 || len(descr)-len(s) > 1 {
		return 0, nil
	}
	known, ok := sizes[s[0]]
	digits, unit, _ := strings.Cut(s[1:], "[")
	n, err := strconv.ParseInt(digits, 10, 32)
	unknown := err == nil && !ok && !strings.ContainsRune("OT", rune(s[0])) // objects, and the texts of numpy 2
	if unknown || !typeName.MatchString(s) {
		return 0, fmt.Errorf("descr is %q, a type that numpy does not know", descr)
	}
	if !ok || err != nil || unit != "" && s[0] != 'M' && s[0] != 'm' {
		return 0, nil
	}
	if known != nil && !slices.Contains(known, n) {
		return 0, fmt.Errorf("descr is %q, a type that numpy does not know", descr)
	}
	if s[0] == 'U' {
		n *= 4
	}
	return n, nil
}

// maxNested is how deep structured types are followed.
const maxNested = 32

// fields is how many bytes an element of a structured type has: a list of fields, or a type with a shape. ok is false where a part of it does
// not say.
func (r *reader) fields(depth int) (n int64, ok bool) {
	if depth > maxNested {
		return 0, false
	}
	switch r.peek() {
	case 's':
		n, err := itemSize(r.next().text)
		return n, err == nil && n > 0
	case '(':
		r.next()
		if n, ok = r.fields(depth + 1); !ok || !r.take(',') {
			return 0, false
		}
		n, ok = r.times(n)
		r.take(',')
		return n, ok && r.take(')')
	}
	if !r.take('[') {
		return 0, false
	}
	for !r.take(']') {
		if !r.take('(') {
			return 0, false
		}
		if r.take('(') { // a title and a name
			if r.next().kind != 's' || !r.take(',') || r.next().kind != 's' || !r.take(')') {
				return 0, false
			}
		} else if r.next().kind != 's' {
			return 0, false
		}
		if !r.take(',') {
			return 0, false
		}
		one, ok := r.fields(depth + 1)
		if !ok {
			return 0, false
		}
		if r.take(',') && r.peek() != ')' {
			if one, ok = r.times(one); !ok {
				return 0, false
			}
			r.take(',')
		}
		if n += one; !r.take(')') || n > maxElements {
			return 0, false
		}
		if !r.take(',') && r.peek() != ']' {
			return 0, false
		}
	}
	return n, n > 0
}

// times multiplies a size by a shape, a number or a tuple of them.
func (r *reader) times(n int64) (int64, bool) {
	factor := func() bool {
		k, err := wholeNumber(r.next().text, 1)
		hi, lo := bits.Mul64(uint64(n), uint64(k))
		n = int64(lo)
		return err == nil && k >= 0 && hi == 0 && lo <= maxElements
	}
	if !r.take('(') {
		return n, factor()
	}
	for !r.take(')') {
		if !factor() || !r.take(',') && r.peek() != ')' {
			return 0, false
		}
	}
	return n, true
}
