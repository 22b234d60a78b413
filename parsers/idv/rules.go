package idv

import (
	"fmt"
	"strconv"
	"strings"

	"spandrel/model"
)

// ruleText is one line for each rule of the reference sheet: number, severity, what is wrong.
const ruleText = `
001 E the stream is shorter than its 256-byte header
002 E the header does not start with the signature
003 E the compatible version is above the version
004 E the version is below 1.1.1.2
005 E the compatible version is below 1.1.1.4
006 E the compatible version is above 1.1.1.6: a newer reader is needed
007 W the version is not a known one
008 E the row count is negative
009 E the column count is negative
010 E the column directory starts inside the header
011 E the column directory is outside the stream
012 E the tail offset lies inside the header
013 E the tail does not fit into the stream
014 E there is no tail signature at the tail offset
015 W bytes follow the tail
016 N the unused part of the header is not zero
017 N rows without columns
020 E a column entry is cut short
021 E a text length is malformed or leads outside
022 E a variable-length number is malformed
023 N a variable-length number is longer than needed
024 W a name is not valid UTF-8
025 E a column has no name
026 W two columns share a name: the earlier one is hidden
027 E a codec has no name
028 E codec parameters lead outside
029 E a codec does not use exactly its declared parameters: the whole file is refused
030 W the codec is unknown: the column cannot be read
031 E a codec inside another is unknown: the whole file is refused
032 E a vector of vectors, or a key that is not over an unsigned integer
033 E the dimensions of a vector type are malformed
034 E the key count is outside its type
035 E the legacy key type has parameters that newer readers refuse
036 W the compression kind is unknown: the column cannot be read
037 E rows per block is not positive
038 E rows per block differs between columns
039 W rows per block is 2^31 or more and wraps
040 E the lookup table is outside the stream
041 N a lookup offset inside the header, without rows
042 E the metadata directory is outside the stream
043 N a legacy codec name
044 N bytes lie between the last column entry and the tail
050 E more than 2^31-1 blocks
051 E a block length is negative
052 E a decompressed length is negative, or zero with rows
053 E a block is outside the stream
054 E the decompressed length of a stored block is not its length
055 W blocks overlap each other or another structure
056 E a block does not inflate to its decompressed length
057 W a block inflates to more than stated, or leaves compressed bytes over
058 W bytes are left over behind the values of a block
059 E the values run past the end of the block
060 E the number of texts is not the number of rows
061 E text bounds decrease, or a missing text has a width
062 E the last text bound is not the length of the text
063 W the text is not valid UTF-8
064 E an invalid three-state boolean
065 N unused bits of the last boolean unit are set
066 E a date is out of range
067 E a time zone offset or its clock is out of range
068 E the number of vectors is not the number of rows
069 E the vector size is not that of the type
070 E a vector length is negative
071 E a count of explicit items is out of range
072 E indices are not increasing or lead outside the vector
073 E the number of indices is not the sum of the counts
074 W a key is above the key count
075 N a legacy missing value: newer readers flatten it
080 E the metadata count is out of range
081 E a metadata entry is cut short
082 E a metadata kind has no name
083 E a metadata kind occurs twice
084 W the codec of a metadata entry is unknown: it is dropped
085 W the compression of a metadata entry is unknown: it is dropped
086 E a metadata block is outside the stream
087 E the length of a metadata block is out of range
088 E a metadata block does not decode
089 W bytes are left over in a metadata block
090 W slot names do not fit the column
091 W key values do not fit the column
092 W a well-known metadata kind has another type
093 W the slot ranges are malformed
094 N an unknown metadata kind
100 N unreachable bytes
101 W directories overlap
102 N the regions are in an unusual order
103 N columns use different compression kinds
110 E the length prefix is not the size of the stream
111 E the schema of a loader has rows
120 E the signature or a version of the transposed file is wrong
121 E a count or the table offset of the transposed file is out of range
122 E the tail signature of the transposed file is missing
123 E an entry of the table is outside the file
124 E the schema stream is missing or disagrees
125 E a column stream disagrees with the schema
126 E a column has no stream, and the schema stream has no rows
`

var rules = func() (out [130]*model.Rule) {
	grade := map[string]model.Severity{"E": model.Error, "W": model.Warning, "N": model.Note}
	for _, line := range strings.Split(strings.TrimSpace(ruleText), "\n") {
		n, _ := strconv.Atoi(line[:3])
		out[n] = &model.Rule{ID: "IDV-" + line[:3], Severity: grade[line[4:5]], Title: line[6:], Ref: "§5"}
	}
	return
}()

func ruleList() (out []*model.Rule) {
	for _, r := range rules {
		if r != nil {
			out = append(out, r)
		}
	}
	return
}

// finding is a finding before the spans are there: at is an offset of the stream's space, and the leaf that starts there is
// the span at fault. set, where the leaf takes one value only, is the repair.
type finding struct {
	rule            int
	sev             model.Severity
	at, n           int64
	found, expected string
	message         string
	related         []model.Range
	set             *model.Value // a value for the leaf that repairs it
	ask             bool         // others would repair it too
	with            []byte       // bytes in place of those at fault that repair it, or of those at withAt
	withAt          int64
	label           string
	mend            func(ix *index) ([]byte, error) // makes the decoded block anew
	fixes           []model.Fix
}

// diagnose makes the finding about a span, or about bare bytes when there is none.
func (f finding) diagnose(space model.SpaceID, s *model.Span) model.Finding {
	d := model.Finding{Rule: rules[f.rule], Severity: f.sev, Span: s, Range: model.Range{Space: space, Off: f.at, Len: f.n},
		Found: f.found, Expected: f.expected, Related: f.related, Fixes: f.fixes}
	if f.message != "" {
		d.Message = fmt.Sprintf("%s: %s", d.Rule.Title, f.message)
	}
	if f.set != nil && s != nil && s.Range.Off == f.at && s.Range.Len == f.n { // not another leaf that starts there
		fix := model.SetTo(s, *f.set)
		fix.Safe = !f.ask
		d.Fixes = append([]model.Fix{fix}, d.Fixes...)
	}
	if f.with != nil {
		at := d.Range
		if f.withAt > 0 {
			at = model.Range{Space: space, Off: f.withAt, Len: int64(len(f.with))}
		}
		d.Fixes = append(d.Fixes, model.Fix{Label: f.label, Safe: !f.ask, Edits: []model.Edit{model.Replace(at, f.with)}})
	}
	return d
}

func intOf(v int64) *model.Value { x := model.I(v); return &x }
func str(v string) *model.Value  { x := model.S(v); return &x }
