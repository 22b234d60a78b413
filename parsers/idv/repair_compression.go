package idv

import (
	"fmt"

	"spandrel/model"
)

// compressions are the kinds that there are, by their numbers.
var compressions = []string{"none", "deflate"}

// kindRepairs set the compression of a column to that of its first block, or without rows to that of all other columns: no
// writer mixes them.
func kindRepairs(r repairing) []model.Fix {
	c := r.column
	if c.blocks == 0 {
		kind, ok := r.stream.commonKind(c)
		if !ok || r.stream.rows != 0 {
			return nil
		}
		return []model.Fix{{Label: fmt.Sprintf("set compression to %d (%s), as in all other columns", kind, compressions[kind]), Safe: true,
			Edits: r.setField(c.compressionAt-r.stream.base, int64(kind))}}
	}
	e, ok := r.entryOf(c, 0)
	if !ok || e.off < headerSize || e.n <= 0 || e.end() > r.stream.size {
		return nil
	}
	sh := r.stream.shape(e)
	return r.kindOf(&sh, c.compressionAt-r.stream.base, "set compression to %d (%s), to match its blocks")
}

// commonKind is the compression of all columns but one.
func (s *stream) commonKind(but *column) (kind byte, ok bool) {
	for _, c := range s.cols {
		if c == but {
			continue
		}
		if c.compression > 1 || ok && c.compression != kind {
			return 0, false
		}
		kind, ok = c.compression, true
	}
	return kind, ok
}

// metaKindRepairs set the compression of a metadata value to the one that it has.
func metaKindRepairs(r repairing) []model.Fix {
	if r.about.meta == nil || r.column == nil {
		return nil
	}
	sh := r.stream.metaShape(r.column, r.about.meta)
	return r.kindOf(&sh, r.about.meta.compressionAt-r.stream.base, "set compression to %d (%s), to match its value")
}

// kindOf sets the compression with which a block is valid.
func (r repairing) kindOf(sh *shape, at int64, label string) []model.Fix {
	for kind, name := range compressions {
		try := *sh
		try.compression = byte(kind)
		if _, n, ok := r.try(try); ok && n == sh.at.Len {
			return []model.Fix{{Label: fmt.Sprintf(label, kind, name), Safe: true, Edits: r.setField(at, int64(kind))}}
		}
	}
	return nil
}
