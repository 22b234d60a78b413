package model

// What a format tells the diagnosis of damaged files (package cause), beside its rules, links and repairs. All of it is
// optional, short, and about facts alone: the engine weighs them.
//
//   - Magics: the bytes by which files are known and where they stand, so that junk in front, a second copy behind, swapped bytes
//     and a conversion to text are recognised. A format without a magic declares none and is asked through Detect.
//   - Extents: for every file that says how long it is, the length that it should have and the field that says so. "The file is
//     cut" and "bytes follow the end" come from here, also where the rest cannot be read: use what the header says alone.
//   - Quantities: each number that more than one place states or implies, once, with all its witnesses. One that stands alone
//     against the others is blamed; a tie is shown as a choice. A witness that only measures what is still there is Weak.
//   - Salvage: a new document of what can still be read, which the engine opens and checks before it is called valid.
//
// A format says what it sees even where it is wrong: the engine compares.

import "fmt"

// Magic is bytes that every file of a format has at one place.
type Magic struct {
	Bytes string
	At    int64 // from the start; from the end when negative
	Again bool  // sound files have the bytes further in too, as archives do at each member
}

// Extent is how long a file should be, as the file itself or another one says.
type Extent struct {
	File string // relative to the folder; "" for the primary file
	Size int64  // bytes that the file should have
	By   *Span  // the field that says so; nil when it is not one field
	Says string // who says so, as it reads behind "as": "the header says", "rows and their size say"
	// Least says that the file should be longer than Size, no one knows by how much: what says it is cut itself.
	Least bool
	// Guess says that parts of the file alone say so: that it is too long is told only where it is read with less trouble without some of its bytes.
	Guess bool
	// Else says what else may be wrong instead, where the file ends exactly as if it were, and few lengths would: "its shape is wrong: [1000, 64]
	// ends there". "" for nothing.
	Else string
	// Begins says that what is there is the beginning of what should be, byte for byte: what is missing was cut off.
	Begins bool
	// Ends says that the end of the file is there, so that what is missing lies inside it.
	Ends bool
	// Late says that all that is missing stood in front of what is there.
	Late bool
	// Zeros tells that any number of zeros may end the file, or make up all of it, and be sound.
	Zeros bool
	// Magics are the bytes by which the file is known, where it is not the primary file.
	Magics []Magic
	// Content is what the bytes are made of where that is countable, for "675 of 1,350 rows are missing": the plural, how many
	// bytes one has, and how many bytes of the file are something else. Unit 0: not countable.
	Content  string
	Unit     int64
	Overhead int64
}

// Quantity is a number, or another value, that several places of a document state or imply: the rows of an index.
type Quantity struct {
	Name      string // in words of the user, plural for counts: "rows"
	Witnesses []Witness
}

// Witness is one place that says what a quantity is.
type Witness struct {
	Text  string // who says so, at the start of a sentence: "the header", "the file size", "3 shards"
	Value Value
	Field *Span // where it is written, nil when it is only implied
	// Stored returns what Field holds when the quantity is v, with ok false when it cannot; nil: v itself.
	Stored func(v Value) (Value, bool)
	// Weak says that the witness only measures what is there: lost bytes lower it. It never outvotes what was written.
	Weak bool
}

// Agrees tells whether two witnesses say the same.
func (w *Witness) Agrees(v *Witness) bool { return w.Value.Equal(v.Value) }

// Salvaged is a new document made of what could still be read of a damaged one.
type Salvaged struct {
	// Files are the files of the document by their names relative to its folder. A document of one file has one entry.
	Files map[string]Source
	Parts []SalvagedPart
	// What Salvage found when it opened and checked them: errors that are left, and what a limit or a missing key kept from being checked.
	Problems, Unchecked []string
	// Unvouched is how many bytes of values in what was made of a damaged document no checksum covers: they may be wrong, or others than they seem.
	Unvouched int64
}

// SalvagedPart says how much of one kind of content was saved.
type SalvagedPart struct {
	What  string // plural: "rows", "columns", "arrays"
	Saved int64
	Of    int64  // -1: not known
	Lost  string // which are lost and why, in words; "" for none
}

// Whole tells whether all of it was saved.
func (p SalvagedPart) Whole() bool { return p.Saved == p.Of && p.Lost == "" }

// String says it in words: "1,231 of 1,350 rows; lost: …".
func (p SalvagedPart) String() string {
	s := Count(p.Saved, p.What)
	if p.Of >= 0 {
		s = Thousands(p.Saved) + " of " + Thousands(p.Of) + " " + p.What
	}
	if p.Lost != "" {
		s += "; lost: " + p.Lost
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
