package model

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"
	"syscall"
)

// faulty tells whether an error says nothing of what a folder holds: the disk, the system or a permission stood in the way. That a
// name is not there, or cannot be one, is an answer.
func faulty(err error) bool {
	if errors.Is(err, ErrUnreachable) {
		return true
	}
	var no syscall.Errno
	return errors.As(err, &no) && !errors.Is(err, fs.ErrNotExist) && !slices.Contains(answers, no)
}

// unread holds the first of them that the snapshots of a document met. Who reads takes a file that cannot be read for one that is not
// there, so that a glance goes on: who changes, repairs or copies asks.
type unread struct{ first atomic.Pointer[error] }

// saw notes an error if it is one of these. Nothing is noted while formats are asked whether a folder is theirs: nil.
func (f *unread) saw(what string, err error) {
	if f != nil && faulty(err) {
		err = fmt.Errorf("%s cannot be read, so everything that depends on it would be wrong: %w", what, err)
		f.first.CompareAndSwap(nil, &err)
	}
}

// Fault returns what kept a file or a sub-folder of the document from being read since it was opened, or nil. Then nothing may be changed or
// copied by what the tree says: it may lack what is there.
func (s *Snapshot) Fault() error {
	if s == nil || s.unread == nil {
		return nil
	}
	if err := s.unread.first.Load(); err != nil {
		return *err
	}
	return nil
}
