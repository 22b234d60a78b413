package parsers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"spandrel/model"
)

// sdBackground is the context of work that a fix does when it is asked for.
var sdBackground = context.Background()

// sdMeta is the metadata of a container or a graph.
type sdMeta struct {
	entries []sdEntry
	variant string // "" for a buffer, otherwise a form of text
	span    *model.Span
}

// sdOpaque is the variant of metadata that cannot be read, or not to the end.
const sdOpaque = "opaque"

// sdEntry is one key and its value, and where they stand.
type sdEntry struct {
	key, value string
	noValue    bool        // of a buffer: there is no such field
	at         model.Range // the entry
	keyAt      model.Range
	valueAt    model.Range
	span       *model.Span
}

func (m *sdMeta) get(key string) (string, bool) {
	if m != nil {
		for _, e := range m.entries {
			if e.key == key {
				return e.value, true
			}
		}
	}
	return "", false
}

// sdFlatMeta reads a MetadataSection (section 2.3).
func sdFlatMeta(p *sdPlaced, b sdBuf) *sdMeta {
	m := &sdMeta{span: p.span}
	b.tables(b.root(), 0, func(_, t int64) {
		if t == 0 || len(m.entries) == sdMaxEntries {
			return
		}
		e := sdEntry{}
		e.key, _ = b.str(t, 0)
		value, ok := b.str(t, 1)
		e.value, e.noValue = value, !ok
		e.span, e.at = p.at(t, 4)
		e.keyAt, e.valueAt = p.text(b.ref(t, 0), len(e.key)), p.text(b.ref(t, 1), len(e.value))
		m.entries = append(m.entries, e)
	})
	return m
}

// text returns the range of the text of a string.
func (p *sdPlaced) text(at int64, n int) model.Range {
	if at == 0 {
		return model.Range{}
	}
	return model.Range{Space: p.span.Range.Space, Off: p.span.Range.Off + at + 4, Len: int64(n)}
}

var (
	sdFieldPairs   = &model.Field{Name: "entry", Doc: "keys and values", Ref: "2.4"}
	sdFieldPair    = &model.Field{Name: "pair", Ref: "2.4"}
	sdFieldKey     = &model.Field{Name: "key", Ref: "2.4"}
	sdFieldValue   = &model.Field{Name: "value", Ref: "2.4"}
	sdFieldPlain   = &model.Field{Name: "text", Codec: model.UTF8}
	sdFieldJava    = &model.Field{Name: "text", Doc: "modified UTF-8", Codec: sdModifiedUTF8}
	sdFieldStrings = &model.Field{Name: "texts", Ref: "2.4"}
	sdFieldMore    = &model.Field{Name: "more", Doc: "entries that are not read: they are too many", Ref: "2.4", Codec: model.RawBytes}
)

// metadata reads METADATA in the first form that fits (section 2.4).
func (k *sdContainer) metadata(c *model.Cursor, s *sdSection, n int64, b sdBuf, whole bool, flat func(string) model.Node) model.Node {
	set := func(variant string, node model.Node, entries []sdEntry) model.Node {
		k.describe(c, s, &sdMeta{variant: variant, span: node.Span, entries: entries})
		return node
	}
	if len(b) > 0 && b[0] == '{' && json.Valid(b) {
		node := c.FieldN(sdFieldText0, n)
		return set("json", node, sdJSONEntries(b, node))
	}
	if _, _, ok := b.vec(b.root(), 0, 4); whole && (ok || b.slot(b.root(), 0) == 0) {
		return flat("MetadataSection")
	}
	for _, w := range []int64{2, 4} {
		if len(b) >= 4 && k.textsFit(b[4:], w) == 2*int64(k.order.Uint32(b)) {
			node, entries := k.pairs(c, n, w)
			return set(fmt.Sprintf("u%d pairs", 8*w), node, entries)
		}
	}
	if entries, ok := sdProperties(b); ok {
		node := c.FieldN(sdFieldText0, n)
		for i := range entries {
			entries[i].at, entries[i].span = node.Range, node.Span
		}
		return set("properties", node, entries)
	}
	if whole { // a buffer, but of another shape: its own defects say more
		return flat("MetadataSection")
	}
	node := c.FieldN(sdFieldData, n)
	c.Report(model.Finding{Rule: sdf(36), Span: node.Span})
	return set(sdOpaque, node, nil)
}

// describe takes the metadata of the container and checks it. More entries than are read are as good as none that can be read: what
// is written anew would lose the others.
func (k *sdContainer) describe(c *model.Cursor, s *sdSection, m *sdMeta) {
	k.meta = m
	if len(m.entries) == sdMaxEntries {
		m.variant = sdOpaque
		c.Report(model.Finding{Rule: model.RuleCap, Span: m.span, Message: fmt.Sprintf("%d entries of the metadata are read, the others are not", sdMaxEntries)})
	}
	s.variant = m.variant
	k.checkMeta(c)
}

// textsFit returns how many texts, each behind its length in w bytes, fill b; -1 when they do not.
func (k *sdContainer) textsFit(b sdBuf, w int64) (count int64) {
	for at := int64(0); at < b.len(); count++ {
		n := int64(0)
		switch {
		case at+w > b.len():
			return -1
		case w == 2:
			n = int64(k.order.Uint16(b[at:]))
		default:
			n = int64(k.order.Uint32(b[at:]))
		}
		if at += w + n; at > b.len() {
			return -1
		}
	}
	return count
}

// text reads a text behind its length in w bytes, as a structure.
func (k *sdContainer) text(c *model.Cursor, f *model.Field, w int64) (text model.Node) {
	length, plain := k.outer().len2, sdFieldJava
	if w == 4 {
		length, plain = k.outer().len4, sdFieldPlain
	}
	c.Struct(f, func(c *model.Cursor) {
		l := c.Field(length)
		text = c.FieldN(plain, l.Int())
		c.LengthOf(l, text)
	})
	return text
}

// pairs reads a count and pairs of texts, in n bytes.
func (k *sdContainer) pairs(c *model.Cursor, n, w int64) (all model.Node, entries []sdEntry) {
	all = c.Block(sdFieldData, n, func(c *model.Cursor) {
		count := c.Field(k.outer().count)
		list := c.List(sdFieldPairs, func(c *model.Cursor) {
			for range min(count.Int(), sdMaxEntries) {
				e := sdEntry{}
				e.span = c.Struct(sdFieldPair, func(c *model.Cursor) {
					key, value := k.text(c, sdFieldKey, w), k.text(c, sdFieldValue, w)
					e.key, e.keyAt, e.at = key.Text(), key.Range, key.Range
					e.value, e.valueAt = value.Text(), value.Range
				}).Span
				entries = append(entries, e)
			}
		})
		if c.Left() > 0 {
			c.Rest(sdFieldMore)
			return
		}
		c.CountOf(count, list)
	})
	return all, entries
}

// sdJSONEntries returns the members of a JSON object; values that are not texts as they stand.
func sdJSONEntries(b []byte, node model.Node) (out []sdEntry) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.Token()
	for d.More() && len(out) < sdMaxEntries {
		key, err := d.Token()
		if err != nil {
			return out
		}
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			return out
		}
		text := string(raw)
		json.Unmarshal(raw, &text)
		name, _ := key.(string)
		out = append(out, sdEntry{key: name, value: text, at: node.Range, span: node.Span})
	}
	return out
}

// sdProperties reads Java properties: each line is a comment, empty, or a key and a value. ok is false when a text is something else.
func sdProperties(b []byte) (out []sdEntry, ok bool) {
	if len(b) >= sdSmall || len(bytes.TrimSpace(b)) == 0 || !utf8.Valid(b) {
		return nil, false
	}
	for l := range strings.Lines(string(b)) {
		l = strings.TrimSpace(l)
		if l == "" || l[0] == '#' || l[0] == '!' {
			continue
		}
		i := strings.IndexAny(l, "=: ")
		if i <= 0 || strings.ContainsFunc(l, func(r rune) bool { return r < ' ' && r != '\t' }) {
			return nil, false
		}
		out = append(out, sdEntry{key: l[:i], value: strings.TrimLeft(l[i+1:], "=: ")})
	}
	return out, true
}
