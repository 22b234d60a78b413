package scdl

import (
	"encoding/binary"
	"strings"

	"spandrel/model"
)

// rest reads what follows the array descriptors: the feature-index block, or one of the variants of section 7.
func (r *reader) rest(c *model.Cursor) bool {
	left := c.Left()
	end, parses := blockEnd(c.Peek(left))
	if r.corrected.at >= c.Pos() {
		return r.block(c) && r.tail(c)
	}
	inline, known := r.inlineSize()
	known = known && inline > 0 && r.h.backend.Uint() != 2
	switch {
	case parses && end == left:
		return r.block(c) && r.tail(c)
	case parses && known && left-end == inline:
		return r.block(c) && r.inline(c)
	case known && left == inline:
		return r.inline(c)
	case left == 0:
		c.Wrong(noIndexBlock, c.Range(c.Pos(), 0), nil, nil)
		r.h.whole = true
		return true
	case left < 4:
		c.Wrong(strayBytes, c.FieldN(tail, left).Span, nil, nil)
		return true
	}
	return r.block(c) && r.tail(c)
}

// inlineSize returns the total size of all arrays in bytes, as if they were stored inside the header (section 7.1); false if it is unknown.
func (r *reader) inlineSize() (int64, bool) {
	var sum uint64
	for _, d := range r.h.arrays {
		w := widthOf(d.dtype.Uint())
		n, ok := model.Times(d.len_.Uint(), uint64(w), 1<<62)
		if sum += n; w == 0 || !ok || sum > 1<<62 {
			return 0, false
		}
	}
	return int64(sum), true
}

// block reads the feature-index block (section 3.3).
func (r *reader) block(c *model.Cursor) bool {
	doubt := r.settle(c, r.hasFolders())
	n := r.num(c, fiCount)
	r.h.fiCount = n
	list, whole := r.list(c, n, fIs, fi, func(c *model.Cursor) bool {
		f := featureIndex{desc: desc{span: c.Span()}}
		if !r.desc(c, &f.desc, false) || !r.files(c, &f) || !r.shape(c, &f.desc) {
			r.h.broken = f
			return false
		}
		r.h.fis = append(r.h.fis, f)
		return true
	})
	if l := c.CountOf(n, list).As(indexBlock).When(whole); doubt {
		l.Doubtful()
	}
	if !whole && !r.capped(c, n) {
		c.Wrong(indexBlock, n.Span, model.Words("%d entries", len(r.h.fis)), n)
	}
	r.h.whole = whole
	return whole
}

// settle examines a count that seems too high, because the header may be truncated instead. there is the number of items in the folder, or −1. If it equals
// the count, the count is right; doubt tells that it confirms neither the count nor the value that should replace it.
func (r *reader) settle(c *model.Cursor, there int) (doubt bool) {
	if r.corrected.at != c.Pos() {
		return false
	}
	count := binary.BigEndian.Uint32(c.Peek(4))
	if there == int(count) {
		r.corrected = correction{at: -1}
		return false
	}
	return r.corrected.value < uint64(count) && there != int(r.corrected.value)
}

// hasFolders counts the feature folders of the archive; −1 without an archive.
func (r *reader) hasFolders() (n int) {
	if r.a == nil {
		return -1
	}
	for _, dir := range []string{"features", "var_features", "obs_features"} {
		if len(r.a.dirs[dir]) > 0 {
			n++
		}
	}
	return n
}

// hasFiles counts the files of a feature folder; −1 without an archive.
func (r *reader) hasFiles(dir string) int {
	if r.a == nil {
		return -1
	}
	return len(r.a.below(dir))
}

// files reads the path list of a feature index: each path has its own length.
func (r *reader) files(c *model.Cursor, f *featureIndex) bool {
	if c.Left() < 4 {
		return false
	}
	doubt := r.settle(c, r.hasFiles(f.name.Text()))
	f.files = r.num(c, filesCount)
	var whole bool
	seen := map[string]bool{}
	f.list, whole = r.list(c, f.files, files, fileField, func(c *model.Cursor) bool {
		n, p, ok := r.text(c, pathLen, pathField)
		if !ok {
			return false
		}
		f.paths = append(f.paths, p)
		switch path := p.Text(); {
		case strings.TrimSpace(path) == "":
			c.Wrong(noPath, model.Spot{Span: p.Span, Range: c.Range(n.Range.Off, 4+p.Range.Len)}, nil, nil)
		case model.Clean(path) != nil:
			c.Wrong(oddPath, p, nil, "a relative path inside the folder")
		case seen[path]:
			c.Wrong(oddPath, p, p.Value.String()+" once more", nil)
		}
		seen[p.Text()] = true
		return true
	})
	if l := c.CountOf(f.files, f.list).As(indexBlock).When(whole); doubt {
		l.Doubtful()
	}
	return whole
}

// inline reads array data inside the header (section 7.1). Its byte order is undefined, so it is shown unchanged.
func (r *reader) inline(c *model.Cursor) bool {
	at := c.Range(c.Pos(), c.Left())
	s := c.List(inline, func(c *model.Cursor) {
		for _, d := range r.h.arrays {
			data := c.FieldN(inlineData, int64(d.len_.Uint())*widthOf(d.dtype.Uint()))
			r.h.inline = append(r.h.inline, data)
			c.LengthOf(d.len_, data).Per(widthOf(d.dtype.Uint()))
		}
	})
	c.Wrong(inlineArrays, model.Spot{Span: s.Span, Range: at}, nil, nil, model.Graded(model.Error), model.Saying(
		"array data is inside the header: no writer does this, and readers take it for a feature index"))
	return true
}

// tail reads what follows the block: the chunk information of section 7.2, or unknown bytes.
func (r *reader) tail(c *model.Cursor) bool {
	b, left, backend := c.Peek(chunkBytes), c.Left(), r.h.backend
	chunked := backend.Uint() == 2
	switch {
	case left >= chunkBytes && b[0] == 1 && (chunked || left == chunkBytes):
		r.chunks(c, chunked)
	case left >= 1 && b[0] == 0 && (chunked || left == 1):
		c.Field(chunkedField)
	case left >= 1 && b[0] == 1 && chunked:
		c.Wrong(chunkInfo, c.Rest(tail).Span, model.SizeText(uint64(left)), model.SizeText(chunkBytes),
			model.Saying("the chunk information at the end of the header is truncated"))
		r.h.whole = false
		return false
	}
	if chunked && !r.h.chunked {
		var want any // no proposal if there are chunks, because the header is truncated
		if r.a == nil || r.a.dirs[firstChunk] == nil {
			want = model.U(1)
		}
		c.Wrong(chunkInfo, backend, nil, want, model.Doubtful, model.Saying("backend 2 without chunk information"))
	}
	if r.h.end = c.Pos(); c.Left() > 0 {
		c.Wrong(unknownTail, c.Rest(tail).Span, nil, nil)
	}
	return true
}

// firstChunk is the folder of the first chunk in the chunked layout.
const firstChunk = "chunk_00000"

// chunks reads the chunk information, and checks that the number of chunks matches the rows.
func (r *reader) chunks(c *model.Cursor, chunked bool) {
	c.Field(chunkedField)
	size, num, rows := c.Field(chunkSize), c.Field(numChunks), c.Field(totalRows)
	r.h.chunked, r.h.chunkSize, r.h.chunks, r.h.rows = true, size, num, rows
	if !chunked {
		c.Wrong(chunkInfo, r.h.backend, nil, model.U(2), model.Doubtful, model.About(c.Range(size.Range.Off-1, chunkBytes)),
			model.Saying("chunk information, but not the chunked backend"))
	}
	if size.Uint() == 0 {
		c.Wrong(chunkInfo, size, nil, "rows per chunk")
		return
	}
	if n := max(1, rows.Uint()/size.Uint()+min(1, rows.Uint()%size.Uint())); num.Uint() != n {
		var want any = n
		if n < 1<<32 {
			want = model.U(n)
		}
		// one of the other two numbers may be the wrong one
		c.Wrong(chunkInfo, model.Spot{Span: num.Span, Range: c.Range(size.Range.Off, 16)}, num, want, model.Doubtful)
	}
}
