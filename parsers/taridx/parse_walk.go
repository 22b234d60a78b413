package taridx

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// walk follows the chain of members of a shard as the indexer does (section 6.3).
type walk struct {
	ctx context.Context
	f   *fold
	h   *shard
	end int64 // offset of the next header; after the walk, where the chain ends
	err error // why the chain does not end where an archive does
	// unsound tells that the checksum of a header on the chain was wrong.
	unsound bool

	helper   tarfile.Head // the PAX or GNU header before the member
	helperAt int64        // −1: there is none
}

func (f *fold) walk(ctx context.Context, h *shard) *walk {
	return &walk{ctx: ctx, f: f, h: h, helperAt: -1}
}

// members yields the remaining members of the chain, each with its offset.
func (w *walk) members(yield func(off int64, head tarfile.Head) bool) {
	b, read := make([]byte, tarfile.Block), w.f.reader(w.h)
	for w.err = w.ctx.Err(); w.err == nil; w.err = w.ctx.Err() {
		if w.f.read(w.h, w.end, b) < tarfile.Block || model.AllZero(b) {
			return
		}
		head := tarfile.Parse(b)
		head.Map = tarfile.Mapped(read, w.end, w.h.entry.Size, b)
		if head.Size < 0 || !head.SumOK && (hollow(b) || !w.f.goesOn(w.h, w.end+head.Span())) {
			w.err = fmt.Errorf("%s at 0x%x: neither a tar header nor the zeros that end the archive", w.h.name, w.end)
			return
		}
		w.unsound = w.unsound || !head.SumOK
		if !yield(w.end, head) {
			return
		}
		if w.helperAt = -1; isHelper(head) {
			w.helper, w.helperAt = head, w.end
		}
		w.end += head.Span()
	}
}

// resume continues a walk that stopped at a damaged header, or at bytes that are none, and tells which, if more members follow: readers that go by
// the rows of an index find these.
func (w *walk) resume() tarfile.Piece {
	if w.ctx.Err() != nil {
		return tarfile.End
	}
	piece, n := tarfile.PieceAt(w.ctx, w.f.reader(w.h), w.end, w.h.entry.Size)
	if piece != tarfile.Damaged && (piece != tarfile.Lost || w.end == 0 || w.end+n >= w.h.entry.Size) {
		return tarfile.End
	}
	w.end, w.unsound = w.end+n, true
	return piece
}

// all yields the members before and behind what interrupts the chain.
func (w *walk) all(yield func(off int64, head tarfile.Head) bool) {
	more := true
	for more {
		w.members(func(off int64, head tarfile.Head) bool {
			more = yield(off, head)
			return more
		})
		more = more && w.resume() != tarfile.End
	}
}

// isHelper tells whether a header is the PAX or GNU header of the next member.
func isHelper(head tarfile.Head) bool { return strings.IndexByte("xL", head.Typ) >= 0 }

// toEnd follows the chain to its end.
func (w *walk) toEnd() *walk {
	for range w.members {
	}
	return w
}

// mostOdd is how many non-zero bytes the zeros at an end may contain.
const mostOdd = 8

// hollow tells whether a block is nearly empty: one of those that end an archive.
func hollow(b []byte) bool { return len(b)-bytes.Count(b, []byte{0}) <= mostOdd }

// goesOn tells whether a member or the end of the archive is at an offset.
func (f *fold) goesOn(h *shard, at int64) bool {
	var b [tarfile.Block]byte
	return f.read(h, at, b[:]) == tarfile.Block && (model.AllZero(b[:]) || tarfile.Parse(b[:]).SumOK)
}
