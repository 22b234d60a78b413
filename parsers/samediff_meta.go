package parsers

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"spandrel/model"
)

// sdBackground is the context of work that a fix does when it is asked for.
var sdBackground = context.Background()

// sdMeta is the metadata of a container or a graph.
type sdMeta struct {
	entries []sdEntry
	variant string
	opaque  bool
	span    *model.Span
}

// sdEntry is one key and its value, and where they stand.
type sdEntry struct {
	key, value string
	hasKey     bool
	hasValue   bool
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
		if t == 0 {
			return
		}
		e := sdEntry{}
		e.key, e.hasKey = b.str(t, 0)
		e.value, e.hasValue = b.str(t, 1)
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
)

// metadata reads METADATA in the first form that fits (section 2.4).
func (k *sdContainer) metadata(c *model.Cursor, s *sdSection, n int64, b sdBuf, whole bool, flat func(string) model.Node) model.Node {
	m := &sdMeta{}
	set := func(variant string, node model.Node) model.Node {
		s.variant, m.variant, m.span = variant, variant, node.Span
		k.meta = m
		return node
	}
	if len(b) > 0 && b[0] == '{' && json.Valid(b) {
		node := set("json", c.FieldN(sdFieldText0, n))
		m.entries = sdJSONEntries(b, node)
		return node
	}
	if _, _, ok := b.vec(b.root(), 0, 4); whole && (ok || b.slot(b.root(), 0) == 0) {
		return flat("MetadataSection")
	}
	for _, w := range []int64{2, 4} {
		if k.pairsFit(b, w) {
			return set(map[int64]string{2: "u16 pairs", 4: "u32 pairs"}[w], k.pairs(c, m, n, w))
		}
	}
	if n < 1<<20 && utf8.Valid(b) && sdIsProperties(b) {
		node := set("properties", c.FieldN(sdFieldText0, n))
		m.entries = sdProperties(b, node)
		return node
	}
	if whole { // a buffer, but of another shape: its own defects say more
		return flat("MetadataSection")
	}
	m.opaque = true
	node := set("opaque", c.FieldN(sdFieldData, n))
	c.Report(model.Diagnostic{Rule: sdf(36), Span: node.Span})
	return node
}

// pairsFit tells whether a count and that many pairs of texts with lengths of w bytes fill the payload.
func (k *sdContainer) pairsFit(b sdBuf, w int64) bool {
	if len(b) < 4 {
		return false
	}
	at := int64(4)
	for range 2 * int64(k.order.Uint32(b)) {
		if at+w > b.len() {
			return false
		}
		n := int64(0)
		if w == 2 {
			n = int64(k.order.Uint16(b[at:]))
		} else {
			n = int64(k.order.Uint32(b[at:]))
		}
		if at += w + n; at > b.len() {
			return false
		}
	}
	return at == b.len()
}

// pairs reads a count and pairs of texts.
func (k *sdContainer) pairs(c *model.Cursor, m *sdMeta, n, w int64) model.Node {
	f := k.outer()
	length, plain := f.len2, sdFieldJava
	if w == 4 {
		length, plain = f.len4, sdFieldPlain
	}
	text := func(c *model.Cursor, name *model.Field) (node model.Node) {
		c.Struct(name, func(c *model.Cursor) {
			l := c.Field(length)
			node = c.FieldN(plain, l.Int())
			c.LengthOf(l, node)
		})
		return node
	}
	return c.Block(sdFieldData, n, func(c *model.Cursor) {
		count := c.Field(f.count)
		list := c.List(sdFieldPairs, func(c *model.Cursor) {
			for range count.Int() {
				pair := c.Struct(sdFieldPair, func(c *model.Cursor) {
					key := text(c, sdFieldKey)
					value := text(c, sdFieldValue)
					m.entries = append(m.entries, sdEntry{key: key.Text(), value: value.Text(), hasKey: true, hasValue: true,
						keyAt: key.Range, valueAt: value.Range, at: key.Range})
				})
				m.entries[len(m.entries)-1].span = pair.Span
			}
		})
		c.CountOf(count, list)
	})
}

// sdJSONEntries returns the members of a JSON object; values that are not texts as they stand.
func sdJSONEntries(b []byte, node model.Node) (out []sdEntry) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.Token()
	for d.More() {
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
		out = append(out, sdEntry{key: name, value: text, hasKey: true, hasValue: true, at: node.Range, span: node.Span})
	}
	return out
}

// sdIsProperties tells whether a text could be Java properties: each line a comment, empty, or a key and a value.
func sdIsProperties(b []byte) bool {
	some := false
	for _, l := range strings.Split(string(b), "\n") {
		l = strings.TrimSpace(l)
		if l == "" || l[0] == '#' || l[0] == '!' {
			continue
		}
		if i := strings.IndexAny(l, "=: "); i <= 0 || strings.ContainsFunc(l, func(r rune) bool { return r < ' ' && r != '\t' }) {
			return false
		}
		some = true
	}
	return some || len(bytes.TrimSpace(b)) > 0
}

func sdProperties(b []byte, node model.Node) (out []sdEntry) {
	for _, l := range strings.Split(string(b), "\n") {
		l = strings.TrimSpace(l)
		if l == "" || l[0] == '#' || l[0] == '!' {
			continue
		}
		i := strings.IndexAny(l, "=: ")
		out = append(out, sdEntry{key: l[:i], value: strings.TrimLeft(l[i+1:], "=: "), hasKey: true, hasValue: true, at: node.Range, span: node.Span})
	}
	return out
}
