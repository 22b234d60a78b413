package remote

import (
	"io"
	"slices"
	"sync"
)

// A file is read in blocks, the most recently used of which are cached in memory and on disk. Missing blocks are requested in as few
// requests as possible, several at a time; sequential reading requests more and more of what follows.

const (
	blockSize = 128 << 10
	most      = 32  // blocks of a request: 4 MiB
	atOnce    = 8   // requests of a file
	farAhead  = 384 // blocks read ahead for all readers together: 48 MiB, one round of requests and half of the next
	readers   = 4   // sequential readers tracked: a deep check reads several parts of a file in parallel
	recently  = 32  // number of reads after which a reader counts as finished
	together  = 128 // distance in blocks within which parallel readers count as one, if that much is read ahead for it
)

// file is an object of a store in one state.
type file struct {
	s     *store
	name  string
	o     object
	disk  *diskCache
	lanes chan struct{}
	first sync.Once // read

	mu     sync.Mutex
	coming map[int64]*fetch // blocks that were asked for
	reads  []reading        // active readers, the most recent first
	turn   int64            // how many reads there were
}

// reading is a sequential reading that has reached a block.
type reading struct {
	next  int64 // the block after the last one read
	ahead int64 // blocks that are read ahead of it
	turn  int64 // read count of the file at its last read
}

// fetch is a run of blocks being requested.
type fetch struct {
	from, n int64
	done    chan struct{}
	err     error
}

func newFile(s *store, name string, o object) *file {
	f := &file{s: s, name: name, o: o, lanes: make(chan struct{}, atOnce), coming: map[int64]*fetch{}}
	f.disk = cacheOf(s.at+"/"+name, o.tag)
	return f
}

// Close does nothing: the store keeps the connection, and the memory its blocks until others replace them.
func (f *file) Close() error { return nil }

func (f *file) blocks() int64 { return (f.o.size + blockSize - 1) / blockSize }

// ReadAt reads bytes of the state that was opened.
func (f *file) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 || off >= f.o.size {
		return 0, io.EOF
	}
	f.first.Do(func() { f.s.follow(f.name) })
	end := min(off+int64(len(p)), f.o.size)
	first, last := off/blockSize, (end-1)/blockSize
	f.want(first, last)
	for b := first; b <= last; b++ {
		data, err := f.block(b)
		if err != nil {
			return n, err
		}
		from := max(0, off-b*blockSize)
		n += copy(p[n:end-off], data[from:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// ReadFew reads bytes without their blocks, and caches nothing.
func (f *file) ReadFew(p []byte, off int64) error {
	return persist(f.s.ctx, func() error {
		r, _, err := f.s.bucket.get(f.s.ctx, f.name, off, int64(len(p)), f.o.tag)
		if err != nil {
			return err
		}
		defer r.Close()
		n, err := io.ReadFull(r, p)
		spent.bytes.Add(int64(n))
		return err
	})
}

// want requests missing blocks, and some after them for sequential reading.
func (f *file) want(first, last int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	ahead := f.onward(first, last)
	end := min(f.blocks(), last+1+ahead)
	for b := first; b < end; {
		if f.has(b) {
			b++
			continue
		}
		n := int64(1)
		for b+n < end && n < most && !f.has(b+n) {
			n++
		}
		if b > last && n < min(most, ahead) && b+n == end && end < f.blocks() {
			break // reading ahead is worth a request if it is large enough
		}
		f.fetch(b, n)
		b += n
	}
}

// onward returns how many blocks after a read will be wanted: the longer the sequential reading, the more; the lock is held.
func (f *file) onward(first, last int64) int64 {
	f.turn++
	now := reading{next: last + 1, turn: f.turn}
	if i := f.continued(first); i >= 0 {
		was := f.reads[i]
		f.reads = slices.Delete(f.reads, i, i+1)
		if now.ahead = was.ahead; now.next > was.next {
			now.ahead = min(f.share(), max(4*was.ahead, last-first+1))
		}
		now.next = max(now.next, was.next)
	}
	f.reads = slices.Insert(f.reads, 0, now)
	f.reads = f.reads[:min(len(f.reads), readers)]
	return now.ahead
}

// continued is the reading that a read from a block on continues: of those that it may belong to the nearest, so that what is read beside another does not
// stop that; -1 for none. The lock is held.
func (f *file) continued(first int64) int {
	away := func(r reading) int64 { return max(first-r.next, r.next-first) }
	found := -1
	for i, r := range f.reads {
		if r.next-min(together, r.ahead+1) <= first && first <= r.next+r.ahead && (found < 0 || away(r) < away(f.reads[found])) {
			found = i
		}
	}
	return found
}

// share is how far ahead one of the sequential readings may read; the lock is held.
func (f *file) share() int64 {
	n := int64(1)
	for _, r := range f.reads {
		if r.ahead > most && f.turn-r.turn < recently {
			n++
		}
	}
	return farAhead / n
}

// has tells whether a block is cached or being requested; the lock is held.
func (f *file) has(b int64) bool { return f.coming[b] != nil || memory.has(f, b) || f.disk.has(b) }

// fetch requests a run of blocks in the background; the lock is held.
func (f *file) fetch(from, n int64) {
	x := &fetch{from: from, n: n, done: make(chan struct{})}
	for b := from; b < from+n; b++ {
		f.coming[b] = x
	}
	go func() {
		f.lanes <- struct{}{}
		x.err = f.get(x)
		<-f.lanes
		f.mu.Lock()
		for b := from; b < from+n; b++ {
			delete(f.coming, b)
		}
		f.mu.Unlock()
		close(x.done)
	}()
}

// get reads a run of blocks. What arrived before a connection was cut is kept.
func (f *file) get(x *fetch) error {
	at, end := x.from*blockSize, min((x.from+x.n)*blockSize, f.o.size)
	return persist(f.s.ctx, func() error {
		r, _, err := f.s.bucket.get(f.s.ctx, f.name, at, end-at, f.o.tag)
		if err != nil {
			return err
		}
		defer r.Close()
		for at < end {
			b := make([]byte, min(blockSize, end-at))
			n, err := io.ReadFull(r, b)
			spent.bytes.Add(int64(n))
			if err != nil {
				return err
			}
			f.put(at/blockSize, b)
			at += int64(n)
		}
		return nil
	})
}

// put keeps a block.
func (f *file) put(b int64, data []byte) {
	memory.put(f, b, data)
	f.disk.put(b, data)
}

// block returns a block, and waits for it.
func (f *file) block(b int64) ([]byte, error) {
	for range 3 { // it may be evicted before it is used
		if data := memory.get(f, b); data != nil {
			return data, nil
		}
		if data := f.disk.get(b, min(blockSize, f.o.size-b*blockSize)); data != nil {
			memory.put(f, b, data)
			return data, nil
		}
		f.mu.Lock()
		x := f.coming[b]
		if x == nil && memory.get(f, b) == nil {
			f.fetch(b, 1)
			x = f.coming[b]
		}
		f.mu.Unlock()
		if x == nil {
			continue
		}
		if <-x.done; x.err != nil {
			return nil, x.err
		}
	}
	return nil, io.ErrUnexpectedEOF
}
