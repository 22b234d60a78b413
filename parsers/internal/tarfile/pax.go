package tarfile

import (
	"bytes"
	"strconv"
	"strings"

	"spandrel/model"
)

var (
	records   = &model.Field{Name: "records", Doc: "for the next member, or for all", Ref: "pax"}
	record    = &model.Field{Name: "record", Ref: "pax"}
	recordLen = &model.Field{Name: "length", Codec: Decimal{}, Doc: "bytes of the record, including these digits and the line feed", Ref: "pax"}
	key       = &model.Field{Name: "key", Codec: model.UTF8, Ref: "pax"}
	value     = &model.Field{Name: "value", Codec: model.UTF8, Ref: "pax"}
	sign      = &model.Field{Name: "sign", Codec: model.ASCII, Fixed: "the sign separates key and value"}
	untaken   = &model.Field{Name: "more", Codec: model.RawBytes, Doc: "records that are not parsed"}
	broken    = &model.Field{Name: "broken", Codec: model.RawBytes, Doc: "no record"}
)

// mostRecords is how many records of a header are parsed: tar writes a dozen, and each takes some kilobytes.
const mostRecords = 20_000

// Records reads the n bytes of a payload of pax records, and returns their list. bad is the rule that a malformed one violates.
func Records(c *model.Cursor, n int64, bad *model.Rule) model.Node {
	return c.ListN(records, n, func(c *model.Cursor) {
		for i := 0; c.More() && i < mostRecords; i++ {
			c.Struct(record, func(c *model.Cursor) { readRecord(c, bad) })
		}
		if c.More() {
			c.Wrong(model.RuleCap, c.Rest(untaken), nil, nil, model.Saying("a header has more than %s records: the rest is not parsed", model.Thousands(mostRecords)))
		}
	})
}

// readRecord reads a record: its length, a space, key=value and a line feed.
func readRecord(c *model.Cursor, bad *model.Rule) {
	b := c.Peek(c.Left())
	digits := bytes.IndexByte(b, ' ')
	n := int64(0)
	if digits > 0 && digits < 12 {
		v, _, err := Decimal{}.Decode(b[:digits])
		if n = v.Int(); err != nil {
			n = 0
		}
	}
	equals := -1
	if n > int64(digits)+2 && n <= int64(len(b)) && b[n-1] == '\n' {
		equals = bytes.IndexByte(b[digits+1:n-1], '=')
	}
	if equals < 0 {
		c.Wrong(bad, c.Rest(broken), model.Opening(b), "length, space, key=value, line feed")
		return
	}
	l := c.FieldN(recordLen, int64(digits))
	parts := []model.Node{l, c.FieldN(sign, 1), c.FieldN(key, int64(equals)), c.FieldN(sign.Named("equals"), 1),
		c.FieldN(value, n-int64(digits+1+equals+1)-1), c.FieldN(sign.Named("line feed"), 1)}
	c.LengthOf(l, parts...)
}

// EachRecord passes on the records of a PAX header: a length, a space, a key, an equals sign, a value and a newline each.
func EachRecord(b []byte, f func(key, value string)) {
	for len(b) > 0 {
		digits, _, ok := strings.Cut(string(b[:min(len(b), 12)]), " ")
		n, err := strconv.Atoi(digits)
		if !ok || err != nil || n <= len(digits)+1 || n > len(b) {
			return
		}
		key, value, ok := strings.Cut(strings.TrimSuffix(string(b[len(digits)+1:n]), "\n"), "=")
		if !ok {
			return
		}
		f(key, value)
		b = b[n:]
	}
}
