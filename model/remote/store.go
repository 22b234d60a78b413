package remote

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"spandrel/model"
)

// store is a bucket as a document sees it: answers are cached.
type store struct {
	ctx    context.Context
	bucket bucket
	at     string // the beginning of its addresses, for the cache

	mu      sync.Mutex
	files   map[string]*opening
	begun   map[string]bool // files whose beginning was requested
	trees   []*tree
	folders map[string]folder // by prefix; those that no tree has
}

func newStore(ctx context.Context, b bucket, at string) *store {
	return &store{ctx: ctx, bucket: b, at: at, files: map[string]*opening{}, begun: map[string]bool{}, folders: map[string]folder{}}
}

// opening is a file that is being opened, or was.
type opening struct {
	done chan struct{}
	f    *file
	err  error
}

func (s *store) Stat(name string) (model.Stamp, error) {
	if e, is, known := s.listed(name); is {
		return e.Stamp, nil
	} else if known {
		return model.Stamp{}, fs.ErrNotExist
	}
	var o object
	err := persist(s.ctx, func() error {
		r, is, err := s.bucket.get(s.ctx, name, 0, 0, "")
		if err == nil {
			r.Close()
		}
		o = is
		return err
	})
	return model.Stamp{Size: o.size, ModTime: o.time}, unreachable(err)
}

// Open opens a file, once.
func (s *store) Open(name string) (model.Reader, model.Stamp, error) {
	e, is, known := s.listed(name)
	if name == "." || known && !is {
		return nil, model.Stamp{}, fs.ErrNotExist
	}
	x := s.opened(name, e)
	if <-x.done; x.err != nil {
		return nil, model.Stamp{}, unreachable(x.err)
	}
	return x.f, model.Stamp{Size: x.f.o.size, ModTime: x.f.o.time}, nil
}

// opened opens a file unless that was begun before. e is what a listing says about it, if anything: if that is enough, nothing is requested.
func (s *store) opened(name string, e model.Entry) *opening {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.files[name]; x != nil {
		return x
	}
	x := &opening{done: make(chan struct{})}
	s.files[name] = x
	if e.Name != "" && (e.Size == 0 || e.Tag != "") {
		x.f = newFile(s, name, object{e.Size, e.Stamp.ModTime, e.Tag})
		close(x.done)
		return x
	}
	go func() {
		if x.f, x.err = s.open(name); x.err != nil { // it may be opened again
			s.mu.Lock()
			delete(s.files, name)
			s.mu.Unlock()
		}
		close(x.done)
	}()
	return x
}

// openedAhead is how many files are opened ahead at most.
const openedAhead = 32

// Soon opens files and requests their beginnings, openedAhead at a time. It does not wait.
func (s *store) Soon(names []string) {
	lanes := make(chan struct{}, openedAhead)
	for _, name := range names {
		e, is, known := s.listed(name)
		if known && !is || s.begin(name) {
			continue
		}
		go func() {
			lanes <- struct{}{}
			defer func() { <-lanes }()
			x := s.opened(name, e)
			if <-x.done; x.err == nil && x.f.o.size > 0 {
				_, _ = x.f.block(0) // an error is for the one who reads it
			}
		}()
	}
}

// begin notes that the beginning of a file is requested, and tells whether it was before.
func (s *store) begin(name string) (before bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before = s.begun[name]
	s.begun[name] = true
	return before
}

// follow reads ahead from a file that is read: while those of a kind are read one after the other, such as the metadata of each fragment of an array, the
// beginnings of more and more of the next ones are requested.
func (s *store) follow(name string) {
	s.begin(name)
	t, _ := s.tree(prefixOf(path.Dir(name)), false)
	if t == nil {
		return
	}
	list := t.alike[kind(name)]
	at, _ := slices.BinarySearch(list, name)
	n := 0
	s.mu.Lock()
	for n < openedAhead/2 && n < at && s.begun[list[at-n-1]] {
		n++
	}
	s.mu.Unlock()
	s.Soon(list[min(len(list), at+1):min(len(list), at+1+2*n)])
}

// kind is the same for files of a kind: their names differ in digits, or only in that of their folders.
func kind(name string) string {
	base := strings.Map(func(c rune) rune {
		if '0' <= c && c <= '9' {
			return -1
		}
		return c
	}, path.Base(name))
	return strings.Repeat("/", strings.Count(name, "/")) + base
}

// open reads the beginning of a file together with its size, because it is needed anyway.
func (s *store) open(name string) (*file, error) {
	first := make([]byte, blockSize)
	var o object
	n := 0
	err := persist(s.ctx, func() error {
		r, is, err := s.bucket.get(s.ctx, name, 0, blockSize, "")
		if err != nil {
			return err
		}
		defer r.Close()
		if is.size < 0 {
			return final{errors.New("the store reports a negative size")}
		}
		o = is
		n, err = io.ReadFull(r, first[:min(blockSize, is.size)])
		spent.bytes.Add(int64(n))
		return err
	})
	if err != nil {
		return nil, err
	}
	f := newFile(s, name, o)
	if n > 0 {
		f.put(0, first[:n])
	}
	return f, nil
}

// Writable tells whether the store accepts files: web servers and the hub do not.
func (s *store) Writable() bool {
	switch s.bucket.(type) {
	case *site, *hub:
		return false
	}
	return true
}

// Put writes a file. An opened one must still be in that state.
func (s *store) Put(ctx context.Context, name string, u model.Upload) error {
	tag := ""
	if !u.Fresh {
		s.mu.Lock()
		x := s.files[name]
		s.mu.Unlock()
		if x != nil {
			<-x.done
		}
		if x == nil || x.f == nil || x.f.o.tag == "" {
			return errors.New("the store does not say which version of the file was read")
		}
		tag = x.f.o.tag
	}
	if u.Len() > wholeMost {
		return s.assemble(ctx, name, tag, u)
	}
	b := make([]byte, u.Len())
	if n, err := u.ReadAt(b, 0); n < len(b) {
		return errors.Join(err, io.ErrUnexpectedEOF)
	}
	return persist(ctx, func() error { return s.bucket.put(ctx, name, b, tag) })
}

// Now opens a file in its present state.
func (s *store) Now(name string) (model.Reader, int64, error) {
	f, err := s.open(name)
	if err != nil {
		return nil, 0, err
	}
	return f, f.o.size, nil
}
