package model

import (
	"cmp"
	"strings"
)

// Severity is the severity of a finding.
type Severity uint8

// The severities, the worst first. The zero value means that of the rule.
const (
	_ Severity = iota
	Error
	Warning
	Note
)

func (s Severity) String() string { return [...]string{"", "error", "warning", "note"}[s] }

// Finding is a violation of a rule at a place.
type Finding struct {
	Rule     *Rule
	Severity Severity // the rule's when 0
	Span     *Span    // the span at fault, or the nearest one; nil for the document
	Range    Range    // the bytes at fault; the span's when the length is 0
	Found    string
	Expected string
	Message  string // the rule's title when empty
	Detail   string // what a diagnosis finds the bytes to be; the text ends with it
	Related  []Range
	// Want is the value that the leaf Span should have; None if unknown. Writing it is offered as a repair,
	// which is safe unless Doubt says that something else may be wrong instead.
	Want  Value
	Doubt bool
	Newer bool    // only newer software rejects it: nothing is damaged
	About any     // what the format's repairs need to know of the place; of the format's own type
	Needs *Secret // the finding goes away when the user gives this
	Sum   *Sum    // the checksum that differs, where it is one
	// Spare is the folder at fault, if the document stores everything that should be in it elsewhere too, whole: whatever happened to its files,
	// nothing is lost without them.
	Spare string
}

// Said is what was found and what was expected, with numbers as their field shows them.
func (d *Finding) Said() (found, want string) {
	if d.Want.Kind == None || d.Expected != d.Want.String() || d.Span == nil || d.Span.Field == nil || d.Span.Shape != Leaf || d.Span.Field.Codec == nil {
		return d.Found, d.Expected
	}
	f := d.Span.Field
	if v, err := f.Parse(d.Found); err == nil && d.Found == v.String() {
		return f.Said(v), f.Said(d.Want)
	}
	return d.Found, f.Said(d.Want)
}

// maxText is how many bytes of a finding's text are kept: enough for a stack trace.
const maxText = 8 << 10

// cut shortens a text that contains a value from the file.
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
	text := cmp.Or(d.Message, d.Rule.Title)
	if d.Detail != "" {
		text += " (" + d.Detail + ")"
	}
	return text
}
