package taridx

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// twoRows are rows at least one of which has a wrong place or size.
type twoRows [2]int64

// extent is the place of a row's member.
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

// apart returns how many rows at the start of b follow each other without overlap, and where the last ends.
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

// follows checks that a member begins after the previous one.
func (d *pass) follows(prev, e extent) {
	about := model.About(twoRows{e.row, prev.row})
	if prev.off == e.off {
		d.hit(samePlace, cell{e.row, offset}, fmt.Sprintf("the offset of row %d", prev.row), nil, about)
	} else if end := prev.end(); end > e.off {
		d.hit(overlap, cell{e.row, offset}, fmt.Sprintf("row %d ends at 0x%x", prev.row, end), fmt.Sprintf("at most 0x%x", e.off), about)
	}
}

// places compares each member with the previous one: if any two overlap, so do two consecutive ones.
type places struct {
	d    *pass
	prev extent
	have bool
}

func (x *places) next(e extent) {
	if x.have && x.prev.fid == e.fid {
		x.d.follows(x.prev, e)
	}
	x.prev, x.have = e, true
}

// stream checks rows in the order of the shards, the first of which is row i. Those that follow each other are passed over at once.
func (x *places) stream(i int64, b []byte) {
	for ; len(b) >= rowSize; b, i = b[rowSize:], i+1 {
		n := 0
		if x.have {
			n = x.prev.apart(b)
		}
		if n > 0 {
			b, i = b[(n-1)*rowSize:], i+int64(n-1)
			x.prev = extentOf(b, i)
		} else if e := extentOf(b, i); e != (extent{row: i}) {
			x.next(e)
		}
	}
}

// extents runs the rules about places: 032 and 034. Rows in shard order are streamed, others sorted.
func (d *pass) extents() error {
	x := &places{d: d}
	if d.seen.ordered {
		return d.eachPiece("checking places", x.stream)
	}
	if d.n > maxPlaces {
		d.p.Wrong(model.RuleCap, d.rows, nil, nil,
			model.Saying("offsets are checked for at most %d rows that are not in the order of the shards", maxPlaces))
		return nil
	}
	all := make([]extent, 0, d.n)
	what := fmt.Sprintf("checking offsets, with %s of memory to sort them", model.SizeText(uint64(d.n*32)))
	err := d.eachPiece(what, func(i int64, b []byte) {
		for ; len(b) >= rowSize; b, i = b[rowSize:], i+1 {
			if e := extentOf(b, i); e != (extent{row: i}) {
				all = append(all, e)
			}
		}
	})
	if err == nil {
		err = sortFunc(d.ctx, d.p, all, func(a, b extent) int {
			return cmp.Or(cmp.Compare(a.fid, b.fid), cmp.Compare(a.off, b.off), cmp.Compare(a.row, b.row))
		})
	}
	for k := 0; k < len(all) && err == nil; k++ {
		x.next(all[k])
	}
	return err
}

// eachPiece passes the rows to f in batches, with the number of the first.
func (d *pass) eachPiece(what string, f func(i int64, b []byte)) error {
	return d.t.Stream(d.ctx, d.rows.Range, step, func(off int64, b []byte) error {
		i := (off - d.rows.Range.Off) / rowSize
		d.p.Progress(i, d.n, what)
		f(i, b)
		return nil
	})
}
