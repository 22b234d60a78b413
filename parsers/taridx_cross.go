package parsers

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cespare/xxhash/v2"

	"spandrel/model"
)

// tixMaxChain is how many members of one shard are remembered to compare them with the rows: 9 bytes each.
const tixMaxChain = 1 << 26

// tixMaxStems is how many stems are remembered to find two of one key.
const tixMaxStems = 1 << 20

// shardsPass compares the rows with the shards, in text order as the reference reads them: rules 040 to 055.
func (d *tixPass) shardsPass() error {
	if len(d.shards) == 0 {
		return nil
	}
	chains := make([]map[int64]bool, len(d.shards)) // header offsets; true: a row points there
	for i, h := range d.shards {
		chain, err := d.chain(h)
		if err != nil {
			return err
		}
		chains[i] = chain
	}
	stems := map[[2]uint64]string{}
	err := d.t.Stream(d.ctx, d.rows.Range, tixRowSize*1024, func(off int64, b []byte) error {
		i := (off - d.rows.Range.Off) / tixRowSize
		d.p.Progress(i, d.n, "comparing rows with shards")
		for ; len(b) >= tixRowSize; b, i = b[tixRowSize:], i+1 {
			d.cross(i, tixDecode(b), chains, stems)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(stems) == tixMaxStems {
		d.p.Report(model.Finding{Rule: model.RuleCap, Span: d.rows, Message: fmt.Sprintf("rule 053 remembers stems: it compared no more than the first %d", tixMaxStems)})
	}
	for i, h := range d.shards {
		missing, first := 0, int64(-1)
		for at, used := range chains[i] {
			if !used {
				if missing++; first < 0 || at < first {
					first = at
				}
			}
		}
		if missing > 0 {
			d.p.Report(model.Finding{Rule: tix054, Span: h.span, Found: fmt.Sprintf("%d members of %s, the first at 0x%x", missing, h.name, first), Expected: "a row for each", Fixes: d.reindexFix()})
		}
	}
	return nil
}

// chain walks a shard's members and checks how it ends (055).
func (d *tixPass) chain(h *tixShard) (map[int64]bool, error) {
	chain := map[int64]bool{}
	var magic [2]byte
	d.readShard(h, 0, magic[:])
	if string(magic[:]) == "\x1f\x8b" {
		d.p.Report(model.Finding{Rule: tix043, Span: h.span, Message: h.name + " is compressed with gzip: it is no tar, whatever its name says"})
		return chain, nil
	}
	end, err := d.scan(d.ctx, h, func(off int64, head tarHead) error {
		if len(chain) >= tixMaxChain {
			return errors.New("too many members")
		}
		chain[off] = !tixUsable(head) // nothing is missing where it has no row
		return nil
	})
	if d.ctx.Err() != nil {
		return nil, d.ctx.Err()
	}
	if err != nil {
		d.p.Report(model.Finding{Rule: tix055, Span: h.span, Message: err.Error()})
		return chain, nil
	}
	blocks := make([]byte, 2*tixBlock)
	at := model.Range{Space: h.span.Range.Space, Off: min(end, h.entry.Size), Len: max(0, h.entry.Size-end)}
	if n := d.readShard(h, end, blocks); n < len(blocks) || !tarZero(blocks) {
		d.p.Report(model.Finding{Rule: tix055, Span: h.span, Range: at, Found: fmt.Sprintf("%d bytes behind the last member", max(0, h.entry.Size-end))})
	} else if d.trailing(h, end) {
		d.p.Report(model.Finding{Rule: tix055, Severity: model.Warning, Span: h.span, Range: at, Message: "bytes that are not zero follow the end of the archive: concatenated archives are indexed only to their first end"})
	}
	return chain, nil
}

// trailing tells whether anything but zeros follows an offset.
func (d *tixPass) trailing(h *tixShard, off int64) bool {
	b := make([]byte, 1<<16)
	for ; off < h.entry.Size && d.ctx.Err() == nil; off += int64(len(b)) {
		if n := d.readShard(h, off, b); !tarZero(b[:n]) {
			return true
		}
	}
	return false
}

// cross compares one row with the header that it points at.
func (d *tixPass) cross(i int64, r tixEntryRow, chains []map[int64]bool, stems map[[2]uint64]string) {
	if int(r.fid) >= len(d.shards) {
		d.hit(tix040, i, tixFid, fmt.Sprint(r.fid), fmt.Sprintf("below %d, the shards of the fold", len(d.shards)))
		return
	}
	h := d.shards[r.fid]
	var b [tixBlock]byte
	if r.off > uint64(h.entry.Size) || int64(r.off) > h.entry.Size-tixBlock || d.readShard(h, int64(r.off), b[:]) < tixBlock {
		d.hit(tix041, i, tixOffset, fmt.Sprintf("0x%x", r.off), fmt.Sprintf("at most 0x%x of %s", h.entry.Size-tixBlock, h.name), d.reindexFix()...)
		return
	}
	if tarZero(b[:]) {
		d.hit(tix042, i, tixOffset, fmt.Sprintf("an end block of %s", h.name), "a tar header", d.reindexFix()...)
		return
	}
	head := tarParse(b[:])
	_, onChain := chains[r.fid][int64(r.off)]
	if !head.sumOK {
		var fixes []model.Fix
		if !onChain { // otherwise the shard is what is damaged
			fixes = d.nearest(i, r, h)
		}
		d.hit(tix043, i, tixOffset, fmt.Sprintf("bytes of %s that are no header", h.name), "a tar header", fixes...)
		return
	}
	if onChain {
		chains[r.fid][int64(r.off)] = true
	} else {
		d.hit(tix044, i, tixOffset, fmt.Sprintf("0x%x", r.off), "")
	}
	stem, ext := tixNameParts(head.name)
	hash := xxhash.Sum64String(stem)
	if head.size >= 0 && uint64(head.size) != r.size { // the right answer, if this is the right member
		d.hit(tix045, i, tixSize, fmt.Sprint(r.size), fmt.Sprint(head.size), d.onlyAnswer(model.SetTo(d.row(i, tixSize), model.I(head.size)), hash == r.hash && d.extName(r.ext) == ext))
	} else if end := r.off + tixBlock + r.size; end > uint64(h.entry.Size) || end < r.off {
		d.hit(tix046, i, tixSize, fmt.Sprintf("ends at 0x%x", end), fmt.Sprintf("at most 0x%x", h.entry.Size))
	}
	if strings.IndexByte("xgLKVX", head.typ) >= 0 {
		d.hit(tix050, i, -1, fmt.Sprintf("type %q of %s", head.typ, head.name), "a file", d.dropHelpers()...)
	} else if head.typ != '0' && head.typ != 0 && head.typ != '7' {
		d.hit(tix051, i, -1, fmt.Sprintf("type %q of %s", head.typ, head.name), "a file", d.dropHelpers()...)
	}
	if head.full {
		d.hit(tix052, i, -1, head.name, "")
	}
	if hash != r.hash {
		d.hit(tix047, i, tixKeyHash, fmt.Sprintf("%016x", r.hash), fmt.Sprintf("%016x, of %s", hash, stem), d.onlyAnswer(model.SetTo(d.row(i, tixKeyHash), model.U(hash)), false))
	}
	if int(r.ext) < len(d.exts) && d.exts[r.ext] != ext {
		d.hit(tix048, i, tixExtID, d.exts[r.ext], ext, d.extFix(i, ext)...)
	}
	if want := d.crashIDs[stem]; hash == r.hash && want != r.crash {
		d.hit(tix049, i, tixCrashID, fmt.Sprint(r.crash), fmt.Sprintf("%d, of %s", want, stem), d.onlyAnswer(model.SetTo(d.row(i, tixCrashID), model.U(uint64(want))), false))
	}
	if hash == r.hash { // stems of the same key must agree; a table of all keys is only kept while it is small
		key := [2]uint64{r.hash, uint64(r.crash)}
		if old, ok := stems[key]; ok && old != stem {
			d.hit(tix053, i, tixKeyHash, stem, old, d.newStemFix(stem))
		} else if !ok && len(stems) < tixMaxStems {
			stems[key] = stem
		}
	}
}
