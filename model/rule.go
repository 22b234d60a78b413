package model

import (
	"cmp"
	"slices"
	"strconv"
)

// Rule is a condition that is true in every sound file. IDs are never reused.
type Rule struct {
	ID       string
	Title    string // the problem, as one sentence for users of at most MaxTitle characters
	Doc      string // why it matters and what usually causes it
	Ref      string // section of the specification, as in Field
	Severity Severity
	// Strength is how unlikely random bytes are to pass the check, in bits; 0: derived from what the finding is about.
	Strength int
	// Absence means that a companion file is missing: no existing byte can be the reason.
	Absence bool
	// Loaded means that readers load values that break the rule without an error, although they are probably wrong.
	Loaded bool
}

// Worth states how unlikely random bytes are to pass the check of a rule, in bits, if it reads more than one value: a stream that decodes to
// its length, a text that is JSON, a name that another file has.
func (r *Rule) Worth(bits int) *Rule {
	r.Strength = bits
	return r
}

// Absent says that a rule is about a missing file, known from the names and numbers of the others.
func (r *Rule) Absent() *Rule {
	r.Absence = true
	return r
}

// Silent says that readers load values that break a rule without an error, although they are probably wrong.
func (r *Rule) Silent() *Rule {
	r.Loaded = true
	return r
}

// MaxTitle is how many characters the title of a rule may have.
const MaxTitle = 80

// Rules is the rules of one format as named values:
//
//	var rules = model.NewRules("TIX")
//	var rowCount = rules.Error(23, "the row count is not the number of rows", "…why, and what causes it", "9.3")
type Rules struct {
	prefix string
	list   []*Rule
	taken  []bool // by number
}

// NewRules starts the rules of a format, whose ids consist of the prefix and a number: TIX-023.
func NewRules(prefix string) *Rules { return &Rules{prefix: prefix} }

// Error, Warning and Note add a rule of that severity. They panic if the number is taken, which is a bug in a format.
func (g *Rules) Error(n int, title, doc, ref string) *Rule { return g.add(Error, n, title, doc, ref) }
func (g *Rules) Warning(n int, title, doc, ref string) *Rule {
	return g.add(Warning, n, title, doc, ref)
}
func (g *Rules) Note(n int, title, doc, ref string) *Rule { return g.add(Note, n, title, doc, ref) }

func (g *Rules) add(s Severity, n int, title, doc, ref string) *Rule {
	if n >= len(g.taken) {
		g.taken = append(g.taken, make([]bool, n+1)...)
	}
	id := strconv.Itoa(n)
	id = g.prefix + "-" + "000"[min(3, len(id)):] + id
	if g.taken[n] {
		panic("model: two rules " + id)
	}
	g.taken[n] = true
	r := &Rule{ID: id, Title: title, Doc: doc, Ref: ref, Severity: s}
	g.list = append(g.list, r)
	return r
}

// All returns the rules in the order of their ids.
func (g *Rules) All() []*Rule {
	if g == nil {
		return nil
	}
	return slices.SortedFunc(slices.Values(g.list), func(a, b *Rule) int {
		return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
	})
}

// Rule returns the rule with an id, or nil.
func (g *Rules) Rule(id string) *Rule {
	if g == nil {
		return nil
	}
	if i := slices.IndexFunc(g.list, func(r *Rule) bool { return r.ID == id }); i >= 0 {
		return g.list[i]
	}
	return nil
}

// Rules of the engine itself.
var (
	RuleTruncated = engineRule("truncated", Error, "the file ends inside a structure",
		"Everything after this point is missing. Usually a download, a copy or a save was interrupted, or a length before it is too large.")
	RuleOverrun = engineRule("overrun", Error, "a structure is longer than the one that contains it",
		"Only one of two lengths, counts or sizes was changed, or the bytes are read as the wrong structure.")
	RuleValue = engineRule("value", Error, "the value is not allowed",
		"Readers reject the file or misinterpret it. Usually the byte is damaged, or a newer version or another program wrote the file.")
	RuleLink = engineRule("link", Error, "a derived value does not match what it is derived from",
		"Readers trust lengths, counts and offsets, so they read the wrong bytes. Usually an edit changed only one side.")
	RuleChecksum = engineRule("checksum", Error, "the checksum does not match",
		"The bytes or the checksum changed after they were written: damage in transit or on disk, or an edit that did not update the checksum.")
	RuleOverlap = engineRule("overlap", Warning, "two structures overlap",
		"At most one of them can be right. Usually an offset or a length is wrong.")
	RuleUndecoded = engineRule("undecoded", Error, "bytes cannot be decoded",
		"The compressed, encrypted or encoded bytes are damaged, or cannot be read from disk. Their content is unknown.")
	RuleBlank = engineRule("blank", Warning, "whole sectors of a file are zero",
		"Failing disks, network drives and interrupted downloads leave such holes. The data there is lost, unless the zeros were written on purpose.").Silent()
	RuleTextInNumbers = engineRule("text", Warning, "whole sectors of an array are text",
		"A file system that was repaired, a failing disk or a recovery tool leaves sectors of other files. The numbers there are lost.").Worth(40).Silent()
	RuleOutlier = engineRule("outlier", Warning, "one number is far beyond all others of its array",
		"With one other bit in its exponent it is an ordinary number. Memory and disks that fail turn single bits; no checksum covers the array.").Worth(24).Silent()
	RuleSwapped = engineRule("swapped", Warning, "the numbers make sense only in the other byte order",
		"Every reader loads them without an error, as numbers that are far too large, too small or NaN. Usually the program that wrote them ran with another byte order than the header says, or swapped them twice.").Worth(20).Silent() // of 32 numbers and more
	RuleCap = engineRule("cap", Note, "a limit of this program was reached",
		"Anything beyond the limit was not checked. The limits keep hostile files from exhausting memory or time.")
	RuleJournal = engineRule("journal", Error, "a save was interrupted",
		"The program or the machine stopped while this file was being saved. Its previous content was kept beside it and can be restored.")
	RuleInterrupted = engineRule("interrupted", Error, "a save of several files was interrupted",
		"The program or the machine stopped while several files were being saved, so some are new and some are old. You can finish the save or undo it.")
	RuleUnknown = engineRule("unknown", Error, "the file is not in a supported format",
		"It is another kind of file, or its beginning is damaged or missing.").Worth(40)
	RuleProtected = engineRule("protected", Error, "bytes do not match the protection data",
		"The bytes have changed since the protection data beside the file was written, although no program has written to the file. The disk or a transfer damaged it.")
	RuleInternal = engineRule("internal", Error, "an internal error of this program",
		"This program failed on part of the file. The rest was read. Please report the trace.")
)

func engineRule(name string, s Severity, title, doc string) *Rule {
	return &Rule{ID: "model." + name, Title: title, Doc: doc, Severity: s}
}

// EngineRules lists the rules above.
var EngineRules = []*Rule{RuleTruncated, RuleOverrun, RuleValue, RuleLink, RuleChecksum, RuleOverlap, RuleUndecoded, RuleBlank, RuleTextInNumbers, RuleOutlier, RuleSwapped, RuleCap, RuleJournal, RuleInterrupted, RuleUnknown, RuleProtected, RuleInternal}
