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
	wiped  map[int64]int64
	beside map[int64]beside
	blocks [][2]int64 // from, up to; the last may end in the middle of a block
	saved  int64
	lost   []string
	last   int   // the blocks of the previous member, with its helpers; -1: none, or lost
	values int64 // where its payload begins
	ends   int64 // where it ends, before the padding
	helped bool
	unsure bool             // the bytes before this point are damaged, and may have contained helpers of the next member
	ended  bool             // the end of the archive was reached: no members are missing after it
	resum  map[int64][]byte // the checksums of headers in which they alone are wrong
	vague  bool             // how many members lost bytes contained is unknown
}

// salvage keeps the intact members, with the headers that belong to them.
func salvage(ctx context.Context, t *model.Tree) (*model.Salvaged, error) {
	f, name := model.StateOf[*file](t), t.Snapshot.Primary
	if f == nil {
		return nil, errors.New("nothing in it could be read")
	}
	s := &saving{size: t.Root.Range.Len, sizes: f.sizes, wiped: f.wiped, beside: f.beside, last: -1, helped: f.described, read: t.Peek(ctx, t.Root.Range.Space)}
	s.resum = tarfile.Resums(ctx, s.read, s.size)
	s.walk(ctx)
	if s.saved == 0 {
		return nil, errors.New("no member of the archive is intact")
	}
	out := &model.Joined{}
	for _, b := range s.blocks {
		from, n := b[0], b[1]-b[0]
		for at := from; at < b[1] && len(s.resum) > 0; at += tarfile.Block {
			if is := s.resum[at]; is != nil {
				out.Add(t.Slice(ctx, model.Range{Space: t.Root.Range.Space, Off: from, Len: at + tarfile.SumAt - from}))
				out.Add(model.Memory(is))
				from = at + tarfile.SumAt + int64(len(is))
			}
		}
		if n > 0 {
			out.Add(t.Slice(ctx, model.Range{Space: t.Root.Range.Space, Off: from, Len: b[1] - from}))
			out.Add(model.Fill(0, tarfile.Padded(n)-n))
		}
	}
	out.Add(model.Fill(0, 2*tarfile.Block))
	part := model.SalvagedPart{What: "members", Saved: s.saved, Of: -1, Lost: model.Few(s.lost, mostNamed)}
	if s.ended && !s.vague {
		part.Of = s.saved + int64(len(s.lost))
	}
	return &model.Salvaged{Files: map[string]model.Source{name: out}, Parts: []model.SalvagedPart{part}, Aligned: f.lost}, ctx.Err()
}

// mostNamed is how many of the lost members are named.
const mostNamed = 16

// walk goes over the pieces of the archive.
func (s *saving) walk(ctx context.Context) {
	helpers := int64(-1) // start of the helpers of the next member
	for at := int64(0); at < s.size && ctx.Err() == nil; {
		piece, n := s.piece(ctx, at)
		if s.ended = piece == tarfile.End; s.ended || n <= 0 {
			break
		}
		if piece == tarfile.Member || piece == tarfile.Stop {
			s.mixed()
		}
		switch h := s.head(at, piece); {
		case piece == tarfile.Stop: // zeros with members after them
			s.zeros(at, n)
			helpers = -1
		case piece != tarfile.Member:
			n = s.broken(ctx, at, n, piece == tarfile.Lost && helpers < 0)
			helpers = -1
		case isHelper(h.Typ) && at+n <= s.size:
			if helpers < 0 {
				helpers = at
			}
		case helpers < 0:
			n, s.unsure = s.member(at, at, n, h), false
		default:
			n, s.unsure = s.member(helpers, at, n, h), false
			helpers = -1
		}
		at += n
	}
	s.mixed()
}

// zeros passes zeros with members after them, which may have taken the place of some.
func (s *saving) zeros(at, n int64) {
	if _, wiped := s.wiped[at]; wiped {
		s.doubted(at)
		s.lose(model.Words("what was in the %s zeros at 0x%x", model.Thousands(n), at))
		s.vague = true
	}
	s.last = -1
}

// head is the header of a member.
func (s *saving) head(at int64, piece tarfile.Piece) (h tarfile.Head) {
	if piece == tarfile.Member {
		h = tarfile.Parse(s.read(at, tarfile.Block))
	}
	return h
}

// piece is what is at a place, and its length. A header whose checksum alone is wrong is that of a member.
func (s *saving) piece(ctx context.Context, at int64) (tarfile.Piece, int64) {
	piece, n := tarfile.PieceAt(ctx, s.read, at, s.size)
	if s.resum[at] != nil {
		piece = tarfile.Member
	}
	return piece, n
}

// broken notes n bytes without a valid header: of a member, or of several. Without any header, the previous member may be damaged too.
// It returns the distance to the next piece, which is negative if bytes of that member are lost.
func (s *saving) broken(ctx context.Context, at, n int64, lost bool) int64 {
	if lost {
		if by := s.moved(ctx, at, at+n); by != 0 {
			return by
		}
		s.doubted(at)
	}
	what := "the member at 0x%x, whose header is damaged"
	if lost && !model.AllZero(s.read(at, tarfile.Block)) {
		what = "the bytes from 0x%x on, which no header describes"
	}
	if around, ok := s.beside[at]; ok && n%tarfile.Block > 0 {
		s.lose(around.between())
	} else {
		s.lose(fmt.Sprintf(what, at))
	}
	s.unsure, s.vague = true, s.vague || !single(s.read(at, tarfile.Block), n)
	return n
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
		s.last, s.saved, s.values, s.ends = len(s.blocks), s.saved+1, at+tarfile.Block, at+n-pad
		s.blocks = append(s.blocks, [2]int64{from, min(at+n, s.size)})
	}
	return n
}

// mixed drops the previous member if a header begins in a later block of it: other bytes are in place of its own, up to as many as there should be. An
// archive in the archive begins with a header.
func (s *saving) mixed() {
	first := true
	for at := s.values; s.last >= 0 && at < s.ends; at += tarfile.Block {
		is := tarfile.IsHeader(s.read(at, tarfile.Block))
		switch {
		case first && is:
			return
		case is:
			s.drop("whose bytes go over into others: the header of another member is among them")
		}
		first = false
	}
}

// moved drops the previous member if a header is inside it or at an odd place before the next one: bytes were lost from it or inserted.
// It returns by how many bytes the header that should be at a place has moved.
func (s *saving) moved(ctx context.Context, at, next int64) int64 {
	if s.last < 0 || !tarfile.HeaderIn(ctx, s.read, s.values, next) {
		return 0
	}
	by := tarfile.Moved(ctx, s.read, s.values, at, s.size)
	if own := s.blocks[s.last][0]; nextName(ctx, s.read, own, s.size) == nextName(ctx, s.read, at+by, s.size) && by < 0 {
		s.blocks, s.saved, s.last = s.blocks[:s.last], s.saved-1, -1 // it follows, complete
		return by
	}
	s.drop("whose bytes have moved: the next header is not where it ends")
	return by
}

// doubted drops the previous member if what is over the header at a place may have begun inside it: zeros at its end, or no zeros where its padding should be.
func (s *saving) doubted(at int64) {
	switch {
	case s.last < 0:
	case model.AllZero(s.read(at, tarfile.Block)):
		if at-tarfile.Block >= s.values && model.AllZero(s.read(at-tarfile.Block, tarfile.Block)) {
			s.drop("whose end is zeros like the header after it")
		}
	case s.ends == at:
		s.drop("whose end is unknown: no padding and no header follow it")
	case !model.AllZero(s.read(s.ends, at-s.ends)):
		s.drop("whose bytes go over into others: its padding is not zero, and no header follows it")
	}
}

// drop leaves out the previous member.
func (s *saving) drop(why string) {
	at := s.blocks[s.last][0]
	s.blocks, s.saved = s.blocks[:s.last], s.saved-1
	s.lose(fmt.Sprintf("the member at 0x%x, %s", at, why))
}

// single tells whether n bytes are one member, whose header is damaged.
func single(b []byte, n int64) bool {
	if len(b) < tarfile.Block || !tarfile.Looks(b) {
		return false
	}
	h := tarfile.Parse(b)
	return n == tarfile.Block+tarfile.Padded(max(0, h.Payload()))
}

func (s *saving) lose(what string) {
	s.lost, s.last = append(s.lost, strings.ToValidUTF8(what, "\ufffd")), -1
}
