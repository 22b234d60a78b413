package tarfile

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"spandrel/model"
)

// A command that sends its standard error where it sends the archive (tar cf - . 2>&1) writes messages, or the names of members, between the blocks of the
// archive: all later headers are shifted by their lengths.

// message is a line that tar prints.
var message = regexp.MustCompile(`(?:/[\w./-]*/|bsd|g)?tar: [^\x00-\x1f]+\n`)

// leastLines is the length of the shortest text that is told from values.
const leastLines = 6

// isLines tells whether bytes are lines of text.
func isLines(b []byte) bool {
	odd := func(r rune) bool { return !unicode.IsPrint(r) && !strings.ContainsRune("\n\r\t", r) }
	return len(b) >= leastLines && b[len(b)-1] == '\n' && utf8.Valid(b) && bytes.IndexFunc(b, odd) < 0
}

// Messages offers to remove the texts between the blocks of an archive that shift its headers.
func Messages(ctx context.Context, in model.SpaceID, read Reader, end int64) []model.Fix {
	list := strayLines(ctx, read, end)
	if len(list) == 0 {
		return nil
	}
	first, _, _ := strings.Cut(string(read(list[0][0], min(list[0][1], Block))), "\n")
	fix := model.Fix{Once: true, Label: model.Words("remove %s", model.Count(int64(len(list)), "texts between the blocks")),
		Says: "Messages of the program that wrote the archive are between its blocks, and shift the headers after them: “" + first + "”. Its standard error was written into the same file, as by 2>&1."}
	for _, m := range list {
		fix.Edits = append(fix.Edits, model.Splice{Range: model.Range{Space: in, Off: m[0], Len: m[1]}, With: model.Memory(nil), Loose: true})
	}
	return []model.Fix{fix}
}

// strayLines are the places and lengths of these texts.
func strayLines(ctx context.Context, read Reader, end int64) (out [][2]int64) {
	payload := int64(0) // of the last member
	for at := int64(0); at < end && ctx.Err() == nil; {
		piece, n := PieceAt(ctx, read, at, end)
		if piece == Member {
			payload = at + Block
		}
		if piece == Member || piece == Damaged {
			at += n
			continue
		}
		next, found := HeaderFrom(ctx, read, at+1, end)
		if !found {
			return append(out, afterLast(read(at, min(end-at, mostEnd)), at)...)
		}
		if next-at <= mostMoved && next-payload <= mostEnd {
			out = append(out, shifting(read(payload, next-payload), payload, at)...)
		}
		at = next
	}
	return out
}

// shifting finds what shifts a header in the bytes of a member up to it, which begin at from; the header should be at a place. The only text of that length at
// the start of a block is it, or all messages if they have that length together.
func shifting(b []byte, from, header int64) (out [][2]int64) {
	by, sum := from+int64(len(b))-header, int64(0)
	for _, m := range message.FindAllIndex(b, -1) {
		out = append(out, [2]int64{from + int64(m[0]), int64(m[1] - m[0])})
		sum += int64(m[1] - m[0])
	}
	if sum == by {
		return out
	}
	out = nil
	for at := int64(0); at <= header-from; at += Block {
		if isLines(b[at : at+by]) {
			out = append(out, [2]int64{from + at, by})
		}
	}
	if len(out) > 1 {
		return nil
	}
	return out
}

// afterLast finds texts in the zeros that end an archive, which begin at from; none if something else is there.
func afterLast(b []byte, from int64) (out [][2]int64) {
	for at := 0; at < len(b); {
		n := bytes.IndexByte(b[at:], 0)
		if n < 0 {
			n = len(b) - at
		}
		if n > 0 && !isLines(b[at:at+n]) {
			return nil
		}
		if n > 0 {
			out = append(out, [2]int64{from + int64(at), int64(n)})
		}
		at += max(n, 1)
	}
	return out
}
