package model

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sort"
	"sync/atomic"
	"time"

	"spandrel/model/parallel"
)

// ErrShrunk means that bytes of a mapped file are gone: another program truncated the file while it was open.
var ErrShrunk = errors.New("the file shrank or was removed while it was open")

// Source is a run of bytes that never changes. ReadAt follows io.ReaderAt. Sources of equal identity hold equal bytes: they
// are compared with ==, so use pointers.
type Source interface {
	io.ReaderAt
	Len() int64
}

// A viewer is a Source that can show its bytes without a copy. A view of a mapped file may fault: see Guard.
type viewer interface {
	View(off, n int64) []byte
}

// Guard runs f and turns page faults of mapped files into ErrShrunk, and what a store did not send into its error. Everything that uses a view of a Source runs
// under it; nesting costs little. A fault elsewhere is a bug and panics.
func Guard(f func() error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if r := recover(); r != nil {
			if !isFault(r) {
				panic(r)
			}
			err = cause(r)
		}
	}()
	return f()
}

// Contain runs f, which may be a format's function, under Guard. A panic in it becomes an error instead of ending the program.
func Contain(f func() error) error {
	return Guard(func() (err error) {
		defer func() {
			if r := recover(); r != nil && isFault(r) {
				panic(r)
			} else if r != nil {
				err = defect(r)
			}
		}()
		return f()
	})
}

// Defect is a panic of a format: a bug of this program, not damage of the file.
type Defect struct {
	What  string
	Stack []byte
}

// defect is a recovered panic. If it came from another goroutine, the stack is of that one.
func defect(r any) *Defect {
	stack := debug.Stack()
	if p, ok := r.(*parallel.Panic); ok {
		stack = p.Stack
	}
	return &Defect{fmt.Sprint(r), stack}
}

func (d *Defect) Error() string { return "internal error: " + d.What }

// isFault tells whether a recovered panic is a memory fault at an address, in a missing page of a mapping, or
// its equivalent for a file that is not mapped.
func isFault(r any) bool {
	_, ok := r.(interface{ Addr() uintptr })
	return ok
}

// lost is the panic of a view of bytes that are gone, or, with an error, that a store did not send.
type lost struct{ err error }

// cause is why bytes could not be viewed.
func cause(fault any) error {
	if l, ok := fault.(lost); ok && l.err != nil {
		return l.err
	}
	return ErrShrunk
}

func (lost) Addr() uintptr { return 0 }

// memory is a Source over bytes that no longer change. Sources are compared, so it is used by pointer.
type memory struct{ b []byte }

// Memory is a Source over b, which no one may change afterwards.
func Memory(b []byte) Source { return &memory{b} }

func (m *memory) Len() int64               { return int64(len(m.b)) }
func (m *memory) View(off, n int64) []byte { return m.b[off : off+n : off+n] }
func (m *memory) ReadAt(p []byte, off int64) (int, error) {
	if off >= int64(len(m.b)) {
		return 0, io.EOF
	}
	n := copy(p, m.b[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Fill is a Source of n times the byte b: filling a gigabyte costs nothing.
func Fill(b byte, n int64) Source { return fill{b, n} }

type fill struct {
	b byte
	n int64
}

func (f fill) Len() int64 { return f.n }
func (f fill) ReadAt(p []byte, off int64) (int, error) {
	n := int(min(int64(len(p)), max(0, f.n-off)))
	for i := range p[:n] {
		p[i] = f.b
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Joined is a concatenation of other Sources. It is empty at first, and complete before it is read.
type Joined struct {
	parts []Source
	ends  []int64
}

// Add appends a source and returns its offset.
func (j *Joined) Add(s Source) (at int64) {
	at = j.Len()
	if s.Len() > 0 {
		j.parts, j.ends = append(j.parts, s), append(j.ends, at+s.Len())
	}
	return at
}

func (j *Joined) Len() int64 {
	if len(j.ends) == 0 {
		return 0
	}
	return j.ends[len(j.ends)-1]
}

func (j *Joined) ReadAt(p []byte, off int64) (n int, err error) {
	for i := sort.Search(len(j.ends), func(i int) bool { return j.ends[i] > off }); i < len(j.parts) && n < len(p); i++ {
		want := min(int64(len(p)-n), j.ends[i]-off)
		k, err := j.parts[i].ReadAt(p[n:n+int(want)], off-j.ends[i]+j.parts[i].Len())
		n, off = n+k, off+int64(k)
		if int64(k) < want {
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Stamp identifies the state of a file on disk: a different stamp means that another program changed it.
type Stamp struct {
	Size    int64
	ModTime time.Time
}

// stampOf is the present state of a file.
func stampOf(path string) (Stamp, error) {
	st, err := os.Stat(path)
	if err != nil {
		return Stamp{}, err
	}
	return Stamp{st.Size(), st.ModTime()}, nil
}

// File is a file mapped for reading. It is never written through the mapping.
type File struct {
	Path   string
	Stamp  Stamp
	data   []byte               // nil when the file is empty or neither mapped nor copied
	copied bool                 // data is a copy
	pages  *pages               // of a file that is not mapped: it is read instead
	info   os.FileInfo          // state when it was opened; nil for a copy, which cannot lose bytes
	left   atomic.Int64         // bytes that are still there, as far as is known
	aside  atomic.Pointer[File] // a copy that is read instead; left is 0 then
	closed atomic.Bool
}

// maxMapped is how many files are mapped at once. Systems have a limit, which also applies to the memory of the program.
const maxMapped = 32 << 10

// Once many files are mapped, files smaller than a memory page are copied: each mapping takes a page, and there may be a million files.
const (
	manyMapped = 1 << 10
	smallFile  = 4 << 10
)

var mapped atomic.Int64

// OpenFile maps a regular file. Folders, devices and pipes are rejected with an error of one line.
func OpenFile(path string) (*File, error) {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() { // before opening: opening a pipe would block
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	f, err := openShared(path)
	if err != nil {
		return nil, err
	}
	return mapFile(f, path)
}

// mapFile maps f and closes it: a mapping does not need the descriptor. What cannot be mapped is read through it.
func mapFile(f *os.File, path string) (*File, error) {
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a regular file", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	m := &File{Path: path, Stamp: Stamp{st.Size(), st.ModTime()}}
	m.left.Store(st.Size())
	if st.Size() > 0 && st.Size() < smallFile && mapped.Load() >= manyMapped {
		m.data, m.copied = make([]byte, st.Size()), true
		if _, err := io.ReadFull(io.NewSectionReader(f, 0, st.Size()), m.data); err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return m, f.Close()
	}
	m.info = st
	if st.Size() > 0 && mapped.Add(1) <= maxMapped {
		m.data = mapRegion(f, st.Size())
	}
	switch {
	case m.data != nil:
		adviseRandom(m.data)
	case st.Size() > 0:
		mapped.Add(-1)
		m.pages = &pages{file: f, size: st.Size(), have: map[int64][]byte{}}
		return m, nil
	}
	return m, f.Close()
}

// Close unmaps the file, once: its address may be in use by another mapping afterwards. Nothing may read it afterwards.
func (f *File) Close() error {
	if copied := f.aside.Load(); copied != nil {
		copied.Close()
		removeFile(copied.Path)
	}
	switch {
	case f.closed.Swap(true):
		return nil
	case f.pages != nil:
		return f.pages.close()
	case f.data == nil || f.copied:
		return nil
	}
	mapped.Add(-1)
	return unmapRegion(f.data)
}

// Len returns the length at the time of opening.
func (f *File) Len() int64 { return f.Stamp.Size }

// Left returns how many bytes still exist: fewer than Len once notice has seen that another program truncated the file.
func (f *File) Left() int64 {
	if f.aside.Load() != nil {
		return f.Len()
	}
	return f.left.Load()
}

// notice checks whether the file was truncated since it was opened. The last page of a mapping is zero after the new end: those bytes are gone,
// and stay gone if the file grows again. A file that replaces another truncates nothing, because the mapping is of the old one.
func (f *File) notice(now os.FileInfo) {
	for os.SameFile(f.info, now) {
		left := f.left.Load()
		if now.Size() >= left || f.left.CompareAndSwap(left, now.Size()) {
			return
		}
	}
}

// View returns the mapped bytes themselves; use it under Guard only.
func (f *File) View(off, n int64) []byte {
	if off+n > f.left.Load() {
		if copied := f.aside.Load(); copied != nil {
			return copied.View(off, n)
		}
		panic(lost{})
	}
	if f.pages == nil {
		return f.data[off : off+n : off+n]
	}
	b := f.pages.view(off, n)
	if b == nil {
		panic(lost{f.fault()})
	}
	return b
}

// ReadAt copies bytes; it returns ErrShrunk if they are gone.
func (f *File) ReadAt(p []byte, off int64) (n int, err error) {
	left := f.left.Load()
	switch {
	case off >= f.Len():
		return 0, io.EOF
	case f.aside.Load() != nil:
		return f.aside.Load().ReadAt(p, off)
	case off >= left:
		return 0, ErrShrunk
	case f.pages != nil:
		if n, err = f.pages.read(p[:min(int64(len(p)), left-off)], off); err == io.EOF {
			err = nil
		}
	default:
		err = Guard(func() error { n = copy(p, f.data[off:left]); return nil })
	}
	switch {
	case err != nil || n == len(p):
		return n, err
	case off+int64(n) < f.Len():
		return n, ErrShrunk
	}
	return n, io.EOF
}
