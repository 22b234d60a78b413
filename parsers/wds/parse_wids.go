package wds

import (
	"errors"
	"io"

	"spandrel/model"
	"spandrel/parsers/internal/jsontext"
)

// shardList reads an index of wids.
func (x *index) shardList(c *model.Cursor) {
	if n := c.Left(); n > mostJSON {
		c.Wrong(model.RuleCap, c.Span(), model.Words("%d bytes", n), model.Words("at most %d", mostJSON), model.Saying("the index is not parsed"))
		c.Rest(text)
		return
	}
	all, versioned, found := c.Range(c.Pos(), c.Left()), false, []listed(nil)
	list, end, err := jsontext.Object(c, entries, entry, 1, func(c *model.Cursor, base int64, tokens []jsontext.Token) {
		if tokens[0].Text == "shardlist" {
			found = append(found, shards(c, base, tokens)...)
			return
		}
		lay(c, base, tokens, func(t jsontext.Token, n model.Node) {
			if t.Key != "wids_version" || t.Depth > 1 || t.Kind <= jsontext.Key {
				return
			}
			if versioned = true; t.Text != "1" {
				c.Wrong(noVersion, n, nil, model.I(1))
			}
		})
	})
	x.open = errors.Is(err, io.ErrUnexpectedEOF)
	if list == nil {
		c.Rest(text)
	}
	switch {
	case err != nil:
		jsontext.Report(c, notJSON, all, end, err)
	case !versioned:
		c.Wrong(noVersion, list, "no wids_version", "1")
	}
	if err == nil && len(found) == 0 {
		c.Wrong(noShards, list, nil, "a shardlist of archives")
	}
	x.listed(c, found)
}

// listed adds the archives of a list, and compares their sizes once all are known.
func (x *index) listed(c *model.Cursor, found []listed) {
	for _, h := range found {
		x.add(c, h)
	}
	for i := range x.archives {
		x.sized(c, &x.archives[i])
	}
}

// sized compares the size of an archive with the one in the index.
func (x *index) sized(c *model.Cursor, h *listed) {
	if h.beside == nil || h.size.Span == nil || h.size.Int() == h.beside.Range.Len {
		return
	}
	if o := x.traded(h); o != nil {
		c.Wrong(wrongSize, h.size, nil, model.Words("%s bytes, as %s has", model.Thousands(h.beside.Range.Len), h.file), model.Graded(model.Error),
			model.Saying("%s and %s have each other's name: each has the size in the entry of the other", h.file, o.file))
		return
	}
	c.Wrong(wrongSize, h.size, nil, model.I(h.beside.Range.Len), model.Saying("filesize does not match the size of %s", h.file))
}

// traded is the archive that an archive was exchanged with: each has the size that the index gives the other. Nil if there is none.
func (x *index) traded(h *listed) *listed {
	for i := range x.archives {
		o := &x.archives[i]
		if o.beside != nil && o.size.Span != nil && h.size.Span != nil && o.size.Int() != h.size.Int() && o.size.Int() == h.beside.Range.Len && h.size.Int() == o.beside.Range.Len {
			return o
		}
	}
	return nil
}

// shards reads the list of archives.
func shards(c *model.Cursor, base int64, tokens []jsontext.Token) (found []listed) {
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
	return found
}

// lay creates the spans of a part of the index: names, and values by name.
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

// take stores a value of an entry.
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
