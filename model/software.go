package model

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Software is a program or library that reads files of a format. Users come with its message, not with the byte that it is about.
type Software struct {
	Name     string   // as commands take it: tiledb
	Title    string   // as sentences say it: TileDB
	Folder   string   // what a folder is that it opens: array
	Versions []string // those that are known, the oldest first
	// Reactions is what it does if rules are violated. Of the reactions to a rule, the first for the version counts; if several rules
	// are violated, the first one determines the message: they are in the order in which the reader checks. More specific messages come first.
	Reactions []Reaction
	// Partly means that only some of what the reader rejects is known; nothing is said about other documents.
	Partly bool
	// Beyond is what the reader of a version says about a sound document that it cannot read, or "" if it reads it. Nil: it reads all.
	Beyond func(ctx context.Context, t *Tree, version string) string
}

// Does is what a reader does with a file that violates a rule.
type Does uint8

// What readers do. May claims nothing: the message sometimes occurs for such files.
const (
	May      Does = iota
	Refuses       // it does not open the file
	Fails         // it opens the file, but fails when it reads the damaged part
	Misreads      // it reads wrong data without an error
	Ignores       // it reads the file as if it were intact
)

// Reaction is what a reader does and prints if one of some rules is violated.
type Reaction struct {
	Does     Does
	Rules    []string  // ids
	From, To string    // the first and the last version of the reader that do it; "": there is no such bound
	Source   string    // how it is known: "measured with 2.30", "its source"; "" only with May
	Grade    Severity  // applies only to findings of this severity; 0: those with the severity of the rule
	When     Condition // of which findings; nil: of all

	// Text is the message as printed, with "…" for what differs between files. Case does not matter. Without Rules it is not about the file.
	Text  string
	By    string // the part of the reader that prints it, if not the reader itself: numpy (zipfile)
	Means string // one sentence; "": the title of the first rule
	Do    string // what to do about it besides checking and repairing; one sentence
}

// Condition selects the findings that a reaction applies to; reading that it needs can be cancelled.
type Condition func(ctx context.Context, t *Tree, f *Finding) bool

// Found is the condition that the found value of a finding begins with a text.
func Found(text string) Condition {
	return func(_ context.Context, _ *Tree, f *Finding) bool { return strings.HasPrefix(f.Found, text) }
}

// Says is the condition that the text of a finding contains a text.
func Says(text string) Condition {
	return func(_ context.Context, _ *Tree, f *Finding) bool { return strings.Contains(f.Text(), text) }
}

// IDs are ids of rules with one prefix: IDs("TIX", 1, 22) is TIX-001 and TIX-022.
func IDs(prefix string, numbers ...int) (out []string) {
	for _, n := range numbers {
		out = append(out, fmt.Sprintf("%s-%03d", prefix, n))
	}
	return out
}

// Of makes the same reaction, without a message, to many rules.
func (d Does) Of(source string, rules ...string) Reaction {
	return Reaction{Does: d, Source: source, Rules: rules}
}

// Leads tells whether the reaction applies to files that violate a rule.
func (x *Reaction) Leads(r *Rule) bool { return slices.Contains(x.Rules, r.ID) }

// Version is the newest version of the reader that a text such as 2 or 2.20 or 2.20.1 stands for, and "" if none is known.
// The text "" stands for the newest of all.
func (r *Software) Version(text string) string {
	for _, v := range slices.Backward(r.Versions) {
		if text == "" || text == v || strings.HasPrefix(v, text+".") || strings.HasPrefix(text, v+".") {
			return v
		}
	}
	return ""
}

// is tells whether a reaction applies to a version.
func (r *Software) is(version string, x *Reaction) bool {
	at := slices.Index(r.Versions, version)
	return (x.From == "" || at >= slices.Index(r.Versions, x.From)) && (x.To == "" || at <= slices.Index(r.Versions, x.To))
}

// reacts is the index of the reader's reaction to a finding, or -1 if unknown.
func (r *Software) reacts(ctx context.Context, t *Tree, version string, f *Finding) int {
	return slices.IndexFunc(r.Reactions, func(x Reaction) bool {
		whole := x.Grade == 0 && (f.Newer || f.Grade() <= f.Rule.Severity) // of this file it may be less than the rule says
		return x.Does != May && x.Leads(f.Rule) && r.is(version, &x) && (whole || x.Grade == f.Grade()) && (x.When == nil || x.When(ctx, t, f))
	})
}

// Verdict is what a reader does with a document.
type Verdict struct {
	Reader   *Software
	Version  string // the requested version, or "" for the newest known
	Does     Does   // May: it is not known
	Says     string // the message of a reader that refuses or fails, where it is known
	Findings []int  // positions of the findings behind it

	reason string // the first of them, as the end of a sentence
	file   string // that the first of them is in
}

// heavier tells which of two reactions decides: a refusal, then an unknown one, then the others in their order.
func (d Does) heavier(than Does) bool {
	order := []Does{Refuses, May, Fails, Misreads, Ignores}
	return slices.Index(order, d) < slices.Index(order, than)
}

// Judge says what a version of the reader does with a document with these findings. An error with an unknown reaction makes
// the answer unknown; warnings and notes do not, because files with those are read.
func (r *Software) Judge(ctx context.Context, t *Tree, found []Finding, version string) Verdict {
	v := Verdict{Reader: r, Version: version, Does: Ignores}
	if r.Partly {
		v.Does = May
	}
	at := r.Version(version)
	if !slices.ContainsFunc(r.Reactions, func(x Reaction) bool { return x.Does != May }) {
		v.Does = May
		return v
	}
	if !slices.ContainsFunc(t.readers(), func(x *Software) bool { return x.Name == r.Name }) {
		v.Does, _ = r.about(ctx, t, at, &Finding{Rule: RuleUnknown}) // a file of another format
		return v
	} else if says := r.beyond(ctx, t, at); says != "" {
		return Verdict{Reader: r, Version: version, Does: Refuses, Says: says}
	}
	if slices.ContainsFunc(found, func(f Finding) bool { return f.Needs != nil }) {
		v.Does = May // unknown without the key
		return v
	}
	first := len(r.Reactions)
	for i := range found {
		does, k := r.about(ctx, t, at, &found[i])
		if does.heavier(v.Does) {
			v.Does, v.Findings, first = does, nil, len(r.Reactions)
		}
		if does == Ignores || does != v.Does {
			continue
		}
		if len(v.Findings) == 0 {
			v.reason, v.file = ": "+found[i].Text(), t.FileName(found[i].Where())
		}
		v.Findings, first = append(v.Findings, i), min(first, k)
	}
	if first < len(r.Reactions) {
		v.Says = r.Reactions[first].Text
	}
	return v
}

// beyond is what a version of the reader says about a sound document that it cannot read, or "".
func (r *Software) beyond(ctx context.Context, t *Tree, version string) string {
	if r.Beyond == nil {
		return ""
	}
	return r.Beyond(ctx, t, version)
}

// about is the reader's reaction to a finding, and its index, or how many there are.
func (r *Software) about(ctx context.Context, t *Tree, version string, f *Finding) (Does, int) {
	k := r.reacts(ctx, t, version, f)
	switch {
	case k >= 0:
		return r.Reactions[k].Does, k
	case f.Grade() == Error:
		return May, len(r.Reactions)
	}
	return Ignores, len(r.Reactions)
}

// several tells whether a document is more than its main file.
func (t *Tree) several() bool {
	return t.Snapshot != nil && slices.ContainsFunc(t.Spaces(), func(s *Space) bool { return !s.Derived() && s.File != t.Snapshot.Primary })
}

// Verdicts is what the readers of a document's format do with it, given these findings, the format's own reader first, as far as that is known. Another finding
// can change every answer but a refusal: unless everything was checked, the others are left out. Nothing is said about files that only
// a version later than the known ones reads.
func (t *Tree) Verdicts(ctx context.Context, found []Finding, checked bool) (out []Verdict) {
	for _, r := range t.readers() {
		if r.beyond(ctx, t, r.Version("")) != "" {
			continue
		}
		if v := r.Judge(ctx, t, found, ""); v.Does == Refuses || checked && v.Does != May {
			out = append(out, v)
		}
	}
	return out
}

// readers are those of the format of a tree.
func (t *Tree) readers() []*Software {
	if t.Format == nil {
		return nil
	}
	return t.Format.Readers
}

// Word is the reaction as data.
func (d Does) Word() string {
	return [...]string{"not known", "refuses", "fails", "reads other data", "opens"}[d]
}

// Text is a verdict on a document as a sentence without a full stop: TileDB opens this array: 349 cells.
func (v *Verdict) Text(ctx context.Context, t *Tree) string {
	name, what := strings.TrimSuffix(v.Reader.Title+" "+v.Version, " "), "this file"
	switch {
	case v.Reader.Folder != "" && t.several():
		what = "this " + v.Reader.Folder
	case v.file != "" && v.file != t.Snapshot.Primary:
		what = v.file
	}
	said := ""
	if v.Says != "" {
		said = fmt.Sprintf(": %q", v.Says)
	}
	switch v.Does {
	case Refuses:
		return name + " refuses " + what + said
	case Fails:
		return name + " opens " + what + ", but fails when it reads the damaged part" + said
	case Misreads:
		return name + " opens " + what + " without an error, but reads wrong data" + v.reason
	case Ignores:
		if tables := t.Tables(ctx); len(tables) > 0 {
			said = ": " + ShapeOf(tables)
		}
		return name + " opens " + what + said
	}
	return "It is not known whether " + name + " opens " + what
}
