package cause

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"spandrel/model"
)

// Text of another program inside a file, where a transfer was resumed: an error page of a proxy, the header of a second response, a log line.

const (
	leastInserted = 24 // bytes of text that are not the file's own
	mostInserted  = 8  // places that are tried
	ownText       = 3  // neighbouring bytes that are text by chance
)

// foreignTexts are the places of such texts: those with a typical beginning, those whose length is what the file is too long by and, if nothing states
// its length, lines.
func foreignTexts(g *subject) (out []model.Range) {
	extra := int64(0)
	if e := g.extent; e != nil && !e.Least {
		extra = g.c.Len() - e.Size
	}
	heads := g.heads()
	add := func(at, n int64) {
		own := slices.ContainsFunc(heads, func(h int64) bool { return h < at && at <= h+leastForeign }) // text of a joined file
		if !own && n >= leastInserted && at > 0 && at+n < int64(len(g.b)) && len(out) < mostInserted {
			out = append(out, model.Range{Off: at, Len: n})
		}
	}
	for _, begin := range append([]string{"HTTP/1.", "HTTP/2 "}, pages...) {
		if at := int64(bytes.Index(g.b, []byte(begin))); at > 0 {
			add(at, messageLen(g.b[at:], extra))
		}
	}
	for at := int64(0); at < int64(len(g.b)) && extra >= leastInserted && len(out) == 0; at++ {
		n := textual(g.b[at:])
		for more := n - extra; more >= 0 && more <= ownText && n < extra+ownText; more-- {
			add(at+more, extra)
		}
		at += n
	}
	if extra == 0 {
		linesIn(g.b, add)
	}
	return out
}

// heads are the places at which a file of the format begins.
func (g *subject) heads() []int64 {
	if f := g.r.base.format; f != nil {
		return beginningsIn(g.b, f, 0)
	}
	return nil
}

// messageLen is the length of a server's message at the front of some bytes: to the end of its header, to the last character that ends a page, or as long
// as the file is too long if it may be.
func messageLen(b []byte, extra int64) int64 {
	run := b[:textual(b)]
	n := int64(bytes.LastIndexAny(run, ">}\n") + 1)
	if head, _, ok := bytes.Cut(run, []byte("\r\n\r\n")); ok && bytes.HasPrefix(run, []byte("HTTP")) {
		n = int64(len(head) + len("\r\n\r\n"))
	}
	if extra >= leastInserted && extra <= int64(len(run)) && extra > n-ownText {
		return extra
	}
	return n
}

// linesIn calls found with every text that ends with a line feed: from its beginning, or a little after it.
func linesIn(b []byte, found func(at, n int64)) {
	for at := textual(b); at < int64(len(b)); at++ { // what is in front is not inside
		n := textual(b[at:])
		for from, end := at, int64(bytes.LastIndexByte(b[at:at+n], '\n')+1); from <= at+ownText && end > 0; from++ {
			found(from, at+end-from)
		}
		at += n
	}
}

// textual is the number of text bytes before the first other one.
func textual(b []byte) (n int64) {
	for n < int64(len(b)) {
		k := character(b[n:])
		if k == 0 {
			break
		}
		n += int64(k)
	}
	return n
}

// textInserted tries to remove such a text.
func textInserted(g *subject) {
	if !g.all || !g.blamed || g.prose() || path.Ext(g.name) == ".json" {
		return
	}
	for _, at := range foreignTexts(g) {
		what := foreign(g.b[at.Off:at.End()], nil)
		t := g.becomes(g.c.Splice(at.Off, at.Len, nil), "remove "+these(at.Len), "It was written into the file when an interrupted transfer was resumed.", "these bytes are text from another program",
			moved(at.Len, lower(g.the()), "", at.Off, what))
		if t != nil {
			t.op, t.at.Off = shiftRest, at.Off
			t.unsure = strings.HasPrefix(what, "text") && (g.extent == nil || g.extent.Size >= g.c.Len()) // it may be the file's own
		}
	}
}

// textOver reports a message that overwrote a part of the file, if there is a problem with what should be there.
func textOver(d *subject) {
	for _, at := range foreignTexts(d) {
		if what := foreign(d.b[at.Off:at.End()], nil); findingsIn(d, at.Off, at.End()) > 0 && (strings.HasPrefix(what, "a web page") || strings.HasPrefix(what, httpHead)) {
			c := d.tell(Likely, "The original bytes are not in this file: download or copy it again, or save the intact data.", []string{"its first bytes"},
				"%s bytes at 0x%x are %s where data should be%s.", model.Thousands(at.Len), at.Off, what, structureAt(d, at.Off, at.End()))
			c.At.Off, c.At.Len = at.Off, at.Len
			return
		}
	}
}
