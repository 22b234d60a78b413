package samediff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
	"spandrel/parsers/samediff/manifest"
)

var (
	fieldPairs   = &model.Field{Name: "entry", Doc: "keys and values", Ref: "2.4"}
	fieldPair    = &model.Field{Name: "pair", Ref: "2.4"}
	fieldKey     = &model.Field{Name: "key", Ref: "2.4"}
	fieldValue   = &model.Field{Name: "value", Ref: "2.4"}
	fieldPlain   = &model.Field{Name: "text", Codec: model.UTF8}
	fieldJava    = &model.Field{Name: "text", Doc: "modified UTF-8", Codec: manifest.ModifiedUTF8}
	fieldStrings = &model.Field{Name: "texts", Ref: "2.4"}
	fieldMore    = &model.Field{Name: "more", Doc: "entries that are not read: there are too many", Ref: "2.4", Codec: model.RawBytes}
)

// metadata reads METADATA in the first form that fits (section 2.4).
func (p *contents) metadata(c *model.Cursor) model.Node {
	k, s, n, b := p.con, p.section, p.n, p.b
	set := func(variant string, node model.Node, entries []entry) model.Node {
		k.describe(c, s, &meta{variant: variant, span: node.Span, entries: entries})
		return node
	}
	buffer := func() model.Node {
		f, b := p.flat(c, "MetadataSection")
		k.describe(c, s, flatMeta(f, f.Restored(b)))
		return model.Node{Span: f.span}
	}
	if p.isJSON() {
		node := c.FieldN(fieldText0, n)
		return set("json", node, jsonEntries(b, node))
	}
	if _, _, ok := b.Vec(b.Root(), 0, 4); p.whole && (ok || b.Slot(b.Root(), 0) == 0) {
		return buffer()
	}
	for _, w := range []int64{2, 4} {
		if len(b) >= 4 && k.textsFit(b[4:], w) == 2*int64(k.order.Uint32(b)) {
			node, entries := k.pairs(c, n, w)
			return set(fmt.Sprintf("u%d pairs", 8*w), node, entries)
		}
	}
	if entries, ok := properties(b); ok {
		node := c.FieldN(fieldText0, n)
		for i := range entries {
			entries[i].at, entries[i].span = node.Range, node.Span
		}
		return set("properties", node, entries)
	}
	if p.whole { // a buffer of another shape: its own errors say more
		return buffer()
	}
	node := c.FieldN(fieldData, n)
	c.Wrong(metadataUnreadable, node.Span, nil, nil)
	return set(opaque, node, nil)
}

// describe stores the metadata of the container and checks it. If there are more entries than are read, none count as readable, because
// rewriting would lose the others.
func (k *container) describe(c *model.Cursor, s *section, m *meta) {
	k.meta = m
	if len(m.entries) == manifest.MaxEntries {
		m.variant = opaque
		c.Wrong(model.RuleCap, m.span, nil, nil, model.Saying("only %d metadata entries are read", manifest.MaxEntries))
	}
	s.variant = m.variant
	checkMetadata(c, k)
}

// textsFit returns how many texts, each preceded by its length in w bytes, fill b; -1 if they do not.
func (k *framing) textsFit(b flat.Buffer, w int64) (count int64) {
	for at := int64(0); at < b.Len(); count++ {
		n := int64(0)
		switch {
		case at+w > b.Len():
			return -1
		case w == 2:
			n = int64(k.order.Uint16(b[at:]))
		default:
			n = int64(k.order.Uint32(b[at:]))
		}
		if at += w + n; at > b.Len() {
			return -1
		}
	}
	return count
}

// text reads a text after its length in w bytes, as a structure.
func (k *container) text(c *model.Cursor, f *model.Field, w int64) (text model.Node) {
	length, plain := k.outer().len2, fieldJava
	if w == 4 {
		length, plain = k.outer().len4, fieldPlain
	}
	c.Struct(f, func(c *model.Cursor) {
		l := c.Field(length)
		text = c.FieldN(plain, l.Int())
		c.LengthOf(l, text)
	})
	return text
}

// pairs reads a count and pairs of texts, in n bytes.
func (k *container) pairs(c *model.Cursor, n, w int64) (all model.Node, entries []entry) {
	all = c.Block(fieldData, n, func(c *model.Cursor) {
		count := c.Field(k.outer().count)
		list := c.List(fieldPairs, func(c *model.Cursor) {
			for range min(count.Int(), manifest.MaxEntries) {
				e := entry{}
				e.span = c.Struct(fieldPair, func(c *model.Cursor) {
					key, value := k.text(c, fieldKey, w), k.text(c, fieldValue, w)
					e.key, e.keyAt, e.at = key.Text(), key.Range, key.Range
					e.value, e.valueAt = value.Text(), value.Range
				}).Span
				entries = append(entries, e)
			}
		})
		if c.Left() > 0 {
			c.Rest(fieldMore)
			return
		}
		c.CountOf(count, list)
	})
	return all, entries
}

// jsonEntries returns the members of a JSON object; values other than texts unparsed.
func jsonEntries(b []byte, node model.Node) (out []entry) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.Token()
	for d.More() && len(out) < manifest.MaxEntries {
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
		out = append(out, entry{key: name, value: text, at: node.Range, span: node.Span})
	}
	return out
}

// properties reads Java properties: each line is a comment, empty, or a key and a value. ok is false for any other text.
func properties(b []byte) (out []entry, ok bool) {
	if len(b) >= small || len(bytes.TrimSpace(b)) == 0 || !utf8.Valid(b) {
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
		out = append(out, entry{key: l[:i], value: strings.TrimLeft(l[i+1:], "=: ")})
	}
	return out, true
}

// checkMetadata applies the rules of metadata (SDF-037 to SDF-039).
func checkMetadata(c *model.Cursor, k *container) {
	m := k.meta
	if m.variant == opaque {
		return
	}
	seen := map[string]bool{}
	for i, e := range m.entries {
		at := model.Spot{Span: e.span, Range: e.at}
		here := model.About(keyAt{k: k, i: i})
		switch {
		case e.key == "":
			c.Wrong(badKey, at, "no key", nil, here)
		case seen[e.key]:
			c.Wrong(badKey, at, brief(e.key), nil, here, saying("the metadata key %s occurs twice", e.key))
		case i > 0 && m.variant == "" && e.key < m.entries[i-1].key:
			c.Wrong(keyOrder, at, brief(e.key), nil, here, saying("the metadata key %s is out of order: keys are sorted", e.key))
		}
		seen[e.key] = true
		if e.noValue {
			c.Wrong(keyOrder, at, brief(e.key), nil, here, saying("the metadata key %s has no value", e.key))
			continue
		}
		if want := reserved(e.key, e.value, "CONTAINER"); want != "" {
			c.Wrong(reservedKey, at, brief(e.value), want, model.About(keyAt{k, i, want}),
				saying("the metadata key %s cannot have this value", e.key))
		}
	}
}

// reserved is the expected value of a reserved key, or "" (section 1.4.5).
func reserved(key, value, family string) string {
	switch key {
	case "creation.time", "shard.index":
		if _, err := strconv.ParseUint(value, 10, 63); err != nil {
			return "a decimal number"
		}
	case "nd4j.format.version":
		if value != "1" {
			return "1"
		}
	case "nd4j.format.type":
		if value != family {
			return family
		}
	case "shard.type":
		if value != "graph" && value != "weights" {
			return "graph or weights"
		}
	}
	return ""
}
