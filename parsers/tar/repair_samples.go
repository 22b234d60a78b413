package tar

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// removeCopy removes a sample whose members are all in the archive before, byte for byte.
var removeCopy = model.Knowing(func(ctx context.Context, t *model.Tree, _ *model.Finding, r repeated) []model.Fix {
	f, read := model.StateOf[*file](t), t.Peek(ctx, t.Root.Range.Space)
	payload := func(m part) []byte {
		at := f.members.Child(f.child(m.row)).Range
		return read(at.Off+tarfile.Block, min(at.Len-tarfile.Block, mostContinued))
	}
	x := model.Fix{Label: "remove the second copy of " + r.key, Loses: "the second copy", Says: r.key + " is in the archive twice: both copies are the same."}
	for _, m := range r.pairs() {
		if m[0].size.Value.Equal(m[1].size.Value) && m[1].size.Value.Uint() <= mostContinued && bytes.Equal(payload(m[0]), payload(m[1])) {
			x.Edits = append(x.Edits, model.Replace(f.whole(m[1].row), nil))
		}
	}
	if len(x.Edits) < len(r.second) {
		return nil
	}
	return []model.Fix{x}
})

// regroup puts the members of each sample next to each other, where the first one is. With a sample that is there twice, the archive would be rejected.
func regroup(_ context.Context, t *model.Tree, _ *model.Finding) []model.Fix {
	if model.StateOf[*file](t).repeats.Load() {
		return nil
	}
	return []model.Fix{{Label: "put the members of each sample next to each other", Safe: true, Copies: true, Once: true, Build: regrouped}}
}

func regrouped(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
	f := model.StateOf[*file](t)
	if len(f.helpers) > 0 && !f.described {
		return nil, errors.New("the archive has damaged members")
	}
	if err := t.Open(ctx, f.members); err != nil {
		return nil, err
	}
	var groups []*model.Joined
	byKey, seen := map[string]*model.Joined{}, map[string]bool{}
	for i := range f.number() {
		row, err := f.row(ctx, t, i)
		if err != nil {
			return nil, err
		}
		if err := f.movable(ctx, t, i, row); err != nil {
			return nil, err
		}
		key, ext := sampleOf(row)
		if again(seen, key, ext) {
			return nil, errors.New("two members of a sample have the same name: webdataset would reject the archive")
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

// again tells whether an earlier member of a sample has the same name.
func again(seen map[string]bool, key, ext string) bool {
	name := key + "." + strings.ToLower(ext)
	was := key != "" && seen[name]
	seen[name] = true
	return was
}

// movable says why a member must stay where it is; nil if it need not.
func (f *file) movable(ctx context.Context, t *model.Tree, i int64, row model.Row) error {
	switch {
	case row[0].Trouble != "":
		return errors.New("the archive has damaged members")
	case row[1].Value.Text() == "1":
		return errors.New("members refer to others, which must stay before them")
	}
	for _, k := range f.before(f.child(i)) {
		at := f.members.Child(k).Range
		at.Len = min(at.Len, tarfile.Block)
		b, err := t.Bytes(ctx, at)
		if err != nil {
			return err
		}
		if i > 0 && tarfile.Parse(b).Typ == 'g' {
			return errors.New("a header that is for all members after it must stay before them")
		}
	}
	return nil
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
