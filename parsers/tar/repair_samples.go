package tar

import (
	"context"
	"errors"

	"spandrel/model"
)

// leastApart is how many samples have to be spread over an archive to be certain that they belong together.
const leastApart = 10

// apart tells for the samples of an archive in which none has two members next to each other whether it is a list of all samples for one kind of
// file after the other, as `tar cf x.tar *.jpg *.json` writes it: how many lists, and how many members the first has.
func apart(samples []begin) (lists, first int) {
	in, all := map[uint64]bool{}, map[uint64]bool{}
	for i, s := range samples {
		if in[s.key] {
			if clear(in); lists == 0 {
				first = i
			}
			lists++
		}
		in[s.key], all[s.key] = true, true
	}
	if lists++; len(all) < leastApart || lists == 1 || lists > mostExts || len(samples)*5 < lists*len(all)*4 {
		return 0, 0
	}
	return lists, first
}

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
		typ, key := row[1].Value.Text(), ""
		switch {
		case row[0].Trouble != "":
			return nil, errors.New("the archive has damaged members")
		case typ == "1" || typ == "g":
			return nil, errors.New("members refer to others, which must stay before them")
		case typ == "0" || typ == "\x00":
			if m := sampleName.FindStringSubmatch(row[0].Value.Text()); m != nil {
				key = m[1]
			}
		}
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
