package safetensors

import (
	"path"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/jsontext"
)

// An index lists the tensors of a model that is divided into several files: model.safetensors.index.json, with the file of each tensor under
// weight_map.

const (
	indexEnding = ".safetensors.index.json"
	weightMap   = "weight_map"
)

var (
	indexText = &model.Field{Name: "text", Codec: model.UTF8, Doc: "the index, not taken apart", Ref: "Index"}
	indexList = &model.Field{Name: "index", Doc: "what the model is as a whole, and the file of each tensor", Ref: "Index"}
	indexPart = &model.Field{Name: "part", Ref: "Index"}
	partName  = &model.Field{Name: "name", Codec: jsontext.Scalar{Of: model.Text}, Ref: "Index"}
)

func isIndex(name string) bool { return strings.HasSuffix(strings.ToLower(name), indexEnding) }

// index reads an index, and looks for the files that it names.
func (f *file) index(c *model.Cursor) {
	n := c.Left()
	if n > maxTaken {
		c.Wrong(model.RuleCap, c.Span(), model.Words("%d bytes", n), model.Words("at most %d", maxTaken), model.Saying("the index is not taken apart, and the files that it names are not looked for"))
		c.Rest(indexText)
		return
	}
	base, tensors := c.Pos(), map[string]model.Node{}
	list, end, err := jsontext.Object(c, indexList, indexPart, 1, func(c *model.Cursor, base int64, tokens []jsontext.Token) {
		part := tokens[0].Text
		jsontext.Lay(c, base, tokens, func(t jsontext.Token) *model.Field {
			switch {
			case t.Kind == jsontext.Key && t.Depth == 1:
				return partName
			case t.Kind > jsontext.Key && t.Depth == 2:
				return &model.Field{Name: t.Key, Codec: t.Codec(), Ref: "Index"}
			}
			return nil
		}, func(t jsontext.Token, n model.Node) {
			if _, known := tensors[n.Text()]; part == weightMap && t.Kind == jsontext.Text && !known {
				tensors[n.Text()] = n
			}
		})
	})
	if err == nil {
		end, err = behind(c.PeekAt(base, n), end)
	}
	if err != nil {
		c.Wrong(notJSON, c.Range(base+end, min(1, n-end)), err, "{, entries and }", model.Saying("the index is not a JSON object"))
	}
	if list == nil {
		c.Rest(indexText)
	}
	f.missing(c, tensors)
}

// missing reports the files of an index that are not in its folder, each at the first tensor in it.
func (f *file) missing(c *model.Cursor, tensors map[string]model.Node) {
	s := c.Tree().Snapshot
	if s == nil || !s.Folder() {
		return
	}
	there := map[string]map[string]bool{} // by folder
	for name, n := range tensors {
		dir := path.Dir(path.Clean(name))
		if there[dir] == nil {
			list, more, err := s.List(dir)
			there[dir] = map[string]bool{}
			for _, e := range list {
				there[dir][e.Name] = true
			}
			if more || err != nil && dir == "." {
				return // not all of the folder is known
			}
		}
		if !there[dir][name] && !there[dir][path.Base(name)] && !there[dir][path.Clean(name)] {
			c.Wrong(noShard, n, name, "a file of the folder", model.Saying("%s, which has tensors of the model, is missing", name))
		}
	}
}

// behind tells whether nothing but blanks follows the first value of a JSON text, and how far the text is right.
func behind(text []byte, end int64) (int64, error) {
	for ; end < int64(len(text)); end++ {
		if strings.IndexByte(" \t\r\n", text[end]) < 0 {
			return end, errBehind
		}
	}
	return end, nil
}
