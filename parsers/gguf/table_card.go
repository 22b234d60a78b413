package gguf

import (
	"context"

	"spandrel/model"
)

// cardKeys are the metadata keys that describe a model, with their labels.
var cardKeys = [][2]string{{"general.name", "name"}, {"general.architecture", "architecture"}, {"general.size_label", "parameters"}, {"general.license", "license"}}

// card describes a model by its metadata.
func card(ctx context.Context, t *model.Tree) (out []model.CardLine) {
	f := model.StateOf[*file](t)
	if f == nil || f.head == nil || f.head.Get("metadata") == nil {
		return nil
	}
	pairs := f.pairTable(t)
	rows, err := pairs.Read(ctx, 0, min(pairs.Rows, mostKeys))
	if err != nil {
		return nil
	}
	for _, n := range cardKeys {
		for _, r := range rows {
			if r[0].Value.Text() == n[0] {
				out = append(out, model.CardLine{Label: n[1], Text: r[2].Value.Text()})
			}
		}
	}
	return out
}

// mostKeys is how many pairs of metadata are searched for them: writers put them first.
const mostKeys = 200
