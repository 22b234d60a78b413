package tarfile

import (
	"context"
	"strings"

	"spandrel/model"
)

// Text tools that replace a word by one of the same length do so in the names of members too: the checksums in their headers are those of the old names.

// leastResummed is how many headers must have a wrong checksum for that to be one event.
const leastResummed = 3

// Resums are the places of the headers of an archive whose texts were changed in place: every header is where the payload before it ends, and is whole, but
// several checksums are wrong. It is empty if something else is wrong too.
func Resums(ctx context.Context, read Reader, end int64) (list []int64) {
	for at := int64(0); at < end && ctx.Err() == nil; {
		piece, n := PieceAt(ctx, read, at, end)
		b := read(at, Block)
		switch piece {
		case End:
			if at+n == end && len(list) >= leastResummed {
				return list
			}
			return nil
		case Damaged:
			if h := Parse(b); !retexted(b) || n != Block+Padded(max(0, h.Payload())) {
				return nil
			}
			list = append(list, at)
		case Member:
		default:
			return nil
		}
		at += n
	}
	return nil
}

// retexted tells whether a header may be whole except for its texts.
func retexted(b []byte) bool {
	name, _, _ := strings.Cut(string(b[:nameSize]), "\x00")
	return plausible(b) && name != "" && !strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c == '\ufffd' })
}

// Resum is the checksum that a header should have, and where it is in the header.
func Resum(header []byte) (at int, is []byte) {
	is, err := Octal{Bytes: sumPart.n}.Encode(model.U(uint64(Parse(header).Sum)))
	if err != nil {
		return sumPart.at, sumPart.of(header)
	}
	return sumPart.at, is
}

// ResumAll offers to write the checksums of such headers again; nil if there are none.
func ResumAll(ctx context.Context, in model.SpaceID, read Reader, end int64) []model.Fix {
	list := Resums(ctx, read, end)
	if len(list) == 0 {
		return nil
	}
	fix := model.Fix{Once: true, Label: model.Words("write the checksums in the headers of %d members again", len(list)),
		Says: model.Words("The names of %d members were changed in the archive itself: the checksums in their headers are those of the old names.", len(list))}
	for _, at := range list {
		k, is := Resum(read(at, Block))
		fix.Edits = append(fix.Edits, splice(in, at+int64(k), len(is), is))
	}
	return []model.Fix{fix}
}
