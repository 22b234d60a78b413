package taridx

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// How many rows are checked by the checks that remember every key, at 24 bytes each, and those that remember every place, at 32.
const (
	maxKeys   = 1 << 28
	maxPlaces = 1 << 27
)

// key is what those checks remember of a row.
type key struct {
	hash  uint64
	row   int64
	crash uint32
	ext   uint16
}

// pass is one run of the deep checks.
type pass struct {
	*index
	ctx  context.Context
	p    *model.Probe
	keys []key
	hits map[*model.Rule]int

	seen     *scan
	usedStem []bool
	base     map[uint64]bool // hashes of collision stems that have a row with crashid 0
	blank    int64           // start of the current run of blank rows; −1: none
}

// deep reads every row once, then the keys in order, then the shards.
func deep(ctx context.Context, t *model.Tree, p *model.Probe) error {
	x := stateOf(t)
	if x == nil || x.rows == nil {
		return nil
	}
	d := &pass{index: x, ctx: ctx, p: p, hits: map[*model.Rule]int{}, seen: x.newScan(), usedStem: make([]bool, len(x.stems)),
		base: map[uint64]bool{}, blank: -1}
	for _, h := range x.stemHash {
		d.base[h] = false
	}
	if x.n > maxKeys {
		p.Wrong(model.RuleCap, x.rows, nil, nil, model.Saying("samples are checked for at most %d rows",
			maxKeys))
	} else {
		d.keys = make([]key, 0, x.n)
	}
	if err := d.rowsPass(); err != nil {
		return err
	}
	d.tables()
	if err := d.extents(); err != nil {
		return err
	}
	if err := d.shardsPass(); err != nil {
		return err
	}
	err := d.keysPass() // last, because it needs the findings about keys
	for r, n := range d.hits {
		d.t.Omit(r, n-model.MaxPerRule)
	}
	return err
}

// cell is a field of a row; field −1 is the row itself.
type cell struct {
	row   int64
	field int
}

// span is where a cell is.
func (d *pass) span(c cell) *model.Span {
	s := d.rows.Child(c.row)
	if c.field >= 0 {
		return s.Child(int64(c.field))
	}
	return s
}

// hit reports a violation of a rule in a cell.
func (d *pass) hit(r *model.Rule, c cell, found, want any, more ...model.Detail) {
	if d.hits[r]++; d.hits[r] > model.MaxPerRule {
		return // they are counted at the end: spans cost time
	}
	d.p.Report(d.finding(r, c, found, want, more...))
}

func (d *pass) finding(r *model.Rule, c cell, found, want any, more ...model.Detail) model.Finding {
	at := model.Spot{Span: d.span(c)}
	switch row := d.rows.Child(c.row).Range; r {
	case samePlace: // the shard and the offset
		at.Range = model.Range{Space: row.Space, Off: row.Off, Len: 10}
	case overlap: // the offset and the size
		at.Range = model.Range{Space: row.Space, Off: row.Off + 2, Len: 16}
	}
	return model.Wrong(r, at, found, want, append([]model.Detail{model.Saying("%s: row %d", r.Title, c.row), model.About(c.row)}, more...)...)
}

// keysRight tells whether no row's key is in doubt and none is missing: the shards confirm them, or every sample has the same members,
// which would not be so with a wrong key.
func (d *pass) keysRight(ragged bool) bool {
	if d.head["n_rows"].Uint() != uint64(d.n) {
		return false
	}
	doubts := 0
	for _, r := range []*model.Rule{unknownStem, stemHash, memberHash, memberStem, helperRow, blankRows} {
		doubts += d.hits[r]
	}
	return (!ragged || len(d.fold.shards) > 0 && d.hits[unknownShard] == 0) && doubts == 0
}

// rowsPass runs the rules that need one row at a time or two neighbours: 023 to 026, 033, 035, 039.
func (d *pass) rowsPass() error {
	s := d.seen
	what := fmt.Sprintf("checking rows, with %s of memory for their keys", model.SizeText(uint64(cap(d.keys)*24)))
	err := d.eachPiece(what, func(i int64, b []byte) {
		d.noteKeys(i, b)
		for len(b) >= rowSize {
			if n := s.scan(b); n > 0 {
				d.endBlank(i)
				b, i = b[n*rowSize:], i+int64(n)
				continue
			}
			r := decode(b)
			if d.doubtful(i, r); r != (entryRow{}) {
				s.note(r)
			}
			b, i = b[rowSize:], i+1
		}
	})
	if err != nil {
		return err
	}
	d.endBlank(d.n)
	if !s.ordered {
		d.p.Wrong(otherOrder, d.rows, nil, nil)
	}
	d.gap()
	return nil
}

// noteKeys notes the keys of rows, the first of which is row i.
func (d *pass) noteKeys(i int64, b []byte) {
	for ; d.keys != nil && len(b) >= rowSize; i, b = i+1, b[rowSize:] {
		if e := decode(b); e.hash != 0 { // a blank row belongs to no sample
			d.keys = append(d.keys, key{e.hash, i, e.crash, e.ext})
		}
	}
}

// gap reports the first shard without rows, if a later one has rows.
func (d *pass) gap() {
	last := 0
	for fid, used := range d.seen.fids {
		if used {
			last = fid
		}
	}
	for fid := range last {
		if h := d.fold.of(uint16(fid)); !d.seen.fids[fid] && (h == nil || !h.empty) { // no row can point into a shard without members
			d.p.Wrong(shardGap, d.rows, fmt.Sprintf("no row has shard %d; the last is %d", fid, last), nil)
			return
		}
	}
}

// doubtful runs the rules about a single row.
func (d *pass) doubtful(i int64, r entryRow) {
	if r == (entryRow{}) {
		if d.blank < 0 {
			d.blank = i
		}
		return
	}
	d.endBlank(i)
	if int(r.ext) >= len(d.exts) && d.extSpan != nil && d.extSpan.Ready() {
		d.hit(unknownExt, cell{i, extID}, r.ext, fmt.Sprintf("below %d", len(d.exts)))
	}
	d.collision(i, r)
	if r.off&(tarfile.Block-1) != 0 {
		d.hit(oddOffset, cell{i, offset}, fmt.Sprintf("0x%x", r.off), "a multiple of 0x200")
	}
	if name, ok := reservedHashes[r.hash]; ok {
		d.hit(helperHash, cell{i, keyHash}, name, nil)
	}
}

// endBlank reports the run of blank rows that ends before a row.
func (d *pass) endBlank(to int64) {
	if d.blank < 0 {
		return
	}
	first, last := d.rows.Child(d.blank), d.rows.Child(to-1)
	at := model.Spot{Span: first, Range: model.Range{Space: first.Range.Space, Off: first.Range.Off, Len: last.Range.End() - first.Range.Off}}
	text := fmt.Sprintf("row %d is all zeros", d.blank)
	if to-d.blank > 1 {
		text = fmt.Sprintf("rows %d to %d are all zeros", d.blank, to-1)
	}
	d.hits[blankRows]++
	d.p.Wrong(blankRows, at, nil, nil, model.Saying("%s", text), model.About(d.blank))
	d.blank = -1
}

// collision runs the rules about collision ids, 024 and 026, and notes what tables needs.
func (d *pass) collision(i int64, r entryRow) {
	switch {
	case r.crash == 0:
		if _, ok := d.base[r.hash]; ok {
			d.base[r.hash] = true
		}
	case int64(r.crash) > int64(len(d.stems)):
		d.hit(unknownStem, cell{i, crashID}, r.crash, fmt.Sprintf("at most %d", len(d.stems)))
	default:
		d.usedStem[r.crash-1] = true
		if want := d.stemHash[r.crash-1]; want != r.hash {
			d.hit(stemHash, cell{i, keyHash}, fmt.Sprintf("0x%016x", r.hash), fmt.Sprintf("0x%016x, of %s", want, d.stems[r.crash-1]))
		}
	}
}

// tables runs the rules on unused table entries: 029 to 031.
func (d *pass) tables() {
	for i, used := range d.usedStem {
		if !used {
			d.p.Wrong(unusedStem, d.stemSpan.Child(int64(i)), d.stems[i], nil)
		}
		if !d.base[d.stemHash[i]] {
			d.p.Wrong(noFirstStem, d.stemSpan.Child(int64(i)), d.stems[i], nil)
		}
	}
	exts := make([]bool, len(d.exts)) // the table may have more entries than there are ids
	copy(exts, d.seen.exts[:])
	for i, used := range exts {
		if !used && d.n > 0 {
			d.p.Wrong(unusedExt, d.extSpan.Child(int64(i)), d.exts[i], nil)
		}
	}
}
