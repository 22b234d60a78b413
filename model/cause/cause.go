package cause

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"spandrel/model"
	"spandrel/model/evidence"
)

// Grade is how certain a cause is.
type Grade uint8

// The grades: one of several that fit equally well; the best one; and one that a checksum or all witnesses confirm, that has no
// rival and loses nothing.
const (
	Possible Grade = iota
	Likely
	Proven
)

func (g Grade) String() string { return [...]string{"possible", "likely", "proven"}[g] }

// Diagnosis is what is wrong with a document, and why.
type Diagnosis struct {
	Tree     *model.Tree // the document, parsed and checked for this diagnosis; Findings refer to its spans
	Format   *model.Format
	Deep     bool // everything was read
	Findings []model.Finding
	Omitted  map[*model.Rule]int // further findings, by rule
	Causes   []*Cause
	By       []int // for each finding the cause that explains it, -1 for none
	// Cut means that time ran out before everything was tried: a cause may be missing, and being the only one proves nothing.
	Cut bool
}

// Cause is what happened, in words, and the repairs that undo it.
type Cause struct {
	Grade    Grade
	Text     string   // what happened: one sentence
	Means    string   // what it means for the user: one sentence
	Evidence []string // the evidence for it, each in a few words
	At       Place
	File     string // the file if it is affected as a whole (At may be in another one); otherwise ""
	Title    string // what the file contains, by its name in the document: an attribute; "" if it has no such name
	Explains []int  // findings that disappear with it
	Repairs  []*Repair
	// Ledger contains the stories that were weighed, and Story is the one of this cause; both are nil for what is visible in the bytes and cannot be undone.
	Ledger *evidence.Ledger
	Story  *evidence.Story

	torn    bool   // a file is truncated: the rest may be salvaged
	instead bool   // a file is of a kind that no format reads
	gone    bool   // a file of the folder is missing
	whole   bool   // it is about a whole file
	guess   bool   // reported only because nothing else explains the problems
	blank   bool   // it is about zeros
	foreign bool   // the file is an intact one of a kind that no format reads
	other   bool   // the main file is of another kind altogether: no repair of the format's applies to it
	also    []int  // findings inside it, whether they disappear or not
	crowded string // its text, if only the problems that it does not explain make it no more than possible
	beside  bool   // nothing but the errors that remain speaks against it
	counted bool   // its text says how many bytes are missing at the front, known from what belongs there
}

// Instead tells whether it is that the file is of another kind, which no format reads.
func (c *Cause) Instead() bool { return c.instead }

// Truncated tells whether a file ends too early: only another copy may have the rest.
func (c *Cause) Truncated() bool { return c.torn }

// Foreign tells whether the file is of a kind that no format reads, with no problem of its own.
func (c *Cause) Foreign() bool { return c.foreign }

// Missing tells whether a file is not there, or contains another file's bytes.
func (c *Cause) Missing() bool { return c.gone }

// Counts returns how many errors and warnings a document has, and how many of them a cause explains. Unlisted findings of a rule count as
// explained if all listed ones are.
func (g *Diagnosis) Counts(c *Cause) (explains, of int) {
	mine, all := map[*model.Rule]int{}, map[*model.Rule]int{}
	for i, f := range graded(g.Findings, model.Warning) {
		all[f.Rule]++
		if g.By[i] >= 0 && g.Causes[g.By[i]] == c {
			mine[f.Rule]++
		}
	}
	for r, n := range all {
		if r.Severity != model.Note {
			if mine[r] == n {
				explains += g.Omitted[r]
			}
			n += g.Omitted[r]
		}
		explains, of = explains+mine[r], of+n
	}
	return explains, of
}

// mostEvidence is how many pieces of evidence a person reads: there may be one for every column of a table.
const mostEvidence = 5

// Evidence is the evidence for a cause in one line, shortened.
func Evidence(all []string) string { return strings.Join(EvidenceLines(all), "; ") }

// EvidenceLines is the same as separate lines.
func EvidenceLines(all []string) []string {
	said := slices.Clone(all[:min(len(all), mostEvidence)])
	if more := len(all) - len(said); more > 0 {
		said = append(said, fmt.Sprintf("and %d more like it", more))
	}
	return said
}

// Place is where a cause is: bytes of a file, and the field if they are one.
type Place struct {
	File     string
	Off, Len int64
	Path     string
	Span     *model.Span // nil if the bytes are not a field
}

// contains tells whether a place is inside another one of the same file.
func (p Place) contains(o Place) bool {
	return p.File == o.File && p.Off <= o.Off && o.Off+o.Len <= p.Off+p.Len
}

// Repair is a set of changes that undoes a cause.
type Repair struct {
	Number  int // from 1, across all causes
	Label   string
	Safe    bool          // may be applied without asking: its cause is proven and it is lossless
	Loses   string        // what can be read before but not after it, in words; "" for nothing
	Guess   bool          // where it removes or inserts bytes is a guess, or the bytes are
	Unpacks bool          // unpacks the file: what that gives was in it, though perhaps not all
	Aligns  bool          // does not restore lost bytes, but moves what follows them back into place
	Format  *model.Format // of the repaired document, if it differs from that of the damaged one
	// ID is derived from the changed bytes alone: whatever finds a repair, and in whatever order, the same changes have the same ID.
	ID string
	// Changes are all the changes, ordered by file and offset.
	Changes []Change
	To      *model.Snapshot

	from *model.Snapshot // the diagnosed document
}

// Change is a run of bytes before and after the repair, at most 64 of each; the lengths are not shortened.
type Change struct {
	File       string
	Off        int64
	Was, Is    []byte
	Del, Grown int64
}

// Options say how hard to look.
type Options struct {
	Formats []*model.Format
	// Tree is the document's tree if no one else needs it: it is used for the first reading, and findings are added to it. If nil, the document is
	// read again.
	Tree *model.Tree
	// Time bounds the search: 0 means DefaultTime, a negative value no search. It is what two cores do in that time, counted (model.Effort), so that a
	// busy or slow machine gives the same answers, up to fifteen times as late on the clock. When it is over nothing new is started; what has started may
	// use 0.75 times as much again to finish. The best result so far is returned.
	Time time.Duration
	// Purse is the time that the searches of several documents share; if nil, each has its own.
	Purse *Purse
	// Large is the total size of all files up to which everything is read; 0 means DefaultLarge.
	Large int64
	// Deep reads everything whatever the size.
	Deep bool
	// Warnings also looks for causes of warnings, and lets their repairs be proven. Without it only errors start a search.
	Warnings bool
	Worth    *Worth // records what the parts of the search do
	Progress func(done, total int64, what string)
}

// The defaults of Options.
const (
	DefaultTime  = 2 * time.Second
	DefaultLarge = 16 << 20
)
