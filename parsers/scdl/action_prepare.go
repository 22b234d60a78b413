package scdl

import (
	"context"
	"errors"
	"fmt"

	"spandrel/model"
)

// prepare rejects what no reader loads and asks about changes that silently change the meaning (section 11).
func prepare(ctx context.Context, t *model.Tree, edits []model.Edit) (out []model.Edit, warnings []string, err error) {
	for _, e := range edits {
		set, ok := e.(model.Set)
		if !ok {
			continue
		}
		s, err := t.Find(ctx, set.Path)
		if err != nil {
			continue // the planner reports it
		}
		warn, err := review(t, s, set.Value)
		if err != nil {
			return nil, nil, err
		}
		if warn != "" {
			warnings = append(warnings, warn)
		}
	}
	return edits, warnings, nil
}

// review says what a value of a header means: "" if it is harmless, an error if it is rejected.
func review(t *model.Tree, s *model.Span, v model.Value) (string, error) {
	text, archive := v.Text(), archiveOf(t, s) != nil
	array := s.Parent() != nil && s.Parent().Field == arrayField
	switch {
	case s.Field == majorField && v.Uint() > 0:
		return "", errors.New("the reference package cannot save headers of a major version above 0")
	case s.Field == nameField && len(text) > maxName:
		return "", checkName(text)
	case (s.Field == length || s.Field == dtype) && array && hasInline(t):
		return "", errInline
	case s.Field == nameField && array && archive && fileOf(text) == "":
		return fmt.Sprintf("no reader knows an array named %q: the archive will not load", text), nil
	case s.Field == nameField && array && archive:
		return "the array files stay where they are: the descriptor now describes " + fileOf(text), nil
	case s.Field == dtype && array && archive:
		return "the bytes of the array are not converted: they will be read as another type", nil
	case s.Field == pathField && model.Clean(text) != nil:
		return fmt.Sprintf("%q leads out of the archive: nothing will open it", text), nil
	}
	return "", nil
}
