package samediff

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
)

var (
	fieldFile    = &model.Field{Name: "bytes", Doc: "not a SameDiff model", Codec: model.RawBytes}
	fieldPointer = &model.Field{Name: "pointer", Doc: "a Git-LFS pointer: the model itself is elsewhere", Ref: "1.8", Codec: model.UTF8}
)

// parse creates the spans of the main file, and adds the files beside it. What is read is checked at once.
func parse(c *model.Cursor) {
	st := &state{placed: map[*model.Span]*placed{}, outside: map[string]*outside{}}
	c.Tree().State = st
	name := c.Tree().Snapshot.Primary
	d := parseFile(c, st, name)
	beside(c, d)
}

// parseFile reads one file of any family.
func parseFile(c *model.Cursor, st *state, name string) *doc {
	size := c.Left()
	head, tail := c.Peek(64<<10), c.PeekAt(c.Base()+max(0, size-(64<<10)), 64<<10)
	d := &doc{st: st, file: name, at: c.Range(c.Pos(), size)}
	add(st, &st.docs, d)
	k := kindOf(name, head, tail, size)
	d.family = k.family
	if ext := strings.ToLower(path.Ext(name)); extensions[d.family] != "" && ext != "" && ext != extensions[d.family] {
		c.Wrong(wrongExtension, c.Span(), ext, extensions[d.family], model.About(d.copied(strings.TrimSuffix(path.Base(name), path.Ext(name))+extensions[d.family])))
	}
	switch d.family {
	case familyContained:
		if size < 18 {
			reject(c, tooShort, "the file ends inside the prologue")
			return d
		}
		parseContainer(c, d)
	case familyNative:
		if size < 32 {
			reject(c, tooShort, "the file ends inside the header")
			return d
		}
		parseNB(c, d, size, "")
	case familyZipped:
		parseZip(c, d)
	case familyBare:
		if k.damaged {
			c.Wrong(notAModel, model.Spot{Span: c.Span(), Range: c.Range(c.Pos(), min(16, c.Left()))}, nil, nil, model.Graded(model.Note),
				model.Saying("readers do not recognise the model: data that its first table refers to is damaged"))
		}
		d.graph(c, fieldGraph, size, "FlatGraph", scopeOf{})
	case familyModel:
		c.Wrong(modelContainer, model.Spot{Span: c.Span(), Range: c.Range(c.Pos(), 4)}, nil, nil)
		d.graph(c, fieldModel, size, "ModelContainer", scopeOf{})
	case familyForeign:
		c.Wrong(otherKind, c.Span(), k.foreign, nil, model.Saying("this is not a SameDiff model but %s", k.foreign))
		switch {
		case strings.HasPrefix(k.foreign, "a ZIP"):
			parseZip(c, d)
		case strings.HasPrefix(k.foreign, "a Git-LFS"):
			c.Rest(fieldPointer)
		default:
			c.Rest(fieldFile)
		}
	default:
		switch {
		case size < 12:
			reject(c, tooShort, "the file is shorter than any header")
		case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
			parseWrapped(c, d)
		default:
			reject(c, notAModel, "the first bytes are not those of a SameDiff model")
		}
	}
	return d
}

// reject reports that a file is no model and shows its bytes.
func reject(c *model.Cursor, r *model.Rule, why string) {
	c.Wrong(r, model.Spot{Span: c.Span(), Range: c.Range(c.Pos(), min(16, c.Left()))}, why, nil)
	if c.Left() > 0 {
		c.Rest(fieldFile)
	}
}

var (
	fieldWrapped = &model.Field{Name: "gzip", Doc: "a gzip wrapper", Ref: "4.1", Codec: model.RawBytes}
	fieldInside  = &model.Field{Name: "inside", Doc: "the content of the wrapper"}
)

// parseWrapped looks into a gzip file for a model (SDF-009).
func parseWrapped(c *model.Cursor, d *doc) {
	first := c.Range(c.Pos(), 2)
	frame := c.Span()
	raw := c.Rest(fieldWrapped)
	in := c.Derive(fieldInside, model.Derived{Transform: inflate.Transform(inflate.Gzip, 6, maxInflated, maxRatio), From: raw,
		Size: -1, Body: func(e *model.Cursor) {
			inner := parseFile(e, d.st, strings.TrimSuffix(d.file, ".gz"))
			if extensions[inner.family] != "" {
				e.Wrong(gzipWrapped, model.Spot{Span: frame, Range: first}, familyNames[inner.family], nil,
					model.About(inner.unwrapped(d, raw)))
			}
		}})
	d.st.later(in)
}

// unwrapped offers to unpack a file from gzip; outer is the file that contains it, as raw.
func (d *doc) unwrapped(outer *doc, raw model.Node) []model.Fix {
	return []model.Fix{later("unpack the file from its wrapper", false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		plain := t.Slice(ctx, d.at)
		if err := t.Space(d.at.Space).Fault(); err != nil {
			return nil, err
		}
		if outer.file != d.file {
			return []model.Edit{model.FileEdit{File: d.file, Create: plain}}, nil
		}
		return []model.Edit{model.Splice{Range: raw.Range, With: plain}}, nil
	})}
}

// finalName offers a copy of a shard under the name that it has in a set of n.
func (d *doc) finalName(own *shard, n int64) []model.Fix {
	if n <= 0 {
		return nil
	}
	return d.copied(fmt.Sprintf("%s.shard%d-of-%d%s", own.base, own.index, n, own.ext))
}

// copied offers a copy of the file under a name; the one that is open stays.
func (d *doc) copied(name string) []model.Fix {
	return []model.Fix{later("write a copy named "+name, false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		return []model.Edit{model.FileEdit{File: name, Create: t.Slice(ctx, d.at)}}, nil
	})}
}
