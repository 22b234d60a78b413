package npyfile

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
)

// sizes are the possible sizes of a kind's elements in bytes; an empty list means any.
var sizes = map[byte][]int64{'i': {1, 2, 4, 8}, 'u': {1, 2, 4, 8}, 'f': {2, 4, 8, 12, 16}, 'c': {8, 16, 24, 32}, 'b': {1}, 'M': {8}, 'm': {8}, 'S': nil, 'a': nil, 'V': nil, 'U': nil}

// typeName is how numpy writes types other than kind and size: names, and in old files parts of a structure.
var typeName = regexp.MustCompile(`^[A-Za-z0-9(?][\w()\[\], :?]*$`)

// wordName are the types that numpy knows by a word.
var wordName = regexp.MustCompile(`^(bool|bool_|u?int(8|16|32|64|c|p|_)?|float(16|32|64|96|128|_)?|c?float|c?double|(c?long|c)?double|half|single|csingle|` +
	`complex(64|128|192|256|_)?|clongfloat|u?byte|u?short|u?long|u?longlong|object_?|O[48]?|str_?|string_?|bytes_?|unicode_?|void\d*|T\d*|(datetime|timedelta)64(\[.*)?|[MmSUVa])$`)

// letters are the types that have one letter as their name, and unitName the units of dates and times.
const letters = "?bBhHiIlLqQnNpPefdgFDGSUVOMmac"

var unitName = regexp.MustCompile(`^\d*(Y|M|W|D|h|m|s|ms|us|μs|ns|ps|fs|as|generic)(/\d+)?\]$`)

// plain is a type of numbers as numpy writes it, for a name of it that numpy reads too: '<f4' for 'float32', 'f4' and '=f4'.
func plain(descr string) string {
	short := strings.TrimPrefix(descr, "=")
	for _, order := range []string{"<", "|"} {
		if model.Dtypes[order+short] != nil {
			return order + short
		}
	}
	if wordName.MatchString(descr) {
		return cmp.Or(meant(descr), descr)
	}
	return descr
}

// meant is the type of numbers that has this name in any library; "" for none.
func meant(name string) string {
	if model.Dtypes[name] != nil {
		return name
	}
	names := slices.Sorted(maps.Keys(model.Dtypes)) // little-endian ones come first
	i := slices.IndexFunc(names, func(typ string) bool { return model.MeansType(name, typ) })
	if i < 0 {
		return ""
	}
	return names[i]
}

// itemSize is the size of an element of a type in bytes; 0 if the type does not say: Python objects, names of types. A number or
// truth value of an impossible size is an error.
func itemSize(descr string) (int64, error) {
	unknown := func() (int64, error) { return 0, fmt.Errorf("descr is %q, a type that numpy does not know", descr) }
	s := strings.TrimLeft(descr, "<>|=")
	if len(s) == 1 && !strings.Contains(letters, s) {
		return unknown()
	}
	if len(descr)-len(s) > 1 {
		return unknown()
	}
	if len(s) < 2 {
		return 0, nil
	}
	possible, ok := sizes[s[0]]
	digits, unit, of := strings.Cut(s[1:], "[")
	n, err := strconv.ParseInt(digits, 10, 32)
	sized := ok && err == nil
	part := s == descr && (strings.ContainsAny(s, ",(:") || s[0] >= '0' && s[0] <= '9') // of a structure
	switch {
	case !sized && !part && !wordName.MatchString(s), !typeName.MatchString(s):
		return unknown()
	case !sized, unit != "" && s[0] != 'M' && s[0] != 'm':
		return 0, nil
	case possible != nil && !slices.Contains(possible, n), of && !unitName.MatchString(unit):
		return unknown()
	case s[0] == 'U':
		n *= 4
	}
	return n, nil
}

// maxNested is how deep structured types are followed.
const maxNested = 32

// fields reads a structured type (a list of fields, or a type with a shape) and returns the size of its elements in bytes, and its
// parts with name as a prefix, nil if not all are known. It fails if the size of a part is unknown.
func (r *reader) fields(name string, depth int) (n int64, parts []Part) {
	switch r.peek() {
	case 's':
		descr := r.mark("type").text
		n, err := itemSize(descr)
		r.err = cmp.Or(r.err, err)
		r.need(err == nil && n > 0)
		return n, scalar(name, descr)
	case '(':
		r.next()
		r.need(depth < maxNested)
		n, parts = r.fields(name, depth+1)
		r.want(r.take(','))
		n, parts = r.times(n, parts)
		r.take(',')
		r.want(r.take(')'))
		return n, parts
	}
	r.want(r.take('['))
	whole, seen := true, map[string]bool{} // all of its parts are known; their names and titles
	for !r.failed && !r.take(']') {
		one, more := r.field(name, depth, seen)
		n += one
		r.need(n <= maxElements)
		r.want(r.take(',') || r.peek() == ']')
		if whole = whole && more != nil && len(parts)+len(more) <= maxParts; whole {
			parts = append(parts, more...)
		}
	}
	r.need(n > 0)
	if !whole {
		parts = nil
	}
	return n, parts
}

// field reads one field of a structured type: its name, its type and possibly a shape. No other one has its name.
func (r *reader) field(of string, depth int, seen map[string]bool) (n int64, parts []Part) {
	unique := func(name string) {
		if r.err == nil && name != "" && seen[name] {
			r.err = fmt.Errorf("descr has two fields named %q", name)
		}
		seen[name] = true
	}
	r.need(depth < maxNested)
	r.want(r.take('('))
	titled := r.take('(') // a title and a name
	if titled {
		title := r.next()
		r.want(title.kind == 's' && r.take(','))
		unique(title.text)
	}
	name := r.mark("field")
	unique(name.text)
	r.want(name.kind == 's' && (!titled || r.take(')')) && r.take(','))
	path := name.text
	if of != "" {
		path = of + "." + path
	}
	n, parts = r.fields(path, depth+1)
	if r.take(',') && r.peek() != ')' {
		n, parts = r.times(n, parts)
		r.take(',')
	}
	r.want(r.take(')'))
	return n, parts
}

// times repeats a type according to a shape, a number or a tuple.
func (r *reader) times(n int64, one []Part) (int64, []Part) {
	var shape []int64
	factor := func() {
		k, err := wholeNumber(r.next().text, 1)
		shape = append(shape, k)
		total, ok := model.Times(uint64(n), uint64(k), maxElements)
		n = int64(total)
		r.want(err == nil && k >= 0)
		r.need(ok)
	}
	if !r.take('(') {
		factor()
		return n, repeated(one, shape)
	}
	for !r.failed && !r.take(')') {
		factor()
		r.want(r.take(',') || r.peek() == ')')
	}
	return n, repeated(one, shape)
}
