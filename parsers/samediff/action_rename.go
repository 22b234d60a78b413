package samediff

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"spandrel/model"
	"spandrel/parsers/internal/jsontext"
	"spandrel/parsers/samediff/flat"
	"spandrel/parsers/samediff/manifest"
)

// nameSlots are the fields with names of variables, by table (section 5.3, rename).
var nameSlots = map[string]map[string]bool{
	"FlatGraph":    {"placeholders": true, "lossVariables": true},
	"FlatVariable": {"name": true, "controlDeps": true, "controlDepsForVar": true},
	"FlatNode":     {"outputNames": true, "controlDeps": true, "varControlDeps": true, "controlDepFor": true},
	"UpdaterState": {"paramName": true},
	"ArrayEntry":   {"variable_name": true},
}

// named tells whether a field contains names of variables. In graphs before 2019 present readers find the output of an operation by its own
// name, so that it is renamed with its variable.
func (p *placed) named(table, field string) bool {
	return nameSlots[table][field] || table == "FlatNode" && field == "name" && p.Gen != "" && !p.Late()
}

// rename changes the name of a variable everywhere. Names of operations stay, except in graphs before 2019.
func rename(ctx context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
	from, to := args["from"], args["to"]
	d := main(t)
	if err := d.st.openAll(ctx, t); err != nil {
		return nil, err
	}
	if from == "" || to == "" || from == to || len(manifest.ToModified(to)) > 0xffff {
		return nil, fmt.Errorf("two different names of at most 65535 bytes are needed")
	}
	var edits []model.Edit
	found := false
	for _, p := range d.flats {
		if p.depth > 0 {
			continue
		}
		there, more, err := p.renamed(ctx, t, from, to)
		if err != nil {
			return nil, err
		}
		found, edits = found || there, append(edits, more...)
	}
	if !found {
		return nil, fmt.Errorf("there is no variable %s", from)
	}
	for _, nb := range d.nbs {
		edits = append(edits, nb.renameEntry(from, to)...)
	}
	return edits, nil
}

// renamed changes the name of a variable in one buffer: its texts in place or, if fields of other kinds share them, by rewriting everything.
func (p *placed) renamed(ctx context.Context, t *model.Tree, from, to string) (found bool, edits []model.Edit, err error) {
	shared := false
	err = p.view(ctx, t, func(b flat.Buffer) error {
		if p.Root.Name == "FlatGraph" {
			v := p.open(b)
			_, found = v.byName[from]
			if _, taken := v.byName[to]; taken {
				return fmt.Errorf("variable %s already exists", to)
			}
		}
		edits, shared = p.renamedTexts(b, from, to)
		return nil
	})
	if shared { // the copy gives each field a text of its own
		edits, err = p.rewrite(ctx, t, p.nb != nil, func(c *flat.Copy) {
			c.Other = otherName(c, p.named, from, to)
			if text, other := p.training(c.B, from, to); other != text {
				c.Set(p.GraphAt(c.B), flat.GraphTraining, other)
			}
		})
	}
	return found, edits, err
}

// renamedTexts changes the texts with the name of a variable in place, unless other kinds of fields share one.
func (p *placed) renamedTexts(b flat.Buffer, from, to string) (edits []model.Edit, shared bool) {
	set := func(i int32, text string) {
		edits = append(edits, model.Set{Path: p.span.Path() + "/" + p.Name(i) + "/text", Value: model.S(text)})
	}
	texts, shared := p.namesOf(b, from)
	for _, i := range texts {
		set(i, to)
	}
	i, _ := p.At(b.Ref(p.GraphAt(b), flat.GraphTraining))
	if text, other := p.training(b, from, to); i >= 0 && other != text {
		set(i, other)
	}
	return edits, shared
}

// training is the training configuration of a graph, and with another name of a variable in its lists; both are empty if it cannot be read.
func (p *placed) training(b flat.Buffer, from, to string) (is, other string) {
	if is, _ = b.Str(p.GraphAt(b), flat.GraphTraining); !p.Late() || !json.Valid([]byte(is)) {
		return "", ""
	}
	return is, replaceNames(is, from, to)
}

// otherName replaces a name in fields: texts that are equal to it, and lists of texts.
func otherName(c *flat.Copy, in func(table, field string) bool, from, to string) func(tab *flat.Table, at int64, slot int) (flatbuffers.UOffsetT, bool) {
	return func(tab *flat.Table, at int64, slot int) (flatbuffers.UOffsetT, bool) {
		s := &tab.Slots[slot]
		if !in(tab.Name, s.Name) {
			return 0, false
		}
		if text, _ := c.B.Str(at, slot); !s.Vec && text == from {
			return c.Out.CreateSharedString(to), true
		}
		names, _ := c.B.Strs(at, slot)
		if !s.Vec || !slices.Contains(names, from) {
			return 0, false
		}
		refs := make([]flatbuffers.UOffsetT, len(names))
		for i, name := range names {
			if name == from {
				name = to
			}
			refs[i] = c.Out.CreateSharedString(name)
		}
		return flat.RefVector(c.Out, refs), true
	}
}

// namesOf returns the texts with the name of a variable by the fields that refer to them, and whether other kinds of fields
// share one.
func (p *placed) namesOf(b flat.Buffer, name string) (texts []int32, shared bool) {
	at := map[int64]int32{}
	for i := range p.Objs {
		if o := &p.Objs[i]; o.Kind == flat.StringObject && string(b[o.Off+4:int64(o.Off)+4+b.U32(int64(o.Off))]) == name {
			at[int64(o.Off)] = int32(i)
		}
	}
	if len(at) == 0 {
		return nil, false
	}
	named, other := map[int32]bool{}, map[int32]bool{}
	use := func(to int64, table, field string) {
		i, ok := at[to]
		switch {
		case !ok:
		case p.named(table, field):
			named[i] = true
		default:
			other[i] = true
		}
	}
	vectors := textFields(p.Map, b, use)
	for v, fields := range vectors {
		from, n, _ := b.Vector(v, 4)
		for k := range n {
			for _, f := range fields {
				use(b.Follow(from+4*k), f[0], f[1])
			}
		}
	}
	for i := range named {
		shared = shared || other[i]
		texts = append(texts, i)
	}
	slices.Sort(texts)
	return texts, shared
}

// textFields passes every field that leads to a text to use, and returns the vectors of texts with the fields that lead to them: a table and a name.
func textFields(m *flat.Map, b flat.Buffer, use func(to int64, table, field string)) map[int64][][2]string {
	vectors := map[int64][][2]string{}
	for t := range m.Tables() {
		for _, f := range t.Fields {
			if f.Slot == nil || !f.Slot.Str {
				continue
			}
			to := b.Follow(t.At + f.Start)
			if f.Slot.Vec {
				vectors[to] = append(vectors[to], [2]string{t.Type.Name, f.Slot.Name})
			} else {
				use(to, t.Type.Name, f.Slot.Name)
			}
		}
	}
	return vectors
}

// replaceNames changes a name in the lists of variable names of a training configuration, and keeps everything else
// unchanged.
func replaceNames(doc, from, to string) string {
	tokens, _, _ := jsontext.Tokens([]byte(doc))
	out, done, member := "", int64(0), ""
	for _, t := range tokens {
		switch {
		case t.Kind == jsontext.Key && t.Depth == 1:
			member = t.Text
		case t.Kind == jsontext.Text && t.Text == from && slices.Contains(nameLists, member):
			out, done = out+doc[done:t.Start]+jsonText(to), t.End
		}
	}
	return out + doc[done:]
}

// renameEntry changes the name of an array in a manifest.
func (nb *native) renameEntry(from, to string) (edits []model.Edit) {
	for _, e := range nb.entries {
		if e.Name == from {
			edits = append(edits, nb.renameKey(e, to)...)
		}
	}
	return edits
}

// renameKey replaces the key of a manifest entry: its length and its text.
func (nb *native) renameKey(e *appended, to string) []model.Edit {
	for i := e.From; i+1 < e.To; i++ {
		n, text := nb.manifest.Tokens[i], nb.manifest.Tokens[i+1]
		if n.Field.Name != "key/len" {
			continue
		}
		at := nb.mspan.Range
		at.Off, at.Len = at.Off+n.At, n.N+text.N
		key := manifest.ToModified(to)
		b := binary.BigEndian.AppendUint16(nil, uint16(len(key)))
		if n.N == 8 {
			b = binary.BigEndian.AppendUint64(nil, uint64(len(key)))
		}
		return []model.Edit{model.Splice{Range: at, With: model.Memory(append(b, key...)), Into: e.span.Path()}}
	}
	return nil
}
