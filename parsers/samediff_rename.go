package parsers

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"spandrel/model"
)

// sdNameSlots are the fields in which names of variables stand, by table (section 5.3, rename).
var sdNameSlots = map[string]map[string]bool{
	"FlatGraph":    {"placeholders": true, "lossVariables": true},
	"FlatVariable": {"name": true, "controlDepsForVar": true},
	"FlatNode":     {"outputNames": true, "varControlDeps": true},
	"UpdaterState": {"paramName": true},
	"ArrayEntry":   {"variable_name": true},
}

// sdRename changes the name of a variable wherever it stands. Names of operations stay.
func sdRename(ctx sdCtx, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
	from, to := args["from"], args["to"]
	d := sdMain(t)
	if err := d.st.openAll(ctx, t); err != nil {
		return nil, err
	}
	if from == "" || to == "" || from == to || len(sdToModified(to)) > 0xffff {
		return nil, fmt.Errorf("two different names of at most 65535 bytes are needed")
	}
	var edits []model.Edit
	found := false
	for _, p := range d.flats {
		if p.depth > 0 {
			continue
		}
		err := p.view(ctx, t, func(b sdBuf) error {
			if p.root.name == "FlatGraph" {
				v := p.open(b)
				_, old := v.byName[from]
				found = found || old
				if _, taken := v.byName[to]; taken {
					return fmt.Errorf("there is a variable %s already", to)
				}
			}
			for i := range p.objs {
				if o := &p.objs[i]; o.kind == sdStr && p.isName(*o) && string(b[o.off+4:int64(o.off)+4+b.u32(int64(o.off))]) == from {
					edits = append(edits, model.Edit{Path: p.span.Path() + "/" + p.name(int32(i)) + "/text", Value: model.S(to)})
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if e, err := p.renameTraining(ctx, t, from, to); err != nil {
			return nil, err
		} else if e != nil {
			edits = append(edits, *e)
		}
	}
	if !found {
		return nil, fmt.Errorf("there is no variable %s", from)
	}
	for _, nb := range d.nbs {
		if nb.manifest == nil {
			continue
		}
		for i := range nb.manifest.entries {
			if e := &nb.manifest.entries[i]; e.name == from {
				edits = append(edits, nb.manifest.renameKey(nb.mspan.Span, e, to)...)
			}
		}
	}
	return edits, nil
}

// isName tells whether a text is the name of a variable by its place.
func (p *sdFlat) isName(o sdObj) bool {
	up := p.objs[o.parent]
	if up.kind == sdOffs {
		o, up = up, p.objs[up.parent]
	}
	t := p.tableOf(up)
	return sdNameSlots[t.name][t.slots[o.slot].name]
}

// renameTraining changes the name in the lists of the training configuration, and nothing else of its text.
func (p *sdPlaced) renameTraining(ctx sdCtx, t *model.Tree, from, to string) (e *model.Edit, err error) {
	if p.root.name != "FlatGraph" || !p.late() {
		return nil, nil
	}
	err = p.view(ctx, t, func(b sdBuf) error {
		text, ok := b.str(b.root(), sdGraphTraining)
		if !ok || !json.Valid([]byte(text)) {
			return nil
		}
		out := sdReplaceText(text, sdJSONText(from), sdJSONText(to))
		if out == text {
			return nil
		}
		e = &model.Edit{Path: p.span.Path() + "/trainingConfig/text", Value: model.S(out)}
		return nil
	})
	return e, err
}

// sdReplaceText replaces quoted texts of a JSON document that are not keys.
func sdReplaceText(doc, from, to string) string {
	var out []byte
	for i := 0; i < len(doc); {
		if doc[i] != '"' {
			out = append(out, doc[i])
			i++
			continue
		}
		end := i + 1
		for end < len(doc) && doc[end] != '"' {
			if doc[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(doc))
		token, next := doc[i:end], end
		for next < len(doc) && (doc[next] == ' ' || doc[next] == '\n' || doc[next] == '\t' || doc[next] == '\r') {
			next++
		}
		if token == from && (next >= len(doc) || doc[next] != ':') {
			token = to
		}
		out = append(out, token...)
		i = end
	}
	return string(out)
}

// renameKey writes another key into an entry of a manifest: its length and its text.
func (m *sdManifest) renameKey(span *model.Span, e *sdManifestEntry, to string) []model.Edit {
	for i := e.from; i+1 < e.to; i++ {
		n, text := m.tokens[i], m.tokens[i+1]
		if n.field.Name != "key/len" {
			continue
		}
		at := span.Range
		at.Off, at.Len = at.Off+n.at, n.n+text.n
		key := sdToModified(to)
		b := binary.BigEndian.AppendUint16(nil, uint16(len(key)))
		if n.n == 8 {
			b = binary.BigEndian.AppendUint64(nil, uint64(len(key)))
		}
		return []model.Edit{{Range: at, With: model.Memory(append(b, key...)), Into: e.span.Path()}}
	}
	return nil
}
