package tiledb

import (
	"context"
	"strings"

	"spandrel/model"
)

// putBack gives the files their own names, unless they can be found by these too, as on disks that do not tell letters of either case apart.
var putBack = model.Knowing(func(_ context.Context, t *model.Tree, _ *model.Finding, x *displaced) (out []model.Fix) {
	for _, names := range x.names {
		fix := model.Fix{Label: model.Words("give %s their names in the array back", model.Count(int64(len(names)), "files")), Says: strings.ToUpper(x.says[:1]) + x.says[1:] + ".",
			Safe: len(x.names) == 1, Copies: true, Witnessed: true, Once: true}
		for _, e := range filesBelow(t.Snapshot, ".", nil) {
			to, ok := names[e.Name]
			if !ok {
				continue
			}
			content, err := t.Snapshot.Content(e.Name)
			if _, taken := t.Snapshot.Content(to); err != nil || taken == nil {
				return nil
			}
			fix.Edits = append(fix.Edits, model.FileEdit{File: to, Create: content}, model.FileEdit{File: e.Name, Delete: true})
		}
		out = append(out, offer(true, fix)...)
	}
	return out
})
