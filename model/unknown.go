package model

import (
	"errors"
	"slices"
)

// Unchecked is the error of a decoder that stopped for a reason outside the bytes: a limit of this program, a
// missing key, an unsupported codec. Nothing is known about what it did not decode: no finding, cause or repair may be based
// on it. Derive reports it as one note.
type Unchecked struct {
	Why string
	Err error // what the decoder says of it; nil where Why is all
}

func (e *Unchecked) Error() string { return e.Why }
func (e *Unchecked) Unwrap() error { return e.Err }

// RaiseLimit says how to raise the limit on decoding.
const RaiseLimit = "Raise the limit with SPANDREL_DECODED_MIB, or in the preferences"

// beyondLimit is the error of a decoder that decoded the first have of size bytes; size is -1 if unknown.
func beyondLimit(have, size int64) error {
	of := "the content"
	if size >= 0 {
		of = Words("%s bytes", Thousands(size))
	}
	return &Unchecked{Why: Words("only the first %s bytes of %s are decoded and shown. %s", Thousands(have), of, RaiseLimit)}
}

// IsUnchecked tells whether an error says nothing about the bytes.
func IsUnchecked(err error) bool {
	var u *Unchecked
	return errors.As(err, &u)
}

// Unknown tells whether a range contains bytes that are not known, or is what such bytes are decoded from: a limit of this program or a
// missing key prevented decoding. That is never evidence that they differ from what is expected.
func (t *Tree) Unknown(r Range) bool {
	if t.undecided(r.Space) {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.limited, func(s *Space) bool {
		return s.unchecked.Load() && s.Origin.Overlaps(r)
	})
}

// limit notes that a space was not decoded completely for a reason outside its bytes. An archive may have very many others.
func (t *Tree) limit(s *Space) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.limited = append(t.limited, s)
}

// undecided tells whether a space, or one that it is decoded from, was not decoded completely for a reason outside its bytes.
func (t *Tree) undecided(id SpaceID) bool {
	s := t.Space(id)
	if s == nil || !s.Derived() {
		return false
	}
	return s.unchecked.Load() || t.undecided(s.Origin.Space)
}
