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

// fields reads a structured type, a list of fields or a type with a shape, and returns how many bytes an element of it has, and what it is made
// of in front of which stands a name. ok is false where a part of it does not say how long it is.
func (r *reader) fields(name string, depth int) (n int64, parts []Part, ok bool) {
	if depth > maxNested {
		return 0, nil, false
	}
	switch r.peek() {
	case 's':
		descr := r.mark("type").text
		n, err := itemSize(descr)
		return n, scalar(name, descr), err == nil && n > 0
	case '(':
		r.next()
		if n, parts, ok = r.fields(name, depth+1); !ok || !r.take(',') {
			return 0, nil, false
		}
		n, parts, ok = r.times(n, parts)
		r.take(',')
		return n, parts, ok && r.take(')')
	}
	if !r.take('[') {
		return 0, nil, false
	}
	whole := true // all of its parts are known
	for !r.take(']') {
		one, more, ok := r.field(name, depth)
		if !ok {
			return 0, nil, false
		}
		if n += one; n > maxElements || !r.take(',') && r.peek() != ']' {
			return 0, nil, false
		}
		if whole = whole && more != nil && len(parts)+len(more) <= maxParts; whole {
			parts = append(parts, more...)
		}
	}
	if !whole {
		parts = nil
	}
	return n, parts, n > 0
}

// field reads one field of a structured type: its name, its type and perhaps a shape.
func (r *reader) field(of string, depth int) (n int64, parts []Part, ok bool) {
	if !r.take('(') {
		return 0, nil, false
	}
	var name token
	if r.take('(') { // a title and a name
		if r.next().kind != 's' || !r.take(',') {
			return 0, nil, false
		}
		if name = r.mark("field"); !r.take(')') {
			return 0, nil, false
		}
	} else {
		name = r.mark("field")
	}
	if name.kind != 's' || !r.take(',') {
		return 0, nil, false
	}
	path := name.text
	if of != "" {
		path = of + "." + path
	}
	if n, parts, ok = r.fields(path, depth+1); !ok {
		return 0, nil, false
	}
	if r.take(',') && r.peek() != ')' {
		if n, parts, ok = r.times(n, parts); !ok {
			return 0, nil, false
		}
		r.take(',')
	}
	return n, parts, r.take(')')
}

// times repeats a type as often as a shape says, a number or a tuple of them.
func (r *reader) times(n int64, one []Part) (int64, []Part, bool) {
	var shape []int64
	factor := func() bool {
		k, err := wholeNumber(r.next().text, 1)
		shape = append(shape, k)
		hi, lo := bits.Mul64(uint64(n), uint64(k))
		n = int64(lo)
		return err == nil && k >= 0 && hi == 0 && lo <= maxElements
	}
	if !r.take('(') {
		ok := factor()
		return n, repeated(one, shape), ok
	}
	for !r.take(')') {
		if !factor() || !r.take(',') && r.peek() != ')' {
			return 0, nil, false
		}
	}
	return n, repeated(one, shape), true
}
