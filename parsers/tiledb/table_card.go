package tiledb

import (
	"context"
	"fmt"

	"spandrel/model"
)

// card says what an array consists of, and which versions of TileDB read it.
func card(_ context.Context, t *model.Tree) []model.CardLine {
	d, ok := t.State.(*doc)
	if !ok || len(d.inOrder) == 0 || d.inOrder[0].schemas.Current() == nil {
		return nil
	}
	a := d.inOrder[0]
	s := a.schemas.Current()
	reads := fmt.Sprintf("TileDB that supports format %d; 2.30 supports formats up to %d", s.Version, versionReleased)
	if s.Version > versionReleased {
		reads = "TileDB 2.31 and later"
	}
	return []model.CardLine{{Label: "format", Text: fmt.Sprint(s.Version)}, {Label: "read by", Text: reads},
		{Label: "made of", Text: model.Count(int64(len(s.Dims)), "dimensions") + ", " + model.Count(int64(len(s.Attrs)), "attributes") + ", " + model.Count(int64(len(a.fragList)), "fragments")}}
}
