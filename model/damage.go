package model

// What a format tells the diagnosis of damaged files (package cause), besides its rules, links and repairs. All of it is
// optional, short, and factual: the engine weighs it.
//
//   - Magics: the bytes that identify files and their offsets, so that junk before a file, a second copy after it, swapped bytes
//     and a conversion to text are recognised. A format without a magic declares none and is asked through Detect.
//   - Extents: for every file that states its length, that length and the field that states it. "The file is
//     truncated" and "bytes follow the end" come from here, also if the rest cannot be read: use only the header, or a length whose
//     checksum matches.
//   - Quantities: each number that more than one place states or implies, once, with all its witnesses. A witness alone
//     against the others is blamed; a tie is shown as a choice. A witness that only measures what is left is Weak.
//   - Salvage: a new document of what can still be read, which the engine opens and checks before calling it valid.
//
// A format reports what it sees even if it is wrong: the engine compares.

import (
	"cmp"
	"context"
	"fmt"
)

// Magic is bytes that every file of a format has at a fixed offset.
type Magic struct {
	Bytes string
	At    int64 // from the start; from the end when negative
	Again bool  // valid files have these bytes at later offsets too, as archives have at each member
}

// Extent is how long a file should be, according to itself or another file.
type Extent struct {
	File string // relative to the folder; "" for the primary file
	// Title is what the file contains, by its name in the document: an attribute. "": the file has no such name.
	Title string
	Size  int64  // bytes that the file should have
	By    *Span  // the field that says so; nil when it is not one field
	Says  string // the reason as a clause, part of the evidence: "the header gives its length", "it ends inside a header"
	// Least means that the file should be longer than Size by an unknown amount: what states the length is truncated itself.
	Least bool
	// Guess means that only the parts of the file imply the length: a surplus is reported only if removing bytes reduces the problems.
	Guess bool
	// Else says what else may be wrong if the file ends exactly where it would then, which few lengths do: "its shape is wrong: [1000, 64]
	// ends there". "" for nothing.
	Else string
	// Misread means that the values of a shorter file are other ones if Else is right.
	Misread bool
	// Begins means that the existing bytes are the beginning of the file, byte for byte: what is missing was truncated.
	Begins bool
	// Ends means that the end of the file exists, so that the missing bytes are inside it.
	Ends bool
	// Late means that all missing bytes belong before the existing ones.
	Late bool
	// Zeros means that any number of zeros may end a sound file, or be all of it.
	Zeros bool
	// Magics are the bytes that identify the file, if it is not the primary file.
	Magics []Magic
	// Content is what the bytes consist of if that is countable, for "675 of 1,350 rows are missing": the plural, the size
	// of one, and the number of other bytes in the file. Unit 0: not countable.
	Content  string
	Unit     int64
	Overhead int64
}

// Extents are how long the files of the document should be, each with the name of its file.
func (t *Tree) Extents(ctx context.Context) (out []Extent) {
	if t.Format == nil || t.Format.Extents == nil {
		return nil
	}
	Contain(func() error {
		for _, e := range t.Format.Extents(ctx, t) {
			e.File = cmp.Or(e.File, t.Snapshot.Primary)
			out = append(out, e)
		}
		return nil
	})
	return out
}

// Quantity is a number, or another value, that several places of a document state or imply: the rows of an index.
type Quantity struct {
	Name      string // in words of the user, plural for counts: "rows"
	Witnesses []Witness
}

// Witness is one place that states a quantity.
type Witness struct {
	Text  string // who says so, at the start of a sentence: "the header", "the file size", "3 shards"
	Value Value
	Field *Span // where it is written, nil when it is only implied
	// Stored returns the content of Field for a quantity of v, with ok false if there is none; nil: v itself.
	Stored func(v Value) (Value, bool)
	// Weak means that the witness only measures what is left, so that lost bytes lower it. It never outvotes a stored number.
	Weak bool
}

// Agrees tells whether two witnesses say the same.
func (w *Witness) Agrees(v *Witness) bool { return w.Value.Equal(v.Value) }

// Salvaged is a new document made of what could still be read of a damaged one.
type Salvaged struct {
	// Files are the files of the document by their names relative to its folder. A document of one file has one entry.
	Files map[string]Source
	Parts []SalvagedPart
	// What Salvage found when it opened and checked them: remaining errors, and what could not be checked because of a limit or a missing key.
	Problems, Unchecked []string
	// Aligned means that the document lost bytes inside or has surplus ones, and that the format itself found what follows them: values whose place is
	// unknown are left out.
	Aligned bool
	// Unvouched is the number of bytes of values, salvaged from a damaged document, that no checksum covers: they may be wrong or belong elsewhere.
	Unvouched int64
	// Doubts are values that are probably not what was stored, although readers accept them.
	Doubts []string
}

// SalvagedPart says how much of one kind of content was saved.
type SalvagedPart struct {
	What  string `json:"what"` // plural: "rows", "columns", "arrays"
	Saved int64  `json:"saved"`
	Of    int64  `json:"of"`             // -1: not known
	Lost  string `json:"lost"`           // which are lost and why, in words; "" for none
	Says  string `json:"says,omitempty"` // what was read otherwise than the document states, in words; "" for nothing
}

// Whole tells whether everything was saved.
func (p SalvagedPart) Whole() bool { return p.Saved == p.Of && p.Lost == "" }

// String says it in words: "1,231 of 1,350 rows; lost: …; …".
func (p SalvagedPart) String() string {
	s := Count(p.Saved, p.What)
	if p.Of >= 0 {
		s = Thousands(p.Saved) + " of " + Thousands(p.Of) + " " + p.What
	}
	if p.Lost != "" {
		s += "; lost: " + p.Lost
	}
	if p.Says != "" {
		s += "; " + p.Says
	}
	return s
}

// Thousands prints a number with commas between groups of three digits.
func Thousands(n int64) string {
	s := fmt.Sprint(n)
	first := 1
	if n < 0 {
		first = 2
	}
	for i := len(s) - 3; i >= first; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
