package model

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"
	"syscall"
)

// faulty tells whether an error says nothing about a folder's content, because of the disk, the system or a permission. That a
// name does not exist, or cannot exist, is an answer.
func faulty(err error) bool {
	if errors.Is(err, ErrUnreachable) {
		return true
	}
	var no syscall.Errno
	return errors.As(err, &no) && !errors.Is(err, fs.ErrNotExist) && !slices.Contains(answers, no)
}

// unread keeps the first such error of a document's snapshots. Readers treat an unreadable file like a missing one, so that
// viewing works; whatever edits, repairs or copies checks it first.
type unread struct{ first atomic.Pointer[error] }

// saw notes an error if it is one of these. On a nil receiver, while formats are asked whether a folder is theirs, it notes nothing.
func (f *unread) saw(what string, err error) {
	if f != nil && faulty(err) {
		err = fmt.Errorf("%s cannot be read, so everything that depends on it would be wrong: %w", what, err)
		f.first.CompareAndSwap(nil, &err)
	}
}

// Fault returns why a file or sub-folder of the document could not be read since it was opened, or nil. Then nothing may be changed or
// copied on the basis of the tree: it may lack existing content.
func (s *Snapshot) Fault() error {
	if s == nil || s.unread == nil {
		return nil
	}
	if err := s.unread.first.Load(); err != nil {
		return *err
	}
	return nil
}
