package wds

import (
	"bytes"
	"context"
	"path"
	"strconv"
	"strings"
	"sync/atomic"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// index is stored with a tree.
type index struct {
	dali     bool
	count    model.Node              // sample count of a DALI index
	lines    *model.Span             // nil if the first line is invalid
	named    bool                    // components have names
	open     bool                    // the wids JSON is not closed
	archives []listed                // of DALI's one
	recount  atomic.Pointer[recount] // how its offsets are counted, if not as DALI counts them
}

// recount is how the offsets of an index are counted, and what they should be.
type recount struct {
	model.Recount
	want []int64
}

// listed is an archive of an index, with its entry in a shard list.
type listed struct {
	url                string
	samples, size, sum model.Node
	span, beside       *model.Span // the entry, and the archive; nil if it is missing
	file               string
}

const (
	mostJSON  = 64 << 20
	mostLine  = 1 << 20
	mostBlank = 64 // bytes of empty lines at the end
)

func parse(c *model.Cursor) {
	x := &index{}
	c.Tree().State = x
	if isJSON(narrow(c.Peek(64))) {
		x.shardList(c)
		return
	}
	x.dali = true
	stem, _, _ := strings.Cut(path.Base(c.Tree().Snapshot.Primary), ".")
	defer func() { x.add(c, listed{url: stem + ".tar", span: c.Span()}) }()
	m := heading.FindSubmatch(c.Peek(64))
	if m == nil {
		c.Wrong(badHeading, c.Range(c.Pos(), min(c.Left(), 16)), model.Opening(c.Peek(16)), "v1.2 and the number of samples")
		c.Rest(text)
		return
	}
	v := c.FieldN(version, int64(len(m[1])))
	if x.named = v.Text() != "v1.1"; x.named && v.Text() != "v1.2" {
		c.Wrong(badVersion, v, nil, "v1.1 or v1.2")
	}
	c.FieldN(blank, int64(len(m[2])))
	n := c.FieldN(count, int64(len(m[3])))
	if len(m[4]) > 0 {
		c.FieldN(blank.Named("line end"), int64(len(m[4])))
	}
	own := c.Left()
	if k := bytes.IndexByte(c.Peek(min(own, mostJSON)), 0); k >= 0 {
		own = int64(k) // no text
	}
	if k := bytes.Index(c.Peek(min(own, mostJSON)), []byte("\nv1.")); k >= 0 && heading.Match(c.PeekAt(c.Pos()+int64(k)+1, min(own-int64(k)-1, 64))) {
		own = int64(k) + 1 // another index follows
	}
	tail := c.PeekAt(c.Pos()+max(0, own-mostBlank), min(own, mostBlank))
	over := tail[len(bytes.TrimRight(tail, "\r\n")):] // readers skip empty lines at the end
	for _, end := range []string{"\r", "\n"} {
		over = bytes.TrimPrefix(over, []byte(end))
	}
	list := c.Sequence(samples, line, own-int64(len(over)), x.line)
	x.lines = list.Span
	if len(over) > 0 {
		c.FieldN(blank.Named("empty lines"), int64(len(over)))
	}
	c.CountOf(n, list).As(badCount).Doubtful() // lines may be missing
	x.count = n
	switch {
	case !c.More():
	case c.Peek(1)[0] == 0:
		c.Wrong(badLine, c.Range(c.Pos(), c.Left()), "zeros", "text")
	default:
		c.Wrong(appended, c.Range(c.Pos(), c.Left()), nil, nil)
	}
}

// extents is the length of an index of DALI, which is truncated if its last line is or if lines are missing, and of the archives.
func extents(ctx context.Context, t *model.Tree) (out []model.Extent) {
	x := model.StateOf[*index](t)
	for i := range x.archives {
		if h := &x.archives[i]; h.beside != nil && h.size.Span != nil {
			out = append(out, model.Extent{File: h.file, Size: h.size.Int(), By: h.size.Span, Says: "the index gives its length", Magics: tarfile.Magics})
		}
	}
	if x.open {
		return append(out, model.Extent{Size: t.Root.Range.Len + 1, Least: true, Says: "its JSON is not closed"})
	}
	if x.lines == nil || t.Open(ctx, x.lines) != nil {
		return out
	}
	n, all := x.lines.Count(), x.lines.Range
	tail, err := t.Bytes(ctx, model.Range{Space: all.Space, Off: max(all.Off, all.End()-mostLine), Len: min(all.Len, mostLine)})
	if err != nil {
		return out
	}
	if cut := len(tail) == 0 || tail[len(tail)-1] >= ' '; cut && uint64(n) < x.count.Uint() {
		return append(out, model.Extent{Size: t.Root.Range.Len + 1, Least: true, By: x.count.Span, Says: "it has fewer lines than its first line says"})
	}
	if h, words := x.archives[0], strings.Fields(string(tail)); h.beside != nil && len(words) >= x.per() {
		last := words[len(words)-x.per():]
		out = append(out, model.Extent{File: h.file, Size: int64(number(last[1]) + number(last[2])), Least: true, Says: "the last line of the index refers to bytes after its end", Magics: tarfile.Magics})
	}
	return out
}

// line reads a sample.
func (x *index) line(c *model.Cursor) {
	b := c.Peek(min(c.Left(), mostLine))
	n := bytes.IndexByte(b, '\n') + 1
	if n == 0 {
		n = len(b)
	}
	body, per := bytes.TrimRight(b[:n], "\r\n"), x.per()
	at, start := wordsOf(body), c.Pos()
	if bytes.ContainsFunc(body, func(r rune) bool { return r < ' ' && r != '\t' }) {
		at = nil // no text
	}
	list := c.ListN(components, int64(len(body)), func(c *model.Cursor) {
		for k := 0; k+per <= len(at); k += per {
			c.Struct(component, func(c *model.Cursor) { lineWords(c, start, at[k:k+per]) })
		}
		if c.More() {
			c.Rest(broken)
		}
	})
	if rest := int64(n - len(body)); rest > 0 {
		c.FieldN(blank.Named("line end"), rest)
	}
	if len(at) == 0 || len(at)%per > 0 {
		c.Wrong(badLine, list, model.Words("%d words", len(at)), model.Words("%d words per component", per))
	}
}

// per is the number of words in a component.
func (x *index) per() int {
	if x.named {
		return 4
	}
	return 3
}

// lineWords reads the words of a component, which are at places from start on.
func lineWords(c *model.Cursor, start int64, at [][2]int64) {
	for i, w := range at {
		if n := start + w[0] - c.Pos(); n > 0 {
			c.FieldN(blank.Named("space before %s", words[i].Name), n)
		}
		c.FieldN(words[i], w[1]-w[0])
	}
}

// wordsOf are the places of the words in a line.
func wordsOf(line []byte) (at [][2]int64) {
	for i := 0; i < len(line); {
		if line[i] == ' ' || line[i] == '\t' {
			i++
			continue
		}
		from := i
		for i < len(line) && line[i] != ' ' && line[i] != '\t' {
			i++
		}
		at = append(at, [2]int64{int64(from), int64(i)})
	}
	return at
}

// words are those of a component; the name came with v1.2.
var words = []*model.Field{
	{Name: "extension", Codec: model.UTF8, Doc: "of the member, after the first dot of its name", Ref: "DALI"},
	{Name: "offset", Codec: tarfile.Decimal{}, Doc: "of the payload in the archive", Ref: "DALI", Target: toPayload, Rule: badOffset, Check: func(v model.Value) string {
		if v.Uint()%tarfile.Block > 0 {
			return "a multiple of 512"
		}
		return ""
	}},
	{Name: "size", Codec: tarfile.Decimal{}, Doc: "bytes of the payload", Show: model.ShowSize, Ref: "DALI"},
	{Name: "name", Codec: model.UTF8, Doc: "of the member", Ref: "DALI"},
}

// toPayload is the place of a component in the archive.
func toPayload(t *model.Tree, s *model.Span) (model.Range, bool) {
	x := model.StateOf[*index](t)
	b, ok := t.Cached(s.Range)
	if x == nil || !ok || len(x.archives) == 0 || x.archives[0].beside == nil {
		return model.Range{}, false
	}
	off, err := strconv.ParseInt(string(b), 10, 64)
	at := x.archives[0].beside.Range
	return model.Range{Space: at.Space, Off: off, Len: min(512, at.Len-off)}, err == nil && off >= 0 && off < at.Len
}

// add adds an archive of the index, and makes it a companion if it is in the folder.
func (x *index) add(c *model.Cursor, h listed) {
	defer func() { x.archives = append(x.archives, h) }()
	s := c.Tree().Snapshot
	if h.file = path.Clean(h.url); s == nil || !s.Folder() || h.url == "" || strings.Contains(h.url, "://") || len(x.archives) >= mostArchives {
		return
	}
	dir := path.Dir(h.file)
	if model.Clean(h.file) != nil {
		return
	}
	list, more, err := s.List(dir)
	if err != nil && dir == "." || more {
		return // the folder listing is incomplete
	}
	for _, e := range list {
		if e.Name == h.file && e.Regular {
			h.beside = c.Companion(archive.Named("%s", e.Name), e, tarfile.Field).Span
			return
		}
	}
	c.Wrong(noArchive, h.span, h.url, nil)
}

// mostArchives is how many archives are companions of an index.
const mostArchives = 10_000

func number(s string) uint64 {
	n, _ := strconv.ParseUint(s, 10, 63)
	return n
}
