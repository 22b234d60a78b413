package cause

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"spandrel/model"
)

var pointer = regexp.MustCompile(`(?s)^version https://git-lfs\.github\.com/spec/v1\n.*oid sha256:([0-9a-f]{64})\nsize (\d+)`)

// kind tells of a file that is something else altogether.
func (g *glance) kind() {
	head := g.b[:min(len(g.b), 4096)]
	text := strings.ToLower(string(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))))
	again := "There is nothing of it here: get the file again."
	lfs := pointer.FindSubmatch(head)
	switch {
	case g.c.Len() == 0 && g.blamed:
		g.tell(Proven, again, []string{"its length"}, "%s is empty.", g.the())
	case lfs != nil:
		g.tell(Proven, "Run “git lfs pull” in the repository, or download the file from its web page.", []string{"its first line"},
			"%s is a Git-LFS pointer, not the file: its %s bytes are in the repository's store.", g.the(), string(lfs[2]))
	case g.all && g.blamed && len(bytes.Trim(g.b, "\x00")) == 0:
		g.tell(Proven, again, []string{"every byte"}, "%s is all zeros: its %s bytes were never written, or were wiped.", g.the(), model.Thousands(g.c.Len()))
	case strings.HasPrefix(text, "<!doctype html") || strings.HasPrefix(text, "<html") || strings.HasPrefix(text, "<head") || strings.HasPrefix(text, "<body"):
		g.tell(Proven, "The download was refused or led to another page: get the file again.", []string{"its first bytes"}, "%s is a web page%s, not the file.", g.the(), title(text))
	case strings.HasPrefix(text, "<?xml") || strings.HasPrefix(text, "<error"):
		g.tell(Proven, "The server answered with a message instead of the file: get it again.", []string{"its first bytes"}, "%s is an XML text, not the file%s.", g.the(), quote(text))
	case strings.HasPrefix(text, "{") && strings.Contains(text, "error") && g.plain():
		g.tell(Proven, "The server answered with a message instead of the file: get it again.", []string{"its first bytes"}, "%s is a message in JSON, not the file%s.", g.the(), quote(text))
	}
}

// plain tells whether the file is text.
func (g *glance) plain() bool {
	for _, x := range g.b[:min(len(g.b), 4096)] {
		if x < 0x20 && x != '\n' && x != '\r' && x != '\t' {
			return false
		}
	}
	return true
}

func title(text string) string {
	if i := strings.Index(text, "<title>"); i >= 0 {
		if t, _, ok := strings.Cut(text[i+7:], "</title>"); ok && len(t) < 80 {
			return fmt.Sprintf(" (%s)", strings.TrimSpace(t))
		}
	}
	return ""
}

func quote(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if len(line) > 80 {
		line = strings.ToValidUTF8(line[:80], "") + "…"
	}
	return ": " + strings.TrimSpace(line)
}

// zeros tells of a run of zeros that begins and ends where sectors do, and that findings lie in.
func (g *glance) zeros() {
	const sector = 512
	if !g.all {
		return
	}
	n := len(g.b)
	for from := 0; from < n; from += sector {
		to := from
		for to < n && len(bytes.Trim(g.b[to:min(to+sector, n)], "\x00")) == 0 {
			to = min(to+sector, n)
		}
		if to-from < sector && !(to == n && to > from && from > 0) {
			continue
		}
		hit := 0
		for i := range g.r.found {
			f := &g.r.found[i]
			at := f.Where()
			if f.Grade() != model.Note && g.r.base.tree.FileName(at) == g.name && at.Len < int64(n) && at.Off < int64(to) && at.End() > int64(from) {
				hit++
			}
		}
		if hit > 0 {
			g.tell(Possible, "What stood there is not in this file. What lies around it can still be read.", []string{fmt.Sprintf("%d problems lie in it", hit), "it begins and ends where sectors of a disk do"},
				"%s bytes at 0x%x are zero where data should be%s.", model.Thousands(int64(to-from)), from, g.inside(int64(from), int64(to)))
			c := g.told[len(g.told)-1]
			c.At.Off, c.At.Len = int64(from), int64(to-from)
			return
		}
		from = max(from, to-sector)
	}
}

// inside names the structure that a range lies in.
func (g *glance) inside(from, to int64) string {
	for _, s := range g.r.base.tree.Spaces() {
		if s.File == g.name && !s.Derived() {
			at := g.r.base.tree.At(s.ID, from)
			for at != nil && at.Parent() != nil && at.Range.End() < to {
				at = at.Parent()
			}
			if at != nil && at.Parent() != nil {
				return "; they lie in " + at.Path()
			}
		}
	}
	return ""
}

// opening prints the first bytes of the main file.
func opening(ctx context.Context, t *model.Tree) string {
	b, err := t.Bytes(ctx, model.Range{Space: t.Root.Range.Space, Len: min(8, t.Root.Range.Len)})
	if err != nil {
		return ""
	}
	return model.Opening(b)
}
