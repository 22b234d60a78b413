package gguf

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spandrel/model"
)

// The files of a split model may be from several runs: each loads by itself, and together they have tensors twice, and others not at all.

// mostCompared is how many files of a split are compared.
const mostCompared = 256

// share is what a file of a split model says of all of them.
type share struct{ files, tensors uint64 }

func (s share) String() string {
	return model.Words("one of %d files with %s tensors", s.files, model.Thousands(int64(s.tensors)))
}

// mixed says why the files of a split model do not belong together, and where that shows in this one; "" if nothing shows that.
func mixed(ctx context.Context, t *model.Tree, f *file) (says string, at *model.Span) {
	if at = f.head; len(f.shards) > mostCompared {
		return "", at
	}
	said, in := map[share][]string{}, map[string][]string{}
	for _, x := range f.shards {
		is := f
		if x.name != t.Snapshot.Primary {
			if is = headOf(ctx, t, x.name); is == nil {
				return "", at
			}
		}
		says := share{is.known[keyCount].Uint(), is.known[keyTotal].Uint()}
		said[says] = append(said[says], x.name)
		for _, t := range is.tensors {
			in[t.name] = append(in[t.name], x.name)
		}
	}
	twice := slices.DeleteFunc(slices.Sorted(maps.Keys(in)), func(name string) bool { return len(slices.Compact(in[name])) < 2 })
	common := slices.SortedFunc(maps.Keys(said), func(a, b share) int {
		return cmp.Or(len(said[b])-len(said[a]), cmp.Compare(a.files, b.files), cmp.Compare(a.tensors, b.tensors))
	})
	var out []string
	if len(common) > 1 {
		out = append(out, oddOne(said[common[0]], said[common[1]], common[0], common[1]))
		key := keyTotal
		if common[0].files != common[1].files {
			key = keyCount
		}
		at = cmp.Or(f.known[key].Span, at)
	}
	if len(twice) > 0 {
		out = append(out, fmt.Sprintf("%.100s is in %s", twice[0], strings.Join(slices.Compact(in[twice[0]]), " and ")))
		if n := int64(len(twice) - 1); n > 0 {
			out = append(out, model.Count(n, "more tensors")+" are in several files")
		}
	}
	return strings.Join(out, "; "), at
}

// oddOne says which of the files that say different things is from elsewhere, if most say the same.
func oddOne(most, few []string, say, says share) string {
	if len(most) > len(few) {
		return fmt.Sprintf("%s is from another model or another split: it says that it is %s, and the others say %s", few[0], says, say)
	}
	return fmt.Sprintf("%s and %s are of different models or splits: one says that it is %s, and the other %s", most[0], few[0], say, says)
}

// headOf reads another file of a split model; nil if that fails.
func headOf(ctx context.Context, t *model.Tree, name string) *file {
	c, err := t.Snapshot.Content(name)
	if err != nil {
		return nil
	}
	return headIn(ctx, t, name, c)
}

// headIn reads a content as a file; nil if its header cannot be read.
func headIn(ctx context.Context, t *model.Tree, name string, c *model.Content) *file {
	f := model.StateOf[*file](model.Parse(ctx, (&model.Snapshot{Primary: name}).With(name, c), t.Format))
	if f == nil || !f.read {
		return nil
	}
	return f
}

// setTotal offers the number of tensors that the files have. Usually a file is another's instead, so that it is never more than possible.
func setTotal(_ context.Context, _ *model.Tree, x *model.Finding) []model.Fix {
	n, ok := x.About.(int64)
	if !ok {
		return nil
	}
	fix := model.SetTo(x.Span, model.I(n))
	fix.Safe, fix.Foreign = false, true
	return []model.Fix{fix}
}
