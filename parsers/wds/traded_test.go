package wds

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// Two archives with each other's name are an error of the folder, and exchanged if that is proven: not if the names may have been exchanged in the index, as
// two names or unsorted ones may, nor if one archive was overwritten by the other.
func TestTradedArchives(t *testing.T) {
	a, b, c := packed(0, 3), packed(3, 2), packed(50, 1)
	list := widsIndex(a, b, c)
	for _, x := range []struct {
		name   string
		files  map[string][]byte
		errors int
		proven bool
	}{
		{"three, in order", map[string][]byte{"list.json": []byte(list), "train-0.tar": c, "train-1.tar": b, "train-2.tar": a}, 4, true},
		{"unsorted names", map[string][]byte{"list.json": []byte(strings.NewReplacer("train-0", "train-2", "train-2", "train-0").Replace(list)), "train-0.tar": a, "train-1.tar": b, "train-2.tar": c}, 4, false},
		{"two", map[string][]byte{"list.json": []byte(widsIndex(a, b)), "train-0.tar": b, "train-1.tar": a}, 4, false},
		{"overwritten", map[string][]byte{"list.json": []byte(list), "train-0.tar": c, "train-1.tar": b, "train-2.tar": c}, 1, false},
	} {
		d := open(t, "list.json", x.files)
		if err := d.Deep(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		found, _ := d.Tree.Findings()
		if n := len(slices.DeleteFunc(found, func(f model.Finding) bool { return f.Grade() != model.Error })); n != x.errors {
			t.Errorf("%s: %d errors, expected %d", x.name, n, x.errors)
		}
		made, _, err := cause.ApplyProven(t.Context(), d, cause.Options{Formats: []*model.Format{Format}}, nil)
		if err != nil || len(made) > 0 != x.proven {
			t.Errorf("%s: %v; repairs made: %d, %v", x.name, err, len(made), made)
		}
	}
}

// The folder of a list that was saved in UTF-16 is that of a list; of other text in UTF-16 it is not.
func TestFolderOfWideList(t *testing.T) {
	wide := func(text string) []byte {
		out := []byte("\xff\xfe")
		for _, x := range []byte(text) {
			out = append(out, x, 0)
		}
		return out
	}
	for text, want := range map[string]string{widsIndex(packed(0, 3)): "list.json", `{"shardlist": 1}`: ""} {
		dir, got := t.TempDir(), ""
		if err := errors.Join(os.WriteFile(filepath.Join(dir, "list.json"), wide(text), 0o600), os.WriteFile(filepath.Join(dir, "train-0.tar"), packed(0, 3), 0o600)); err != nil {
			t.Fatal(err)
		}
		if d, err := model.Open(t.Context(), dir, []*model.Format{Format}, nil); err == nil {
			got = d.Tree.Snapshot.Primary
			d.Close()
		}
		if got != want {
			t.Errorf("%s: %q", text[:16], got)
		}
	}
}

// indexOf is the index of an archive.
func indexOf(t *testing.T, shard []byte) []byte {
	t.Helper()
	edits, err := rebuild(t.Context(), open(t, "x.idx", map[string][]byte{"x.idx": []byte("v1.2 0\n"), "x.tar": shard}).Tree)
	if err != nil {
		t.Fatal(err)
	}
	with := edits[0].(model.Splice).With
	b, _ := io.ReadAll(io.NewSectionReader(with, 0, with.Len()))
	return b
}

// Two indexes that have each other's name are exchanged, and none that only looks like the other's.
func TestTradedIndexes(t *testing.T) {
	one, two := packed(0, 3), packed(7, 4)
	for _, x := range []struct {
		name       string
		train, val []byte
		want       bool
	}{{"traded", indexOf(t, two), indexOf(t, one), true}, {"another in its place", indexOf(t, two), indexOf(t, packed(2, 2)), false}} {
		d := open(t, "train.idx", map[string][]byte{"train.idx": x.train, "val.idx": x.val, "train.tar": one, "val.tar": two})
		if err := d.Deep(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		found, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}})
		if err != nil {
			t.Fatal(err)
		}
		said := slices.ContainsFunc(found.Causes, func(c *cause.Cause) bool {
			return strings.HasPrefix(c.Text, "train.idx and val.idx have each other's name")
		})
		if said != x.want {
			t.Errorf("%s: %v", x.name, found.Causes)
		}
		if c := found.Causes; x.want && (len(c) != 1 || c[0].Grade == cause.Proven || len(c[0].Repairs) != 2) { // the archives may have been exchanged instead
			t.Errorf("%s: %s with %d repairs", x.name, c[0].Grade, len(c[0].Repairs))
		}
	}
}

// An index that a spreadsheet saved as CSV is read with blanks for commas; a table of something else is no index.
func TestIndexSavedAsCSV(t *testing.T) {
	saved := strings.NewReplacer("v1.2 3", "v1.2,3,,,,,,", " ", ",", "\n", "\r\n").Replace(daliIndex)
	for text, want := range map[string]string{saved: daliIndex, "name,size\r\na.jpg,3\r\nb.jpg,4\r\n": ""} {
		d := open(t, "train.idx", map[string][]byte{"train.idx": []byte(text), "train.tar": packed(0, 3)})
		made, _, err := cause.ApplyProven(t.Context(), d, cause.Options{Formats: []*model.Format{Format}}, nil)
		if err != nil || len(made) > 0 != (want != "") {
			t.Fatalf("%q: %d repairs, %v", text[:8], len(made), err)
		}
		c, err := d.Tree.Snapshot.Content("train.idx")
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := io.ReadAll(io.NewSectionReader(c, 0, c.Len())); want != "" && string(b) != want {
			t.Errorf("%s", b)
		}
	}
}
