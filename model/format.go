package model

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Confidence is how sure a format is that bytes are its own: 0 not, 100 beyond doubt.
type Confidence int

// Format is everything the program knows about a file format: a value of functions, in package parsers.
type Format struct {
	Name   string   // short and lower case: taridx
	Title  string   // TARIDX index
	Doc    string   // one paragraph for the start page
	Exts   []string // with dots
	Inside []string // those of archives that may hold documents of the format, and other things
	Types  []FileType

	// What `make generate` writes into the README, the packages and the start page.
	Files  string // which files, in Markdown: "`*.npy`, `*.npz`"
	Beyond string // what can be done with them beyond viewing, checking and editing fields
	Sample Sample

	// Detect looks at up to 64 KiB from both ends of a file of size bytes, and at nothing else. name is the base name. Where it is
	// not sure at all it says why in one line: what was looked for, and what is there instead.
	Detect func(name string, head, tail []byte, size int64) (sure Confidence, reason string)
	// Dataset says how files of the format belong together; nil: each stands alone.
	Dataset *Dataset

	// Parse lays spans over the main file, or over a folder when there is none. It reads the skeleton: what other places
	// depend on. Payloads are frames.
	Parse func(*Cursor)
	// Tables lists the tables that the tree offers.
	Tables func(ctx context.Context, t *Tree) []Table
	// Lists are other names of lists of the tree whose elements have names: columns for toc.
	Lists map[string]string
	// Apart lists the spans whose fields are content that is in no table, for who compares contents. Nil: all content is in tables.
	Apart func(ctx context.Context, t *Tree) []*Span
	// Graph reads the graph that a document describes, or none when there is none; it may decode and so take time. Nil: the
	// format describes no graphs.
	Graph func(ctx context.Context, t *Tree) (*Graph, error)
	// Outline says what a document means, in the terms of its users: the nodes at the top, with what is below them read when someone
	// looks. It is asked in a worker and knows what the parser knows; none where there is nothing to say. Nil: of a format with a graph
	// the graph says it, of others the tree of bytes.
	Outline func(ctx context.Context, t *Tree) ([]Meaning, error)
	// Card says what is known of a document as a whole beside its kind, version and shape: who wrote it, who can read it. Nil: nothing.
	Card func(ctx context.Context, t *Tree) []CardLine
	// Deep runs the checks that read everything: every row, every block, other files. It reports through p.
	Deep func(ctx context.Context, t *Tree, p *Probe) error

	// What the diagnosis of damage builds on; each may be nil. See damage.go for what to declare.
	Magics     []Magic
	Extents    func(ctx context.Context, t *Tree) []Extent
	Quantities func(ctx context.Context, t *Tree) []Quantity
	// Salvage makes a new document of what can still be read; it is called through Salvage of this package, which opens and checks what it
	// makes. An error says in words why nothing can be saved. It reads the tree as it is, also one with a broken header, and other files of
	// the folder through t.Snapshot; it never guesses a value that was not read: a lost cell is missing, a lost row is left out, and the
	// parts say so.
	Salvage func(ctx context.Context, t *Tree) (*Salvaged, error)

	Rules   *Rules
	Readers []*Software        // the software that reads files of the format, and what it does and says where rules are broken: the format's own first
	Repairs map[*Rule]Repairer // what is offered for findings of a rule, beside the value that a field should have
	Actions []Action
	Secrets []*Secret // what the user may have to give before everything can be read
	// Prepare has the format's say about edits before they become a plan: those that are made instead (an append where moving would
	// cost too much), those that links cannot express, what wants a confirmation, or an error to refuse them. Nil: all are made as they
	// are. Edits that are Loose are none of its business.
	Prepare func(ctx context.Context, t *Tree, edits []Edit) (out []Edit, warnings []string, err error)
}

// FileType is a kind of files of a format as desktops know it: its MIME type, what people call it, and by which names and bytes it is known.
type FileType struct {
	MIME, Name string
	Names      []string // patterns: "*.npy", with a weight behind it where other programs have such files too: "*.fb 40"
	Magics     []Magic
	Also       *Magic // what must be there as well, where the magics are short
	Priority   int    // of the magics, 0 for 80: how sure they are
	Zip        bool   // the files are ZIP archives
	Known      string // the identifier of the type on macOS, where systems have the type themselves
}

// Endings are those of the names of a type, each once, without dots.
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

// Sample is a small document of a format in testdata/<format>: a file or folder, and in a folder what is opened, "" for the whole.
type Sample struct{ From, Open string }

// Opening prints the first bytes of a file for people, as reasons of Detect want them: hexadecimal, and text where it is.
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
	Label  string // for menus: Drop rows
	Doc    string
	Params []Param
	// On tells whether the action applies to a span.
	On func(t *Tree, s *Span) bool
	// Plan makes the edits.
	Plan func(ctx context.Context, t *Tree, s *Span, args map[string]string) ([]Edit, error)
}

// Param is something an action asks for.
type Param struct {
	Name, Label, Default string
	Choices              []string
}

// Rule returns a rule of the format or of the engine by its id, or nil.
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
	// Beside tells that a file has others beside it, so that its folder is opened with it.
	Beside bool
	// Detect looks at a folder: which file is the main one ("" for none), and how sure it is. Nil: folders are none of its business.
	Detect func(s *Snapshot) (primary string, sure Confidence)
	// Home tells, with Beside, how many folders above a file's own the dataset's folder is: a file deep inside a dataset needs what lies elsewhere in
	// it. path has slashes; that of a folder that was opened ends with one, and is taken for a part of the dataset when Detect takes the
	// folder above it. Nil: none.
	Home func(path string) int
	// Aside tells where in the dataset's folder something of ours may lie that belongs to a file: its backup. Nil: beside the file. It
	// is for formats whose readers take every file of a folder for theirs.
	Aside func(name string) string
	// Lock names the file of the folder whose advisory lock programs of the format hold while they read or write: a save takes it. "": there is none.
	Lock string
	// Prune tells that a folder which a save leaves empty goes too: readers would look into it for files.
	Prune bool
}
