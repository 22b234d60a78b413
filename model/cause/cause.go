package cause

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"spandrel/model"
	"spandrel/model/evidence"
)

// Grade is how sure a cause is.
type Grade uint8

// The grades: one of several that do as well, the best there is, and one that a checksum or all witnesses agree with, that nothing
// else comes up to and that loses nothing.
const (
	Possible Grade = iota
	Likely
	Proven
)

func (g Grade) String() string { return [...]string{"possible", "likely", "proven"}[g] }

// Diagnosis is what is wrong with a document, and why.
type Diagnosis struct {
	Tree     *model.Tree // a tree of the document, parsed and checked for this; its spans are those of Findings
	Format   *model.Format
	Deep     bool // everything was read
	Findings []model.Finding
	Omitted  map[*model.Rule]int // how many findings of a rule there are beyond those
	Causes   []*Cause
	By       []int // for each finding the cause that explains it, -1 for none
	// Cut tells that time ran out before everything was tried: a cause may be missing, and none is called proven for being alone.
	Cut bool
}

// Cause is what happened, in words, and the ways back.
type Cause struct {
	Grade    Grade
	Text     string   // what happened: one sentence
	Means    string   // what it means for the user: one sentence
	Evidence []string // what speaks for it, each a few words
	At       Place
	File     string // that happened to as a whole, which At need not be in; "": it did not to one
	Explains []int  // findings that vanish with it
	Repairs  []*Repair
	// Ledger holds the stories that were weighed, of which Story is this cause; nil for what was seen in the bytes and cannot be undone.
	Ledger *evidence.Ledger
	Story  *evidence.Story

	torn    bool  // a file was cut: what is left may be saved
	gone    bool  // a file of the folder is not here
	whole   bool  // it is about a file as a whole
	guess   bool  // it is told because nothing else explains what is wrong
	blank   bool  // it is about zeros
	foreign bool  // the file is a whole one of a kind that no format reads
	other   bool  // the main file is of another kind altogether: no repair of its format's makes it one of that format
	also    []int // findings that lie in it, whether they vanish or not
	counted bool  // its text says how many bytes are missing in front, by what belongs there
}

// Truncated tells that a file ends too early: what is missing of it is in another copy, if anywhere.
func (c *Cause) Truncated() bool { return c.torn }

// Foreign tells that the file is of a kind that no format reads, with nothing wrong about it.
func (c *Cause) Foreign() bool { return c.foreign }

// Missing tells that a file is not there, or has the bytes of another one.
func (c *Cause) Missing() bool { return c.gone }

// Counts says how many errors and warnings a document has, and how many of them a cause explains: those that are listed, and of a rule of
// which it explains all that are listed the others too.
func (g *Diagnosis) Counts(c *Cause) (explains, of int) {
	mine, all := map[*model.Rule]int{}, map[*model.Rule]int{}
	for i := range g.Findings {
		if f := &g.Findings[i]; f.Grade() != model.Note {
			all[f.Rule]++
			if g.By[i] >= 0 && g.Causes[g.By[i]] == c {
				mine[f.Rule]++
			}
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

// mostEvidence is how many kinds of evidence a person reads: every column of a table may be one.
const mostEvidence = 5

// Evidence is what speaks for a cause in one line, the first few of many.
func Evidence(all []string) string { return strings.Join(EvidenceLines(all), "; ") }

// EvidenceLines are the same, each by itself.
func EvidenceLines(all []string) []string {
	said := slices.Clone(all[:min(len(all), mostEvidence)])
	if more := len(all) - len(said); more > 0 {
		said = append(said, fmt.Sprintf("and %d more like it", more))
	}
	return said
}

// Place is where a cause is: bytes of a file, and the field where it is one.
type Place struct {
	File     string
	Off, Len int64
	Path     string
	Span     *model.Span // nil when the bytes are no field
}

// contains tells whether a place is in another one of the same file.
func (p Place) contains(o Place) bool {
	return p.File == o.File && p.Off <= o.Off && o.Off+o.Len <= p.Off+p.Len
}

// Repair is a way back.
type Repair struct {
	Number int // counted through all causes, from 1
	Label  string
	Safe   bool          // it may be made without asking: its cause is proven and it loses nothing
	Loses  string        // what can be read before and not after it, in words; "" for nothing
	Aligns bool          // it brings back nothing that is lost, but what stands behind that to its place
	Format *model.Format // of the repaired document, where the damaged one has another or none
	// ID names what the repair changes, whatever finds it and in which order: the same bytes have the same ID.
	ID string
	// Changes are all the bytes that change, in the order of their files and places.
	Changes []Change
	To      *model.Snapshot

	from *model.Snapshot // the document as it was diagnosed
}

// Change is a run of bytes before and after, of each at most 64; the lengths are the true ones.
type Change struct {
	File       string
	Off        int64
	Was, Is    []byte
	Del, Grown int64
}

// Options say how hard to look.
type Options struct {
	Formats []*model.Format
	// Tree is the document's where no one else needs it: it is taken for the first reading, and what is found is added to it. Nil: it is
	// read again.
	Tree *model.Tree
	// Time bounds the search; 0 is DefaultTime, less than 0 looks for no cause. It is counted in the work of the cores, so that a machine that is busy gives the same
	// answers, up to four times as long on the clock. Nothing new is begun when it is over; what was begun has as much again and a
	// half, so that a find is proven. The best so far is returned.
	Time time.Duration
	// Purse is what the searches of several documents share; nil: each has its own time.
	Purse *Purse
	// Large is up to which size of all files together everything is read; 0 is DefaultLarge.
	Large int64
	// Deep reads everything whatever the size.
	Deep bool
	// Warnings looks for causes of what is only unusual too, and lets repairs of that be proven. Without it only errors start a search.
	Warnings bool
	Worth    *Worth // notes what the parts of the search do
	Progress func(done, total int64, what string)
}

// The defaults of Options.
const (
	DefaultTime  = 2 * time.Second
	DefaultLarge = 16 << 20
)
