package doc

import (
	"slices"

	"spandrel/model"
)

// DistinctFixes leaves out fixes that say the same as one before them: two rows that overlap may each offer to mend both.
func DistinctFixes(fixes []model.Fix) (out []model.Fix) {
	for _, f := range fixes {
		if !slices.ContainsFunc(out, func(x model.Fix) bool { return x.Label == f.Label && x.Loses == f.Loses }) {
			out = append(out, f)
		}
	}
	return out
}
