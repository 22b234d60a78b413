package model

import (
	"fmt"
	"strings"
)

// Severity grades a finding.
type Severity uint8

// The severities, the worst first. None is 0 so that a Finding without one takes its rule's.
const (
	_ Severity = iota
	Error
	Warning
	Note
)

func (s Severity) String() string { return [...]string{"", "error", "warning", "note"}[s] }

// Rule is something that holds in a sound file. Its ID is the one of the format's reference sheet.
type Rule struct {
	ID       string
	Title    string // one line: what is wrong when it does not hold
	Doc, Ref string
	Severity Severity
}

// Rules of the engine itself.
var (
	RuleTruncated = &Rule{ID: "model.truncated", Title: "the file ends inside a structure", Severity: Error}
	RuleOverrun   = &Rule{ID: "model.overrun", Title: "a structure is longer than what holds it", Severity: Error}
	RuleValue     = &Rule{ID: "model.value", Title: "the value is not legal", Severity: Error}
	RuleLink      = &Rule{ID: "model.link", Title: "a derived value disagrees with what it is derived from", Severity: Error}
	RuleChecksum  = &Rule{ID: "model.checksum", Title: "the checksum differs", Severity: Error}
	RuleOverlap   = &Rule{ID: "model.overlap", Title: "two structures claim the same bytes", Severity: Warning}
	RuleUndecoded = &Rule{ID: "model.undecoded", Title: "bytes cannot be decoded", Severity: Error}
	RuleCap       = &Rule{ID: "model.cap", Title: "a limit of this program was reached", Severity: Note}
	RuleJournal   = &Rule{ID: "model.journal", Title: "a save was interrupted", Severity: Error}
	RuleInternal  = &Rule{ID: "model.internal", Title: "a defect of this program", Severity: Error}
)

// EngineRules lists the rules above.
var EngineRules = []*Rule{RuleTruncated, RuleOverrun, RuleValue, RuleLink, RuleChecksum, RuleOverlap, RuleUndecoded, RuleCap, RuleJournal, RuleInternal}

// Finding is a rule that does not hold at a place.
type Finding struct {
	Rule     *Rule
	Severity Severity // the rule's when 0
	Span     *Span    // the span at fault, or the nearest one; nil for the document
	Range    Range    // the bytes at fault; the span's when the length is 0
	Found    string
	Expected string
	Message  string // the rule's title when empty
	Related  []Range
	Fixes    []Fix   // alternatives; at most one is applied
	Needs    *Secret // the finding goes away when the user gives this
}

// maxText is how many bytes of a text of a finding are kept: enough for a trace of the stack.
const maxText = 8 << 10

// cut shortens a text that was made of a value of the file.
func cut(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "") + "…"
}

// Grade returns the severity.
func (d *Finding) Grade() Severity {
	if d.Severity != 0 {
		return d.Severity
	}
	return d.Rule.Severity
}

// Where returns the bytes at fault.
func (d *Finding) Where() Range {
	if d.Range == (Range{}) && d.Span != nil {
		return d.Span.Range
	}
	return d.Range
}

// Path returns the path of the span at fault.
func (d *Finding) Path() string {
	if d.Span == nil {
		return ""
	}
	return d.Span.Path()
}

// Text returns the message.
func (d *Finding) Text() string {
	if d.Message != "" {
		return d.Message
	}
	return d.Rule.Title
}

// Fix is a repair on offer. Safe tells that it is the only possible answer, as nothing else can be what is wrong: it may be
// applied without asking, as far as Tree.SafeFix agrees.
type Fix struct {
	Label string
	Safe  bool
	Edits []Edit
	// Build makes the edits when they cost too much to make before anybody asks. It is called instead of Edits when set.
	Build func(t *Tree) ([]Edit, error)
}

// Make returns the edits of the fix, or why it cannot be made.
func (f *Fix) Make(t *Tree) ([]Edit, error) {
	if f.Build != nil {
		return f.Build(t)
	}
	return f.Edits, nil
}

// SetTo is the fix that writes one value into a field; it is safe.
func SetTo(s *Span, v Value) Fix {
	return Fix{Label: cut(fmt.Sprintf("set %s to %s", s.Name(), v)), Safe: true, Edits: []Edit{SetValue(s, v)}}
}

// Edit is one change asked for. Exactly one of its forms is used:
//
//   - a value for a field: Path and Value (a field may be resized by it; what depends on it follows);
//   - bytes in place of bytes: Range and With (nil deletes; an empty Range inserts);
//   - a file of the folder: File, and Create with its content, or Delete.
type Edit struct {
	Path  string
	Value Value

	Range Range
	With  Source
	// Into is the path of the span that inserted bytes belong to, where they lie between two: what ends or starts there
	// grows, and what follows moves. Elements is how many elements the edit adds to that list.
	Into     string
	Elements int64
	// Loose leaves everything that depends on the bytes alone: lengths, counts, offsets, checksums.
	Loose bool

	File   string
	Create Source
	Delete bool
}

// SetValue is the edit that writes a value into a field.
func SetValue(s *Span, v Value) Edit { return Edit{Path: s.Path(), Value: v} }

// Replace is the edit that puts bytes in place of a range; with nothing it deletes, at an empty range it inserts.
func Replace(r Range, with []byte) Edit { return Edit{Range: r, With: Memory(with)} }
