package kinds

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// dumped is the first line of a hex dump: an offset of 0 and the bytes there.
var dumped = regexp.MustCompile(`^0{7,8}:? +[0-9a-f]{2,4} +[0-9a-f]{2,4} `)

// Text identifies a text file, given its beginning in Head; false if it is none of the kinds that programs read.
func Text(f *File) (Kind, bool) {
	b := bytes.TrimSpace(bytes.TrimPrefix(f.Head, []byte("\xef\xbb\xbf")))
	whole := int64(len(f.Head)) == f.Size
	switch first, more, _ := bytes.Cut(b, []byte("\n")); {
	case len(b) == 0:
	case b[0] == '{' && strings.HasSuffix(f.Name, ".bin.index.json") && bytes.Contains(b, []byte(`"weight_map"`)):
		return Kind{Name: "the index of a sharded PyTorch checkpoint", Opens: "transformers", Evidence: "its name and its weight_map", Sure: true, Warn: pickleWarn}, true
	case dumped.Match(first):
		return Kind{Name: "a hex dump (xxd, hexdump)", Opens: "xxd -r", Evidence: "its first line", Sure: true}, true
	case (b[0] == '{' || b[0] == '[') && whole && json.Valid(b):
		return Kind{Name: "a JSON file", Opens: "json.load", Evidence: "all of it is valid JSON", Sure: true}, true
	case b[0] == '{' && len(more) > 0 && json.Valid(first):
		return Kind{Name: "a JSON Lines file", Opens: "pandas.read_json with lines=True", Evidence: "its first line is valid JSON", Sure: true}, true
	default:
		return rows(b, whole)
	}
	return Kind{}, false
}

// leastRows is how many lines with the same number of columns make a table.
const leastRows = 2

// rows recognises tables in text: numbers as written by numpy.savetxt, and CSV.
func rows(b []byte, whole bool) (Kind, bool) {
	if !whole {
		b = b[:bytes.LastIndexByte(b, '\n')+1]
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if numbers(lines) {
		return Kind{Name: "a text file of numbers", Opens: "numpy.loadtxt", Evidence: "all lines have the same number of values", Sure: true}, true
	}
	for _, s := range []struct {
		by   rune
		name string
	}{{',', "a CSV file"}, {'\t', "a TSV file"}, {';', "a CSV file (separated by semicolons)"}} {
		if separated(b, s.by) {
			return Kind{Name: s.name, Opens: "pandas.read_csv", Evidence: "all lines have the same number of columns", Sure: true}, true
		}
	}
	return Kind{}, false
}

// separated tells whether a text is rows of the same number of columns, at least two.
func separated(b []byte, by rune) bool {
	r := csv.NewReader(bytes.NewReader(b))
	r.Comma, r.LazyQuotes, r.ReuseRecord = by, true, true
	n, columns := 0, 0
	for n < 1000 {
		rec, err := r.Read() // a row with another number of columns is an error too
		if err != nil && rec != nil {
			return false
		}
		if err != nil {
			break
		}
		n, columns = n+1, len(rec)
	}
	return n >= leastRows && columns >= 2
}

// widest is the longest number: longer ones are bytes written in hexadecimal.
const widest = 32

// numbers tells whether lines other than comments are rows of the same number of numbers.
func numbers(lines []string) bool {
	n, columns := 0, 0
	for _, l := range lines[:min(len(lines), 1000)] {
		if l, _, _ = strings.Cut(l, "#"); strings.TrimSpace(l) == "" {
			continue
		}
		words := strings.FieldsFunc(l, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' || r == '\r' })
		if n > 0 && len(words) != columns {
			return false
		}
		for _, w := range words {
			if _, err := strconv.ParseFloat(w, 64); err != nil || len(w) > widest {
				return false
			}
		}
		n, columns = n+1, len(words)
	}
	return n >= leastRows
}
