package safetensors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spandrel/model"
)

// salvage saves the shards of a checkpoint, each as a file of its own: sound ones unchanged, the others with the tensors that are left in
// them. A new index lists what was saved.
func (x *index) salvage(ctx context.Context, t *model.Tree) (*model.Salvaged, error) {
	if x.capped {
		return nil, errors.New("its headers are too large to be read together: salvage its files one by one")
	}
	out := &model.Salvaged{Files: map[string]model.Source{}}
	files := model.SalvagedPart{What: "shards", Of: int64(len(x.shards))}
	saved, ending := map[string]*shard{}, ""
	var lost []string
	for _, name := range slices.Sorted(maps.Keys(x.shards)) {
		source, left, err := x.shards[name].salvage(ctx, t)
		if err != nil {
			lost = append(lost, fmt.Sprintf("%s (%v)", name, err))
			continue
		}
		if of, ok := setOf(name); ok {
			ending = of.prefix + indexEnding
		}
		out.Files[name], saved[name] = source, left
	}
	weights, total := x.within(saved)
	if len(weights) == 0 {
		return nil, errors.New("no tensor of its files can be read: " + strings.Join(lost, "; "))
	}
	text, err := x.text(weights, total)
	if err != nil {
		return nil, err
	}
	out.Files[cmp.Or(t.Snapshot.Primary, ending)] = model.Memory(text)
	if c, err := t.Snapshot.Content(configField.Name); err == nil {
		out.Files[configField.Name] = c
	}
	files.Saved, files.Lost = int64(len(saved)), model.Few(lost, mostNamed)
	out.Parts = []model.SalvagedPart{x.part(weights), files}
	return out, ctx.Err()
}

// within is the shard of each tensor that saved shards contain, the one that the index says if there are several, and their size in bytes.
func (x *index) within(saved map[string]*shard) (weights map[string]string, total int64) {
	weights = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(saved)) {
		for _, k := range saved[name].tensors {
			if w := x.weights[k.name]; weights[k.name] == "" || w != nil && w.file == name {
				weights[k.name] = name
			}
			total += k.end - k.begin
		}
	}
	return weights, total
}

// part counts the tensors of the checkpoint: those that the index lists, and others that its shards have.
func (x *index) part(saved map[string]string) model.SalvagedPart {
	all := map[string]bool{}
	for name := range x.weights {
		all[x.stored(name)] = true
	}
	for name := range x.found {
		all[name] = true
	}
	p := model.SalvagedPart{What: "tensors", Saved: int64(len(saved)), Of: int64(len(all))}
	var lost []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if saved[name] == "" {
			lost = append(lost, fmt.Sprintf("%.100q", name))
		}
	}
	p.Lost = model.Few(lost, mostNamed)
	return p
}

// salvage is what can be saved of a shard, and its tensors.
func (h *shard) salvage(ctx context.Context, t *model.Tree) (model.Source, *shard, error) {
	if !h.there {
		return nil, nil, errors.New("it is missing")
	}
	c, err := t.Snapshot.Content(h.name)
	if err != nil {
		return nil, nil, err
	}
	alone := (&model.Snapshot{Primary: h.name}).With(h.name, c)
	s, err := model.Salvage(ctx, model.Parse(ctx, alone, t.Format))
	if err != nil {
		return nil, nil, err
	}
	is := &shard{name: h.name, span: h.span}
	is.read(model.NewContent(s.Files[h.name]), mostHeads)
	return s.Files[h.name], is, nil
}
