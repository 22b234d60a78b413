package taridx

import (
	"fmt"

	"spandrel/model"
)

// verdict is how well the rows of one shard fit it.
type verdict struct {
	rows, foreign int64
	by, kept      map[*model.Rule]int64
	told          []*model.Rule // one finding for all rows
}

// fits tells whether at least half of the rows fit the shard; fewer than three rows always do.
func (v *verdict) fits() bool { return v.rows < 3 || 2*v.foreign <= v.rows }

// omitted counts the findings of a shard that were not kept.
func (v *verdict) omitted(t *model.Tree) {
	for r, n := range v.by {
		t.Omit(r, int(n-v.kept[r]))
	}
}

// says is the message about all rows of a shard that violate a rule; gone names what is missing, if anything.
func (v *verdict) says(r *model.Rule, shard, gone string) string {
	text := model.Words("%s of the %s rows of %s: %s", model.Thousands(v.by[r]), model.Thousands(v.rows), shard, r.Title)
	if gone != "" {
		text += fmt.Sprintf(": %s is missing", gone)
	}
	return text
}
