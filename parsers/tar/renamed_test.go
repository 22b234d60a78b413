package tar

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/parsers/internal/suite"
	"spandrel/parsers/internal/tarfile"
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

// A text tool replaced a word in names by one of the same length: all members are there, and readers need no more than the checksums of the new names.
func TestWordReplaced(t *testing.T) {
	members := []string{"cat_0.jpg", "one cat", "cat_0.cls", "0", "other.txt", strings.Repeat("x", 600), "cat_1.jpg", "two", "cat_1.cls", "1"}
	for _, format := range []tar.Format{tar.FormatUSTAR, tar.FormatGNU, tar.FormatPAX} {
		d, err := model.OpenBytes(t.Context(), "a.tar", bytes.ReplaceAll(archive(format, members...), []byte("cat"), []byte("dog")), []*model.Format{Format}, Format)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
		if err != nil || len(g.Causes) == 0 || len(g.Causes[0].Repairs) == 0 {
			t.Errorf("%v: %v %v", format, err, g.Findings)
			continue
		}
		if c := g.Causes[0]; c.Grade != cause.Likely || !strings.HasPrefix(c.Text, "The names of 4 members were changed") {
			t.Errorf("%v: %s %s", format, c.Grade, c.Text)
		}
		want := make([]string, len(members))
		for i, s := range members {
			want[i] = strings.ReplaceAll(s, "cat", "dog")
		}
		s, err := model.Salvage(t.Context(), d.Tree)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, s.Files["a.tar"].Len())
		if _, err := s.Files["a.tar"].ReadAt(b, 0); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		if is := read(t, b); s.Parts[0].Saved != 5 || !slices.Equal(is, want) {
			t.Errorf("%v: salvaged %q", format, is)
		}
		if err := g.Causes[0].Repairs[0].Make(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		if is := read(t, suite.Bytes(t, d)); !slices.Equal(is, want) {
			t.Errorf("%v: %q", format, is)
		}
	}
}

// TestUnspaced: checksums that historic programs computed with the field as zeros are corrected in two joined archives.
func TestUnspaced(t *testing.T) {
	whole := archive(tar.FormatUSTAR, "a", "1", "b", "2", "c", "3")
	whole = append(whole, whole...)
	damaged := bytes.Clone(whole)
	for at := 0; at < len(damaged); at += tarfile.Block {
		if b := damaged[at : at+tarfile.Block]; tarfile.IsHeader(b) {
			copy(b[tarfile.SumAt:], fmt.Sprintf("%06o", tarfile.Parse(b).Sum-256))
		}
	}
	d, err := model.OpenBytes(t.Context(), "a.tar", damaged, []*model.Format{Format}, Format)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	d.Deep(t.Context(), nil)
	found, _ := d.Tree.Findings()
	i := slices.IndexFunc(found, func(f model.Finding) bool { return f.Rule == badChecksum })
	if i < 0 {
		t.Fatal(found)
	}
	fixes := d.Tree.Fixes(t.Context(), &found[i])
	p, err := d.Plan(t.Context(), "repair", fixes[len(fixes)-1].Edits...)
	if err != nil {
		t.Fatal(err)
	}
	if d.Apply(t.Context(), p, nil); !fixes[len(fixes)-1].Safe || !bytes.Equal(suite.Bytes(t, d), whole) {
		t.Errorf("%v", fixes)
	}
}
