package model

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// DumpOptions says how much of a tree is printed.
type DumpOptions struct {
	JSON     bool
	Nested   bool  // JSON: one value for the whole tree, with what is below a span in its list spans
	Depth    int   // levels below the start; negative: all
	Elements int64 // of each array; negative: all
	Document string
	All      bool // open every frame and decode every space
}

// dumpLine is one line of a JSON dump.
type dumpLine struct {
	Kind     string   `json:"kind"` // span
	Document string   `json:"document,omitempty"`
	Path     string   `json:"path"`
	File     string   `json:"file"`
	Space    string   `json:"space"`
	Offset   int64    `json:"offset"`
	Length   int64    `json:"length"`
	Type     string   `json:"type"`
	Endian   string   `json:"endian,omitempty"`
	Value    any      `json:"value,omitempty"`
	Label    string   `json:"label,omitempty"`
	Text     string   `json:"text,omitempty"` // what the value refers to, such as the text that ends at a bound
	SHA256   string   `json:"sha256,omitempty"`
	State    string   `json:"state"`
	Children int64    `json:"children"`
	Problems []string `json:"problems,omitempty"`
}

// Dump prints the tree from a span on, in file order, parents before children.
func (t *Tree) Dump(ctx context.Context, w io.Writer, s *Span, o DumpOptions) error {
	out := bufio.NewWriterSize(w, 64<<10)
	d := &dumper{t: t, ctx: ctx, w: out, o: o, problems: map[string][]string{}, name: map[SpaceID]string{}}
	if err := d.span(s, s.Path(), 0); err != nil {
		return err
	}
	if d.o.Nested {
		out.WriteByte('\n')
	}
	return out.Flush()
}

type dumper struct {
	t        *Tree
	ctx      context.Context
	w        *bufio.Writer
	o        DumpOptions
	problems map[string][]string
	counted  int
	between  string // what precedes the next span in a nested value
	name     map[SpaceID]string
}

// findings updates the rules by path: opening frames adds findings.
func (d *dumper) findings() {
	for _, f := range d.t.findingsFrom(d.counted) {
		p := f.Path()
		d.problems[p] = append(d.problems[p], f.Rule.ID)
		d.counted++
	}
}

func (d *dumper) span(s *Span, path string, depth int) error {
	if err := d.ctx.Err(); err != nil {
		return err
	}
	opened, deeper := s.Ready(), d.o.Depth < 0 || depth < d.o.Depth
	if deeper && !opened && (d.o.All || d.shallow(s)) {
		if err := d.t.Open(d.ctx, s); err != nil {
			return err
		}
	}
	d.findings()
	if err := d.line(s, path, depth); err != nil {
		return err
	}
	if deeper {
		if err := d.children(s, path, depth); err != nil {
			return err
		}
	}
	if deeper && !opened {
		s.release()
	}
	if d.o.Nested {
		d.w.WriteByte('}')
		d.between = ","
	}
	return nil
}

// children prints what is below a span: of elements, as many as are asked for.
func (d *dumper) children(s *Span, path string, depth int) error {
	if !d.o.Nested {
		return d.each(s, path, depth)
	}
	d.between = `,"spans":[`
	err := d.each(s, path, depth)
	if d.between == "," { // there was one
		d.w.WriteByte(']')
	}
	return err
}

// each prints the children of a span.
func (d *dumper) each(s *Span, path string, depth int) error {
	_, listed := s.children().(list)
	shown := int64(0)
	for i := range s.Count() {
		k := s.Child(i)
		if k.Index() >= 0 {
			shown++
		}
		if k.Index() >= 0 && d.o.Elements >= 0 && shown > d.o.Elements {
			if listed {
				continue // children with names may follow
			}
			if k = s.Child(s.Count() - 1); k.Index() >= 0 { // bytes after the elements
				return nil
			}
			return d.child(k, path, depth)
		}
		if err := d.child(k, path, depth); err != nil {
			return err
		}
	}
	return nil
}

func (d *dumper) child(k *Span, path string, depth int) error {
	if k.Index() < 0 && path != "" {
		path += "/"
	}
	return d.span(k, path+k.Name(), depth+1)
}

// shallow tells whether a lazy span is cheap to open: it is not derived and is in the main file.
func (d *dumper) shallow(s *Span) bool {
	sp := d.t.Space(s.Range.Space)
	return sp != nil && !sp.Derived() && s.parent != nil && sp.Root != s
}

// release drops the children of a span that was opened for a walk, so that walking a whole file keeps one frame at a time in memory.
// Other readers of the tree would lose them too: walk over a tree of your own.
func (s *Span) release() {
	l := s.lazy()
	if l == nil || l.keep {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kids.Store(nil)
}

func (d *dumper) space(id SpaceID) string {
	n, ok := d.name[id]
	if !ok {
		if n = "file"; d.t.Space(id) != nil {
			n = d.t.Space(id).Name()
		}
		d.name[id] = n
	}
	return n
}

func (d *dumper) line(s *Span, path string, depth int) error {
	l := dumpLine{Kind: "span", Document: d.o.Document, Path: path, File: d.t.FileName(s.Range), Space: d.space(s.Range.Space), Offset: s.Range.Off, Length: s.Range.Len,
		State: s.State.String(), Children: s.Count(), Problems: d.problems[path]}
	if !s.Ready() {
		l.State = Pending.String()
	}
	if sp := d.t.Space(s.Range.Space); sp != nil && sp.Derived() && sp.Root == s && s.Ready() {
		l.Length, _ = d.t.Size(d.ctx, sp.ID)
	}
	v := d.value(s, &l)
	if s.Field.Note != nil && s.Shape == Leaf {
		l.Text = s.Field.Note(d.ctx, d.t, s)
	}
	if !d.o.JSON {
		return d.text(s, path, depth, l, v)
	}
	if v.Kind == Bytes && s.Range.Len > 64 {
		h := sha256.New()
		if d.t.Stream(d.ctx, s.Range, 1<<20, func(_ int64, b []byte) error { h.Write(b); return nil }) == nil {
			l.SHA256 = hex.EncodeToString(h.Sum(nil))
		}
	} else {
		l.Value = v.JSON()
	}
	b, err := MarshalLine(l)
	if err != nil {
		return err
	}
	if !d.o.Nested {
		d.w.Write(b)
		return d.w.WriteByte('\n')
	}
	d.w.WriteString(d.between)
	_, err = d.w.Write(b[:len(b)-1]) // without the brace, for its spans
	return err
}

// value reads the value of a span, and fills in its description.
func (d *dumper) value(s *Span, l *dumpLine) (v Value) {
	switch {
	case s.State == Gap || s.State == Bad && s.Shape == Leaf:
		l.Type = s.State.String()
		v, _ = d.t.Value(d.ctx, s)
	case s.Shape == Array:
		l.Type = "array"
	case s.Shape == Struct:
		l.Type = "struct"
	default:
		l.Type, l.Endian = s.Field.Codec.Type(), s.Field.Codec.Endian()
		var err error
		if v, err = d.t.Value(d.ctx, s); err != nil {
			l.State = Bad.String()
		}
		if s.Field.Enum != nil {
			l.Type, l.Label = "enum", s.Field.Enum[v.Uint()]
		} else if s.Field.Flags != nil {
			l.Type = "flags"
		}
	}
	return v
}

// MarshalLine encodes one line of JSON for any reader: some also end a line at U+0085, which JSON need not escape. The standard
// library escapes the other line ends.
func MarshalLine(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return bytes.ReplaceAll(b, []byte("\u0085"), []byte(`\u0085`)), err
}

// text prints a line for people: offset, the first bytes, then the name by depth and the value.
func (d *dumper) text(s *Span, path string, depth int, l dumpLine, v Value) error {
	name := path
	if s.parent != nil && depth > 0 {
		name = s.Name()
	}
	if name == "" {
		name = l.File
	}
	raw := ""
	if s.Shape == Leaf && s.Range.Len > 0 {
		r := s.Range
		r.Len = min(r.Len, 8)
		b, _ := d.t.Bytes(d.ctx, r)
		if raw = hex.EncodeToString(b); s.Range.Len > 8 {
			raw += "…"
		}
	}
	line := fmt.Sprintf("%08x %8d  %-17s %s%s", s.Range.Off, l.Length, raw, strings.Repeat("  ", depth), name)
	switch {
	case s.Shape == Array:
		line += fmt.Sprintf(" [%d]", s.elements())
	case v.Kind == Text:
		line += " = " + fmt.Sprintf("%q", v.Text())
	case v.Kind != None && l.Type != "gap" && l.Type != "bad":
		line += " = " + v.String()
	}
	if l.Label != "" {
		line += " (" + l.Label + ")"
	}
	if l.Text != "" {
		line += " [" + l.Text + "]"
	}
	if l.State != "ok" && l.State != s.Field.Name {
		line += " <" + l.State + ">"
	}
	if len(l.Problems) > 0 {
		line += "  ! " + strings.Join(l.Problems, " ")
	}
	_, err := d.w.WriteString(OneLine(line) + "\n")
	return err
}
