package doc

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/ui/kit"
	"spandrel/ui/show"
)

// copyKind is a notation in which bytes can be copied.
type copyKind struct {
	Name  string
	write func(b []byte, off int64) string
}

// CopyKinds are the notations, in the order in which they are offered.
var CopyKinds = []copyKind{
	{"hexadecimal: 50 4b 03 04", func(b []byte, _ int64) string { return fmt.Sprintf("% x", b) }},
	{"hexadecimal without spaces: 504b0304", func(b []byte, _ int64) string { return hex.EncodeToString(b) }},
	{"hex dump with offsets and text", hexDump},
	{"text (UTF-8, other bytes become �)", plainText},
	{"C array", func(b []byte, _ int64) string {
		return fmt.Sprintf("static const unsigned char data[%d] = {%s};", len(b), Listed(b, "\t", "\n"))
	}},
	{"Go slice", func(b []byte, _ int64) string { return "[]byte{" + Listed(b, "\t", ",\n") + "}" }},
	{"Python bytes", pythonBytes},
	{"base64", func(b []byte, _ int64) string { return base64.StdEncoding.EncodeToString(b) }},
}

// The notations used by the hex pane for its digits and its text.
const (
	CopyHex  = 0
	CopyText = 3
)

// copyJSON is offered after the kinds, because it needs the tree.
const copyJSON = "JSON lines of the field and everything below it"

// Listed prints bytes as 0x50, 0x4b, …: up to twelve on one line, otherwise twelve per line.
func Listed(b []byte, indent, end string) string {
	var lines []string
	for line := range slices.Chunk(b, 12) {
		lines = append(lines, strings.ReplaceAll(fmt.Sprintf("% #x", line), " ", ", "))
	}
	if len(lines) < 2 {
		return strings.Join(lines, "")
	}
	return "\n" + indent + strings.Join(lines, ",\n"+indent) + end
}

// hexDump prints rows of 16 bytes like hexdump -C.
func hexDump(b []byte, off int64) string {
	var s strings.Builder
	for i := 0; i < len(b); i += 16 {
		fmt.Fprintf(&s, "%08x%s", off+int64(i), hex.Dump(b[i:min(i+16, len(b))])[8:])
	}
	return s.String()
}

// plainText is bytes as text. Clipboards end a text at its first zero.
func plainText(b []byte, _ int64) string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(b), "�"), "\x00", "�")
}

func pythonBytes(b []byte, _ int64) string {
	var s strings.Builder
	s.WriteString(`b"`)
	for _, c := range b {
		switch {
		case c == '"' || c == '\\':
			s.WriteByte('\\')
			s.WriteByte(c)
		case c >= 0x20 && c <= 0x7e:
			s.WriteByte(c)
		default:
			fmt.Fprintf(&s, `\x%02x`, c)
		}
	}
	return s.String() + `"`
}

// AskCopyAs asks for a notation and copies the selection in it.
func (d *Document) AskCopyAs() {
	names := model.Map(CopyKinds, func(k copyKind) string { return k.Name })
	d.Window.Pick("Copy as", "Copy", append(names, copyJSON), d.CopyAs)
}

// CopyAs copies the selected bytes in a notation, or their field as JSON.
func (d *Document) CopyAs(kind int) { d.CopyThen(kind, func() {}) }

// CopyThen is CopyAs, and calls then when the clipboard has been set.
func (d *Document) CopyThen(kind int, then func()) {
	t, r, path, format := d.Tree(), d.Sel.Now.Range, d.Sel.Now.Span.Path(), d.Model.Format
	r.Len = min(r.Len, CopyMost)
	kit.Work(d.Window, "copying", model.Selected, func(ctx context.Context) (string, error) {
		if kind == len(CopyKinds) {
			return spanJSON(ctx, model.Parse(ctx, t.Snapshot, format), path)
		}
		b, err := t.Bytes(ctx, r)
		if err != nil {
			return "", err
		}
		return CopyKinds[kind].write(b, r.Off), nil
	}, kit.OrFail(d.Window.Host, "Copy", func(v string) {
		d.Window.Copy(v)
		defer then()
		if d.Sel.Now.Range.Len > r.Len {
			d.Window.Say(fmt.Sprintf("only the first %s are copied", show.Size(r.Len)))
		}
	}))
}

// spanJSON dumps a field like the dump command, up to CopyMost bytes. The tree must be the caller's own, because dumping closes branches.
func spanJSON(ctx context.Context, t *model.Tree, path string) (string, error) {
	s, err := t.Find(ctx, path)
	if err != nil {
		return "", err
	}
	out := &capped{}
	if err := t.Dump(ctx, out, s, model.DumpOptions{JSON: true, Depth: -1, Elements: 1000}); err != nil && !out.full {
		return "", err
	}
	return out.String(), nil
}

// capped keeps what fits into CopyMost and then returns an error.
type capped struct {
	strings.Builder
	full bool
}

// Write keeps what fits.
func (c *capped) Write(b []byte) (int, error) {
	if c.full = c.full || c.Len()+len(b) > CopyMost; c.full {
		return 0, fmt.Errorf("more than %s", show.Size(CopyMost))
	}
	return c.Builder.Write(b)
}
