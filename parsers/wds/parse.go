package wds

import (
	"bytes"
	"path"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/jsontext"
	"spandrel/parsers/internal/tarfile"
)

// index is what a tree remembers.
type index struct {
	dali     bool
	lines    *model.Span // of an index of DALI; nil where its first line is broken
	named    bool        // its components have names
	archives []listed    // of DALI's one
}

// listed is an archive of an index, and what a shard list says of it.
type listed struct {
	url                string
	samples, size, sum model.Node
	span, beside       *model.Span // the entry, and the archive, nil where it is not here
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
	if isJSON(c.Peek(64)) {
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
	tail := c.PeekAt(c.Pos()+max(0, c.Left()-mostBlank), min(c.Left(), mostBlank))
	over := tail[len(bytes.TrimRight(tail, "\r\n")):] // empty lines at the end: no one reads them
	for _, end := range []string{"\r", "\n"} {
		over = bytes.TrimPrefix(over, []byte(end))
	}
	list := c.Sequence(samples, line, c.Left()-int64(len(over)), x.line)
	x.lines = list.Span
	if len(over) > 0 {
		c.Rest(blank.Named("empty lines"))
	}
	c.CountOf(n, list).As(badCount)
}

// line reads a sample.
func (x *index) line(c *model.Cursor) {
	b := c.Peek(min(c.Left(), mostLine))
	n := bytes.IndexByte(b, '\n') + 1
	if n == 0 {
		n = len(b)
	}
	body := bytes.TrimRight(b[:n], "\r\n")
	at := wordsOf(body)
	per := 3
	if x.named {
		per = 4
	}
	start := c.Pos()
	list := c.ListN(components, int64(len(body)), func(c *model.Cursor) {
		for k := 0; k+per <= len(at); k += per {
			c.Struct(component, func(c *model.Cursor) {
				for i, f := range words[:per] {
					if n := start + at[k+i][0] - c.Pos(); n > 0 {
						c.FieldN(blank.Named("blank before %s", f.Name), n)
					}
					c.FieldN(f, at[k+i][1]-at[k+i][0])
				}
			})
		}
		if c.More() {
			c.Rest(broken)
		}
	})
	if rest := int64(n - len(body)); rest > 0 {
		c.FieldN(blank.Named("line end"), rest)
	}
	if len(at) == 0 || len(at)%per > 0 {
		c.Wrong(badLine, list, model.Words("%d words", len(at)), model.Words("%d words a component", per))
	}
}

// wordsOf are the places of the words of a line.
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

// shardList reads an index of wids.
func (x *index) shardList(c *model.Cursor) {
	if n := c.Left(); n > mostJSON {
		c.Wrong(model.RuleCap, c.Span(), model.Words("%d bytes", n), model.Words("at most %d", mostJSON), model.Saying("the index is not taken apart"))
		c.Rest(text)
		return
	}
	start, versioned, found := c.Pos(), false, []listed(nil)
	list, end, err := jsontext.Object(c, entries, entry, 1, func(c *model.Cursor, base int64, tokens []jsontext.Token) {
		if tokens[0].Text != "shardlist" {
			lay(c, base, tokens, func(t jsontext.Token, n model.Node) {
				if t.Key == "wids_version" && t.Depth == 1 && t.Kind > jsontext.Key {
					if versioned = true; t.Text != "1" {
						c.Wrong(noVersion, n, nil, model.I(1))
					}
				}
			})
			return
		}
		c.FieldN(keyField.Named("key shardlist"), tokens[0].End-tokens[0].Start)
		for i, part := range shardsOf(tokens) {
			c.FieldN(between.Named("syntax %d", i+1), base+part[0].Start-c.Pos())
			h := listed{}
			h.span = c.Block(shard.Named("shard %d", i), base+part[len(part)-1].End-c.Pos(), func(c *model.Cursor) { lay(c, base, part, h.take) }).Span
			if h.url == "" || h.samples.Span == nil {
				c.Wrong(badShard, h.span, nil, "url and nsamples")
			}
			found = append(found, h)
		}
		c.Rest(between)
	})
	if err != nil {
		c.Wrong(notJSON, c.Range(start+end, 0), err, "{, entries and }")
	}
	if list == nil {
		c.Rest(text)
	}
	if err == nil && !versioned {
		c.Wrong(noVersion, list, "no wids_version", "1")
	}
	if err == nil && len(found) == 0 {
		c.Wrong(noShards, list, nil, "a shardlist of archives")
	}
	for _, h := range found {
		x.add(c, h)
	}
}

// lay lays a part of the index out: names, and values by their names.
func lay(c *model.Cursor, base int64, tokens []jsontext.Token, got func(jsontext.Token, model.Node)) {
	jsontext.Lay(c, base, tokens, func(t jsontext.Token) *model.Field {
		switch {
		case t.Kind == jsontext.Key:
			return keyField.Named("key %s", t.Text)
		case t.Kind > jsontext.Key && t.Key != "":
			return &model.Field{Name: t.Key, Codec: t.Codec(), Ref: "wids"}
		}
		return nil
	}, got)
}

// shardsOf are the tokens of each entry of the shard list.
func shardsOf(tokens []jsontext.Token) (parts [][]jsontext.Token) {
	from := 0
	for i, t := range tokens {
		switch {
		case t.Depth == 2 && t.Kind == jsontext.Open:
			from = i
		case t.Depth == 2 && t.Kind == jsontext.Close:
			parts = append(parts, tokens[from:i+1])
		}
	}
	return parts
}

// take takes a value of an entry.
func (h *listed) take(t jsontext.Token, n model.Node) {
	switch {
	case t.Kind == jsontext.Text && t.Key == "url":
		h.url = n.Text()
	case t.Kind == jsontext.Number && t.Key == "nsamples":
		h.samples = n
	case t.Kind == jsontext.Number && t.Key == "filesize":
		h.size = n
	case t.Kind == jsontext.Text && t.Key == "md5sum":
		h.sum = n
	}
}

// add adds an archive of the index, and lays it beside it where it is in the folder.
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
		return // not all of the folder is known
	}
	for _, e := range list {
		if e.Name == h.file && e.Regular {
			h.beside = c.Companion(archive.Named("%s", e.Name), e, tarfile.Field).Span
			if h.size.Span != nil && h.size.Int() != e.Size {
				c.Wrong(wrongSize, h.size, nil, model.I(e.Size))
			}
			return
		}
	}
	c.Wrong(noArchive, h.span, h.url, nil)
}

// mostArchives is how many archives are laid beside an index.
const mostArchives = 10_000
