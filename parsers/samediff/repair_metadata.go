package samediff

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"spandrel/model"
)

// rewriteMeta is a fix that writes METADATA with other entries.
func (k *container) rewriteMeta(f model.Fix, change func(list []entry) []entry) model.Fix {
	f.Build = func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		return k.replaced(ctx, t, change(slices.Clone(k.meta.entries)))
	}
	return f
}

// fixes offers what helps an entry of METADATA.
func (x keyAt) fixes(f *model.Finding) []model.Fix {
	e := x.k.meta.entries[x.i]
	same := func(list []entry) []entry { return list }
	switch {
	case f.Rule == keyOrder && e.noValue:
		return []model.Fix{x.k.rewriteMeta(model.Fix{Label: "give it an empty value", Safe: true}, same)}
	case f.Rule == keyOrder:
		return []model.Fix{x.k.rewriteMeta(model.Fix{Label: "sort the keys"}, same)}
	case f.Rule == reservedKey && (x.want == "1" || x.want == "CONTAINER"):
		return []model.Fix{x.k.rewriteMeta(model.Fix{Label: "set it to " + x.want},
			func(list []entry) []entry { list[x.i].value = x.want; return list })}
	}
	return []model.Fix{x.k.rewriteMeta(model.Fix{Label: "remove the entry", Loses: fmt.Sprintf("the value %q", brief(e.value))},
		func(list []entry) []entry { return slices.Delete(list, x.i, x.i+1) })}
}

// fixes offers one of two values for a key that METADATA and the graph have.
func (x keyIn) fixes(*model.Finding) []model.Fix {
	v, there := x.k.meta.get(x.key)
	change := map[string]*string{x.key: nil}
	label := "remove it from the graph"
	if there {
		change[x.key], label = &v, "copy the value of METADATA to the graph"
	}
	return []model.Fix{
		later(label, false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) { return x.p.setMetadata(ctx, t, change) }),
		later("copy the value of the graph to METADATA", false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
			return x.k.setMetadata(ctx, t, map[string]*string{x.key: &x.value})
		}),
	}
}

// fixes offers shard information that fits the file's place in its set.
func (x shardEdit) fixes(*model.Finding) []model.Fix {
	s := x.k.shard
	switch {
	case x.meta != "":
		return []model.Fix{later("set shard.type to "+x.meta, true, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
			return x.k.setMetadata(ctx, t, map[string]*string{"shard.type": &x.meta})
		})}
	case s.placed == nil || s.placed.Copyable() != nil:
		return nil
	case x.name != nil && x.name.count < 0:
		return nil
	}
	now, label, safe := *s, "set it to "+x.base+x.kind, true
	if x.name != nil {
		label, safe = fmt.Sprintf("set it to %d of %d", x.name.index, x.name.count), false
		if now.index, now.count = x.name.index, x.name.count; now.kind != "" {
			now.kind = x.name.part()
		}
	}
	now.kind, now.base = cmp.Or(x.kind, now.kind), cmp.Or(x.base, now.base)
	meta, has := x.k.meta.get("shard.type")
	return []model.Fix{later(label, safe, func(ctx context.Context, t *model.Tree) (edits []model.Edit, err error) {
		if x.kind != "" && has && meta != x.kind {
			edits, err = x.k.setMetadata(ctx, t, map[string]*string{"shard.type": &x.kind})
		}
		// Its texts may be shared, so that none is changed in place.
		return append(edits, model.Replace(s.span.Range, flatShardInfo(now))), err
	})}
}
