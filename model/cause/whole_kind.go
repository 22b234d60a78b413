package cause

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"spandrel/model"
)

var pointer = regexp.MustCompile(`(?s)^version https://git-lfs\.github\.com/spec/v1\n.*oid sha256:([0-9a-f]{64})\nsize (\d+)`)

// anotherKind reports a file that is something else altogether.
func anotherKind(g *subject) {
	head := g.b[:min(len(g.b), 4096)]
	said := string(bytes.TrimSpace(bytes.TrimPrefix(head, orderMark)))
	end := pageEnd(g.b)
	if rest := bytes.TrimSpace(g.b[end:]); !plain(g.b) || end > 0 && len(rest) > 0 && rest[0] != '<' {
		said = "" // the message is only what precedes the file
	}
	text := strings.ToLower(said)
	again := "Nothing of it is left. Download or copy the file again."
	lfs := pointer.FindSubmatch(head)
	switch {
	case g.c.Len() == 0 && g.named:
		which := g.the()
		if f := g.r.base.format; f != nil && f.Whole() {
			which = g.name
		}
		g.tell(Proven, again, nil, "%s is empty.", which)
	case lfs != nil:
		g.tell(Proven, "Run “git lfs pull” in the repository, or download the file from its web page.", []string{"its first line"},
			"%s is a Git-LFS pointer, not the file: its %s bytes are in the repository's store.", g.the(), string(lfs[2]))
	case symlinkPath(g):
		g.tell(Proven, "Copying without support for symbolic links leaves the path of the target in place of the file. Copy the target.", []string{"the whole content is a path"},
			"%s is the text of a symbolic link%s, not the file.", g.the(), quote(string(bytes.TrimSpace(g.b))))
	case g.all && g.named && !hollow(g) && allOf(g.b, 0) && neverZero(g):
		g.tell(Proven, "Its bytes were never written, were wiped, or are a piece of another file. Download or copy the file again.", []string{"every byte is zero"},
			"%s is all zeros, %s bytes.", g.the(), model.Thousands(g.c.Len()))
	case strings.HasPrefix(text, "<!doctype html") || strings.HasPrefix(text, "<html") || strings.HasPrefix(text, "<head") || strings.HasPrefix(text, "<body"):
		g.tell(Proven, "The download was refused or redirected. Download the file again.", []string{"its first bytes"}, "%s is a web page%s, not the file.", g.the(), title(text))
	case strings.HasPrefix(text, "<error") || strings.HasPrefix(text, "<?xml") && strings.Contains(text[:min(len(text), 256)], "<error"):
		g.tell(Proven, "The server sent a message instead of the file. Download it again.", []string{"its first bytes"}, "%s is an XML text, not the file%s.", g.the(), quote(element(said, "Message")))
	case refusal(head):
		g.tell(Proven, "The server sent a message instead of the file. Download it again.", []string{"its first bytes"}, "%s is a message in JSON, not the file%s.", g.the(), quote(said))
	case strings.HasPrefix(text, "<?xml") || strings.HasPrefix(text, "<svg"):
		name := "an XML file"
		if strings.Contains(text, "<svg") {
			name = "an SVG image"
		}
		g.tell(Proven, "If a server sent it instead of the file, download the file again.", []string{"its first bytes"}, "%s is %s.", g.the(), name)
	default:
		knownKind(g, false)
	}
}

// target is a path from a parent folder or from the root, in one line. Paths without these also occur at the front of tar files.
var target = regexp.MustCompile(`^(\.\./|/[A-Za-z])[^\x00-\x1f<>|"*?]+\n?$`)

// annexed is how a git-annex pointer begins; it is no path.
const annexed = "/annex/objects/"

// mostTarget is the longest path.
const mostTarget = 1024

// symlinkPath tells whether the file is the path that a symbolic link leads to.
func symlinkPath(g *subject) bool {
	return g.named && len(g.b) <= mostTarget && !bytes.HasPrefix(g.b, []byte(annexed)) && g.prose() && path.Ext(g.name) != ".txt" && target.Match(g.b)
}

// prose tells whether all of the file is text, which no binary file is.
func (g *subject) prose() bool { return g.all && len(g.b) > 0 && plain(g.b) && utf8.Valid(g.b) }

// refusal tells whether text is a JSON object with an error, as servers send it.
func refusal(b []byte) bool {
	b = bytes.TrimSpace(b)
	var keys map[string]json.RawMessage
	if json.Unmarshal(b, &keys) == nil {
		for k := range keys {
			if k = strings.ToLower(k); k == "error" || k == "errors" || k == "errorcode" {
				return true
			}
		}
		return false
	}
	in := bytes.TrimSpace(bytes.TrimPrefix(b, []byte("{")))
	return len(in) < len(b) && plain(b) && bytes.HasPrefix(bytes.ToLower(in), []byte(`"error`))
}

// hollow tells whether the file may legitimately be all zeros, and has the right length.
func hollow(g *subject) bool {
	return g.extent != nil && g.extent.Zeros && g.extent.Size == g.c.Len()
}

// neverZero tells whether the file can never be all zeros: by its size, its magic, or its problems.
func neverZero(g *subject) bool {
	all := int64(len(g.b))
	return g.primary || g.extent != nil && len(g.extent.Magics) > 0 || all >= sector || findingsIn(g, 0, all) > 2 ||
		findingAt(g, func(at model.Range) bool { return at.Off == 0 && at.Len >= 8 && at.Len < all })
}

// plain tells whether bytes are text.
func plain(b []byte) bool {
	for _, x := range b {
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

// element is the content of an element of an XML text, or the text itself if it has no such element.
func element(text, name string) string {
	_, in, ok := strings.Cut(text, "<"+name+">")
	in, _, closed := strings.Cut(in, "</"+name+">")
	if !ok || !closed {
		return text
	}
	return in
}

func quote(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if len(line) > 80 {
		line = strings.ToValidUTF8(line[:80], "") + "…"
	}
	return ": " + strings.TrimSpace(line)
}

// sector is the unit in which disks lose and misplace data.
const sector = model.SectorSize

// foreignSectors reports a run of sectors with findings whose bytes are not the file's own.
func foreignSectors(g *subject) {
	if !g.all || blankEdge(g) {
		return
	}
	n := len(g.b)
	copies := repeatedSectors(g)
	for from := 0; from < n; from += sector {
		what, means := foreignSector(g, from, copies)
		if what == "" {
			continue
		}
		to := from
		for next := what; next == what && to < n; next, _ = foreignSector(g, to, copies) {
			to = min(to+sector, n)
		}
		if hit := problemsFrom(g, from, to, what); hit > 0 {
			edges := "it begins and ends on disk sector boundaries"
			if to%sector > 0 {
				edges = "it begins on a disk sector boundary and reaches the end of the file"
			}
			c := g.tell(Possible, means, []string{model.Count(int64(hit), "problems are in this range"), edges},
				"%s bytes at 0x%x are %s%s.", model.Thousands(int64(to-from)), from, what, structureAt(g, int64(from), int64(to)))
			c.At.Off, c.At.Len = int64(from), int64(to-from)
			explainBlank(g, c, hit)
			return
		}
		from = max(from, to-sector)
	}
}

// explainBlank lets a cause explain only that whole sectors are zero if that is all that was found in them: then the zeros replace values, and every other
// problem of the file has another cause.
func explainBlank(g *subject, c *Cause, hit int) {
	var only []int
	for i, f := range g.r.found {
		if at := source(g.r.base.tree, f.Where()); f.Rule == model.RuleBlank && at.File == g.name && at.Off < c.At.Off+c.At.Len && at.End() > c.At.Off {
			only = append(only, i)
		}
	}
	if len(only) == hit {
		c.Explains = only
	}
}

// problemsFrom counts the problems caused by the foreign content of a run of sectors; 0 if it may be the file's own.
func problemsFrom(g *subject, from, to int, what string) int {
	zero := strings.HasPrefix(what, "zero")
	if n := period(g.b[from:min(from+sector, to)], longFill); n > 0 && !isFill(g, from, to, n) || mayBeZero(g, from, to) {
		return 0
	}
	if what == unrelated && (plain(g.b[max(0, from-32):from]) || plain(g.b[to:min(to+32, len(g.b))])) {
		return 0 // the file's own text crosses sectors
	}
	hit := findingsIn(g, int64(from), int64(to))
	if hit == 0 && to == len(g.b) {
		hit = findingsInto(g, int64(from))
	}
	if hit == 0 && !g.primary && g.blamed && zero && to-from < len(g.b) {
		hit = errorsOnWhole(g) // its problems are reported for the whole file
	}
	return hit
}

// findingsIn counts the findings about bytes of a range, or about something that contains it and is not the whole file.
func findingsIn(g *subject, from, to int64) (n int) {
	t := g.r.base.tree
	about := func(where model.Range) bool {
		at := source(t, where)
		return at.File == g.name && at.Len < int64(len(g.b)) && at.Off < to && at.End() > from
	}
	for _, f := range graded(g.r.found, model.Warning) {
		n += b2i(about(f.Where()) || slices.ContainsFunc(f.Related, about))
	}
	return n
}

// isFill tells whether a pattern of n bytes is more than the file's own: it continues on neither side, and is not just a little at the end.
func isFill(g *subject, from, to, n int) bool {
	if to-from < sector && to-from < leastZeros {
		return false
	}
	same := func(b []byte) bool { return len(b) > n && bytes.Equal(b[n:], b[:len(b)-n]) }
	before, behind := same(g.b[max(0, from-leastZeros):from+n]), same(g.b[to-n:min(len(g.b), to+leastZeros)])
	return from == 0 || !before || !behind && to < len(g.b)
}

// mayBeZero tells whether bytes are zeros of a field that should be zero.
func mayBeZero(g *subject, from, to int) bool {
	return allOf(g.b[from:to], 0) && prescribed(g.r, Place{File: g.name, Off: int64(from), Len: int64(to - from)})
}

// prescribed tells whether a place is in a field that may be zero and little else: padding, or the end of an archive.
func prescribed(r *search, at Place) bool {
	sp := spaceOf(r.base.tree, at.File)
	if sp == nil {
		return false
	}
	s, err := r.base.tree.AtOpen(r.ctx, sp.ID, at.Off)
	if err != nil || s == nil || s.Shape != model.Leaf || s.Field.Check == nil || s.Field.Codec == nil || s.Range.End() < at.Off+at.Len {
		return false
	}
	v, _, err := s.Field.Codec.Decode(make([]byte, min(s.Range.Len, maxRegular)))
	return err == nil && s.Field.Check(v) == ""
}

// findingsInto counts the findings at bytes directly before a place, about something that extends past it.
func findingsInto(g *subject, from int64) (n int) {
	t := g.r.base.tree
	for _, f := range graded(g.r.found, model.Warning) {
		if f.Span == nil {
			continue
		}
		at, of := source(t, f.Where()), source(t, f.Span.Range)
		n += b2i(at.File == g.name && at.Off <= from && at.Off >= from-leastZeros*4 && of.Off < from && of.End() > from && of.Len < int64(len(g.b)))
	}
	return n
}

// errorsOnWhole counts the errors about the whole file. A warning about it, such as that it is newer than another, says nothing of its bytes.
func errorsOnWhole(g *subject) (n int) {
	t := g.r.base.tree
	for _, f := range graded(g.r.found, model.Error) {
		at := source(t, f.Where())
		n += b2i(at.File == g.name && at.Len == int64(len(g.b)))
	}
	return n
}

// unrelated describes sectors that are text.
const unrelated = "unrelated text where data should be"

// foreignSector says what the sector at an offset contains instead of the file's bytes, and what that means; "" for nothing strange. An incomplete
// sector at the end of a file counts only if it is zero.
func foreignSector(g *subject, at int, copies map[int]int) (what, means string) {
	b := g.b[at:min(at+sector, len(g.b))]
	lost := "The original bytes are not in this file. The data around them can still be read."
	switch {
	case g.extent != nil && g.extent.Zeros && allOf(g.b[at:], 0):
		return "", ""
	case allOf(b, 0) && (len(b) == sector || at > 0):
		return "zero where data should be", lost
	case len(b) < sector:
		return "", ""
	case uniform(b):
		return fmt.Sprintf("0x%02x where data should be", b[0]), lost
	case period(b, longFill) > 0:
		return fmt.Sprintf("a repeated pattern (%s) where data should be", model.Opening(b[:min(period(b, longFill), 8)])), lost
	case isText(b):
		return unrelated, lost
	}
	if from, ok := copies[at]; ok {
		return fmt.Sprintf("a copy of those at 0x%x", from), lost
	}
	return "", ""
}

// longFill is the longest pattern with which programs fill what they cannot read, or free.
const longFill = 16

// isText tells whether bytes are a piece of UTF-8 text, which may begin and end inside a character.
func isText(b []byte) bool {
	for i := 0; i < utf8.UTFMax-1 && len(b) > 0 && !utf8.RuneStart(b[0]); i++ {
		b = b[1:]
	}
	for i := 0; i < utf8.UTFMax-1 && !utf8.Valid(b); i++ {
		b = b[:len(b)-1]
	}
	return plain(b) && utf8.Valid(b)
}

// repeatedSectors maps sectors to an earlier one with the same bytes. Sectors of few different bytes repeat in sound files.
func repeatedSectors(g *subject) map[int]int {
	first, out := map[string]int{}, map[int]int{}
	for at := 0; at+sector <= len(g.b); at += sector {
		b := g.b[at : at+sector]
		if from, ok := first[string(b)]; !ok {
			first[string(b)] = at
		} else if distinct(b) >= 16 {
			out[at] = from
		}
	}
	return out
}

func distinct(b []byte) int {
	c := count(b)
	absent, _ := c.absent(0, 256)
	return len(c) - len(absent)
}

// structureAt names the structure that contains a range, unless it is made of the foreign bytes themselves.
func structureAt(g *subject, from, to int64) string {
	if sp := spaceOf(g.r.base.tree, g.name); sp != nil {
		at := g.r.base.tree.At(sp.ID, from)
		for at != nil && at.Parent() != nil && (at.Range.End() < to || at.Range.Off >= from && at.Range.End() > to) {
			at = at.Parent()
		}
		if at != nil && at.Parent() != nil {
			return "; they are in " + at.Path()
		}
	}
	if !g.primary {
		return "; they are in " + g.name
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
