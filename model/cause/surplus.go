package cause

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"spandrel/model"
	"spandrel/model/kinds"
)

// What bytes are that do not belong to a file.
const (
	zeros  = "only zeros"
	copied = "a second copy of the file begins there"

	httpHead = "an HTTP response header"
)

// leastForeign is how many bytes say what they are, at least.
const leastForeign = 16

// foreign says in a few words what bytes are that do not belong to a file: "only zeros", "a PNG image"; "" where nothing shows.
func foreign(b, file []byte) string {
	f := &kinds.File{Size: int64(len(b)), All: bytes.NewReader(b), Head: b[:min(len(b), seen)], Tail: b[max(0, len(b)-seen):]}
	k, known := kinds.Of(f)
	switch text := strings.ToLower(string(b[:min(len(b), sector)])); {
	case len(b) > 0 && len(bytes.Trim(b, "\x00")) == 0:
		return zeros
	case len(bytes.Trim(b, "\r\n")) == 0 && len(b) <= len("\r\n"):
		return "a line end"
	case len(b) < leastForeign:
	case uniform(b):
		return fmt.Sprintf("only bytes 0x%02x", b[0])
	case bytes.HasPrefix(file, b[:leastForeign]) && !uniform(b[:leastForeign]):
		return copied
	case known && k.Sure:
		return k.Name
	case strings.HasPrefix(text, "http/1.") || strings.HasPrefix(text, "http/2 "):
		return httpHead
	case strings.HasPrefix(text, "<!doctype html") || strings.HasPrefix(text, "<html"):
		return "a web page" + title(text)
	case isText(b[:min(len(b), sector)]):
		return "text" + quote(strings.TrimSpace(string(b[:min(len(b), sector)])))
	}
	return ""
}

// maxForeign is how many bytes behind the end of a file are looked at.
const maxForeign = 1 << 20

// surplus says of findings that count bytes behind the end of a file what these are.
func (g *Diagnosis) surplus(ctx context.Context) {
	for i := range g.Findings {
		f := &g.Findings[i]
		at := f.Where()
		sp := g.Tree.Space(at.Space)
		if sp == nil || sp.Derived() || at.Off == 0 || at.Len == 0 || f.Grade() == model.Error || !measures(f.Found, at.Len) {
			continue
		}
		if size, err := g.Tree.Size(ctx, at.Space); err != nil || at.End() != size {
			continue
		}
		at.Len = min(at.Len, maxForeign)
		b, err := g.Tree.Bytes(ctx, at)
		head, bad := g.Tree.Bytes(ctx, model.Range{Space: at.Space, Len: min(leastForeign, at.Off)})
		what := foreign(b, head)
		if what == zeros {
			what = "zeros, as padding"
		}
		if err == nil && bad == nil && what != "" {
			f.Message = f.Text() + " (" + what + ")"
		}
	}
}

// measures tells whether what was found is so many bytes, and no more.
func measures(found string, n int64) bool {
	return found == "" || strings.HasPrefix(strings.ReplaceAll(found, ",", ""), fmt.Sprintf("%d byte", n))
}
