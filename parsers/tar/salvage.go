package tar

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// saving is a new archive under construction: blocks of the old one, byte for byte.
type saving struct {
	read   tarfile.Reader
	size   int64
	sizes  map[int64]int64 // as in file
	blocks [][2]int64      // from, up to; the last may end in the middle of a block
	saved  int64
	lost   []string
	last   int // first block of the previous member, with its helpers; -1: none, or lost
	helped bool
	unsure bool // the bytes before this point are damaged, and may have contained helpers of the next member
	ended  bool // the end of the archive was reached: no members are missing after it
}

// salvage keeps the intact members, with the headers that belong to them.
func salvage(ctx context.Context, t *model.Tree) (*model.Salvaged, error) {
	f, name := model.StateOf[*file](t), t.Snapshot.Primary
	if f == nil {
		return nil, errors.New("nothing in it could be read")
	}
	s := &saving{size: t.Root.Range.Len, sizes: f.sizes, last: -1, helped: len(f.helpers) > 0, read: t.Peek(ctx, t.Root.Range.Space)}
	s.walk(ctx)
	if s.saved == 0 {
		return nil, errors.New("no member of the archive is intact")
	}
	out := &model.Joined{}
	for _, b := range s.blocks {
		if n := b[1] - b[0]; n > 0 {
			out.Add(t.Slice(ctx, model.Range{Space: t.Root.Range.Space, Off: b[0], Len: n}))
			out.Add(model.Fill(0, tarfile.Padded(n)-n))
		}
	}
	out.Add(model.Fill(0, 2*tarfile.Block))
	part := model.SalvagedPart{What: "members", Saved: s.saved, Of: -1, Lost: model.Few(s.lost, mostNamed)}
	if s.ended {
		part.Of = s.saved + int64(len(s.lost))
	}
	return &model.Salvaged{Files: map[string]model.Source{name: out}, Parts: []model.SalvagedPart{part}}, ctx.Err()
}

// mostNamed is how many of the lost members are named.
const mostNamed = 16

// walk goes over the pieces of the archive.
func (s *saving) walk(ctx context.Context) {
	helpers := int64(-1) // start of the helpers of the next member
	for at := int64(0); at < s.size && ctx.Err() == nil; {
		piece, n := tarfile.PieceAt(ctx, s.read, at, s.size)
		if s.ended = piece == tarfile.End; s.ended || n <= 0 {
			return
		}
		b := s.read(at, tarfile.Block)
		switch {
		case piece == tarfile.Stop: // zeros with members after them
			helpers, s.last = -1, -1
		case piece == tarfile.Lost && len(b) == tarfile.Block && !model.AllZero(b):
			s.moved()
			fallthrough
		case piece != tarfile.Member:
			s.lose(fmt.Sprintf("the member at 0x%x, whose header is damaged", at))
			helpers, s.unsure = -1, true
		default:
			if helpers < 0 {
				helpers = at
			}
			h := tarfile.Parse(b)
			if isHelper(h.Typ) && at+n <= s.size {
				break
			}
			n = s.member(helpers, at, n, h)
			helpers, s.unsure = -1, false
		}
		at += n
	}
}

// member keeps an intact member, with its helpers before it, and returns its length.
func (s *saving) member(from, at, n int64, h tarfile.Head) int64 {
	size := h.Payload()
	if own, ok := s.sizes[at]; ok {
		n += tarfile.Padded(own) - tarfile.Padded(max(0, size))
		size = own
	}
	pad := tarfile.Padded(max(0, size)) - max(0, size)
	switch {
	case size < 0:
		s.lose(h.Name + ", whose size is not a number")
	case s.unsure && s.helped && from == at:
		s.lose(h.Name + ", whose records or long name may be lost")
	case at+n-pad > s.size:
		s.lose(h.Name + ", which is truncated")
	default:
		s.last, s.saved = len(s.blocks), s.saved+1
		s.blocks = append(s.blocks, [2]int64{from, min(at+n, s.size)})
	}
	return n
}

// moved drops the previous member: if no header follows it, bytes may have been lost from it or inserted.
func (s *saving) moved() {
	if s.last < 0 {
		return
	}
	b := s.blocks[s.last]
	s.blocks, s.saved = s.blocks[:s.last], s.saved-1
	s.lose(fmt.Sprintf("the member at 0x%x, whose bytes may have moved, because no header follows it", b[0]))
}

func (s *saving) lose(what string) {
	s.lost, s.last = append(s.lost, strings.ToValidUTF8(what, "\ufffd")), -1
}
