package cause

import (
	"encoding/binary"
	"slices"

	"spandrel/model"
)

// A download that was not finished: the program that wrote the file keeps what is still missing in a file beside it, and removes that at the end.

// controls are what such programs add to the name of a file for the one beside it: aria2, axel.
var controls = []string{".aria2", ".st"}

// unfinished reports pieces of a file that were never written.
func unfinished(g *subject) {
	for _, ending := range controls {
		c, err := g.r.base.snap.Content(g.name + ending)
		if err != nil || c.Len() == 0 || c.Len() > maxControl {
			continue
		}
		missing, grade := unwritten(bytesAt(c, 0, c.Len()), g.c.Len()), Proven
		missing = slices.DeleteFunc(missing, func(at model.Range) bool { return !allOf(bytesAt(g.c, at.Off, min(at.Len, maxPiece)), 0) })
		if len(missing) == 0 {
			missing, grade = g.blanks(), Likely // parts of pieces
		}
		if len(missing) == 0 {
			return // it was finished later
		}
		n, first := int64(0), missing[0]
		for _, at := range missing {
			n += at.Len
		}
		where := model.Words("%s bytes at 0x%x were", model.Thousands(n), first.Off)
		if len(missing) > 1 {
			where = model.Words("%s bytes in %d places, the first at 0x%x, were", model.Thousands(n), len(missing), first.Off)
		}
		told := g.tell(grade, "Resume it with the program that began it, in the same folder: it only gets what is missing. Or save the intact data.", []string{g.name + ending + " is beside it, which is removed when a download is complete", "these bytes are zero"},
			"The download of %s was not finished: %s never written.", g.name, where)
		told.At.Off, told.At.Len = first.Off, first.Len
		noteLost(g)
		return
	}
}

const (
	maxControl = 1 << 18 // bytes of such a file: a bit for each MiB of 2 TiB
	maxPiece   = 1 << 20 // bytes of a piece that are looked at
)

// blanks are the zeros in whole sectors of the file that were reported.
func (g *subject) blanks() (out []model.Range) {
	for _, f := range g.r.found {
		if at := f.Where(); f.Rule == model.RuleBlank && g.stores(at) {
			out = append(out, at)
		}
	}
	return out
}

// unwritten are the pieces that aria2 notes as missing of a file of this size: after a version, an extension and the hash of a torrent come the length of a piece, that of
// the file, what was uploaded, and a bit for each piece. Nil if the bytes are not such a note.
func unwritten(b []byte, size int64) (out []model.Range) {
	const lengths, fields = 10, 24 // before the hash is done, and from there to the bits
	if len(b) < lengths || binary.BigEndian.Uint16(b) != 1 {
		return nil
	}
	hash := int64(binary.BigEndian.Uint32(b[6:]))
	if int64(len(b)) < lengths+hash+fields {
		return nil
	}
	b = b[lengths+hash:]
	piece, bits := int64(binary.BigEndian.Uint32(b)), b[fields:]
	if piece == 0 || binary.BigEndian.Uint64(b[4:]) != uint64(size) || int64(len(bits)) < (size/piece+7)/8+1 {
		return nil
	}
	for at := int64(0); at < size; at += piece {
		if i := at / piece; bits[i/8]&(0x80>>(i%8)) == 0 {
			out = append(out, model.Range{Off: at, Len: min(piece, size-at)})
		}
	}
	return out
}
