package safetensors

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/jsontext"
)

// rebuildIndex offers an index of the content of the shards, if all numbered shards of a checkpoint exist and are sound. It is safe
// if nothing left of the index contradicts it.
func rebuildIndex(_ context.Context, t *model.Tree, d *model.Finding) []model.Fix {
	f := model.StateOf[*file](t)
	if f == nil || f.checkpoint == nil || d.Grade() != model.Error {
		return nil
	}
	x := f.checkpoint
	of, shards, ok := x.complete()
	if !ok {
		return nil
	}
	weights, total, agrees := x.mapped(shards)
	text, err := x.text(weights, total)
	if err != nil || len(weights) == 0 {
		return nil
	}
	name := cmp.Or(t.Snapshot.Primary, of.prefix+indexEnding)
	begun := x.begins(t, text)
	if t.Snapshot.Primary != "" && !x.whole && !begun {
		agrees = false // it may have had more metadata
	}
	fix := model.Fix{Label: fmt.Sprintf("Rebuild index from its %d shards", of.count), Safe: agrees, Copies: agrees && begun, Witnessed: agrees && begun,
		Edits: []model.Edit{model.FileEdit{File: name, Create: model.Memory(text)}}}
	if x.elsewhere && len(x.order) > 0 {
		fix.Safe, fix.Once = false, true // they may be of another save
		fix.Says = fmt.Sprintf("The index names files that are not here, such as %s. Its tensors are in others, such as %s.", x.order[0].file, shards[0].name)
	}
	return []model.Fix{fix}
}

// renameIndex offers the index with the names of the shards. The shards may have the wrong ones, so that it is not certain.
func renameIndex(ctx context.Context, t *model.Tree, d *model.Finding) []model.Fix {
	f, at := model.StateOf[*file](t), d.Where()
	if f == nil || f.checkpoint == nil || f.checkpoint.names == nil {
		return nil
	}
	size, err := t.Size(ctx, at.Space)
	if err != nil {
		return nil
	}
	b, err := t.Bytes(ctx, model.Range{Space: at.Space, Len: size})
	if err != nil {
		return nil
	}
	tokens, _, err := jsontext.Tokens(b)
	if err != nil {
		return nil
	}
	var text []byte
	part, last := "", int64(0)
	for _, tok := range tokens {
		switch {
		case tok.Kind == jsontext.Key && tok.Depth == 1:
			part = tok.Text
		case tok.Kind == jsontext.Key && tok.Depth == 2 && part == weightMap:
			if is := f.checkpoint.stored(tok.Text); is != tok.Text {
				text, last = append(append(text, b[last:tok.Start]...), quoted(is)...), tok.End
			}
		}
	}
	return []model.Fix{{Label: "give the tensors in the index the names that they have in the shards", Once: true,
		Says:  strings.ToUpper(d.Message[:1]) + d.Message[1:] + ".",
		Edits: []model.Edit{model.FileEdit{File: t.FileName(at), Create: model.Memory(append(text, b[last:]...))}}}}
}

// mendIndex offers to correct an index that was edited by hand. Its shards may be missing.
func mendIndex(ctx context.Context, t *model.Tree, d *model.Finding) []model.Fix {
	if f := model.StateOf[*file](t); f == nil || f.checkpoint == nil || f.head != nil && f.head.Range.Space == d.Where().Space {
		return nil
	}
	return jsontext.Fixes(ctx, t, d.Where().Space, func(x *model.Finding) bool { return x.Grade() == model.Error && x.Rule != noShard })
}

// mapped returns the shard of each tensor, nil if that is uncertain, their total size in bytes, and whether the rest of the index agrees.
func (x *index) mapped(shards []*shard) (weights map[string]string, total int64, agrees bool) {
	weights, agrees = map[string]string{}, true
	for _, h := range shards {
		for _, s := range h.tensors {
			if len(x.found[s.name]) > 1 {
				return nil, 0, false // nothing shows which of the two belongs to the model
			}
			weights[s.name] = h.name
			total += s.end - s.begin
			agrees = agrees && (!x.whole || x.weights[s.name] != nil)
		}
	}
	for _, w := range x.order {
		if weights[x.stored(w.tensor)] == "" {
			return nil, 0, false // the tensors that the index alone names would be forgotten: a shard of the model is missing
		}
		agrees = agrees && (x.whole || weights[x.stored(w.tensor)] == w.file)
	}
	return weights, total, agrees
}

// begins tells whether all that is left of an index is the beginning of the rebuilt one, including the metadata, which the shards do not have.
func (x *index) begins(t *model.Tree, text []byte) bool {
	c, err := t.Snapshot.Content(t.Snapshot.Primary)
	if err != nil || c.Len() >= int64(len(text)) {
		return false
	}
	left := make([]byte, c.Len())
	_, err = c.ReadAt(left, 0)
	return (err == nil || err == io.EOF) && bytes.HasPrefix(text, left) && bytes.Contains(left, []byte(`"`+weightMap+`"`))
}

// text is an index as transformers writes it, with what is left of the metadata.
func (x *index) text(weights map[string]string, total int64) ([]byte, error) {
	parts := maps.Clone(x.metadata)
	if parts == nil {
		parts = map[string]json.RawMessage{}
	}
	parts[totalSize] = json.RawMessage(strconv.FormatInt(total, 10))
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(map[string]any{"metadata": parts, weightMap: weights})
	return b.Bytes(), err
}
