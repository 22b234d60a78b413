package taridx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// maxChain is how many members of one shard are kept for comparison with the rows: 9 bytes each.
const maxChain = 1 << 26

// maxStems is how many stems are kept to find two with the same key.
const maxStems = 1 << 20

// shardComparison is the comparison of the rows with the shards, in text order as readers count them. Findings are kept until it is
// known whether a whole shard does not fit: then there is one finding per rule, not one per row.
type shardComparison struct {
	*index
	pass   *pass
	chains []map[int64]bool // by shard: header offsets; true: a row points there, or none needs to
	stems  map[[2]uint64]string
	seen   map[uint16]*verdict
	found  []model.Finding
	of     []uint16     // the shard of each
	broken atomic.Int64 // damaged headers
}

// shardsPass compares the rows with the shards.
func (d *pass) shardsPass() error {
	if len(d.fold.shards) == 0 {
		return nil
	}
	x := &shardComparison{index: d.index, pass: d, stems: map[[2]uint64]string{}, seen: map[uint16]*verdict{}}
	x.chains = make([]map[int64]bool, len(d.fold.shards))
	err := d.p.Each(d.ctx, "reading shards", int64(len(d.fold.shards)), func(ctx context.Context, p *model.Probe, i int64) (err error) {
		x.chains[i], err = x.chain(ctx, p, d.fold.shards[i])
		return err
	})
	if err == nil {
		err = x.rows()
	}
	if err != nil {
		return err
	}
	x.report()
	if len(x.stems) == maxStems {
		d.p.Wrong(model.RuleCap, d.rows, nil, nil,
			model.Saying("only the first %d stems were compared to find duplicate keys", maxStems))
	}
	x.unindexed()
	return nil
}

// rows compares every row with the header that it points at. The headers of some thousand rows are read on all cores, while the
// previous ones are compared, in the order of the rows.
func (x *shardComparison) rows() error {
	const part, parts = 1024, 16
	next, last := make([]pointed, min(part*parts, x.n)), make([]pointed, 0, min(part*parts, x.n))
	first := int64(0)                              // the row that last starts with
	quiet := &model.Probe{Report: x.pass.p.Report} // progress counts rows
	err := x.t.Stream(x.pass.ctx, x.index.rows.Range, rowSize*part*parts, func(off int64, b []byte) error {
		at, n := (off-x.index.rows.Range.Off)/rowSize, int64(len(b)/rowSize)
		x.pass.p.Progress(at, x.n, "comparing rows with shards")
		next = next[:n]
		err := quiet.Each(x.pass.ctx, "", 1+(n+part-1)/part, func(_ context.Context, _ *model.Probe, k int64) error {
			if k == 0 {
				x.compareRows(first, last)
				return nil
			}
			for i := (k - 1) * part; i < min(n, k*part); i++ {
				next[i] = x.readHeader(decode(b[i*rowSize:]))
			}
			return nil
		})
		first, next, last = at, last, next
		return err
	})
	if err == nil {
		x.compareRows(first, last)
	}
	return err
}

// compareRows compares rows from first on with what they point at.
func (x *shardComparison) compareRows(first int64, list []pointed) {
	for i := range list {
		if m := &list[i]; m.row != (entryRow{}) {
			m.at = first + int64(i)
			x.compareRow(m)
		}
	}
}

// pointed is what a row points at.
type pointed struct {
	at  int64 // the number of the row
	row entryRow
	tarfile.Head
	shard     *shard
	what      place
	stem, ext string
	hash      uint64 // of the stem
}

// fieldOf is a field of a row with a place; −1 is the row itself.
type fieldOf struct {
	*pointed
	field int
}

func (m *pointed) in(field int) fieldOf { return fieldOf{m, field} }

// place is what can be at the place in a row.
type place uint8

const (
	atHeader place = iota
	atNoShard
	atNothing
	atZeros
	atOther
	atDamaged
)

// readHeader reads the header that a row points at.
func (x *shardComparison) readHeader(r entryRow) (m pointed) {
	if m.row = r; int(r.fid) >= len(x.fold.shards) {
		m.what = atNoShard
		return m
	}
	m.shard = x.fold.shards[r.fid]
	var b [tarfile.Block]byte
	switch {
	case r == (entryRow{}):
	case r.off > uint64(m.shard.entry.Size), int64(r.off) > m.shard.entry.Size-tarfile.Block, x.fold.read(m.shard, int64(r.off), b[:]) < tarfile.Block:
		m.what = atNothing
	case model.AllZero(b[:]):
		m.what = atZeros
	default:
		m.Head, m.what = tarfile.Parse(b[:]), atOther
		if m.SumOK {
			m.what = atHeader
			m.stem, m.ext = nameParts(m.Name)
			m.hash = xxhash.Sum64String(m.stem)
		} else if tarfile.Looks(b[:]) {
			m.what = atDamaged
		}
	}
	return m
}

// hit keeps a finding about a field of a row.
func (x *shardComparison) hit(r *model.Rule, at fieldOf, found, want any, more ...model.Detail) {
	v := x.seen[at.row.fid]
	if v.by[r]++; v.by[r] > 1 && x.pass.hits[r] >= model.MaxPerRule || len(x.found) > 1<<16 {
		return
	}
	x.pass.hits[r]++
	v.kept[r]++
	x.found, x.of = append(x.found, x.pass.finding(r, cell{at.at, at.field}, found, want, more...)), append(x.of, at.row.fid)
}

// report reports the findings: for a shard that most of its rows do not fit, one per rule.
func (x *shardComparison) report() {
	matched := sync.OnceValue(func() *match { // it reads all shards again, which most indexes do not need
		m, err := x.matched(x.pass.ctx)
		if err != nil {
			return &match{}
		}
		return m
	})
	for k, f := range x.found {
		fid := x.of[k]
		v, gone := x.seen[fid], x.fold.missingBefore(fid)
		switch {
		case v.fits() && gone != "":
			f.Message = fmt.Sprintf("%s: %s is missing", f.Text(), gone)
		case v.fits():
		case slices.Contains(v.told, f.Rule):
			continue
		default:
			v.told = append(v.told, f.Rule)
			f.Message, f.Want, f.About = v.says(f.Rule, x.fold.called(fid), gone), model.Value{}, nil
			if gone == "" && len(v.told) == 1 && matched().foreign[fid] {
				f.Message = model.Words("%s is not the shard that was indexed, or was changed since: %s of its %s rows do not fit", x.fold.called(fid), model.Thousands(v.foreign), model.Thousands(v.rows))
			}
		}
		x.pass.p.Report(f)
	}
	for _, v := range x.seen {
		if v.told == nil {
			v.omitted(x.t)
		}
	}
}

// unindexed reports the members without a row.
func (x *shardComparison) unindexed() {
	for i, h := range x.fold.shards {
		missing, first := unused(x.chains[i])
		if missing == 0 {
			continue
		}
		name := fmt.Sprintf("a member at 0x%x", first)
		if head, ok := x.fold.head(h, uint64(first)); ok {
			name = head.Name
		}
		text, more := fmt.Sprintf("%s of %s has no row", name, h.name), []model.Detail{}
		if missing > 1 {
			text = model.Words("%s members of %s have no row; the first is %s", model.Thousands(int64(missing)), h.name, name)
		}
		if x.head["n_rows"].Uint() > uint64(x.n) {
			more = append(more, model.Graded(model.Error)) // the header counts them
		}
		x.pass.p.Wrong(missingRow, model.Spot{Span: h.span, Range: h.at(first, tarfile.Block)}, nil,
			nil, append(more, model.Saying("%s", text))...)
	}
}

// unused counts the members of a chain that no row points at, and returns the place of the first.
func unused(chain map[int64]bool) (n int, first int64) {
	for at, used := range chain {
		if used {
			continue
		}
		if n++; n == 1 || at < first {
			first = at
		}
	}
	return n, first
}

// chain walks a shard's members and checks how it ends.
func (x *shardComparison) chain(ctx context.Context, p *model.Probe, h *shard) (map[int64]bool, error) {
	chain := map[int64]bool{}
	var magic [2]byte
	x.fold.read(h, 0, magic[:])
	if string(magic[:]) == "\x1f\x8b" {
		p.Wrong(noHeader, h.span, nil, nil, model.Saying("%s is compressed with gzip, so it is not a tar despite its name; unpack it", h.name))
		return chain, nil
	}
	end, err := x.members(ctx, p, h, chain)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	e := headers{x.index}.ending(ctx, h, end)
	if err != nil && len(e.odd) == 0 {
		grade := model.Warning
		if end == 0 {
			grade = model.Error // readers take the shard for no tar
		}
		p.Wrong(openEnd, h.span, nil, nil, model.Graded(grade), model.Saying("%v: the rest is not read", err))
		return chain, nil
	}
	headers{x.index}.ends(p, h, end, e)
	return chain, nil
}

// members notes the places of the members of a shard, and continues after damaged headers.
func (x *shardComparison) members(ctx context.Context, p *model.Probe, h *shard, chain map[int64]bool) (end int64, err error) {
	for w := x.fold.walk(ctx, h); ; {
		for off, head := range w.members {
			if len(chain) >= maxChain {
				return off, errors.New("too many members")
			}
			r := entryRow{off: uint64(off), size: uint64(max(0, head.Size))}
			if chain[off] = !usable(head) || h.cuts(r); !head.SumOK { // members that readers cannot use need no row
				x.damaged(ctx, p, h, off, tarfile.Block+head.Map+tarfile.Padded(max(0, head.Payload())))
			}
		}
		at := w.end
		switch w.resume() {
		case tarfile.Damaged:
			chain[at] = true
			x.damaged(ctx, p, h, at, w.end-at)
		case tarfile.Lost:
			p.Wrong(damagedHeader, model.Spot{Span: h.span, Range: h.at(at, tarfile.Block)}, nil, nil,
				model.Saying("there is no header at 0x%x of %s: the bytes up to the next one, at 0x%x, belong to no member", at, h.name, w.end))
		default:
			return w.end, w.err
		}
	}
}

// compareRow compares one row with the header that it points at.
func (x *shardComparison) compareRow(m *pointed) {
	r, h := m.row, m.shard
	if m.what == atNothing && r.off <= uint64(max(0, h.entry.Size)) && int64(r.off) <= h.entry.Size-tarfile.Block {
		return // the shard cannot be read there, so the row cannot be judged
	}
	v := x.seen[r.fid]
	if v == nil {
		v = &verdict{by: map[*model.Rule]int64{}, kept: map[*model.Rule]int64{}}
		x.seen[r.fid] = v
	}
	if v.rows++; m.what != atHeader {
		v.foreign++
	}
	onChain := (m.what == atHeader || m.what == atDamaged) && x.used(r)
	switch m.what {
	case atNoShard:
		x.hit(unknownShard, m.in(fid), r.fid, fmt.Sprintf("less than %d, the number of shards of the fold", len(x.fold.shards)))
	case atNothing:
		x.hit(outsideShard, m.in(offset), fmt.Sprintf("0x%x", r.off), fmt.Sprintf("at most 0x%x in %s", max(0, h.entry.Size-tarfile.Block), h.name))
	case atZeros:
		there := model.Spot{Span: h.span, Range: h.at(int64(r.off), tarfile.Block)}
		x.hit(zeroBlock, m.in(offset), fmt.Sprintf("zeros at 0x%x of %s", r.off, h.name), "a tar header", model.Beside(there))
	case atOther:
		x.hit(noHeader, m.in(offset), fmt.Sprintf("other bytes at 0x%x of %s", r.off, h.name), "a tar header")
	case atDamaged:
		x.hit(noHeader, m.in(offset), nil, nil, model.Saying("the tar header at 0x%x of %s is damaged: its checksum does not match its bytes", r.off, h.name))
	default:
		if !onChain {
			x.hit(offChain, m.in(offset), fmt.Sprintf("0x%x", r.off), nil)
		}
		x.compare(m)
	}
}

// used records that a row points to a member, and tells whether that is on the chain of its shard.
func (x *shardComparison) used(r entryRow) bool {
	used, onChain := x.chains[r.fid][int64(r.off)]
	if onChain && !used {
		x.chains[r.fid][int64(r.off)] = true
	}
	return onChain
}

// compare compares one row with its member.
func (x *shardComparison) compare(m *pointed) {
	r, h := m.row, m.shard
	if m.Size >= 0 && uint64(m.Size) != r.size {
		x.hit(memberSize, m.in(size), r.size, m.Size)
	} else if end := r.off + tarfile.Block + r.size; end > uint64(h.entry.Size) || end < r.off {
		x.hit(payloadCut, m.in(size), fmt.Sprintf("it ends at 0x%x", end), fmt.Sprintf("at most 0x%x, where %s ends", h.entry.Size, h.name))
	}
	if strings.IndexByte("xgLKVX", m.Typ) >= 0 {
		x.hit(helperRow, m.in(-1), fmt.Sprintf("type %q of %s", m.Typ, m.Name), "a file")
	} else if m.Typ != '0' && m.Typ != 0 && m.Typ != '7' && m.Typ != 'S' {
		x.hit(notAFile, m.in(-1), fmt.Sprintf("type %q of %s", m.Typ, m.Name), "a file")
	}
	if m.Full {
		x.hit(longName, m.in(-1), m.Name, nil)
	}
	x.compareName(m)
}

// compareName compares the hash, the extension and the collision stem of a row with the name of its member.
func (x *shardComparison) compareName(m *pointed) {
	r := m.row
	if m.hash != r.hash {
		x.seen[r.fid].foreign++
		x.hit(memberHash, m.in(keyHash), fmt.Sprintf("0x%016x", r.hash), fmt.Sprintf("0x%016x, of %s", m.hash, m.stem))
	}
	if int(r.ext) < len(x.exts) && x.exts[r.ext] != m.ext {
		x.hit(memberExt, m.in(extID), x.exts[r.ext], m.ext)
	}
	if m.hash != r.hash {
		return
	}
	if want := x.stemIDs[m.stem]; want != r.crash {
		x.hit(memberStem, m.in(crashID), r.crash, fmt.Sprintf("%d, of %s", want, m.stem))
		return
	}
	key := r.key() // stems of the same key must agree; a table of all keys is only kept while it is small
	if old, ok := x.stems[key]; ok && old != m.stem {
		x.hit(twoStems, m.in(keyHash), m.stem, old)
	} else if !ok && len(x.stems) < maxStems {
		x.stems[key] = m.stem
	}
}
