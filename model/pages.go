package model

import (
	"io"
	"sync"
)

// pages reads a file that is not mapped. The pages read last are kept, because reading returns to them again and again. What
// was handed out never changes.
type pages struct {
	file interface {
		io.ReaderAt
		io.Closer
	}
	size int64
	mu   sync.RWMutex
	have map[int64][]byte
	bits []*bit // pages requested in advance, in file order
	// For an object store, sectors that were read by themselves, such as headers, and their neighbours stay when their pages are dropped: to read them again,
	// everything between them would be read again. nil: not in a store.
	sectors map[int64][]byte
}

// A page has pageSize bytes, the last one fewer. maxPages are kept, across all files on disk, and maxStored of stores, which cache their blocks themselves.
const (
	pageSize  = 64 << 10
	maxPages  = 1024
	maxStored = 256
	// maxSeen is how many sectors of a file are kept.
	maxSeen = 32 << 10
)

// ring is pages in memory: a new one replaces the oldest.
type ring struct {
	sync.Mutex
	slots []struct {
		of   *pages
		page int64
	}
	next int
}

// kept and keptStored are the pages of files on disk, and in stores.
var kept, keptStored = newRing(maxPages), newRing(maxStored)

func newRing(n int) *ring {
	return &ring{slots: make([]struct {
		of   *pages
		page int64
	}, n)}
}

// ring is the ring that the pages of the file are in.
func (p *pages) ring() *ring {
	if p.sectors != nil {
		return keptStored
	}
	return kept
}

// view returns n bytes, or nil if they are no longer in memory.
func (p *pages) view(off, n int64) []byte {
	if b := p.early(off, n); b != nil {
		return b
	}
	if b := p.seen(off, n); b != nil {
		return b
	}
	if at := off % pageSize; at+n <= pageSize {
		if b := p.page(off / pageSize); at+n <= int64(len(b)) {
			p.see(off, n, b)
			return b[at : at+n : at+n]
		}
		return nil
	}
	b := make([]byte, n)
	if k, _ := p.read(b, off); int64(k) < n {
		return nil
	}
	return b
}

// seen returns n bytes of a kept sector, or nil.
func (p *pages) seen(off, n int64) []byte {
	if p.sectors == nil || n > SectorSize {
		return nil
	}
	p.mu.RLock()
	b := p.sectors[off/SectorSize]
	p.mu.RUnlock()
	if at := off % SectorSize; at+n <= int64(len(b)) {
		return b[at : at+n : at+n]
	}
	return nil
}

// see keeps the sector of n bytes in a page and its neighbours, where what it measures begins or ends.
func (p *pages) see(off, n int64, page []byte) {
	at := off / SectorSize
	if p.sectors == nil || n == 0 || (off+n-1)/SectorSize != at {
		return
	}
	first := off / pageSize * pageSize
	for i := max(0, at-1); i <= at+1; i++ {
		p.mu.RLock()
		has := p.sectors[i] != nil || len(p.sectors) >= maxSeen
		p.mu.RUnlock()
		if has {
			continue
		}
		b := make([]byte, max(0, min(SectorSize, p.size-i*SectorSize)))
		if from := i*SectorSize - first; from >= 0 && from < int64(len(page)) {
			b = b[:copy(b, page[from:])]
		} else if k, err := p.file.ReadAt(b, i*SectorSize); k < len(b) || err != nil && err != io.EOF {
			continue
		}
		p.mu.Lock()
		p.sectors[i] = b
		p.mu.Unlock()
	}
}

// read is ReadAt: a large part straight from the file, a small one from pages.
func (p *pages) read(b []byte, off int64) (n int, err error) {
	if len(b) >= pageSize {
		return p.file.ReadAt(b, off)
	}
	if e := p.early(off, int64(len(b))); e != nil {
		return copy(b, e), nil
	}
	if e := p.seen(off, int64(len(b))); e != nil {
		return copy(b, e), nil
	}
	for n < len(b) {
		page, at := p.page((off+int64(n))/pageSize), (off+int64(n))%pageSize
		if at >= int64(len(page)) {
			return n, io.EOF
		}
		n += copy(b[n:], page[at:])
	}
	return n, nil
}

// page returns a page, which is short at the end of the file, or if the file was truncated.
func (p *pages) page(i int64) []byte {
	p.mu.RLock()
	b := p.have[i]
	p.mu.RUnlock()
	if b != nil {
		return b
	}
	b = make([]byte, max(0, min(pageSize, p.size-i*pageSize)))
	n, err := p.file.ReadAt(b, i*pageSize)
	if n < len(b) || err != nil && err != io.EOF {
		return b[:n:n]
	}
	p.mu.Lock()
	p.have[i] = b
	p.mu.Unlock()
	r := p.ring()
	r.Lock()
	old := r.slots[r.next]
	r.slots[r.next].of, r.slots[r.next].page = p, i
	r.next = (r.next + 1) % len(r.slots)
	r.Unlock()
	if old.of != nil {
		old.of.mu.Lock()
		delete(old.of.have, old.page)
		old.of.mu.Unlock()
	}
	return b
}

// close closes the file and drops its pages.
func (p *pages) close() error {
	r := p.ring()
	r.Lock()
	for i := range r.slots {
		if r.slots[i].of == p {
			r.slots[i].of = nil
		}
	}
	r.Unlock()
	return p.file.Close()
}
