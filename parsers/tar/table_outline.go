package tar

import (
	"cmp"
	"context"

	"spandrel/model"
)

// outline is the logical view of an archive: its members, by their real names.
func outline(ctx context.Context, t *model.Tree) ([]model.Meaning, error) {
	f := model.StateOf[*file](t)
	list := tables(ctx, t)
	if len(list) == 0 || list[0].Rows == 0 {
		return nil, nil
	}
	members := &list[0]
	return []model.Meaning{{Label: "members", Text: model.Thousands(members.Rows), Open: true, More: members.Meanings("members", func(i int64, r model.Row) model.Meaning {
		m := model.Meaning{Label: model.Named(r[0].Value.Text()), Text: cmp.Or(r[0].Trouble, r[1].Label, "type "+r[1].Value.Text()),
			Span: f.members.Child(f.child(i)), Icon: model.IconOfFile(r[0].Value.Text())}
		if r[2].Value.Kind != model.None {
			m.Text += ", " + model.Count(r[2].Value.Int(), "bytes")
		}
		return m
	})}}, nil
}

// card tells what the checksums of an archive cover.
func card(context.Context, *model.Tree) []model.CardLine {
	return []model.CardLine{{Label: model.SumsLabel, Text: "one in each header; changes in the content of members would go unnoticed"}}
}
