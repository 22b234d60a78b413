package wds

import (
	"bytes"
	"context"
	"strconv"

	"spandrel/model"
)

// The offsets of a DALI index may all be counted in blocks, or from another place. The members of the archive, in the same order, say what they should be.

// recount is how the offsets of an index are counted, and what they should be.
type recount struct {
	model.Recount
	want []int64
}

// recounted finds out how offsets are counted if each component is otherwise the member at its place in the archive; nil if they are right or follow no rule.
func (k *comparison) recounted() *recount {
	var is, want []int64
	left, same := k.list, true
	err := k.x.each(k.ctx, k.t, func(_ place, words []string) {
		for len(left) > 0 && hiddenMember(left[0]) {
			left = left[1:]
		}
		off, err := strconv.ParseInt(words[1], 10, 64)
		if same = same && err == nil && len(left) > 0 && left[0].is(words); same {
			is, want, left = append(is, off), append(want, left[0].off), left[1:]
		}
	})
	if r := model.RecountOf(is, want); err == nil && same && k.whole && r.Times > 0 {
		return &recount{r, want}
	}
	return nil
}

func hiddenMember(m member) bool {
	key, _ := keyOf(m.name)
	return hidden(key)
}

// is tells whether the words of a component are those of a member, but for its offset.
func (m *member) is(words []string) bool {
	_, ext := keyOf(m.name)
	return words[0] == ext && words[2] == strconv.FormatInt(m.size, 10) && (len(words) < 4 || words[3] == m.name)
}

// countAgain offers the offsets as DALI counts them, or to rebuild the index.
func countAgain(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	x := model.StateOf[*index](t)
	if x == nil || x.recount.Load() == nil {
		return rebuilt(ctx, t, f)
	}
	r := x.recount.Load()
	says := "The offsets of all components " + r.Text(map[int64]string{}) + "."
	return []model.Fix{{Label: "count the offsets of all components from the start of the archive, in bytes", Says: says, Once: true, Safe: true, Witnessed: true,
		Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
			b, err := t.Bytes(ctx, x.lines.Range)
			if err != nil {
				return nil, err
			}
			return []model.Edit{model.Splice{Range: x.lines.Range, With: model.Memory(x.withOffsets(b, r.want)), Loose: true}}, nil
		}}}
}

// withOffsets is the lines of an index with other offsets.
func (x *index) withOffsets(lines []byte, want []int64) (out []byte) {
	for line := range bytes.Lines(lines) {
		last := int64(0)
		for k, at := range wordsOf(bytes.TrimRight(line, "\r\n")) {
			if k%x.per() == 1 && len(want) > 0 {
				out = strconv.AppendInt(append(out, line[last:at[0]]...), want[0], 10)
				last, want = at[1], want[1:]
			}
		}
		out = append(out, line[last:]...)
	}
	return out
}
