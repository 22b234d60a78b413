package idv

import (
	"context"
	"errors"
	"fmt"
	"io"

	"spandrel/model"
	"spandrel/parsers/idv/block"
	"spandrel/parsers/internal/inflate"
)

// errBudget means that a block is larger than what is kept of it. ML.NET's are about 8 MB (§4.5).
var errBudget = &model.Unchecked{Why: "only its beginning is decoded and shown, because it exceeds the memory limit for decoded blocks. " + model.RaiseLimit}

// size is the decoded length stated in the file, or -1.
func (sh *shape) size() int64 {
	if sh.compression == 0 {
		return sh.at.Len
	}
	return sh.declared
}

// over tells whether the decoded block may be larger than what is kept of it.
func (sh *shape) over() bool {
	return sh.budget > 0 && min(sh.size(), sh.at.Len*model.DeflateRatio) > sh.budget
}

const (
	surplus = 64 << 10 // bytes shown beyond the declared length
	maxMeta = 1 << 26  // a metadata block does not declare its length
)

// decode returns the decompressed bytes of a block in buf, which it may grow, and the outcome. Uncompressed blocks are returned
// unchanged. Output before damage is returned too.
func (sh *shape) decode(ctx context.Context, in, buf []byte) ([]byte, inflate.Outcome) {
	if sh.compression != 1 {
		return in, inflate.Outcome{}
	}
	want := sh.declared
	if want < 0 {
		want = maxMeta
	}
	drop := int64(0)
	if sh.over() {
		want, drop = sh.budget, sh.declared-sh.budget
	}
	q := inflate.Request{Framing: inflate.Raw, Want: want, Drop: drop, Surplus: surplus, Exact: sh.declared >= 0}
	out, how := inflate.Into(ctx, buf, in, q)
	if q.Framing = inflate.FramingOf(in); how.Err == nil || q.Framing != inflate.Zlib || ctx.Err() != nil {
		return out, how
	}
	b, framed := inflate.Into(ctx, nil, in, q)
	if all := int64(len(b)) + framed.Dropped; framed.Err != nil || framed.More || framed.Spare > 0 || sh.declared >= 0 && all != sh.declared {
		return out, how
	}
	return b, inflate.Outcome{Err: errFramed, Dropped: framed.Dropped}
}

// errFramed means that a block is deflated, but framed as a stream of zlib, whose checksum matches.
var errFramed = errors.New("the deflated block has a zlib frame")

// compress is decoded bytes as a compression stores them: deflated, as ML.NET's default does.
func compress(compression byte, b []byte) ([]byte, error) {
	if compression != 1 {
		return b, nil
	}
	return inflate.Deflate(inflate.Raw, 6, b)
}

// holds tells whether decoded bytes are exactly the values of the block.
func (sh *shape) holds(b []byte) bool {
	return sh.codec.Readable() && block.Read(sh.codec, b, sh.rows).Whole
}

// problems reports what inflating a block showed (§5, 056 and 057), and returns whether it ended before its declared length.
func (sh *shape) problems(b []byte, how inflate.Outcome, report func(finding)) (short bool) {
	if sh.at.Len == 0 && sh.rows > 0 && sh.codec.Readable() {
		report(finding{rule: inflateShort, at: -1, found: "a block without bytes", expected: model.Count(sh.rows, "rows")})
		return true
	}
	if sh.compression != 1 {
		return false
	}
	all := int64(len(b)) + how.Dropped
	bad := func(rule *model.Rule, found, expected string) {
		report(finding{rule: rule, at: -1, found: found, expected: expected})
	}
	switch {
	case how.Err == errFramed:
		bad(blockFramed, "a zlib header and checksum", "a bare deflate stream")
	case sh.declared >= 0 && all < sh.declared:
		why := model.Words("%d bytes", all)
		if how.Err != nil {
			why += ", then: " + how.Err.Error()
		}
		bad(inflateShort, why, model.Words("%d bytes", sh.declared))
		return true
	case how.Err != nil && (sh.declared < 0 || !how.More && !errors.Is(how.Err, io.ErrUnexpectedEOF)): // zlib reads on to damage directly after the values
		bad(inflateShort, how.Err.Error(), "")
		return sh.declared < 0
	case how.More:
		bad(inflateBeyond, model.Words("%d bytes or more", all), model.Words("%d bytes", sh.declared))
	case how.Err != nil:
		bad(inflateSurplus, "the deflate stream ends with an error: "+how.Err.Error(), "")
	case how.Spare > 0:
		bad(inflateSurplus, model.Words("%d compressed bytes left over", how.Spare), "none")
	}
	return false
}

// describe names the block in a message.
func (sh *shape) describe(message string) string {
	what := fmt.Sprintf("column %q, rows from %d", sh.col.name.s, sh.first)
	if sh.meta != nil {
		what = fmt.Sprintf("%s of column %q", sh.meta.kind.s, sh.col.name.s)
	}
	if message != "" {
		what += ": " + message
	}
	return what
}
