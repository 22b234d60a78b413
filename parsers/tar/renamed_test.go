package tar

import (
	"archive/tar"
	"bytes"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// A text tool replaced names by longer or shorter ones, so the rest of the archive is shifted. The names are restored if the checksums say what was inserted,
// and in any case the new ones can be kept.
func TestRenamed(t *testing.T) {
	for name, x := range map[string]struct {
		from, to string
		restored bool // by a safe repair
		fixes    int
	}{
		"longer":              {"img/", "images/", false, 1},
		"shorter":             {"img/", "x/", false, 1},
		"a folder":            {"img/", "data/img/", true, 2},
		"a piece inside":      {"img/000", "img/00000", true, 2},
		"too long":            {"img/", strings.Repeat("n", 90) + "/", false, 0},
		"the content as well": {"x", "xyz", false, 0},
	} {
		members := []string{"img/0001.jpg", strings.Repeat("x", 600), "img/0001.cls", "7", "readme", "unchanged"}
		whole := archive(tar.FormatUSTAR, members...)
		d, err := model.OpenBytes(t.Context(), "a.tar", bytes.ReplaceAll(whole, []byte(x.from), []byte(x.to)), []*model.Format{Format}, Format)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		d.Deep(t.Context(), nil)
		found, _ := d.Tree.Findings()
		i := slices.IndexFunc(found, func(f model.Finding) bool { return f.Rule == noHeader })
		if i < 0 {
			t.Errorf("%s: %v", name, found)
			continue
		}
		fixes := d.Tree.Fixes(t.Context(), &found[i])
		if len(fixes) != x.fixes || len(fixes) > 0 && fixes[0].Safe != x.restored {
			t.Errorf("%s: %v", name, fixes)
		}
		for k, fix := range fixes {
			p, err := d.Plan(t.Context(), "repair", fix.Edits...)
			if err != nil {
				t.Fatal(err)
			}
			d.Apply(t.Context(), p, nil)
			got, want := suite.Bytes(t, d), slices.Clone(members)
			if k == len(fixes)-1 {
				want[0], want[2] = strings.Replace(want[0], x.from, x.to, 1), strings.Replace(want[2], x.from, x.to, 1)
			} else if !bytes.Equal(got, whole) {
				t.Errorf("%s: other bytes after %q", name, fix.Label)
			}
			if is := read(t, got); !slices.Equal(is, want) {
				t.Errorf("%s: %q after %q", name, is, fix.Label)
			}
			d.Undo(t.Context())
		}
	}
}
