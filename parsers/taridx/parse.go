package taridx

import (
	"bytes"
	"fmt"
	"sync"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"spandrel/model"
)

// parser creates the spans of an index and notes its content.
type parser struct{ *index }

// parse reads an index: header, names, rows, and lists the shards beside it.
func parse(c *model.Cursor) {
	x := parser{&index{t: c.Tree(), head: map[string]model.Node{}, fold: &fold{t: c.Tree()}}}
	x.grouped = sync.OnceValues(x.samples)
	c.Tree().State = x.index
	if c.Size() < headerSize {
		c.Wrong(tooShort, c.Range(0, c.Size()), model.SizeText(uint64(c.Size())), "at least 64 bytes")
	} else if x.header(c) {
		x.names(c)
		x.body(c)
	}
	c.Resync(func([]byte) int { return -1 }) // what could not be read
	x.companions(c)
}

// believable is how many witnesses a layout needs without a valid header.
const believable = 4

// header reads the header, and finds the place of everything else. It returns false if nothing readable follows.
func (x parser) header(c *model.Cursor) bool {
	h := bytes.Clone(c.Peek(headerSize))
	named, plausible := string(h[:8]) == magic, isPlausible(h, c.Size())
	x.at = locate(h, c.Size(), c.PeekAt)
	x.dead = !named && !plausible
	if !x.at.sure && x.at.votes < believable && !plausible || x.at.rows < headerSize {
		if x.dead {
			c.Wrong(badMagic, c.Range(0, headerSize), model.Opening(h), model.Opening([]byte(magic)), about(h))
			return false
		}
		x.at = layout{stems: headerSize, rows: headerSize}
	}
	c.Struct(headerField, func(c *model.Cursor) {
		m := c.Field(magicField)
		if !named {
			c.Wrong(badMagic, m, model.Opening(h), model.Opening([]byte(magic)), about(h))
		}
		for _, f := range headerFields {
			if x.dead { // one finding says that the header is damaged; its values are shown unchanged
				f = f.Named("%s", f.Name)
				f.Check = nil
			}
			x.head[f.Name] = c.Field(f)
		}
	})
	return true
}

// about describes what is wrong with a header.
func about(h []byte) model.Detail {
	if len(bytes.Trim(h, "\x00")) == 0 {
		return model.Saying("the header is all zeros: it was lost, or never written")
	}
	return func(*model.Finding) {}
}

// names reads the two text blocks and checks where they begin and end.
func (x parser) names(c *model.Cursor) {
	ext := x.text(c, x.at.stems-headerSize, textBlock{extsField, x.head["n_ext"], extCount, &x.exts})
	stem := x.text(c, x.at.rows-x.at.stems, textBlock{stemsField, x.head["n_crash"], stemCount, &x.stems})
	x.extSpan, x.stemSpan = ext.Span, stem.Span
	x.link(c.OffsetOf(x.head["off_crash"], stem).As(stemsMisplaced))
	x.stemIDs = map[string]uint32{}
	for i, s := range x.stems {
		x.stemHash = append(x.stemHash, xxhash.Sum64String(s))
		if _, ok := x.stemIDs[s]; !ok {
			x.stemIDs[s] = uint32(i + 1)
		}
	}
}

// link says whether a value of the header can be judged, and whether something else may be wrong instead.
func (x parser) link(l *model.Link) *model.Link {
	if !x.at.sure {
		l.Doubtful()
	}
	return l.When(!x.dead)
}

// textBlock is one of the two blocks of names: its count, the rule about that, and where the names are kept.
type textBlock struct {
	field *model.Field
	count model.Node
	rule  *model.Rule
	names *[]string
}

// text reads n bytes of newline-separated names.
func (x parser) text(c *model.Cursor, n int64, t textBlock) model.Node {
	f, count, rule := t.field, t.count, t.rule
	b := c.Peek(n)
	x.checkText(c, f, b, count)
	found := int64(countNames(b, count.Uint()))
	step := func(c *model.Cursor) string {
		rest := c.Peek(c.Left())
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		name := c.FieldN(nameField, int64(end))
		if c.More() {
			c.FieldN(newline, 1)
		}
		return name.Text()
	}
	if n > eager || found > mostNames {
		list := c.Sequence(f, entryField, n, func(c *model.Cursor) { step(c) })
		c.Wrong(model.RuleCap, list, nil, nil, model.Saying("%s: %s names in %s bytes are read only on demand, and not compared with the rows",
			f.Name, model.Thousands(found), model.Thousands(n)))
		return list
	}
	list := c.ListN(f, n, func(c *model.Cursor) {
		for range found {
			c.Struct(entryField, func(c *model.Cursor) { *t.names = append(*t.names, step(c)) })
		}
	})
	if l := x.link(c.CountOf(count, list).As(rule)); count.Span != nil && count.Int() != found && x.uses(c, rule) > found {
		l.Doubtful() // rows use more names, so a name is damaged, not the count
	}
	return list
}

// checkText checks a text block as a whole.
func (x parser) checkText(c *model.Cursor, f *model.Field, b []byte, count model.Node) {
	if !utf8.Valid(b) {
		at := 0
		for r, w := utf8.DecodeRune(b); r != utf8.RuneError || w != 1; r, w = utf8.DecodeRune(b[at:]) {
			at += w
		}
		c.Wrong(notUTF8, c.Range(c.Pos()+int64(at), 1), fmt.Sprintf("%02x", b[at]), nil)
	}
	if n := int64(len(b)); n > 0 && b[n-1] == '\n' {
		sure := int64(bytes.Count(b, []byte{'\n'})) == count.Int()
		c.Wrong(trailingNewline, c.Range(c.Pos()+n-1, 1), nil, nil, model.About(extraNewline{f.Name, sure}))
	}
}

// extraNewline is what the repair of a newline after the last name needs to know: the block, and whether the count of names shows
// that nothing follows it.
type extraNewline struct {
	block string
	sure  bool
}

// uses is how many names of a table the rows use.
func (x parser) uses(c *model.Cursor, rule *model.Rule) (most int64) {
	for i := range min(x.at.n, 1<<20) {
		if b := c.PeekAt(x.at.rows+i*rowSize, rowSize); len(b) < rowSize {
			break
		} else if r := decode(b); r.hash == 0 {
			continue
		} else if rule == stemCount {
			most = max(most, int64(r.crash))
		} else {
			most = max(most, int64(r.ext)+1)
		}
	}
	return most
}

// body reads the rows and what follows them.
func (x parser) body(c *model.Cursor) {
	offA, count := x.head["off_arr"], x.head["n_rows"]
	x.n = x.at.n
	rows := c.Array(rowsField, row, x.n)
	x.rows = rows.Span
	x.link(c.OffsetOf(offA, rows).As(rowsMisplaced))
	c.CountOf(count, rows).Unchecked() // repairRowCount asks the shards whether rows are lost or the count is wrong
	rest := c.Left()
	if count.Int() != x.n && !x.dead {
		c.Wrong(rowCount, count, nil, fmt.Sprint(x.n), x.miscounted(count.Uint(), rest), model.Beside(rows))
	}
	if rest > 0 {
		r := c.FieldN(restField, rest)
		if count.Uint() > uint64(x.n) {
			c.Wrong(partialRow, r, model.Words("%d bytes of row %d", rest, x.n), model.Words("%d bytes", rowSize),
				model.Saying("the last row is truncated: it has %d of its %d bytes", rest, rowSize))
		} else {
			c.Wrong(partialRow, r, model.Words("%d bytes after %d rows", rest, x.n), "the end of the file")
		}
	}
}

// miscounted says what a wrong count of rows means.
func (x parser) miscounted(count uint64, rest int64) model.Detail {
	switch {
	case count < uint64(x.n):
		return model.Saying("the header counts %s rows, but the file has %s", model.Thousands(int64(count)), model.Thousands(x.n))
	case count < 1<<40 && rest > 0:
		return model.Saying("the file is truncated: the header counts %s rows, but it has only %s complete ones", model.Thousands(int64(count)),
			model.Thousands(x.n))
	case count < 1<<40:
		return model.Saying("the header counts %s rows, but the file has room for %s", model.Thousands(int64(count)), model.Thousands(x.n))
	}
	return func(*model.Finding) {}
}
