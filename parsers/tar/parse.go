package tar

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// file is what a tree remembers.
type file struct {
	members *model.Span
	ends    int64 // where the last member should end; 0 where it ends in the file
}

func detect(name string, head, _ []byte, _ int64) (sure model.Confidence, reason string) {
	named := strings.HasSuffix(strings.ToLower(name), ".tar")
	switch {
	case len(head) >= tarfile.Block && isHeader(head):
		return 90, ""
	case len(head) >= tarfile.Block && string(head[257:262]) == "ustar":
		return 70, ""
	case named:
		return 15, ""
	case len(head) < tarfile.Block:
		return 0, "is shorter than a header of 512 bytes"
	}
	return 0, "the first 512 bytes are no header: the checksum at 0x94 is not their sum"
}

// isHeader tells whether a block is the header of a member.
func isHeader(b []byte) bool {
	b = b[:tarfile.Block]
	return !tarfile.Zero(b) && tarfile.Parse(b).SumOK && b[0] != 0
}

func parse(c *model.Cursor) {
	f := &file{}
	c.Tree().State = f
	n := f.chain(c)
	if n > 0 {
		f.members = c.Sequence(members, member, n, step).Span
	}
	rest := c.Peek(c.Left())
	zeros := int64(len(rest))
	if i := bytes.IndexFunc(rest, func(r rune) bool { return r != 0 }); i >= 0 {
		zeros = int64(i) &^ (tarfile.Block - 1)
	}
	if zeros < 2*tarfile.Block {
		c.Wrong(noEnd, c.Range(c.Pos()+zeros, 0), fmt.Sprintf("%d bytes of zeros", zeros), "two blocks of 512 zeros")
	}
	if zeros > 0 {
		c.FieldN(end, zeros)
	}
	if c.Left() > 0 {
		n := c.Rest(behind)
		c.Wrong(behindEnd, n, fmt.Sprintf("%s bytes", model.Thousands(n.Range.Len)), "the end of the file")
	}
}

// chain returns how long the chain of members is: up to the first block of zeros. Where a header is damaged it goes on at the next one.
func (f *file) chain(c *model.Cursor) int64 {
	at, end := c.Pos(), c.Pos()+c.Left()
	for at < end && c.Context().Err() == nil {
		b := c.PeekAt(at, tarfile.Block)
		if tarfile.Zero(b) && len(b) == tarfile.Block {
			break
		}
		if at += span(c, at, end); at > end {
			f.ends, at = at, end
		}
	}
	return at - c.Pos()
}

// span is how many bytes the member at a place has, or the bytes up to the next header where there is none.
func span(c *model.Cursor, at, end int64) int64 {
	b := c.PeekAt(at, tarfile.Block)
	if len(b) == tarfile.Block && isHeader(b) {
		if h := tarfile.Parse(b); h.Size >= 0 {
			return tarfile.Block + tarfile.Padded(hasPayload(h))
		}
		return tarfile.Block
	}
	n := int64(tarfile.Block)
	for ; at+n < end && c.Context().Err() == nil; n += tarfile.Block {
		if b := c.PeekAt(at+n, tarfile.Block); len(b) == tarfile.Block && (isHeader(b) || tarfile.Zero(b) && tarfile.Zero(c.PeekAt(at+n, 2*tarfile.Block))) {
			break
		}
	}
	return n
}

// hasPayload is the bytes behind a header: links and folders have none, whatever their size says.
func hasPayload(h tarfile.Head) int64 {
	if strings.IndexByte("123456", h.Typ) >= 0 {
		return 0
	}
	return h.Size
}

// step reads a member, or the bytes up to the next one.
func step(c *model.Cursor) {
	n := min(span(c, c.Pos(), c.Pos()+c.Left()), c.Left())
	b := c.Peek(tarfile.Block)
	if len(b) < tarfile.Block || !isHeader(b) {
		damaged(c, b, n)
		return
	}
	h := tarfile.Parse(b)
	size := readHeader(c)
	if h.Size < 0 {
		return
	}
	want := hasPayload(h)
	have := min(want, c.Left())
	if have < want {
		c.Wrong(cut, size, fmt.Sprintf("%s of %s bytes of %s", model.Thousands(have), model.Thousands(want), h.Name), "all of them")
	}
	body := readPayload(c, h, have)
	if want == h.Size {
		c.LengthOf(size, body).When(have == want)
	}
	pad := c.FieldN(padding, min(tarfile.Padded(have)-have, c.Left()))
	c.PadOf(pad, tarfile.Block, 0, body)
	if !tarfile.Zero([]byte(pad.Text())) {
		c.Wrong(oddPadding, pad, fmt.Sprintf("% x", pad.Text()[:min(16, len(pad.Text()))]), "zeros")
	}
}

// damaged reads bytes that are no member, as a header where that is what they look like.
func damaged(c *model.Cursor, b []byte, n int64) {
	if len(b) == tarfile.Block && string(b[257:262]) == "ustar" {
		readHeader(c)
		if n -= tarfile.Block; n > 0 {
			c.FieldN(lost, n)
		}
		return
	}
	c.Wrong(noHeader, c.FieldN(lost, n), model.Opening(b), "a header of 512 bytes")
}

// readHeader reads the fields of a header and links its checksum. It returns the size.
func readHeader(c *model.Cursor) (size model.Node) {
	c.Block(header, tarfile.Block, func(c *model.Cursor) {
		var sum model.Node
		var others []model.Node
		head := tarfile.Parse(c.Peek(tarfile.Block))
		for _, f := range record {
			n := c.Field(f)
			if f == sumF {
				sum = n
				continue
			}
			if f == sizeF {
				size = n
			}
			others = append(others, n)
		}
		// Members are read again and again, and what links find then is not reported: the sum is compared here.
		c.ChecksumOf(sum, headerSum, others...).Unchecked()
		if !head.SumOK {
			c.Wrong(badChecksum, sum, nil, model.U(uint64(head.Sum)), model.Doubtful)
		}
	})
	return size
}

// readPayload reads what a member holds: records, a long name, or bytes.
func readPayload(c *model.Cursor, h tarfile.Head, n int64) model.Node {
	switch {
	case (h.Typ == 'x' || h.Typ == 'g') && n <= 1<<20:
		return c.ListN(records, n, func(c *model.Cursor) {
			for c.More() {
				c.Struct(entry, readRecord)
			}
		})
	case (h.Typ == 'L' || h.Typ == 'K') && n <= 1<<20:
		return c.FieldN(longName, n)
	}
	return c.FieldN(payload, n)
}

// readRecord reads a pax record: its length, a blank, key=value and a line feed.
func readRecord(c *model.Cursor) {
	b := c.Peek(c.Left())
	digits := bytes.IndexByte(b, ' ')
	n := int64(0)
	if digits > 0 && digits < 12 {
		v, _, err := decimal{}.Decode(b[:digits])
		if n = v.Int(); err != nil {
			n = 0
		}
	}
	equals := -1
	if n > int64(digits)+2 && n <= int64(len(b)) && b[n-1] == '\n' {
		equals = bytes.IndexByte(b[digits+1:n-1], '=')
	}
	if equals < 0 {
		c.Wrong(badRecord, c.Rest(broken), model.Opening(b), "length, blank, key=value, line feed")
		return
	}
	l := c.FieldN(length, int64(digits))
	parts := []model.Node{l, c.FieldN(sign, 1), c.FieldN(key, int64(equals)), c.FieldN(sign.Named("equals"), 1),
		c.FieldN(value, n-int64(digits+1+equals+1)-1), c.FieldN(sign.Named("line feed"), 1)}
	c.LengthOf(l, parts...)
}

// deep reads the members, which reports what is wrong with them.
func deep(ctx context.Context, t *model.Tree, _ *model.Probe) error {
	if f := model.StateOf[*file](t); f != nil && f.members != nil {
		return t.Open(ctx, f.members)
	}
	return nil
}

// extents says how long the archive should be at least: up to the end of its last member and two blocks of zeros.
func extents(_ context.Context, t *model.Tree) []model.Extent {
	f := model.StateOf[*file](t)
	if f == nil || f.ends == 0 {
		return nil
	}
	return []model.Extent{{Size: f.ends + 2*tarfile.Block, Says: "the size of its last member says"}}
}
