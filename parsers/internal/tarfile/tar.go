package tarfile

// tar (POSIX ustar and PAX, GNU, v7) as the shards of TARIDX use it: a sequence of members, each a 512-byte header, the
// payload and padding.

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"strings"

	"spandrel/model"
)

const Block = 512 // bytes of a header, and what payloads are padded to

// Head is the part of a tar header that readers need.
type Head struct {
	Name  string // the 100-byte field up to the first NUL
	Size  int64  // of the payload; −1 when it is not a number
	Typ   byte
	Full  bool // the name fills its 100 bytes
	SumOK bool
	Sum   int64 // of the header's bytes, its checksum as blanks
	Map   int64 // bytes of the sparse map between the header and the payload, where Mapped looked for it
}

// Parse reads a header block of 512 bytes.
func Parse(b []byte) (h Head) {
	name := b[:100]
	if i := bytes.IndexByte(name, 0); i >= 0 {
		name = name[:i]
	}
	h.Name, h.Full, h.Typ = strings.ToValidUTF8(string(name), "\uFFFD"), len(name) == 100, b[156]
	h.Size = Number(b[124:136])
	own := b[148:156]
	all, high := sumBytes(b[:Block])
	ownSum, ownHigh := sumBytes(own)
	unsigned := all - ownSum + 8*' '
	said := octal(own)
	h.SumOK, h.Sum = said >= 0 && (said == unsigned || said == unsigned-256*(high-ownHigh)), unsigned // some writers add them as signed numbers
	return h
}

// Span is the length of a member according to its header: including a sparse map, the payload and the padding.
func (h *Head) Span() int64 { return Block + h.Map + Padded(h.Size) }

// sumBytes adds bytes, 8 at a time, at most a header's, and counts those above 127. The length of b is a multiple of 8.
func sumBytes(b []byte) (sum, high int64) {
	const even, top = 0x00ff00ff00ff00ff, 0x8080808080808080
	var lanes uint64 // four sums of 16 bits: a header is 64 times two bytes for each
	for ; len(b) > 0; b = b[8:] {
		x := binary.LittleEndian.Uint64(b)
		lanes += x&even + x>>8&even
		high += int64(bits.OnesCount64(x & top))
	}
	for ; lanes > 0; lanes >>= 16 {
		sum += int64(lanes & 0xffff)
	}
	return sum, high
}

// Number reads a non-negative number of a header: octal text, or binary with the highest bit set (base-256). −1 if it is none.
func Number(b []byte) int64 {
	if n, ok := Signed(b); ok && n >= 0 && n <= 1<<62 {
		return n
	}
	return -1
}

// Signed reads a number of a header: octal text, or binary in two's complement after the highest bit, which only marks it (base-256).
// Times before 1970 are negative.
func Signed(b []byte) (n int64, ok bool) {
	if b[0]&0x80 == 0 {
		n = octal(b)
		return n, n >= 0
	}
	negative := b[0]&0x40 != 0
	n = int64(b[0] & 0x3f)
	if negative {
		n |= -1 << 6
	}
	for _, c := range b[1:] {
		if n > 1<<54 || n < -1<<54 {
			return 0, false
		}
		n = n<<8 | int64(c)
	}
	return n, true
}

// octal reads octal text up to the first NUL, with optional spaces around it; empty is 0, anything else −1.
func octal(b []byte) int64 {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	s := strings.TrimSpace(string(b))
	if s == "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 8, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// Padded is the size of a payload including its padding.
func Padded(n int64) int64 { return (n + Block - 1) &^ (Block - 1) }

// Fields are the fields of a header, each completed by own.
func Fields(own func(*model.Field)) (out []*model.Field) {
	text := func(name string, n int, doc string) model.Field {
		return model.Field{Name: name, Codec: model.TextOf(n, 0), Doc: doc}
	}
	number := func(name string, n int, doc string) model.Field {
		return model.Field{Name: name, Codec: Octal{n, false}, Doc: doc}
	}
	signed := func(name string, n int, doc string) model.Field {
		return model.Field{Name: name, Codec: Octal{n, true}, Doc: doc}
	}
	for _, f := range []model.Field{text("name", 100, "up to the first NUL"), number("mode", 8, ""), signed("uid", 8, ""), signed("gid", 8, ""),
		number("size", 12, "bytes of the payload"), signed("mtime", 12, "seconds since 1970"),
		number("checksum", 8, "sum of the bytes of the header, with this field as spaces"), text("typeflag", 1, "0 file, 5 folder, 1 and 2 links, x and g records"),
		text("linkname", 100, ""), {Name: "magic", Codec: model.BytesOf(8), Doc: "ustar, and a version"}, text("uname", 32, ""), text("gname", 32, ""),
		number("devmajor", 8, ""), number("devminor", 8, ""), text("prefix", 155, "folder part of a ustar name"), {Name: "fill", Codec: model.BytesOf(12)}} {
		own(&f)
		out = append(out, &f)
	}
	return out
}

// unwritten says why the bytes of a shard cannot be edited one by one: rows of its index depend on them.
const unwritten = "the index is computed from the shard: rename the sample or replace its payload instead"

var (
	members      = &model.Field{Name: "members", Doc: "a header, a payload and padding for each"}
	member       = &model.Field{Name: "member"}
	header       = &model.Field{Name: "header"}
	fields       = Fields(func(f *model.Field) { f.Fixed = unwritten })
	payloadField = &model.Field{Name: "payload", Codec: model.RawBytes, Fixed: unwritten}
	long         = &model.Field{Name: "payload", Codec: model.UTF8, Doc: "the records or the long name for the next member", Fixed: unwritten}
	padding      = &model.Field{Name: "padding", Codec: model.RawBytes, Doc: "up to a multiple of 512"}
	end          = &model.Field{Name: "end", Codec: model.RawBytes, Doc: "zero blocks end the archive"}
)

// Field reads a shard: the chain of members that the indexer walks, then what follows it.
func Field(c *model.Cursor) {
	n := c.Left()
	if b := c.Peek(2); n > 0 && string(b) == "\x1f\x8b" {
		c.Rest(&model.Field{Name: "gzip", Codec: model.RawBytes, Doc: "compressed with gzip: not a tar despite its name"})
		return
	}
	chain := chainLength(c)
	if chain > 0 {
		c.Sequence(members, member, chain, step)
	}
	if c.Left() > 0 {
		c.Rest(end)
	}
}

// chainLength returns where the chain of members ends: at the first zero or incomplete block, or the first that is no header.
func chainLength(c *model.Cursor) int64 {
	at, end := c.Pos(), c.Pos()+c.Left()
	for end-at >= Block && c.Context().Err() == nil {
		b := c.PeekAt(at, Block)
		if model.AllZero(b) {
			break
		}
		h := Parse(b)
		if h.Size < 0 || !h.SumOK {
			break
		}
		at = min(end, at+Block+Mapped(c.PeekAt, at, end, b)+Padded(h.Size))
	}
	return at - c.Pos()
}

func step(c *model.Cursor) {
	b := append(append(make([]byte, 0, Block), c.Peek(Block)...), make([]byte, Block)...)[:Block]
	h, ext := Parse(b), Mapped(c.PeekAt, c.Pos(), c.Pos()+c.Left(), b)
	c.Block(header, Block, func(c *model.Cursor) {
		for _, f := range fields {
			c.Field(f)
		}
	})
	ReadMap(c, min(ext, c.Left()))
	payload := payloadField
	if strings.IndexByte("xgLK", h.Typ) >= 0 {
		payload = long
	}
	size := min(h.Size, c.Left())
	if size > 0 {
		c.FieldN(payload, size)
	}
	if pad := min(Padded(size)-size, c.Left()); pad > 0 {
		c.FieldN(padding, pad)
	}
}
