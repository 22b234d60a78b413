package samediff

import (
	"fmt"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
	"spandrel/parsers/samediff/manifest"
)

// takeManifest is the fix that makes the header lead to the manifest at a place, up to the end of the n bytes.
func (nb *native) takeManifest(at, n int64) []model.Fix {
	return []model.Fix{{Label: fmt.Sprintf("take the manifest at %d", at), Edits: []model.Edit{
		model.SetValue(nb.header[2].Span, model.I(at)), model.SetValue(nb.header[3].Span, model.I(n-at))}}}
}

// rebuild makes a manifest from what the graph says about appended arrays: their offsets count from the first of them, and the last
// ends where the manifest starts (section 1.4.3).
func (nb *native) rebuild(t *model.Tree, off int64) (edits []model.Edit, err error) {
	if nb.graph == nil {
		return nil, fmt.Errorf("there is no graph")
	}
	err = nb.graph.view(background, t, func(b flat.Buffer) error {
		var list []manifest.Entry
		end := int64(0)
		v := nb.graph.open(b)
		for _, x := range v.vars {
			if x.array == 0 {
				continue
			}
			if a := v.placed.array(b, x.array); a.stub && a.offset >= 0 && a.length >= 0 && a.length <= off {
				list = append(list, manifest.Entry{Name: x.name, Offset: a.offset, Length: a.length})
				end = max(end, a.offset+a.length)
			}
		}
		if base := off - end; len(list) == 0 || base < 32 {
			return fmt.Errorf("the graph says of no appended array where it is")
		} else {
			for i := range list {
				list[i].Offset += base
			}
		}
		edits = []model.Edit{model.Replace(nb.mspan.Range, manifest.Write(list))}
		return nil
	})
	return edits, err
}
