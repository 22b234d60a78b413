package idv

import (
	mathbits "math/bits"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// inUnits is a decoded block with the ends of its strings in UTF-16 units; nil if they are, or if it has no strings.
func inUnits(s contents, sh *shape) []byte {
	if sh.compression > 1 || !sh.codec.Readable() || sh.codec.Scalar().Base() != block.Text || sh.over() {
		return nil
	}
	in, err := s.t.Bytes(s.ctx, sh.at)
	if err != nil {
		return nil
	}
	b, _ := sh.decode(s.ctx, in, nil)
	return block.Read(sh.codec, b, sh.rows).InUnits()
}

// unitRepairs count the ends of strings in UTF-16 units, if another writer counted bytes of UTF-8, in all blocks.
func unitRepairs(r repairing) []model.Fix {
	if r.sh == nil || inUnits(r.contents, r.sh) == nil {
		return nil
	}
	return inBlocks(r, "count the ends of the strings in UTF-16 units", inUnits,
		"The ends of the strings are counted in bytes of UTF-8, not in UTF-16 units: another program than ML.NET wrote them.")
}

// inBlocks is the repair of all blocks for which to returns other decoded bytes than nil.
func inBlocks(r repairing, label string, to func(s contents, sh *shape) []byte, says string) []model.Fix {
	fixes := r.later(label, func(s contents) (edits []model.Edit, err error) {
		shapes, list := []shape(nil), []rewritten(nil)
		for _, k := range s.stream.metaTasks() {
			shapes = append(shapes, k.shape)
		}
		for _, b := range s.stream.blocks {
			shapes = append(shapes, s.stream.shape(b))
		}
		for _, sh := range shapes {
			if to(s, &sh) != nil {
				list = append(list, rewritten{&derivedBlock{s.stream, sh}, func() ([]byte, error) { return to(s, &sh), s.ctx.Err() }})
			}
		}
		return s.rewrite(list...)
	})
	fixes[0].Safe, fixes[0].Once, fixes[0].Says = true, true, says
	return fixes
}

// unframed is the decoded bytes of a block that has a frame; nil for others.
func unframed(s contents, sh *shape) []byte {
	in, err := s.t.Bytes(s.ctx, sh.at)
	if err != nil || sh.compression != 1 || sh.over() {
		return nil
	}
	b, how := sh.decode(s.ctx, in, nil)
	if how.Err != errFramed {
		return nil
	}
	return b
}

// frameRepairs compress the blocks again as bare streams.
func frameRepairs(r repairing) []model.Fix {
	return inBlocks(r, "compress the blocks without a header and a checksum", unframed,
		"The blocks are compressed with a header and a checksum, as by zlib.compress, not as bare deflate streams: another program than ML.NET wrote them.")
}

// mirrorRepairs reverse the bits of all bytes of Booleans.
func mirrorRepairs(r repairing) []model.Fix {
	fixes := inBlocks(r, "reverse the bits of each byte of the Booleans", func(s contents, sh *shape) []byte {
		out := booleans(s, sh)
		for i, x := range out {
			out[i] = mathbits.Reverse8(x)
		}
		return out
	}, "The Booleans begin with the highest bit of each byte, as those of numpy.packbits do, instead of the lowest: rows have the values of others.")
	_, fixes[0].Safe = mirrored(r.contents)
	return fixes
}

// insteadRepairs offer the other answer if two are possible.
func insteadRepairs(r repairing) []model.Fix {
	p := r.problem.Instead
	if p == nil {
		return nil
	}
	at := r.finding.Where()
	at.Off, at.Len = at.Off+p.At-r.problem.At, int64(len(p.With))
	return []model.Fix{{Label: p.Label, Safe: r.problem.Sure && r.finding.Want.Kind == model.None,
		Edits: []model.Edit{model.Replace(at, p.With)}}}
}
