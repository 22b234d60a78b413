package model

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Confidence is how certain a format is that bytes are its own: 0 not at all, 100 beyond doubt.
type Confidence int

// Format is everything that the program knows about a file format, as a value of functions; formats are in package parsers.
type Format struct {
	Name   string   // short and lower case: taridx
	Title  string   // TARIDX index
	Doc    string   // one paragraph for the start page
	Exts   []string // with dots
	Inside []string // extensions of archives that may contain documents of the format
	Types  []FileType

	// What `make generate` writes into the README, the packages and the start page.
	Files  string // which files, in Markdown: "`*.npy`, `*.npz`"
	Beyond string // what can be done with them beyond viewing, checking and editing fields
	Sample Sample

	// Detect examines up to 64 KiB from both ends of a file of size bytes, and nothing else. name is the base name. If it
	// declines it says why in one line: what it looked for, and what is there instead.
	Detect func(name string, head, tail []byte, size int64) (sure Confidence, reason string)
	// Dataset says how files of the format belong together; nil if each is independent.
	Dataset *Dataset

	// Parse creates the spans of the main file, or of a folder if there is none. It reads the skeleton, which other places
	// depend on. Payloads are frames.
	Parse func(*Cursor)
	// Tables lists the tables of the tree.
	Tables func(ctx context.Context, t *Tree) []Table
	// Lists are other names for lists of the tree with named elements: columns for toc.
	Lists map[string]string
	// Apart lists the spans whose fields are content outside all tables, for comparisons. Nil: all content is in tables.
	Apart func(ctx context.Context, t *Tree) []*Span
	// Graph reads the graph that a document describes, or nil; it may decode and take time. Nil: the
	// format describes no graphs.
	Graph func(ctx context.Context, t *Tree) (*Graph, error)
	// Outline is the logical view of a document: the top nodes, with what is below them read when someone
	// looks. It runs in a worker and has access to what the parser knows; none if there is nothing to say. Nil: for a format with a graph
	// the graph is the logical view, for others the tree of bytes.
	Outline func(ctx context.Context, t *Tree) ([]Meaning, error)
	// Card adds to the kind, version and shape of a document: who wrote it, who can read it. Nil: nothing.
	Card func(ctx context.Context, t *Tree) []CardLine
	// Deep runs the checks that read everything: every row, every block, other files. It reports through p.
	Deep func(ctx context.Context, t *Tree, p *Probe) error
	// Sizes compares the lengths of files with those given elsewhere, in a store, where that takes requests and is not done on opening. Nil: it is.
	Sizes func(ctx context.Context, t *Tree) error

	// What the diagnosis of damage uses; each may be nil. See damage.go for what to declare.
	Magics     []Magic
	Extents    func(ctx context.Context, t *Tree) []Extent
	Quantities func(ctx context.Context, t *Tree) []Quantity
	// Salvage makes a new document of what can still be read; it is called through the function Salvage, which opens and checks the
	// result. An error says in words why nothing can be saved. It reads the tree even if the header is broken, and other files of
	// the folder through t.Snapshot; it never guesses a value that was not read: a lost cell is missing, a lost row is left out, and the
	// parts say so.
	Salvage func(ctx context.Context, t *Tree) (*Salvaged, error)

	Rules   *Rules
	Readers []*Software        // readers of the format and their reactions to violated rules; the format's own software first
	Repairs map[*Rule]Repairer // repairs for findings of a rule, besides the value that a field should have
	Actions []Action
	Secrets []*Secret // secrets that the user may have to give
	// Prepare reviews edits before they become a plan: it returns those that are made instead (an append where moving would
	// be too expensive), those that links cannot express, what needs confirmation, or an error to refuse them. Nil: all are made
	// unchanged. Loose edits are not passed to it.
	Prepare func(ctx context.Context, t *Tree, edits []Edit) (out []Edit, warnings []string, err error)
}

// FileType is a kind of file of a format as desktops know it: its MIME type, its description, and the names and bytes that identify it.
type FileType struct {
	MIME, Name string
	Names      []string // patterns: "*.npy", followed by a weight if other programs have such files too: "*.fb 40"
	Magics     []Magic
	Also       *Magic // what must be there as well, where the magics are short
	Priority   int    // confidence of the magics; 0: 80
	Zip        bool   // the files are ZIP archives
	Known      string // the identifier of the type on macOS, where systems have the type themselves
}

// Endings are the extensions of a type, without dots or repetitions.
func (t *FileType) Endings() (out []string) {
	for _, name := range t.Names {
		pattern, _, _ := strings.Cut(name, " ")
		if e := strings.TrimPrefix(path.Ext(pattern), "."); e != "" && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// MIME lists the MIME types of a format.
func (f *Format) MIME() (out []string) {
	for _, t := range f.Types {
		out = append(out, t.MIME)
	}
	return out
}

// Sample is a small document of a format in testdata/<format>: a file or folder, and in a folder the file to open, "" for the whole.
type Sample struct{ From, Open string }

// Opening prints the first bytes of a file for people, as used in the reasons of Detect: hexadecimal, and text where it is text.
func Opening(head []byte) string {
	if len(head) == 0 {
		return "nothing"
	}
	b := head[:min(len(head), 8)]
	text := ""
	for _, c := range b {
		if c < 0x20 || c > 0x7e {
			c = '.'
		}
		text += string(rune(c))
	}
	return fmt.Sprintf("% X (%s)", b, text)
}

// Action is a structural edit that a format offers on some spans: add, duplicate, delete, reorder, convert.
type Action struct {
	Name   string // a command-line name: drop-rows
	Label  string // for menus: Remove rows
	Doc    string
	Params []Param
	// Removes means that less can be read after it, as its user asks for.
	Removes bool
	// On tells whether the action applies to a span; nil: to every one.
	On func(t *Tree, s *Span) bool
	// Plan makes the edits.
	Plan func(ctx context.Context, t *Tree, s *Span, args map[string]string) ([]Edit, error)
}

// Fits tells whether the action applies to a span.
func (a *Action) Fits(t *Tree, s *Span) bool { return a.On == nil || a.On(t, s) }

// String returns the label, followed by the description if there is one, as sentences.
func (a *Action) String() string {
	label := strings.TrimSuffix(a.Label, "…")
	if a.Doc == "" {
		return label
	}
	return label + ". " + strings.ToUpper(a.Doc[:1]) + a.Doc[1:]
}

// Param is a parameter of an action.
type Param struct {
	Name, Label, Default string
	Choices              []string
	First, Last, Count   string // the table whose selected rows are proposed: the first of them, the last, or how many; "" for none
}

// Rule returns the rule of the format or of the engine with an id, or nil.
func (f *Format) Rule(id string) *Rule {
	for _, r := range EngineRules {
		if r.ID == id {
			return r
		}
	}
	if f == nil {
		return nil
	}
	return f.Rules.Rule(id)
}

// Dataset says how the files of a format belong together.
type Dataset struct {
	// Beside means that a file has others beside it, so that its folder is opened with it.
	Beside bool
	// Detect examines a folder: which file is the main one ("" for none), and the confidence. Nil: folders are not opened.
	Detect func(s *Snapshot) (primary string, sure Confidence)
	// Home returns, with Beside, how many folders above a file's own the dataset's folder is: a file deep inside a dataset needs others
	// elsewhere in it. path has slashes; the path of an opened folder ends with one, and counts as part of the dataset if Detect recognises
	// the folder above it. Nil: none.
	Home func(path string) int
	// Aside returns where in the dataset's folder a working file of the program for a file, such as its backup, may be. Nil: beside the file. It
	// is for formats whose readers treat every file in a folder as theirs.
	Aside func(name string) string
	// Lock names the file of the folder whose advisory lock programs of the format hold while they read or write: a save takes it. "": none.
	Lock string
	// Prune means that a folder that a save leaves empty is removed too, because readers would look for files in it.
	Prune bool
}

// dataset is how files of the format belong together: by nothing where it does not say, and where the format is not known.
func (f *Format) dataset() Dataset {
	if f == nil || f.Dataset == nil {
		return Dataset{}
	}
	return *f.Dataset
}
