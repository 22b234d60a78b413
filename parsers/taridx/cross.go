package taridx

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cespare/xxhash/v2"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// maxChain is how many members of one shard are remembered to compare them with the rows: 9 bytes each.
const maxChain = 1 << 26

// maxStems is how many stems are remembered to find two of one key.
const maxStems = 1 << 20

// shardsPass compares the rows with the shards, in text order as the reference reads them: rules 040 to 055.
func (d *pass) shardsPass() error {
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
	err := d.t.Stream(d.ctx, d.rows.Range, rowSize*1024, func(off int64, b []byte) error {
		i := (off - d.rows.Range.Off) / rowSize
		d.p.Progress(i, d.n, "comparing rows with shards")
		for ; len(b) >= rowSize; b, i = b[rowSize:], i+1 {
			d.cross(i, decode(b), chains, stems)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(stems) == maxStems {
		d.p.Report(model.Finding{Rule: model.RuleCap, Span: d.rows, Message: fmt.Sprintf("rule 053 remembers stems: it compared no more than the first %d", maxStems)})
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
func (d *pass) chain(h *shard) (map[int64]bool, error) {
	chain := map[int64]bool{}
	var magic [2]byte
	d.readShard(h, 0, magic[:])
	if string(magic[:]) == "\x1f\x8b" {
		d.p.Report(model.Finding{Rule: tix043, Span: h.span, Message: h.name + " is compressed with gzip: it is no tar, whatever its name says"})
		return chain, nil
	}
	end, err := d.scan(d.ctx, h, func(off int64, head tarfile.Head) error {
		if len(chain) >= maxChain {
			return errors.New("too many members")
		}
		chain[off] = !usable(head) // nothing is missing where it has no row
		return nil
	})
	if d.ctx.Err() != nil {
		return nil, d.ctx.Err()
	}
	if err != nil {
		d.p.Report(model.Finding{Rule: tix055, Span: h.span, Message: err.Error()})
		return chain, nil
	}
	blocks := make([]byte, 2*tarfile.Block)
	at := model.Range{Space: h.span.Range.Space, Off: min(end, h.entry.Size), Len: max(0, h.entry.Size-end)}
	if n := d.readShard(h, end, blocks); n < len(blocks) || !tarfile.Zero(blocks) {
		d.p.Report(model.Finding{Rule: tix055, Span: h.span, Range: at, Found: fmt.Sprintf("%d bytes behind the last member", max(0, h.entry.Size-end))})
	} else if d.trailing(h, end) {
		d.p.Report(model.Finding{Rule: tix055, Severity: model.Warning, Span: h.span, Range: at, Message: "bytes that are not zero follow the end of the archive: concatenated archives are indexed only to their first end"})
	}
	return chain, nil
}

// trailing tells whether anything but zeros follows an offset.
func (d *pass) trailing(h *shard, off int64) bool {
	b := make([]byte, 1<<16)
	for ; off < h.entry.Size && d.ctx.Err() == nil; off += int64(len(b)) {
		if n := d.readShard(h, off, b); !tarfile.Zero(b[:n]) {
			return true
		}
	}
	return false
}

// cross compares one row with the header that it points at.
func (d *pass) cross(i int64, r entryRow, chains []map[int64]bool, stems map[[2]uint64]string) {
	if int(r.fid) >= len(d.shards) {
		d.hit(tix040, i, fid, fmt.Sprint(r.fid), fmt.Sprintf("below %d, the shards of the fold", len(d.shards)))
		return
	}
	h := d.shards[r.fid]
	var b [tarfile.Block]byte
	if r.off > uint64(h.entry.Size) || int64(r.off) > h.entry.Size-tarfile.Block || d.readShard(h, int64(r.off), b[:]) < tarfile.Block {
		d.hit(tix041, i, offset, fmt.Sprintf("0x%x", r.off), fmt.Sprintf("at most 0x%x of %s", h.entry.Size-tarfile.Block, h.name), d.reindexFix()...)
		return
	}
	if tarfile.Zero(b[:]) {
		d.hit(tix042, i, offset, fmt.Sprintf("an end block of %s", h.name), "a tar header", d.reindexFix()...)
		return
	}
	head := tarfile.Parse(b[:])
	_, onChain := chains[r.fid][int64(r.off)]
	if !head.SumOK {
		var fixes []model.Fix
		if !onChain { // otherwise the shard is what is damaged
			fixes = d.nearest(i, r, h)
		}
		d.hit(tix043, i, offset, fmt.Sprintf("bytes of %s that are no header", h.name), "a tar header", fixes...)
		return
	}
	if onChain {
		chains[r.fid][int64(r.off)] = true
	} else {
		d.hit(tix044, i, offset, fmt.Sprintf("0x%x", r.off), "")
	}
	stem, ext := nameParts(head.Name)
	hash := xxhash.Sum64String(stem)
	if head.Size >= 0 && uint64(head.Size) != r.size { // the right answer, if this is the right member
		d.hit(tix045, i, size, fmt.Sprint(r.size), fmt.Sprint(head.Size), d.onlyAnswer(model.SetTo(d.row(i, size), model.I(head.Size)), hash == r.hash && d.extName(r.ext) == ext))
	} else if end := r.off + tarfile.Block + r.size; end > uint64(h.entry.Size) || end < r.off {
		d.hit(tix046, i, size, fmt.Sprintf("ends at 0x%x", end), fmt.Sprintf("at most 0x%x", h.entry.Size))
	}
	if strings.IndexByte("xgLKVX", head.Typ) >= 0 {
		d.hit(tix050, i, -1, fmt.Sprintf("type %q of %s", head.Typ, head.Name), "a file", d.dropHelpers()...)
	} else if head.Typ != '0' && head.Typ != 0 && head.Typ != '7' {
		d.hit(tix051, i, -1, fmt.Sprintf("type %q of %s", head.Typ, head.Name), "a file", d.dropHelpers()...)
	}
	if head.Full {
		d.hit(tix052, i, -1, head.Name, "")
	}
	if hash != r.hash {
		d.hit(tix047, i, keyHash, fmt.Sprintf("%016x", r.hash), fmt.Sprintf("%016x, of %s", hash, stem), d.onlyAnswer(model.SetTo(d.row(i, keyHash), model.U(hash)), false))
	}
	if int(r.ext) < len(d.exts) && d.exts[r.ext] != ext {
		d.hit(tix048, i, extID, d.exts[r.ext], ext, d.extFix(i, ext)...)
	}
	if want := d.crashIDs[stem]; hash == r.hash && want != r.crash {
		d.hit(tix049, i, crashID, fmt.Sprint(r.crash), fmt.Sprintf("%d, of %s", want, stem), d.onlyAnswer(model.SetTo(d.row(i, crashID), model.U(uint64(want))), false))
	}
	if hash == r.hash { // stems of the same key must agree; a table of all keys is only kept while it is small
		key := [2]uint64{r.hash, uint64(r.crash)}
		if old, ok := stems[key]; ok && old != stem {
			d.hit(tix053, i, keyHash, stem, old, d.newStemFix(stem))
		} else if !ok && len(stems) < maxStems {
			stems[key] = stem
		}
	}
}
