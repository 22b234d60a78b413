package tarfile

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"spandrel/model"
)

// Some scripts write the sizes of members in decimal: a reader takes them for octal, and looks for the next header in the wrong place.

// leastDecimal is how many sizes must lead to the next member in decimal only.
const leastDecimal = 2

// Decimals offers to write all sizes of an archive in octal, if all of them are decimal: each then leads to a header whose checksum matches, up to the end.
func Decimals(ctx context.Context, in model.SpaceID, read Reader, end int64) []model.Fix {
	var edits []model.Edit
	members, only := 0, 0
	for at := int64(0); at < end && ctx.Err() == nil; {
		b := read(at, Block)
		if int64(len(b)) < Block || model.AllZero(b) {
			break
		}
		size, ok := decimal(b[124:136])
		if !ok || members > mostRenames || !IsHeader(b) {
			return nil
		}
		if members++; size != octal(b[124:136]) {
			only++
			edits = append(edits, rewriteSize(model.Range{Space: in, Off: at, Len: Block}, b, size))
		}
		if at += Block + Padded(size); at > end {
			return nil
		}
	}
	if only < leastDecimal {
		return nil
	}
	return []model.Fix{{Label: model.Words("write the sizes of %d members in octal", only), Once: true, Safe: true, Edits: edits,
		Says: "The sizes of the members are written in decimal instead of octal."}}
}

// decimal reads a number of decimal digits, ended by a NUL or a space.
func decimal(b []byte) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimRight(string(b), " \x00"), 10, 40)
	return n, err == nil && n >= 0
}

// rewriteSize replaces the size and the checksum of a header, in as many digits as before.
func rewriteSize(at model.Range, header []byte, size int64) model.Edit {
	h := append([]byte(nil), header...)
	digits := len(strings.TrimRight(string(h[124:136]), " \x00"))
	copy(h[124:], fmt.Sprintf("%0*o", digits, size))
	digits = len(strings.TrimRight(string(h[148:156]), " \x00"))
	copy(h[148:], fmt.Sprintf("%0*o", digits, Parse(h).Sum))
	return model.Replace(at, h)
}
