package taridx

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// reservedHashes are the hashes of names that no sample has (section 6.2).
var reservedHashes = map[uint64]string{0xef46db3751d8e999: "an empty stem", 0xde3a66ab5c7a5a12: "@PaxHeader", 0xddf71ebb9afcd5f6: "@LongLink", 0x062ed88ed5f47d7d: "pax_global_header"}

const step = rowSize << 15 // bytes of rows read at a time

// How many rows the checks look at that remember every key, at 24 bytes each, and those that remember every place, at 32.
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
}

// deep reads every row once, then the keys in order, then the shards.
func deep(ctx context.Context, t *model.Tree, p *model.Probe) error {
	x, ok := t.State.(*index)
	if !ok || x.rows == nil {
		return nil
	}
	d := &pass{index: x, ctx: ctx, p: p, hits: map[*model.Rule]int{}, seen: x.newScan(), usedStem: make([]bool, len(x.crashes)), base: map[uint64]bool{}}
	for _, h := range x.crashHash {
		d.base[h] = false
	}
	if x.n > maxKeys {
		p.Report(model.Finding{Rule: model.RuleCap, Span: x.rows, Message: fmt.Sprintf("rules 027, 028, 036 and 037 remember every key: they look at no more than %d rows", maxKeys)})
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
	return d.keysPass() // last: its repairs count keys, so they wait until the keys are right
}

// row is the span of a row, or of one of its fields.
func (d *pass) row(i int64, field int) *model.Span {
	s := d.rows.Child(i)
	if field >= 0 {
		return s.Child(int64(field))
	}
	return s
}

func (d *pass) hit(r *model.Rule, i int64, field int, found, expected string, fixes ...model.Fix) {
	if d.hits[r]++; d.hits[r] > model.MaxPerRule {
		return // the tree counts no further than that, and spans cost time
	}
	diag := model.Finding{Rule: r, Span: d.row(i, field), Found: found, Expected: expected, Message: fmt.Sprintf("%s: row %d", r.Title, i), Fixes: fixes}
	switch row := d.row(i, -1).Range; r {
	case tix032: // the shard and the offset
		diag.Range = model.Range{Space: row.Space, Off: row.Off, Len: 10}
	case tix034: // the offset and the size
		diag.Range = model.Range{Space: row.Space, Off: row.Off + 2, Len: 16}
	}
	d.p.Report(diag)
}

// onlyAnswer says whether a fix is the only possible one.
func (d *pass) onlyAnswer(f model.Fix, yes bool) model.Fix {
	f.Safe = yes
	return f
}

// keysRight tells whether no row's key is in doubt: shards bear them out, or every sample has the same members, as no wrong
// key would leave it.
func (d *pass) keysRight(ragged bool) bool {
	return (!ragged || len(d.shards) > 0 && d.hits[tix040] == 0) && d.hits[tix024]+d.hits[tix026]+d.hits[tix047]+d.hits[tix049]+d.hits[tix050] == 0
}

// rowsPass runs the rules that need one row at a time or two neighbours: 023 to 026, 033, 035, 039.
func (d *pass) rowsPass() error {
	s := d.seen
	what := fmt.Sprintf("checking rows, with %s of memory for their keys", model.SizeText(uint64(cap(d.keys)*24)))
	err := d.t.Stream(d.ctx, d.rows.Range, step, func(off int64, b []byte) error {
		i := (off - d.rows.Range.Off) / rowSize
		d.p.Progress(i, d.n, what)
		if d.keys != nil {
			for k, r := i, b; len(r) >= rowSize; k, r = k+1, r[rowSize:] {
				e := decode(r)
				d.keys = append(d.keys, key{e.hash, k, e.crash, e.ext})
			}
		}
		for len(b) >= rowSize {
			if n := s.scan(b); n > 0 {
				b, i = b[n*rowSize:], i+int64(n)
				continue
			}
			r := decode(b)
			d.doubtful(i, r)
			s.note(r)
			b, i = b[rowSize:], i+1
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !s.ordered {
		d.p.Report(model.Finding{Rule: tix033, Span: d.rows})
	}
	last, gap := 0, -1
	for fid, used := range s.fids {
		if used {
			last = fid
		}
	}
	for fid := 0; fid < last && gap < 0; fid++ {
		if !s.fids[fid] {
			gap = fid
		}
	}
	if gap >= 0 {
		d.p.Report(model.Finding{Rule: tix035, Span: d.rows, Found: fmt.Sprintf("no row has shard %d, the last is %d", gap, last)})
	}
	return nil
}

// doubtful runs the rules about a single row: 023 to 026 and 039.
func (d *pass) doubtful(i int64, r entryRow) {
	if int(r.ext) >= len(d.exts) && d.extSpan != nil && d.extSpan.Ready() {
		d.hit(tix023, i, extID, fmt.Sprint(r.ext), fmt.Sprintf("below %d", len(d.exts)))
	}
	d.collision(i, r)
	if r.off&(tarfile.Block-1) != 0 {
		d.hit(tix025, i, offset, fmt.Sprint(r.off), "a multiple of 512")
	}
	if name, ok := reservedHashes[r.hash]; ok {
		d.hit(tix039, i, keyHash, name, "", d.helpersFix([]key{{row: i}})...)
	}
}

// collision runs the rules about collision ids: 024 and 026, and notes what tables needs.
func (d *pass) collision(i int64, r entryRow) {
	switch {
	case r.crash == 0:
		if _, ok := d.base[r.hash]; ok {
			d.base[r.hash] = true
		}
	case int64(r.crash) > int64(len(d.crashes)):
		d.hit(tix024, i, crashID, fmt.Sprint(r.crash), fmt.Sprintf("at most %d", len(d.crashes)))
	default:
		d.usedStem[r.crash-1] = true
		if want := d.crashHash[r.crash-1]; want != r.hash {
			fix := d.onlyAnswer(model.SetTo(d.row(i, keyHash), model.U(want)), false) // the stem may be what is wrong
			d.hit(tix026, i, keyHash, fmt.Sprintf("%016x", r.hash), fmt.Sprintf("%016x", want), fix)
		}
	}
}

// tables runs the rules on unused table entries: 029 to 031.
func (d *pass) tables() {
	for i, used := range d.usedStem {
		if !used {
			d.p.Report(model.Finding{Rule: tix029, Span: d.crashSpan.Child(int64(i)), Found: d.crashes[i], Fixes: d.dropUnused(d.crashSpan, d.crashes, d.usedStem)})
		}
		if !d.base[d.crashHash[i]] {
			d.p.Report(model.Finding{Rule: tix030, Span: d.crashSpan.Child(int64(i)), Found: d.crashes[i]})
		}
	}
	exts := make([]bool, len(d.exts)) // there may be more than rows have numbers for
	copy(exts, d.seen.exts[:])
	for i, used := range exts {
		if !used && d.n > 0 {
			d.p.Report(model.Finding{Rule: tix031, Span: d.extSpan.Child(int64(i)), Found: d.exts[i], Fixes: d.dropUnused(d.extSpan, d.exts, exts)})
		}
	}
}

// keysPass sorts the keys and runs the rules about samples: 027, 028, 036, 037.
func (d *pass) keysPass() error {
	if d.keys == nil {
		return nil
	}
	err := sortFunc(d.ctx, d.keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.crash, b.crash), cmp.Compare(a.row, b.row))
	})
	if err != nil {
		return err
	}
	var samples int64
	ragged := false
	var set, first []uint16
	for i := 0; i < len(d.keys); {
		if samples&(1<<16-1) == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		k := i
		set = set[:0]
		for ; k < len(d.keys) && d.keys[k].hash == d.keys[i].hash && d.keys[k].crash == d.keys[i].crash; k++ {
			if len(set) < 64 {
				set = append(set, d.keys[k].ext)
			}
		}
		slices.Sort(set)
		for j := 1; j < len(set); j++ {
			if set[j] == set[j-1] {
				d.hit(tix036, d.keys[i].row, -1, d.extName(set[j])+" twice", "", d.helpersFix(d.keys[i:k])...)
				set = slices.Compact(set)
				break
			}
		}
		if samples == 0 {
			first = slices.Clone(set)
		} else if !ragged && !slices.Equal(first, set) {
			ragged = true
		}
		samples++
		i = k
	}
	if ragged {
		d.p.Report(model.Finding{Rule: tix037, Span: d.rows})
	}
	stems := d.head["n_stems"]
	if stems.Uint() != uint64(samples) {
		d.p.Report(model.Finding{Rule: tix027, Span: stems.Span, Found: stems.Value.String(), Expected: fmt.Sprint(samples), Fixes: []model.Fix{d.onlyAnswer(model.SetTo(stems.Span, model.I(samples)), d.keysRight(ragged))}})
	}
	flags := d.head["flags"]
	grouped := uint64(d.seen.runs) == stems.Uint() || d.n < 2
	if set := flags.Uint()&1 == 1; set != grouped {
		f := model.Finding{Rule: tix028, Span: flags.Span, Found: fmt.Sprint(set), Expected: fmt.Sprint(grouped), Fixes: []model.Fix{d.onlyAnswer(model.SetTo(flags.Span, model.U(flags.Uint()^1)), d.keysRight(ragged))}}
		if !set {
			f.Severity = model.Warning
		}
		if stems.Uint() != uint64(samples) && (d.seen.runs == samples) == set {
			f.Fixes = nil // n_stems is what is wrong
		}
		d.p.Report(f)
	}
	d.keys = nil
	return nil
}

func (x *index) extName(id uint16) string {
	if int(id) < len(x.exts) {
		return x.exts[id]
	}
	return fmt.Sprintf("extension %d", id)
}

// extent is where a row's member lies.
type extent struct {
	off, size uint64
	row       int64
	fid       uint16
}

func extentOf(b []byte, row int64) extent {
	r := decode(b)
	return extent{r.off, r.size, row, r.fid}
}

// end is where the next member may begin.
func (e extent) end() uint64 {
	payload, over := bits.Add64(e.off, tarfile.Block, 0)
	end, more := bits.Add64(payload, e.size, 0)
	if over+more > 0 {
		return math.MaxUint64
	}
	return end
}

// apart returns how many rows at the start of b follow each other, and e, without an overlap.
func (e extent) apart(b []byte) (n int) {
	le, fid, end, rows := binary.LittleEndian, e.fid, e.end(), b
	for ; len(b) >= rowSize; b = b[rowSize:] {
		f, off, size := le.Uint16(b), le.Uint64(b[2:]), le.Uint64(b[10:])
		if f == fid && off < end || (off|size)>>62 != 0 {
			break
		}
		fid, end = f, off+tarfile.Block+size
	}
	return (len(rows) - len(b)) / rowSize
}

// extents runs the rules about places: 032 and 034. Rows in shard order are streamed, others sorted.
func (d *pass) extents() error {
	var prev extent
	have := false
	check := func(e extent) {
		if have && prev.fid == e.fid {
			if prev.off == e.off {
				d.hit(tix032, e.row, offset, fmt.Sprintf("as row %d", prev.row), "", d.dropRow(e.row))
			} else if end := prev.end(); end > e.off {
				d.hit(tix034, e.row, offset, fmt.Sprintf("row %d ends at 0x%x", prev.row, end), fmt.Sprintf("at most 0x%x", e.off))
			}
		}
		prev, have = e, true // where any two overlap, so do two that follow each other
	}
	var all []extent
	what := "checking places"
	if !d.seen.ordered {
		if d.n > maxPlaces {
			d.p.Report(model.Finding{Rule: model.RuleCap, Span: d.rows, Message: fmt.Sprintf("rules 032 and 034 sort rows that are not in the order of the shards: they look at no more than %d", maxPlaces)})
			return nil
		}
		what += fmt.Sprintf(", with %s of memory to sort them", model.SizeText(uint64(d.n*32)))
		all = make([]extent, 0, d.n)
	}
	err := d.t.Stream(d.ctx, d.rows.Range, step, func(off int64, b []byte) error {
		i := (off - d.rows.Range.Off) / rowSize
		d.p.Progress(i, d.n, what)
		for ; len(b) >= rowSize; b, i = b[rowSize:], i+1 {
			if !d.seen.ordered {
				all = append(all, extentOf(b, i))
				continue
			}
			if have {
				if n := prev.apart(b); n > 0 {
					b, i = b[(n-1)*rowSize:], i+int64(n-1)
					prev = extentOf(b, i)
					continue
				}
			}
			check(extentOf(b, i))
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = sortFunc(d.ctx, all, func(a, b extent) int {
		return cmp.Or(cmp.Compare(a.fid, b.fid), cmp.Compare(a.off, b.off), cmp.Compare(a.row, b.row))
	})
	if err != nil {
		return err
	}
	for _, e := range all {
		check(e)
	}
	return nil
}
