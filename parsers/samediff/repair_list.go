package samediff

import (
	"context"

	"spandrel/model"
	"spandrel/parsers/internal/zipfile"
)

// repairs are what is offered for a finding, besides the value that a field should have: the finding carries what they start from, whatever its rule is.
var repairs = map[*model.Rule]model.Repairer{}

func init() {
	for _, r := range rules.All() {
		repairs[r] = offered
	}
}

// offered are the repairs of a finding: those that it has with it, or those of what it says about its place.
func offered(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	switch x := f.About.(type) {
	case []model.Fix:
		return x
	case func() []model.Fix:
		return x()
	case issueAt:
		return x.corrections(ctx, t, f)
	case zipfile.Issue:
		return zipfile.Repairs(ctx, t, f)
	case interface {
		fixes(*model.Finding) []model.Fix
	}:
		return x.fixes(f)
	}
	return nil
}
