package model

import (
	"cmp"
	"slices"
	"sort"
)

// Scattered places of a file that are read next, such as the headers of the members of an archive: in an object store each is a request. They are
// requested all at once, without the bytes between them.

const (
	nearby    = 64 << 10 // bytes between two places that are not worth another request
	fewAtOnce = 32       // requests
	mostBits  = 8 << 20  // bytes of such places that a file keeps
)

// bit is a few bytes of a file, once they have arrived.
type bit struct {
	off  int64
	data []byte
	done chan struct{}
	err  error
}

// Soon announces which places of the content are read next.
func (c *Content) Soon(places []Range) {
	if len(c.pieces) != 1 || c.pieces[0].at != 0 {
		return // it was edited: what was read before is here
	}
	if f, ok := c.pieces[0].src.(*File); ok && f.pages != nil {
		f.pages.soon(places)
	}
}

// soon requests places that are far apart.
func (p *pages) soon(places []Range) {
	from, ok := p.file.(*watched)
	if !ok {
		return
	}
	places = slices.Clone(places)
	slices.SortFunc(places, func(a, b Range) int { return cmp.Compare(a.Off, b.Off) })
	lanes, kept := make(chan struct{}, fewAtOnce), 0
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bits = nil
	for i := 0; i < len(places); {
		at, end := max(0, places[i].Off), places[i].End()
		for i++; i < len(places) && places[i].Off-end < nearby; i++ {
			end = max(end, places[i].End())
		}
		end = min(end, p.size)
		if n := end - at; n <= 0 || n >= nearby || p.have[at/pageSize] != nil || kept+int(n) > mostBits {
			continue // what lies close together is read as pages
		}
		b := &bit{off: at, data: make([]byte, end-at), done: make(chan struct{})}
		p.bits, kept = append(p.bits, b), kept+len(b.data)
		go func() {
			lanes <- struct{}{}
			b.err = from.ReadFew(b.data, b.off)
			<-lanes
			close(b.done)
		}()
	}
}

// early is a place that was requested; nil if it was not, or the request failed.
func (p *pages) early(off, n int64) []byte {
	p.mu.RLock()
	i := sort.Search(len(p.bits), func(i int) bool { return p.bits[i].off > off }) - 1
	if i < 0 || off+n > p.bits[i].off+int64(len(p.bits[i].data)) {
		p.mu.RUnlock()
		return nil
	}
	b := p.bits[i]
	p.mu.RUnlock()
	if <-b.done; b.err != nil {
		return nil
	}
	at := off - b.off
	return b.data[at : at+n : at+n]
}
