package model

import (
	"errors"
	"slices"
)

// Unchecked is the error of a decoder that stopped for a reason that is not in the bytes: a limit of this program, a key that is
// missing, a codec that it does not have. Of what it did not decode nothing is known: no finding, no cause and no repair may follow
// from it. Derive reports it as one note.
type Unchecked struct {
	Why string
	Err error // what the decoder says of it; nil where Why is all
}

func (e *Unchecked) Error() string { return e.Why }
func (e *Unchecked) Unwrap() error { return e.Err }

// RaiseLimit says how the limit of what is decoded is raised.
const RaiseLimit = "Raise the limit with SPANDREL_DECODED_MIB, or in the preferences"

// beyondLimit is the error of a decoder that made the first have of size bytes; size is -1 where it is not known.
func beyondLimit(have, size int64) error {
	of := "the content"
	if size >= 0 {
		of = Words("%s bytes", Thousands(size))
	}
	return &Unchecked{Why: Words("only the first %s bytes of %s are decoded and shown. %s", Thousands(have), of, RaiseLimit)}
}

// IsUnchecked tells whether an error says nothing of the bytes.
func IsUnchecked(err error) bool {
	var u *Unchecked
	return errors.As(err, &u)
}

// Unknown tells whether a range has bytes that are not known, or is what such bytes are decoded from: a limit of this program, or a
// key that is missing, kept them from being decoded. It is never evidence that they are not what something expects.
func (t *Tree) Unknown(r Range) bool {
	if t.undecided(r.Space) {
		return true
	}
	return slices.ContainsFunc(t.Spaces(), func(s *Space) bool {
		return s.unchecked.Load() && slices.ContainsFunc(s.Origins, func(o Range) bool { return o.Overlaps(r) })
	})
}

// undecided tells whether a space, or one that it is decoded from, was not decoded to its end for a reason that is not in its bytes.
func (t *Tree) undecided(id SpaceID) bool {
	s := t.Space(id)
	if s == nil || !s.Derived() {
		return false
	}
	return s.unchecked.Load() || slices.ContainsFunc(s.Origins, func(o Range) bool { return t.undecided(o.Space) })
}
