package model

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"
)

// mostHeading is up to where the beginning of a file is looked for if text precedes it.
const mostHeading = 4096

// misread tells whether what a finding is about is no part of the file, but a text in front of its beginning, such as the message of a server, or another
// file behind its end. Writing fields into that text would hide the beginning, and removing that file would lose it.
func (t *Tree) misread(ctx context.Context, f *Finding) bool {
	at := f.Where()
	if t.Format == nil || t.Root == nil || f.Span == nil || at.Space != t.Root.Range.Space {
		return false
	}
	return f.Span.Shape == Leaf && at.Off < t.headed(ctx, at) || at.Off > 0 && at.End() == t.Root.Range.End() && t.another(ctx, at)
}

// headed is the offset at which the file begins if only text precedes that, and 0 otherwise.
func (t *Tree) headed(ctx context.Context, at Range) (first int64) {
	if at.Off >= mostHeading {
		return 0
	}
	b, err := t.Bytes(ctx, Range{Space: at.Space, Len: min(mostHeading, t.Root.Range.Len)})
	if err != nil || len(t.begun(b)) > 0 {
		return 0
	}
	for _, m := range t.Format.Magics {
		if i := bytes.Index(b, []byte(m.Bytes)); m.At == 0 && i > 0 && !bytes.ContainsFunc(b[:i], notText) {
			first = int64(i)
		}
	}
	return first
}

// begun is the magic of the format that bytes begin with; "" for none, and for one that a file contains several times.
func (t *Tree) begun(b []byte) string {
	for _, m := range t.Format.Magics {
		if m.At == 0 && !m.Again && strings.HasPrefix(string(b[:min(len(b), len(m.Bytes))]), m.Bytes) {
			return m.Bytes
		}
	}
	return ""
}

// another tells whether another file of the format begins at a place, and not this file again.
func (t *Tree) another(ctx context.Context, at Range) bool {
	const step = 1 << 20
	for off := int64(0); off < min(at.Len, at.Off); off += step {
		n := min(step, min(at.Len, at.Off)-off)
		b, err := t.Bytes(ctx, Range{Space: at.Space, Off: at.Off + off, Len: n})
		if err != nil || off == 0 && t.begun(b) == "" {
			return false
		}
		if a, err := t.Bytes(ctx, Range{Space: at.Space, Off: off, Len: n}); err != nil || !bytes.Equal(a, b) {
			return err == nil
		}
	}
	return false
}

// notText tells whether a character does not occur in text.
func notText(r rune) bool {
	return r == utf8.RuneError || r < ' ' && r != '\t' && r != '\n' && r != '\r'
}
