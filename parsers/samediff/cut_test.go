package samediff

import (
	"context"
	"testing"

	"spandrel/model"
)

// TestCutIsNotMended cuts models at many places: no repair that is made without asking may hide that something is missing.
func TestCutIsNotMended(t *testing.T) {
	ctx := context.Background()
	files := map[string][]byte{"c.fb": fb(inline()), "c.sdnb": nbSmall(), "c.sdz": zipOf(t, 0, nbSmall()),
		"c.sdc": box(headOf(3), metaOf("name", "tiny"), recordOf(2, fb(inline())))}
	for name, b := range files {
		n := len(b)
		for _, at := range []int{n / 3, n / 2, n * 2 / 3, n * 9 / 10, n * 99 / 100, n - 12, n - 5, n - 1} {
			d := openModel(t, name, b[:at])
			errorsOf(t, d)
			found, _ := d.Tree.Findings()
			errors := 0
			for i := range found {
				if found[i].Grade() != model.Error {
					continue
				}
				errors++
				if fix := d.Tree.Safe(&found[i], d.Tree.Fixes(ctx, &found[i])); fix != nil {
					t.Errorf("%s cut at %d of %d: %s: %q is called safe", name, at, n, found[i].Text(), fix.Label)
				}
			}
			if errors == 0 && at < n-8 {
				t.Errorf("%s cut at %d of %d has no error", name, at, n)
			}
		}
	}
}
