package tar

import (
	"context"
	"errors"

	"spandrel/model"
)

// regroup puts the members of each sample next to each other, where the first one is.
func regroup(context.Context, *model.Tree, *model.Finding) []model.Fix {
	return []model.Fix{{Label: "put the members of each sample next to each other", Safe: true, Copies: true, Once: true, Build: regrouped}}
}

func regrouped(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
	f := model.StateOf[*file](t)
	if len(f.helpers) > 0 && !f.described {
		return nil, errors.New("the archive has damaged members")
	}
	var groups []*model.Joined
	byKey := map[string]*model.Joined{}
	for i := range f.number() {
		row, err := f.row(ctx, t, i)
		if err != nil {
			return nil, err
		}
		switch typ := row[1].Value.Text(); {
		case row[0].Trouble != "":
			return nil, errors.New("the archive has damaged members")
		case typ == "1" || typ == "g":
			return nil, errors.New("members refer to others, which must stay before them")
		}
		key, _ := sampleOf(row)
		g := byKey[key]
		if g == nil || key == "" {
			g = &model.Joined{}
			groups, byKey[key] = append(groups, g), g
		}
		g.Add(t.Slice(ctx, f.whole(i)))
	}
	all, in := &model.Joined{}, f.members.Range
	for _, g := range groups {
		all.Add(g)
	}
	if all.Len() > in.Len {
		return nil, errors.New("the members overlap")
	}
	in.Len = all.Len()
	return []model.Edit{model.Splice{Range: in, With: all, Loose: true}}, nil
}

// whole is the range of member i with the helper headers before it.
func (f *file) whole(i int64) model.Range {
	k := f.child(i)
	at := f.members.Child(k).Range
	if helpers := f.before(k); len(helpers) > 0 {
		from := f.members.Child(helpers[0]).Range.Off
		at.Off, at.Len = from, at.End()-from
	}
	return at
}
