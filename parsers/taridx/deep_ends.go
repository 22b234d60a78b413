package taridx

import (
	"bytes"
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// How shards end: with two blocks of zeros, padded to a multiple of 10,240 bytes if tar wrote records.

const (
	recordSize = 20 * tarfile.Block
	// maxShards is how many shards are examined for their length.
	maxShards = 64
)

// ending is what follows the last member of a shard.
type ending struct {
	from, size int64
	zeros      int64   // number of leading zero bytes
	odd        []int64 // offsets of the non-zero bytes; nil if there are none, or too many
	copied     bool    // a second copy of the shard follows the zeros
	joined     bool    // another archive follows the zeros
	cut        bool    // the shard ends inside the content of its last member
	should     int64   // expected length of the shard; 0: unknown
}

// ending reads what follows the last member.
func (x headers) ending(ctx context.Context, h *shard, from int64) ending {
	f, e := x.fold, ending{from: from, size: h.entry.Size, zeros: -1}
	if e.cut = e.size < from && f.content(ctx, h, from) > e.size; e.cut {
		return e
	}
	rest := f.notZero(ctx, h, from)
	if len(rest) == 0 {
		e.zeros = e.size - from
	} else {
		e.zeros = (rest[0] - from) / tarfile.Block * tarfile.Block
	}
	if block := make([]byte, tarfile.Block); len(rest) > 0 && e.zeros >= 2*tarfile.Block && f.read(h, from+e.zeros, block) == len(block) {
		e.joined = tarfile.IsHeader(block)
		e.copied = e.joined && f.again(ctx, h, from+e.zeros)
	}
	if len(rest) <= mostOdd && e.size-from >= 2*tarfile.Block && e.size%tarfile.Block == 0 && !e.joined && !(len(rest) > 0 && x.pointsBehind(ctx, h, from)) {
		e.odd = rest
	}
	e.should = f.should(ctx, h, e)
	return e
}

// content is where the content of the member ends after which the next one would begin at an offset; that offset if there is none.
func (f *fold) content(ctx context.Context, h *shard, next int64) int64 {
	for off, head := range f.walk(ctx, h).members {
		if off+head.Span() == next {
			return off + tarfile.Block + head.Map + max(0, head.Payload())
		}
	}
	return next
}

// notZero are the places of the first non-zero bytes of a shard from an offset on: at most one more than an end may have.
func (f *fold) notZero(ctx context.Context, h *shard, from int64) (places []int64) {
	b := make([]byte, max(0, min(h.entry.Size-from, 1<<16)))
	for off := from; off < h.entry.Size && ctx.Err() == nil && len(places) <= mostOdd; off += int64(len(b)) {
		n := f.read(h, off, b)
		for at := 0; at < n && len(places) <= mostOdd; at++ {
			if at += len(b[at:n]) - len(bytes.TrimLeft(b[at:n], "\x00")); at < n {
				places = append(places, off+int64(at))
			}
		}
		if n < len(b) {
			break
		}
	}
	return places
}

// pointsBehind tells whether a row points at a member of a shard after an offset.
func (x headers) pointsBehind(ctx context.Context, h *shard, from int64) (behind bool) {
	err := x.each(ctx, func(_ int64, r entryRow) {
		behind = behind || x.fold.of(r.fid) == h && r.off >= uint64(from) && r.off%tarfile.Block == 0 && int(r.ext) < len(x.exts)
	})
	return behind || err != nil
}

// again tells whether a shard begins again at an offset, and continues to its end.
func (f *fold) again(ctx context.Context, h *shard, at int64) bool {
	a, b := make([]byte, 1<<16), make([]byte, 1<<16)
	for off := int64(0); at+off < h.entry.Size && ctx.Err() == nil; off += int64(len(a)) {
		n := f.read(h, at+off, b)
		if f.read(h, off, a[:n]) < n || !bytes.Equal(a[:n], b[:n]) {
			return false
		}
	}
	return true
}

// should is how long a shard should be, by its zeros and the ends of the others; 0 if unknown.
func (f *fold) should(ctx context.Context, h *shard, e ending) int64 {
	short, long := e.from+2*tarfile.Block, (e.from+2*tarfile.Block+recordSize-1)/recordSize*recordSize
	switch {
	case len(e.odd) > 0, e.joined && !e.copied:
		return e.size
	case e.zeros < e.size-e.from: // something follows
		if e.zeros < 2*tarfile.Block {
			return 0
		}
		return e.from + e.zeros
	case e.zeros >= 2*tarfile.Block && e.size%tarfile.Block == 0:
		return e.size
	case short == long || e.size > short:
		return long
	}
	records, blocks := 0, 0
	for o, whole := range f.endings(ctx) {
		switch {
		case o == h:
		case whole:
			records++
		default:
			blocks++
		}
	}
	switch {
	case records > 0 && blocks == 0:
		return long
	case blocks > 0 && records == 0:
		return short
	}
	return 0
}

// endings tells whether the first shards that end as tar files do end at a whole record. It is determined once, for all truncated
// shards.
func (f *fold) endings(ctx context.Context) map[*shard]bool {
	f.asked.Lock()
	defer f.asked.Unlock()
	if f.whole != nil {
		return f.whole
	}
	whole := map[*shard]bool{}
	for _, o := range f.shards[:min(len(f.shards), maxShards)] {
		switch w := f.walk(ctx, o).toEnd(); {
		case w.err != nil || w.end+2*tarfile.Block > o.entry.Size:
		case o.entry.Size%recordSize == 0:
			whole[o] = true
		case o.entry.Size == w.end+2*tarfile.Block:
			whole[o] = false
		}
	}
	if ctx.Err() == nil {
		f.whole = whole
	}
	return whole
}

// ends checks how a shard ends.
func (x headers) ends(p *model.Probe, h *shard, end int64, e ending) {
	at := model.Spot{Span: h.span, Range: h.at(min(end, e.size), max(0, e.size-end))}
	behind := func(off int64) model.Spot {
		at.Range.Len -= off - at.Range.Off
		at.Range.Off = off
		return at
	}
	switch {
	case e.cut:
		p.Wrong(openEnd, behind(e.size), nil, nil, model.Saying("%s ends inside its last member", h.name))
	case len(e.odd) > 0:
		text := h.name + ": there is a non-zero byte among the zeros that end it"
		if len(e.odd) > 1 {
			text = fmt.Sprintf("%s: there are %d non-zero bytes among the zeros that end it", h.name, len(e.odd))
		}
		at.Range.Off, at.Range.Len = e.odd[0], e.odd[len(e.odd)-1]+1-e.odd[0]
		grade := model.Warning
		if e.odd[0] < tarfile.Block {
			grade = model.Error // it is the first block, and readers take the shard for no tar
		}
		p.Wrong(openEnd, at, nil, nil, model.Graded(grade), model.Saying("%s", text), model.About(e))
	case e.zeros == e.size-end && e.size%tarfile.Block != 0:
		p.Wrong(openEnd, behind(e.size), nil, nil, model.Graded(model.Warning), model.About(e),
			model.Saying("%s stops inside a block of the zeros that should end it: it is truncated after its last member", h.name))
	case e.zeros < 2*tarfile.Block:
		p.Wrong(openEnd, at, model.Words("%d bytes after the last member", max(0, e.size-end)), "two blocks of zeros", model.About(e))
	case e.copied:
		p.Wrong(openEnd, behind(end+e.zeros), nil, nil, model.Graded(model.Warning), model.Saying("%s contains the same archive twice, one after the other", h.name))
	case e.joined:
		p.Wrong(openEnd, behind(end+e.zeros), nil, nil, model.Saying("another archive follows the end of %s: only the first is indexed", h.name))
	case e.zeros < e.size-end:
		p.Wrong(openEnd, behind(end+e.zeros), nil, nil, model.Graded(model.Warning),
			model.Saying("non-zero bytes follow the end of the archive"))
	}
}
