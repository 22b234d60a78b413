package block

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
)

// Names are the names of a column's raw keys, in order; nil if it has none.
type Names []string

// maxParsed is how many items a typed vector may have.
const maxParsed = 1 << 20

// Parse parses a typed value in the type of the codec. Empty is a missing value if the type has one and no empty
// text. Keys are typed by name or number; vectors as [1, 2, 3], or {3: 1, 9: 2} for a sparse one of the
// old value's length, or {3: 1, 9: 2} of 12 for one of this length. Texts inside vectors may be quoted.
func (c *Codec) Parse(s string, missing bool, names Names, old Raw) (Raw, error) {
	if c.Kind != Vector {
		return c.parseScalar(s, missing, names)
	}
	if missing {
		return Raw{}, fmt.Errorf("vectors cannot be missing: [] is an empty one if lengths vary")
	}
	return c.parseVector(strings.TrimSpace(s), names, old)
}

// parseScalar reads a single value.
func (c *Codec) parseScalar(s string, missing bool, names Names) (Raw, error) {
	base := c.Base()
	switch {
	case base == Text && missing:
		return Raw{Missing: true}, nil
	case base == Text:
		return Raw{B: []byte(s)}, nil
	}
	if t := strings.TrimSpace(s); missing || t == "" || t == "missing" {
		return c.missing()
	}
	if c.Kind == Key {
		return c.parseKey(s, names)
	}
	switch base {
	case Bool, Bool2:
		b, ok := truths[strings.ToLower(strings.TrimSpace(s))]
		if !ok {
			return Raw{}, fmt.Errorf("%q is neither true nor false", s)
		}
		return Raw{B: []byte{b}}, nil
	case TimeSpan:
		n, err := ParseDuration(s)
		return Raw{B: le(uint64(n), 8)}, err
	case DateTime:
		n, err := ParseDate(s)
		return Raw{B: le(uint64(n), 8)}, err
	case DateZone:
		ticks, minutes, err := parseZone(s)
		return Raw{B: append(le(uint64(minutes), 2), le(uint64(ticks), 8)...)}, err
	case RowID:
		b, err := hex.DecodeString(strings.TrimSpace(s))
		if err != nil || len(b) != 16 {
			return Raw{}, fmt.Errorf("%q is not a row id of 32 hexadecimal digits", s)
		}
		for i := range 8 {
			b[i], b[15-i] = b[15-i], b[i]
		}
		return Raw{B: b}, nil
	}
	codec := base.Number()
	if codec == nil {
		return Raw{}, fmt.Errorf("the codec is unknown")
	}
	v, err := (&model.Field{Codec: codec}).Parse(strings.TrimSpace(s))
	if err != nil {
		return Raw{}, err
	}
	b, err := codec.Encode(v)
	return Raw{B: b}, err
}

// truths are the accepted spellings of a Boolean.
var truths = map[string]byte{"true": 1, "1": 1, "yes": 1, "false": 0, "0": 0, "no": 0}

// missing is the missing value (§3.9), if the type has one that all readers recognise.
func (c *Codec) missing() (Raw, error) {
	switch base := c.Base(); {
	case c.Kind == Key:
		return Raw{B: make([]byte, base.Width())}, nil
	case base == R4:
		return Raw{B: le(0xffc00000, 4)}, nil
	case base == R8:
		return Raw{B: le(0xfff8000000000000, 8)}, nil
	case base == Bool2:
		return Raw{B: []byte{2}}, nil
	case c.Legacy && (base >= I1 && base <= I8 || base == TimeSpan), (c.Legacy || strings.HasPrefix(c.Name, "Dv")) && base == DateTime:
		least := make([]byte, base.Width())
		least[len(least)-1] = 0x80
		return Raw{B: least}, nil
	case (c.Legacy || strings.HasPrefix(c.Name, "Dv")) && base == DateZone:
		return Raw{B: []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80}}, nil
	}
	return Raw{}, fmt.Errorf("a column of %s has no missing values", c)
}

// parseKey parses a key: its name or its number.
func (c *Codec) parseKey(s string, names Names) (Raw, error) {
	n, err := model.ParseUint(strings.TrimSpace(s)) // a number is the key's, even if there are names that look like numbers
	if i := slices.Index(names, s); err != nil && i >= 0 {
		n, err = uint64(i)+1, nil
	} else if number, name, shown := strings.Cut(strings.TrimSpace(s), " "); err != nil && shown { // as displayed
		if k, bad := model.ParseUint(number); bad == nil && name == names.Of(k) {
			n, err = k, nil
		}
	}
	switch {
	case err != nil && len(names) > 0:
		return Raw{}, fmt.Errorf("%q is neither a key's name nor a number from 0 to %d", s, c.Count)
	case err != nil || n > c.Count:
		return Raw{}, fmt.Errorf("%q is not a key from 1 to %d; 0 is missing", s, c.Count)
	}
	return Raw{B: le(n, int(c.Base().Width()))}, nil
}

// Of is the name of a key, as displayed; "" for none.
func (names Names) Of(key uint64) string {
	switch {
	case key == 0:
		return "missing"
	case key <= uint64(len(names)):
		return names[key-1]
	}
	return ""
}

func le(v uint64, n int) []byte { return binary.LittleEndian.AppendUint64(nil, v)[:n] }

// parseVector reads [a, b, c], or {0: a, 7: b} of a vector of known length.
func (c *Codec) parseVector(s string, names Names, old Raw) (Raw, error) {
	s, length := lengthBehind(s)
	inner, sparse := between(s, "{", "}")
	if dense, ok := between(s, "[", "]"); ok {
		inner = dense
	} else if !sparse {
		return Raw{}, fmt.Errorf("%q is not a vector: type [1, 2, 3], or {3: 1, 9: 2} for a sparse one", s)
	}
	words, quoted, err := split(inner)
	if err != nil {
		return Raw{}, err
	}
	l := &List{Len: int64(len(words)), Items: make([]Raw, 0, len(words))}
	if sparse {
		l.Index = []int64{}
		switch l.Len = c.Size; {
		case length >= 0:
			l.Len = length
		case l.Len == 0 && old.List != nil:
			l.Len = old.Len
		}
	}
	for i, w := range words {
		if w, err = l.placed(w, quoted[i]); err != nil {
			return Raw{}, err
		}
		item, err := c.Item.parseScalar(w, !quoted[i] && w == "missing", names)
		if err != nil {
			return Raw{}, fmt.Errorf("item %d: %w", i, err)
		}
		l.Items = append(l.Items, item)
	}
	if c.Size > 0 && l.Len != c.Size {
		return Raw{}, fmt.Errorf("%d items in a column of vectors of %d", l.Len, c.Size)
	}
	return Raw{List: l}, nil
}

// lengthBehind divides a sparse vector from the length that may stand behind it; -1: none does.
func lengthBehind(s string) (vector string, n int64) {
	const of = "} of "
	if at := strings.LastIndex(s, of); at >= 0 {
		if n, err := strconv.ParseUint(s[at+len(of):], 10, 31); err == nil {
			return s[:at+1], int64(n)
		}
	}
	return s, -1
}

// between is what is between two brackets around a text.
func between(s, opening, closing string) (inner string, ok bool) {
	if inner, ok = strings.CutPrefix(s, opening); !ok {
		return "", false
	}
	return strings.CutSuffix(inner, closing)
}

// placed reads POSITION: VALUE of a sparse list, and notes the position.
func (l *List) placed(w string, quoted bool) (value string, err error) {
	if l.Index == nil {
		return w, nil
	}
	at, rest, ok := strings.Cut(w, ":")
	n, err := strconv.ParseInt(strings.TrimSpace(at), 10, 64)
	if !ok || err != nil || n < 0 || n >= l.Len || len(l.Index) > 0 && n <= l.Index[len(l.Index)-1] {
		return "", fmt.Errorf("%q is not POSITION: VALUE with positions that increase from 0 to %d", w, l.Len-1)
	}
	l.Index, value = append(l.Index, n), strings.TrimSpace(rest)
	if quoted {
		return strconv.Unquote(value)
	}
	return value, nil
}

// split divides items at commas outside quotes. Items that are only a quoted text lose their quotes.
func split(s string) (words []string, quoted []bool, err error) {
	s = strings.TrimSpace(s)
	for more := s != ""; more; {
		if len(words) == maxParsed {
			return nil, nil, fmt.Errorf("more than %d items", maxParsed)
		}
		at, hasQuote, err := itemEnd(s)
		if err != nil {
			return nil, nil, err
		}
		word := strings.TrimSpace(s[:at])
		if hasQuote && word[0] == '"' {
			if word, err = strconv.Unquote(word); err != nil {
				return nil, nil, err
			}
		}
		words, quoted = append(words, word), append(quoted, hasQuote)
		s, more = strings.CutPrefix(s[at:], ",")
		s = strings.TrimSpace(s)
	}
	return words, quoted, nil
}

// itemEnd is where the first item ends, and whether a part of it is quoted.
func itemEnd(s string) (at int, quoted bool, err error) {
	for at < len(s) && s[at] != ',' {
		if s[at] != '"' {
			at++
			continue
		}
		q, err := strconv.QuotedPrefix(s[at:])
		if err != nil {
			return 0, false, fmt.Errorf("a quote in %q does not end", s)
		}
		at, quoted = at+len(q), true
	}
	return at, quoted, nil
}
