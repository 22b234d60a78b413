package taridx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
)

// prepare rejects names that the reference cannot load, and asks about changes that silently change the meaning (section 12).
func prepare(_ context.Context, t *model.Tree, edits []model.Edit) ([]model.Edit, []string, error) {
	x := stateOf(t)
	if x == nil {
		return edits, nil, nil
	}
	renamed := map[*model.Span][]string{}
	for _, e := range edits {
		set, ok := e.(model.Set)
		if !ok || set.Value.Kind != model.Text {
			continue
		}
		block, id := nameAt(x, set.Path)
		if block == nil {
			continue
		}
		name := set.Value.Text()
		if name == "" || strings.ContainsFunc(name, space) {
			return nil, nil, fmt.Errorf("%q: a name cannot be empty or contain white space, because readers could not load the index", name)
		}
		if renamed[block] == nil {
			renamed[block] = slices.Clone(x.namesOf(block))
		}
		renamed[block][id] = name
	}
	warnings, err := renamedTables(x, renamed)
	if err != nil {
		return nil, nil, err
	}
	return edits, warnings, nil
}

// nameAt is the text block and the index of the name at a path; nil for other paths.
func nameAt(x *index, path string) (block *model.Span, id int) {
	for _, block := range []*model.Span{x.extSpan, x.stemSpan} {
		if id, ok := entryOf(block, path); ok && id < len(x.namesOf(block)) {
			return block, id
		}
	}
	return nil, 0
}

// renamedTables rejects tables with repeated names, and warns about what a new name does not change.
func renamedTables(x *index, tables map[*model.Span][]string) (warnings []string, err error) {
	for block, names := range tables {
		if twice := repeated(names); twice != "" && repeated(x.namesOf(block)) != twice {
			return nil, fmt.Errorf("%q would be in the table twice, and readers could not load the index", twice)
		}
		if block == x.extSpan {
			w := "the members of the shards keep their extension; Rename this extension (rename-extension) changes both"
			if slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(x.namesOf(block)))) {
				w += "; to swap two names, rename three times, using an unused name for the first"
			}
			warnings = append(warnings, w)
		}
	}
	return warnings, nil
}

// entryOf returns the index of the name at a path of a text block.
func entryOf(block *model.Span, path string) (id int, ok bool) {
	if block == nil {
		return 0, false
	}
	rest, ok := strings.CutPrefix(path, block.Path()+"[")
	if !ok {
		return 0, false
	}
	n, err := fmt.Sscanf(rest, "%d]/name", &id)
	return id, n == 1 && err == nil && id >= 0 && strings.HasSuffix(rest, "]/name")
}

// repeated returns a name that occurs twice in a list, or "".
func repeated(names []string) string {
	sorted := slices.Sorted(slices.Values(names))
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return sorted[i]
		}
	}
	return ""
}
