package doc

import (
	"slices"

	"spandrel/model"
)

// DistinctFixes drops repeated fixes: two rows that overlap may each offer the same one.
func DistinctFixes(fixes []model.Fix) (out []model.Fix) {
	for _, f := range fixes {
		if !slices.ContainsFunc(out, func(x model.Fix) bool { return x.Label == f.Label && x.Loses == f.Loses }) {
			out = append(out, f)
		}
	}
	return out
}
