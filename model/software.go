package model

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Software is a program or library that reads files of a format. People come with what it says, and not with the byte that it is about.
type Software struct {
	Name     string   // as commands take it: tiledb
	Title    string   // as sentences say it: TileDB
	Folder   string   // what a folder is that it opens: array
	Versions []string // those that are known, the oldest first
	// Reactions is what it does where rules are broken. Of those of one rule the first decides that is of the version; where several rules
	// are broken, the first says the message: they are in the order in which the reader looks. The more particular messages come first.
	Reactions []Reaction
	// Partly: only some of what the reader refuses is known, and of all other documents nothing is said.
	Partly bool
	// Beyond is what the reader of a version says of a sound document that it cannot read, or "" where it reads it. Nil: it reads all.
	Beyond func(ctx context.Context, t *Tree, version string) string
}

// Does is what a reader does with a file in which a rule is broken.
type Does uint8

// What readers do, of which May claims nothing: the message is said of such files at times.
const (
	May      Does = iota
	Refuses       // it does not open the file
	Fails         // it opens the file, and fails at what is damaged when that is read
	Misreads      // it reads other data than were written, without an error
	Ignores       // it reads the file as if nothing were wrong
)

// Reaction is what a reader does, and what it prints, where one of some rules is broken.
type Reaction struct {
	Does     Does
	Rules    []string  // ids
	From, To string    // the first and the last version of the reader that do it; "": there is no such bound
	Source   string    // how it is known: "measured with 2.30", "its source"; "" only with May
	Grade    Severity  // of findings of this grade alone, where a rule has several; 0: of those that are as grave as the rule
	When     Condition // of which findings; nil: of all

	// Text is the message as it is printed, without what differs from file to file: "…" stands for that. Case does not matter.
	Text  string
	By    string // the part of the reader that prints it, where that is not the reader itself: numpy (zipfile)
	Means string // one sentence; "": the title of the first rule
	Do    string // what to do about it, where more can be said than that it can be checked and repaired; one sentence
}

// Condition tells of which findings a reaction is; what it has to read for that can be cancelled.
type Condition func(ctx context.Context, t *Tree, f *Finding) bool

// Found returns a condition: that what a finding found begins with this.
func Found(text string) Condition {
	return func(_ context.Context, _ *Tree, f *Finding) bool { return strings.HasPrefix(f.Found, text) }
}

// Says returns a condition: that the text of a finding has this in it.
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

// Of says one thing of many rules that a reader is silent about.
func (d Does) Of(source string, rules ...string) Reaction {
	return Reaction{Does: d, Source: source, Rules: rules}
}

// Leads tells whether the reaction is to files that break a rule.
func (x *Reaction) Leads(r *Rule) bool { return slices.Contains(x.Rules, r.ID) }

// Version is the newest version of the reader that is meant by a text, such as 2 or 2.20 or 2.20.1, and "" where none is known.
// The text "" means the newest of all.
func (r *Software) Version(text string) string {
	for _, v := range slices.Backward(r.Versions) {
		if text == "" || text == v || strings.HasPrefix(v, text+".") || strings.HasPrefix(text, v+".") {
			return v
		}
	}
	return ""
}

// is tells whether a version lies within the bounds of a reaction.
func (r *Software) is(version string, x *Reaction) bool {
	at := slices.Index(r.Versions, version)
	return (x.From == "" || at >= slices.Index(r.Versions, x.From)) && (x.To == "" || at <= slices.Index(r.Versions, x.To))
}

// reacts is the place of what a reader does about a finding, or -1 where that is not known.
func (r *Software) reacts(ctx context.Context, t *Tree, version string, f *Finding) int {
	return slices.IndexFunc(r.Reactions, func(x Reaction) bool {
		whole := x.Grade == 0 && (f.Newer || f.Grade() <= f.Rule.Severity) // of this file it may be less than the rule says
		return x.Does != May && x.Leads(f.Rule) && r.is(version, &x) && (whole || x.Grade == f.Grade()) && (x.When == nil || x.When(ctx, t, f))
	})
}

// Verdict is what a reader makes of a document.
type Verdict struct {
	Reader   *Software
	Version  string // that was asked for, or "" for the newest known
	Does     Does   // May: it is not known
	Says     string // the message of a reader that refuses or fails, where it is known
	Findings []int  // the places of the findings that it follows from

	reason string // the first of them, as the end of a sentence
	file   string // that the first of them is in
}

// heavier tells which of two deeds decides: a refusal, then what is not known, then the others in their order.
func (d Does) heavier(than Does) bool {
	order := []Does{Refuses, May, Fails, Misreads, Ignores}
	return slices.Index(order, d) < slices.Index(order, than)
}

// Judge says what the reader of a version makes of a document with these findings. A finding of an error that nothing is known about makes
// the answer unknown; warnings and notes that nothing is known about do not, as files with those are read.
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
		v.Does = May // what a key would show is not known
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
		v.Findings = append(v.Findings, i)
		if k >= 0 && k < first {
			first, v.Says = k, r.Reactions[k].Text
		}
	}
	return v
}

// beyond is what the reader of a version says of a sound document that it cannot read, or "".
func (r *Software) beyond(ctx context.Context, t *Tree, version string) string {
	if r.Beyond == nil {
		return ""
	}
	return r.Beyond(ctx, t, version)
}

// about is what the reader does about a finding, and the place of the reaction, or -1.
func (r *Software) about(ctx context.Context, t *Tree, version string, f *Finding) (Does, int) {
	k := r.reacts(ctx, t, version, f)
	switch {
	case k >= 0:
		return r.Reactions[k].Does, k
	case f.Grade() == Error:
		return May, -1
	}
	return Ignores, -1
}

// several tells whether a document is more than its main file.
func (t *Tree) several() bool {
	return t.Snapshot != nil && slices.ContainsFunc(t.Spaces(), func(s *Space) bool { return !s.Derived() && s.File != t.Snapshot.Primary })
}

// Verdicts is what the readers of its format make of a document with these findings, the format's own first, where that is known. A finding
// more can change every answer but a refusal: unless everything was checked, the others are left out. Of what only a later version than is
// known reads, nothing is said.
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

// Word is the deed as data.
func (d Does) Word() string {
	return [...]string{"not known", "refuses", "fails", "reads other data", "opens"}[d]
}

// Text says a verdict on a document in a sentence without a full stop: TileDB opens this array: 349 cells.
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
