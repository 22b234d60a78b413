package cause

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"strings"

	"spandrel/model"
	"spandrel/model/kinds"
)

// What surplus bytes are.
const (
	zeros  = "only zeros"
	copied = "a second copy of the file begins there"
	like   = "another file that begins like this one"

	httpHead = "an HTTP response header"
)

// leastForeign is how many bytes are needed to say what they are.
const leastForeign = 16

// foreign says in a few words what surplus bytes are: "only zeros", "a PNG image"; "" if that is not known.
func foreign(b, file []byte) string {
	f := &kinds.File{Size: int64(len(b)), All: bytes.NewReader(b), Head: b[:min(len(b), seen)], Tail: b[max(0, len(b)-seen):]}
	k, known := kinds.Of(f)
	switch text := strings.ToLower(string(b[:min(len(b), sector)])); {
	case len(b) > 0 && allOf(b, 0):
		return zeros
	case len(bytes.Trim(b, "\r\n")) == 0 && len(b) <= len("\r\n"):
		return "a line end"
	case len(b) < leastForeign:
	case uniform(b):
		return fmt.Sprintf("only bytes 0x%02x", b[0])
	case bytes.HasPrefix(file, b[:leastForeign]) && !uniform(b[:leastForeign]):
		if isAgain(b, file) {
			return copied
		}
		return like
	case known && k.Sure:
		return k.Name
	case bytes.HasPrefix(b, []byte("\x93NUMPY")) && b[len(b)-1] == '\n':
		return "the header that numpy.save writes"
	case strings.HasPrefix(text, "http/1.") || strings.HasPrefix(text, "http/2 "):
		return httpHead
	case strings.HasPrefix(text, "<!doctype html") || strings.HasPrefix(text, "<html"):
		return "a web page" + title(text)
	case isText(b[:min(len(b), sector)]):
		return "text" + quote(strings.TrimSpace(string(b[:min(len(b), sector)])))
	}
	return ""
}

// isAgain tells whether bytes are a file again, as far as there are any.
func isAgain(b, file []byte) bool {
	n := min(len(b), len(file))
	return bytes.Equal(b[:n], file[:n])
}

// maxForeign is how many bytes after the end of a file are examined.
const maxForeign = 1 << 20

// atEnds yields the findings that count bytes at an end of a file, and where these are.
func (g *Diagnosis) atEnds(ctx context.Context) iter.Seq2[int, model.Range] {
	return func(yield func(int, model.Range) bool) {
		for i := range g.Findings {
			at := g.Findings[i].Where()
			sp := g.Tree.Space(at.Space)
			if sp == nil || sp.Derived() || at.Len == 0 || g.Findings[i].Grade() == model.Error || !measures(g.Findings[i].Found, at.Len) {
				continue
			}
			if size, err := g.Tree.Size(ctx, at.Space); err == nil && (at.Off == 0 || at.End() == size) && !yield(i, at) {
				return
			}
		}
	}
}

// surplus adds to findings that count bytes after the end of a file what these bytes are.
func (g *Diagnosis) surplus(ctx context.Context) {
	for i, at := range g.atEnds(ctx) {
		if at.Off == 0 {
			continue
		}
		at.Len = min(at.Len, maxForeign)
		b, err := g.Tree.Bytes(ctx, at)
		head, bad := g.Tree.Bytes(ctx, model.Range{Space: at.Space, Len: min(at.Len, at.Off)})
		what := foreign(b, head)
		if what == zeros {
			what = "zeros, as padding"
		}
		if err == nil && bad == nil && what != "" {
			g.Findings[i].Detail = what
		}
	}
}

// measures tells whether a finding's value is just this number of bytes.
func measures(found string, n int64) bool {
	return found == "" || strings.HasPrefix(strings.ReplaceAll(found, ",", ""), fmt.Sprintf("%d byte", n))
}
