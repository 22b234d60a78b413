package safetensors

import (
	"bytes"
	"encoding/json"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/jsontext"
)

// An index lists the tensors of a model in several files: model.safetensors.index.json, with the file of each tensor
// under weight_map.

const (
	weightMap = "weight_map"
	totalSize = "total_size"
)

var (
	indexText = &model.Field{Name: "text", Codec: model.UTF8, Doc: "the index, not parsed", Ref: "Index"}
	indexList = &model.Field{Name: "index", Doc: "metadata of the model, and the file of each tensor", Ref: "Index"}
	indexPart = &model.Field{Name: "part", Ref: "Index"}
	partName  = &model.Field{Name: "name", Codec: jsontext.Scalar{Of: model.Text}, Ref: "Index"}
)

// folder reads a folder that was opened without an index; if one has been created since, that is read.
func (f *file) folder(c *model.Cursor) {
	list, _, _ := c.Tree().Snapshot.List(".")
	x, found := (*index)(nil), false
	for _, e := range list {
		if isIndex(e.Name) && e.Regular && !found {
			n := c.Companion(indexText.Named("%s", e.Name), e, func(c *model.Cursor) { x = f.readIndex(c) })
			found = c.Tree().Open(c.Context(), n.Span) == nil
		}
	}
	if x != nil || !found {
		f.findShards(c, x)
	}
}

// readIndex reads an index; nil if it is too long.
func (f *file) readIndex(c *model.Cursor) *index {
	n := c.Left()
	if n > maxTaken {
		c.Wrong(model.RuleCap, c.Span(), model.Words("%d bytes", n), model.Words("at most %d", maxTaken),
			model.Saying("the index is not parsed, and the files that it lists are not checked"))
		c.Rest(indexText)
		return nil
	}
	x := &index{weights: map[string]*mapped{}, metadata: map[string]json.RawMessage{}}
	_, x.whole = objectText{indexList, indexPart, indexText, 1}.lay(c, func(c *model.Cursor, base int64, tokens []jsontext.Token) {
		part := tokens[0].Text
		jsontext.Lay(c, base, tokens, func(t jsontext.Token) *model.Field {
			switch {
			case t.Kind == jsontext.Key && t.Depth == 1:
				return partName
			case t.Kind > jsontext.Key && t.Depth == 2:
				return &model.Field{Name: t.Key, Codec: t.Codec(), Ref: "Index", Target: toShard}
			}
			return nil
		}, func(t jsontext.Token, n model.Node) {
			switch {
			case part == weightMap && t.Kind == jsontext.Text && t.Depth == 2:
				x.add(t.Key, n)
			case part == "metadata" && t.Depth == 2:
				if x.metadata[t.Key] = bytes.Clone(c.PeekAt(n.Range.Off, n.Range.Len)); t.Key == totalSize {
					x.total = n
				}
			}
		})
	})
	return x
}

// objectText has the fields of a text that is an object, padded to a multiple of pad bytes.
type objectText struct {
	entries, entry, text *model.Field
	pad                  int64
}

// lay parses the frame as an object and tells whether all of it is one; if not, it reports that, and a frame without any object becomes one text.
func (o objectText) lay(c *model.Cursor, member func(*model.Cursor, int64, []jsontext.Token)) (list *model.Span, whole bool) {
	base, n := c.Pos(), c.Left()
	list, end, err := jsontext.Object(c, o.entries, o.entry, o.pad, member)
	if err == nil {
		end, err = behind(c.PeekAt(base, n), end)
	}
	if err != nil && o.entries == indexList {
		jsontext.Report(c, notJSON, c.Range(base, n), end, err)
	} else if err != nil {
		c.Wrong(notJSON, c.Range(base+end, min(1, n-end)), err, "{, entries and }")
	}
	if list == nil {
		c.Rest(o.text)
	}
	return list, err == nil
}

// behind tells whether only white space follows the first value of a JSON text, and how far the text is valid.
func behind(text []byte, end int64) (int64, error) {
	for ; end < int64(len(text)); end++ {
		if strings.IndexByte(" \t\r\n", text[end]) < 0 {
			return end, errBehind
		}
	}
	return end, nil
}

// toShard is the place of an indexed tensor in the header of its shard.
func toShard(t *model.Tree, s *model.Span) (model.Range, bool) {
	f := model.StateOf[*file](t)
	if f == nil || f.checkpoint == nil || s.Parent() == nil {
		return model.Range{}, false
	}
	w := f.checkpoint.weights[s.Field.Name]
	if w == nil || w.node.Range != s.Range || f.checkpoint.shards[w.file] == nil {
		return model.Range{}, false
	}
	if x := f.checkpoint.shards[w.file].byName[w.tensor]; x != nil {
		return x.at, true
	}
	return model.Range{}, false
}

// toIndex is the place of a shard's tensor in the index.
func toIndex(t *model.Tree, s *model.Span) (model.Range, bool) {
	f := model.StateOf[*file](t)
	if f == nil || f.checkpoint == nil {
		return model.Range{}, false
	}
	b, ok := t.Cached(s.Range)
	v, _, err := s.Field.Codec.Decode(b)
	if w := f.checkpoint.weights[v.Text()]; ok && err == nil && w != nil && s.Range.Space != w.node.Range.Space {
		return w.node.Range, true
	}
	return model.Range{}, false
}
