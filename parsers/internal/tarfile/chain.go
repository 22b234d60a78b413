package tarfile

import (
	"bytes"
	"context"
	"io"
	"strings"

	"spandrel/model"
)

// Piece is the kind of content at a place of an archive.
type Piece uint8

// The pieces: a member; a header with a wrong checksum, extending to the next header; bytes that are no header, up to the next
// one; zeros that end the archive for readers, although a member follows; zeros without a member after them.
const (
	Member Piece = iota
	Damaged
	Lost
	Stop
	End
)

// mostSearched is how many bytes are searched for the next header.
const mostSearched = 1 << 30

// Reader reads n bytes at a place of an archive, or fewer at its end.
type Reader func(off, n int64) []byte

// ReadFrom is a Reader of an archive, or of the file that it is a part of.
func ReadFrom(r io.ReaderAt) Reader {
	return func(off, n int64) []byte {
		b := make([]byte, n)
		k, _ := r.ReadAt(b, off) // at the end there are fewer
		return b[:k]
	}
}

// IsHeader tells whether bytes are the header of a member.
func IsHeader(b []byte) bool {
	return len(b) >= Block && b[0] != 0 && b[148] <= '7' && octal(b[148:156]) > 0 && Parse(b[:Block]).SumOK // most blocks are none: read little of them
}

// magic identifies a header.
const magic = "ustar"

// Magics identify an archive: each member begins with them.
var Magics = []model.Magic{{Bytes: magic, At: 257}}

// Looks tells whether bytes look like a header, valid or not. It may be truncated after the magic.
func Looks(b []byte) bool {
	return len(b) >= magicAt+len(magic) && string(b[magicAt:magicAt+len(magic)]) == magic
}

// magicAt is the offset of the magic in a header.
const magicAt = 257

// PieceAt returns what is at a place of an archive that ends at end, and its length, or the length it should have.
func PieceAt(ctx context.Context, read Reader, at, end int64) (Piece, int64) {
	b := read(at, Block)
	if IsHeader(b) {
		h := Parse(b)
		return Member, Block + Mapped(read, at, end, b) + Padded(max(0, h.Payload()))
	}
	if len(b) == Block && Looks(b) {
		h := Parse(b)
		if n := Block + Padded(max(0, h.Payload())); plausible(b) && damagedToo(read(at+n, Block)) {
			return Damaged, n
		}
		next, _ := followingHeader(ctx, read, at+Block, at+Block, end)
		return Damaged, next - at
	}
	if len(b) < Block && !model.AllZero(b) {
		return Lost, Block // cut inside a header
	}
	if !model.AllZero(b) {
		next, _ := followingHeader(ctx, read, at+1, at+Block, end)
		return Lost, next - at
	}
	zeros := at
	for zeros+Block <= end && model.AllZero(read(zeros, Block)) && ctx.Err() == nil {
		zeros += Block
	}
	if zeros-at >= 2*Block && damagedToo(read(zeros, Block)) {
		return Stop, zeros - at
	}
	next, found := followingHeader(ctx, read, zeros, zeros, end)
	switch {
	case !found:
		return End, zeros - at
	case zeros-at < 2*Block || next > zeros:
		return Lost, next - at
	}
	return Stop, next - at
}

// damagedToo tells whether bytes are a header in which only texts and the checksum may be wrong, as a text tool leaves all headers.
func damagedToo(b []byte) bool {
	return len(b) == Block && Looks(b) && plausible(b) && !IsHeader(b)
}

// followingHeader is nextHeader from the start of a block on, or the place of an earlier header from a place on, which may begin inside a block.
func followingHeader(ctx context.Context, read Reader, from, block, end int64) (int64, bool) {
	next, found := nextHeader(ctx, read, block, end)
	if shifted, ok := HeaderFrom(ctx, read, from, min(next, from+mostSearched)); ok {
		return shifted, true
	}
	return next, found
}

// nextHeader is the place of the next header. If there is none, found is false, and the place is that of the zeros that end the
// archive, or its end.
func nextHeader(ctx context.Context, read Reader, at, end int64) (next int64, found bool) {
	stop := end
	for last := min(end, at+mostSearched); at < last && ctx.Err() == nil; at += Block {
		b := read(at, Block)
		if IsHeader(b) {
			return at, true
		}
		if stop == end && len(b) == Block && model.AllZero(b) && model.AllZero(read(at, 2*Block)) {
			stop = at
		}
	}
	return stop, false
}

// Ended tells whether members and the zeros that end the archive follow a place.
func Ended(ctx context.Context, read Reader, at, end int64) bool {
	return leadsOn(ctx, read, at, end, map[int64]bool{})
}

// leadsOn is Ended for one of several places whose members may be the same: astray are headers that do not lead to the end.
func leadsOn(ctx context.Context, read Reader, at, end int64, astray map[int64]bool) bool {
	var passed []int64
	for at, found := nextHeader(ctx, read, at, end); found && at < end && !astray[at] && ctx.Err() == nil; {
		piece, n := PieceAt(ctx, read, at, end)
		if piece == End && n >= 2*Block {
			return true
		}
		if piece != Member {
			break
		}
		passed = append(passed, at)
		at += n
	}
	for _, at := range passed {
		astray[at] = true
	}
	return false
}

// mostMoved is how far from its place a header is searched for.
const mostMoved = 64 << 10

// Moved is how far the header that should be at a place has moved: negative if bytes before it are lost, positive if some were inserted; 0 if
// none is found. from is the earliest place where it may be. Archives consist of whole blocks, so an equal number of bytes is missing or surplus at their
// end. The members after it must lead to the end of the archive. If a block or more was inserted, a header may have been lost; if whole blocks seem to be
// missing and the place is outside the file, the size may be that of another save.
func Moved(ctx context.Context, read Reader, from, at, end int64) int64 {
	from = max(from, at-mostMoved)
	b, astray := read(from, max(0, min(end, at+Block+mostMoved)-from)), map[int64]bool{}
	for k := magicAt; ctx.Err() == nil; k++ {
		i := bytes.Index(b[min(k, len(b)):], []byte(magic))
		if i < 0 {
			return 0
		}
		k += i
		by := from + int64(k-magicAt) - at
		switch {
		case by != 0 && by < Block && (by%Block != 0 || at < end) && (end-by)%Block == 0 && leadsOn(ctx, read, at+by, end, astray):
			return by
		case by == 0 || by%Block != 0:
			return 0 // bytes of the header itself are lost
		}
	}
	return 0
}

// HeaderIn tells whether a header begins in a range, not only at the start of a block.
func HeaderIn(ctx context.Context, read Reader, from, to int64) bool {
	_, found := HeaderFrom(ctx, read, from, to)
	return found
}

// HeaderFrom is where the first header in a range begins, not only at the start of a block.
func HeaderFrom(ctx context.Context, read Reader, from, to int64) (int64, bool) {
	const step = 1 << 20
	for ; from < to && ctx.Err() == nil; from += step {
		b := read(from, min(step, to-from)+Block-1)
		for at := 0; ; at++ {
			i := bytes.Index(b[at:], []byte(magic))
			if at += i; i < 0 {
				break
			}
			if at >= magicAt && IsHeader(b[at-magicAt:]) {
				return from + int64(at-magicAt), true
			}
		}
	}
	return to, false
}

// Payload is the number of bytes after a header: links and folders have none, whatever their size says. −1 if the size is not a number.
func (h *Head) Payload() int64 {
	if strings.IndexByte("123456", h.Typ) >= 0 {
		return 0
	}
	return h.Size
}
