package tiledb

import (
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
)

// The rules of the reference sheet by number. Severity: E error, W warning, and w a warning where the sheet says error, because
// TileDB 2.31 opens such a schema without a word: it is the reading of cells, or another reader, that suffers.
const ruleList = `
1 W the file name is not one that TileDB gives
2 E the first timestamp of the name is later than the second
3 E the file ends inside the generic tile header
4 W the header version is not 1 to 23
5 W the header version differs from the version of the schema
6 E the persisted size reaches beyond the file
7 E the persisted size is smaller than the chunks need
8 W bytes follow the generic tile
9 W bytes lie between the last chunk and the persisted end
10 E the tile size is not the sum of the chunks' original lengths
11 W datatype and cell size of a generic tile are not CHAR and 1
12 E the encryption type is neither 0 nor 1
13 E encryption and the last filter of the pipeline disagree
14 E the pipeline does not take the bytes that the header says
15 E a tile with bytes has no chunk
16 E a chunk lies outside the tile
17 W the chunk count differs from what TileDB writes
18 E filter metadata of a chunk is not used up exactly
19 W the lengths of the parts do not add up to the filtered length
20 E a part does not decode to its recorded length
21 E a zlib stream is damaged
22 E a stored checksum differs from the bytes it covers
23 E an encrypted part does not open with the key
24 W written by an experimental build: released TileDB refuses it
30 E the filter type is unknown
31 W encryption is named in a schema pipeline
32 W the option bytes are not those of the filter
33 W the compressor byte is that of another filter
34 W the compression level is beyond the compressor's range
35 W the filter did not exist in this format version
36 E the window is smaller than a value
37 W the filter does nothing on this datatype
38 E differences of floating-point values
39 E the reinterpret datatype does not fit the input
40 E DICTIONARY on something else than values of a string field
41 E RLE or DICTIONARY is not the first filter on strings
42 E float scaling cannot work on this type or with these options
43 E WEBP needs a UINT8 attribute of a dense array with two integer dimensions
44 E the WEBP options do not fit the tile
45 W the padding of the WEBP options is not zero
46 E the filter count is not plausible
47 E a real dimension inherits DOUBLE_DELTA
48 E a string dimension inherits RLE or DICTIONARY behind another filter
49 W the same compressor twice in a pipeline
50 E the schema ends before its last field
51 W bytes follow the schema
52 E the version of the payload is not 1 to 23
53 W allows_dups is neither 0 nor 1
54 W a dense array cannot allow duplicates
55 E the array type is neither dense nor sparse
56 E the tile order is neither row-major nor column-major
57 E the cell order is not a layout
58 w the cell order is not one that cells can be stored in
59 w Hilbert order in a dense array
60 E Hilbert order with more than 16 dimensions
61 w a sparse array with capacity 0
62 W the capacity is beyond all reason
63 E an array without dimensions
64 E a dense array without attributes
65 E a count is larger than the bytes behind it can hold
66 E two fields have the same name
67 W a name is not UTF-8 or holds a NUL
68 W an attribute name starts with the reserved "__"
69 W an empty name
70 E the name is one of TileDB's own fields
80 E the datatype is not allowed for dimensions
81 E the datatype is not allowed for dimensions of a dense array
82 E dimensions of a dense array differ in type
83 w the number of values of a coordinate is not 1 (variable for strings)
84 E the domain size does not fit the datatype
85 w the domain is empty: its low end lies above its high end
86 E a real domain is not finite
87 E the domain is the whole range of its type
88 W the null flag is neither 0 nor 1
89 W a dimension without tile extent
90 W a string dimension with a tile extent
91 w the tile extent is not positive
92 w the tile extent is larger than the domain
93 E the domain rounded up to whole tiles leaves 64 bits
94 W a tile has more cells than can be counted
95 E the datatype of the domain is not allowed for dimensions
100 E the datatype is unknown: TileDB crashes on it
101 E no values per cell
102 E an attribute of type ANY of fixed size
103 E the fill value is empty
104 w the fill value is not one cell
105 W the fill value is not whole values
106 W nullable is neither 0 nor 1
107 W the validity of the fill value is neither 0 nor 1
108 E the data order is unknown
109 E ordered data where TileDB has none
110 E ordered cells of more than one value
111 w the enumeration of the attribute is not in the schema
112 w an enumerated attribute is not a single integer
113 W the enumeration has more values than the attribute can count
120 w the label names a dimension that is not there
121 E the label order is neither increasing nor decreasing
122 E an empty name or address of a label
123 E the type of the label is not allowed
124 E a label stored by the array has no relative address
125 E the label array does not fit its label
130 E names of the enumeration map are doubled, empty or no file names
131 w the file of an enumeration is missing
132 E an enumeration file has another name than the schema says
133 E the version of the enumeration is not 0
134 E datatype, value count or order flag of the enumeration is not legal
135 E the data of an enumeration are not whole values
136 E the offsets of an enumeration are out of order
137 E an enumeration has a value twice
138 W bytes follow the enumeration
139 W no attribute uses the enumeration
140 W no schema names the enumeration file
145 E the version of the current domain is not 0
146 W the empty flag of the current domain is neither 0 nor 1
147 E the type of the current domain is unknown
148 E a range of the current domain is empty or not a number
149 E the sizes of a variable range disagree
150 w the current domain leaves the domain
151 W a fragment reaches beyond the current domain
160 E an array without schema
161 E the schema that a fragment names is missing
162 E a fragment of before version 10 without __array_schema.tdb
163 W versions of name, footer and tiles of a fragment differ
164 E the footer does not end at its length
165 E an offset of the footer leads to no generic tile
166 W bytes of the fragment metadata that the footer does not reach
167 E the size of a data file differs from the footer
168 E tile offsets are out of order or leave the file
169 E the fields of a fragment have different tile counts
170 E cells of a sparse tile do not match the capacity
171 E sparse tile count and R-tree leaves disagree
172 E offsets of variable cells are out of order or leave the values
173 E the non-empty domain is empty or leaves the domain
174 W a fragment without commit, or a commit without fragment
175 W a validity byte is neither 0 nor 1
176 W an enumerated cell is beyond the enumeration's values
177 W an odd metadata entry or a leftover file
178 W an odd group member
179 E a line of a consolidated commit does not fit the array
180 W two schemas have the same timestamps
`

var ruleByNumber, ruleAll = readRules()

func readRules() (map[int]*model.Rule, []*model.Rule) {
	by, all := map[int]*model.Rule{}, []*model.Rule(nil)
	for _, line := range strings.Split(strings.TrimSpace(ruleList), "\n") {
		var n int
		var grade string
		fmt.Sscan(line, &n, &grade)
		r := &model.Rule{ID: fmt.Sprintf("TDB-%03d", n), Title: strings.SplitN(line, " ", 3)[2], Ref: fmt.Sprintf("4.%d", ruleSection(n)), Severity: model.Warning}
		switch grade {
		case "E":
			r.Severity = model.Error
		case "w":
			r.Doc = "TileDB opens such a schema without a word."
		}
		by[n], all = r, append(all, r)
	}
	return by, all
}

func ruleSection(n int) int {
	section := 0
	for _, first := range []int{1, 30, 50, 80, 100, 120, 160} {
		if n >= first {
			section++
		}
	}
	return section
}

// tdb returns a rule by its number; an unknown number is a bug that the first test meets.
func tdb(n int) *model.Rule {
	r := ruleByNumber[n]
	if r == nil {
		panic(fmt.Sprintf("no rule TDB-%03d", n))
	}
	return r
}

// report reports a rule at a span that was read, with what is there and what belongs there.
func report(c *model.Cursor, n int, at model.Node, found, expected any, fixes ...model.Fix) {
	fixes = slices.DeleteFunc(fixes, func(f model.Fix) bool { return f.Label == "" }) // of a field that is not there
	d := model.Finding{Rule: tdb(n), Span: at.Span, Found: fmt.Sprint(found), Expected: fmt.Sprint(expected), Fixes: fixes}
	if at.Span == nil {
		d.Span = c.Span()
	}
	c.Report(d)
}
