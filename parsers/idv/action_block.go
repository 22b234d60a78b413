package idv

import (
	"fmt"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// rewritten is a block with other decoded bytes. They are computed when it is stored, because there may be many large ones.
type rewritten struct {
	*derivedBlock
	bytes func() ([]byte, error)
}

// applied is the decoded bytes of a block with the requested edits.
func (y *planning) applied(id model.SpaceID) ([]byte, error) {
	d := y.block(id)
	if d.sh.over() {
		return nil, errBudget
	}
	b, err := y.t.All(y.ctx, id)
	if err != nil {
		return nil, err
	}
	y.t.MakeRoom(int64(len(b)))
	return d.apply(b, y.blocks[id])
}

// rewrite makes the edits that replace the decoded bytes of blocks of a stream.
func (s contents) rewrite(list ...rewritten) ([]model.Edit, error) {
	y := newPlanning(s.ctx, s.t)
	if err := y.store(list); err != nil {
		return nil, err
	}
	err := y.finish(s.stream)
	return y.out, err
}

// store makes the edits of blocks. If any block must move, all edited ones are written after the stream.
func (y *planning) store(list []rewritten) (err error) {
	stays := make([][]model.Edit, len(list))
	for i, x := range list {
		if stays[i], err = y.storeOne(x, false); err != nil {
			return err
		}
	}
	for i, x := range list {
		if len(stays[i]) > 0 && x.s.tidy() && y.moves(x.s) {
			if stays[i], err = y.storeOne(x, true); err != nil {
				return err
			}
		}
		y.out = append(y.out, stays[i]...)
	}
	return nil
}

func (y *planning) storeOne(x rewritten, move bool) ([]model.Edit, error) {
	b, err := x.bytes()
	if err != nil {
		return nil, err
	}
	return x.store(b, y.change, move)
}

// store writes decoded bytes of a block: in place if the stored size is the same and it need not move, otherwise after the stream.
func (d *derivedBlock) store(b []byte, change func(*stream) *rewriting, move bool) ([]model.Edit, error) {
	s, sh := d.s, d.sh
	if sh.over() {
		return nil, errBudget
	}
	stored, err := compress(sh.compression, b)
	if err != nil {
		return nil, err
	}
	alone := sh.meta != nil || s.alone(sh.at.Off-s.base, sh.at.Len)
	if !move && alone && int64(len(stored)) == sh.at.Len && (sh.declared < 0 || sh.declared == int64(len(b))) {
		return []model.Edit{model.Replace(sh.at, stored)}, nil
	}
	c := change(s)
	if sh.meta != nil {
		return nil, c.metaBlock(sh.meta, b)
	}
	c.block(sh.col.index, sh.k, stored, len(b))
	return nil, nil
}

// apply edits decoded bytes in place. A new length of a text moves the bounds after it.
func (d *derivedBlock) apply(b []byte, asked []request) ([]byte, error) {
	k := block.Read(d.sh.codec, b, d.sh.rows)
	texts := map[int64]block.Raw{}
	var fixed []request
	for _, a := range asked {
		off, old, with := trim(a.at.Off, b[a.at.Off:min(a.at.End(), int64(len(b)))], a.with)
		i, ok := k.InText(off, int64(len(old)))
		switch {
		case ok && texts[i].B == nil:
			from, to := k.TextRange(i)
			s := string(b[from:off]) + string(with) + string(b[off+int64(len(old)):to])
			texts[i] = block.Raw{B: []byte(s)}
		case k.Characters(a.at.Off):
			return nil, fmt.Errorf("the strings of a block have stored ends: change one string at a time, in the table of rows")
		case int64(len(a.with)) != a.at.Len:
			return nil, fmt.Errorf("bytes 0x%x+%d of a block cannot change size", a.at.Off, a.at.Len)
		default:
			fixed = append(fixed, a)
		}
	}
	for _, a := range fixed { // there may be too many bytes to copy
		copy(b[a.at.Off:], a.with)
	}
	if len(texts) == 0 {
		return b, nil
	}
	return block.Read(d.sh.codec, b, d.sh.rows).PutTexts(texts)
}

// trim drops the unchanged part of an edit: the characters that both texts begin and end with.
func trim(off int64, old, with []byte) (int64, []byte, []byte) {
	n := 0
	for n < len(old) && n < len(with) && old[n] == with[n] {
		n++
	}
	for n > 0 && (n < len(old) && !utf8.RuneStart(old[n]) || n < len(with) && !utf8.RuneStart(with[n])) {
		n--
	}
	off, old, with = off+int64(n), old[n:], with[n:]
	n = 0
	for n < len(old) && n < len(with) && old[len(old)-1-n] == with[len(with)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(old[len(old)-n]) {
		n--
	}
	return off, old[:len(old)-n], with[:len(with)-n]
}
