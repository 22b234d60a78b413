package model

import "sort"

// starts are the offsets of the elements of a sequence, in order.
type starts interface {
	count() int64
	at(i int64) int64
}

// listed is starts that are kept in memory anyway.
type listed []int64

func (l listed) count() int64     { return int64(len(l)) }
func (l listed) at(i int64) int64 { return l[i] }

// packedStarts is starts in few bytes each, because there may be as many as a file has bytes: runs of them are kept as distances from
// the first of the run, of one, two, four or eight bytes as needed.
type packedStarts struct {
	runs []bunch
	last []int64 // elements after the runs, fewer than runLength
}

type bunch struct {
	first int64
	far   []byte // distances of the elements, all of the same number of bytes
}

const runLength = 256

func (p *packedStarts) count() int64 { return int64(len(p.runs))*runLength + int64(len(p.last)) }

func (p *packedStarts) add(off int64) {
	if p.last = append(p.last, off); len(p.last) < runLength {
		return
	}
	width := 1
	for most := off - p.last[0]; width < 8 && most>>(8*width) != 0; {
		width *= 2
	}
	far := make([]byte, 0, runLength*width)
	for _, at := range p.last {
		for d, k := at-p.last[0], 0; k < width; d, k = d>>8, k+1 {
			far = append(far, byte(d))
		}
	}
	p.runs, p.last = append(p.runs, bunch{p.last[0], far}), p.last[:0]
}

func (p *packedStarts) at(i int64) int64 {
	k := int(i / runLength)
	if k == len(p.runs) {
		return p.last[i%runLength]
	}
	r := p.runs[k]
	width := len(r.far) / runLength
	off := int64(0)
	for b := width - 1; b >= 0; b-- {
		off = off<<8 | int64(r.far[int(i%runLength)*width+b])
	}
	return r.first + off
}

// lastStart returns the index of the last element that starts at or before an offset, or -1.
func lastStart(s starts, off int64) int64 {
	return int64(sort.Search(int(s.count()), func(i int) bool { return s.at(int64(i)) > off })) - 1
}
