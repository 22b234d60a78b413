package wds

import (
	"strconv"

	"spandrel/model"
)

// The offsets of a DALI index may all be counted in blocks, or from another place. The members of the archive, in the same order, say what they should be.

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
