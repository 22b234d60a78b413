package idv

import (
	"context"
	"fmt"

	"spandrel/model"
)

// card says which readers can read a file: those that are at least as new as it requires.
func card(ctx context.Context, t *model.Tree) []model.CardLine {
	s, err := t.Find(ctx, "header/compatibleVersion")
	if err != nil || s == nil {
		return nil
	}
	v, err := t.Value(ctx, s)
	if err != nil || v.Uint()>>48 == 0 {
		return nil
	}
	return []model.CardLine{{Label: "read by", Text: fmt.Sprintf("ML.NET, with readers of format %s and later", versionText(v.Uint()))}}
}
