package parsers

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestDamageBeside damages a file that has a defect of its own, for which a repair that gives something up lays the whole file out again, and so
// rights the damage too. The damage is told first, and can be repaired without a loss.
func TestDamageBeside(t *testing.T) {
	for _, sample := range []string{"019-stem", "020-dot", "050-helper", "051-folder"} {
		d, err := model.Open(t.Context(), filepath.Join("..", "testdata", "taridx", "bad", sample, "train.taridx"), All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Close)
		damaged := opened(d, added("train.taridx", 0x1f, 3)(d.Tree.Snapshot))
		g, err := cause.Find(t.Context(), damaged, cause.Options{Formats: All(), Time: patience})
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Causes) < 2 || !strings.Contains(g.Causes[0].Text, "n_rows") || len(g.Causes[0].Repairs) == 0 || g.Causes[0].Repairs[0].Loses != "" {
			for _, c := range g.Causes {
				t.Errorf("%s: %s cause: %s", sample, c.Grade, c.Text)
			}
		}
	}
}

// TestRenamedBeside renames one file of a folder and truncates another: the rename is offered, and after it nothing is missing but the end of the other.
func TestRenamedBeside(t *testing.T) {
	for _, k := range []struct{ sample, from, to, cut string }{
		{"safetensors/good/checkpoint/model.safetensors.index.json", "model-00002-of-00003.safetensors", "model-00002-of-00003 (1).safetensors", "model-00001-of-00003.safetensors"},
		{"scdl/good/archive", "row_ptr.npy", "old.npy", "data.npy"},
	} {
		d := openSound(t, filepath.Join("..", "testdata", k.sample))
		dir := path.Dir(d.Tree.Snapshot.Primary)
		from, to, cut := path.Join(dir, k.from), path.Join(dir, k.to), path.Join(dir, k.cut)
		moved, err := d.Tree.Snapshot.Content(from)
		if err != nil {
			t.Fatal(err)
		}
		other, err := d.Tree.Snapshot.Content(cut)
		if err != nil {
			t.Fatal(err)
		}
		damaged := opened(d, d.Tree.Snapshot.With(from, nil).With(to, moved).With(cut, other.Splice(other.Len()-4, 4, nil)))
		g, err := cause.Find(t.Context(), damaged, cause.Options{Formats: All(), Time: patience})
		if err != nil {
			t.Fatal(err)
		}
		offered, short := false, false
		for _, c := range g.Causes {
			t.Logf("%s: %s cause: %s %s", k.sample, c.Grade, c.Text, c.Means)
			offered = offered || len(c.Repairs) > 0 && c.Missing() && c.Repairs[0].Label == "rename "+k.to+" to "+k.from
			short = short || c.Truncated()
		}
		if !offered || !short {
			t.Errorf("%s: the rename is offered: %v, the truncation is named: %v", k.sample, offered, short)
		}
	}
}

// TestTwoFilesInOne puts a file behind another one. Neither is cut off without being asked: both may be wanted.
func TestTwoFilesInOne(t *testing.T) {
	for _, pair := range [][2]string{{"samediff/good/private.sdc", "samediff/good/mu-r7.sdc"}, {"idv/good/stored.idv", "idv/good/deflated.idv"}, {"npy/good/arrays.npz", "npy/good/stored.npz"},
		{"tiledb/good/schema-v23.tdb", "tiledb/good/schema-v18.tdb"}, {"gguf/good/types.gguf", "gguf/good/aligned.gguf"}, {"samediff/good/keys.fb", "samediff/good/inline.fb"}, {"samediff/good/blobs.sdnb", "samediff/good/blobs.sdnb"},
		{"safetensors/good/model.safetensors", "safetensors/good/empty.safetensors"}, {"npy/good/matrix.npy", "npy/good/vector.npy"}, {"samediff/good/stored.sdz", "samediff/good/deflated.sdz"}} {
		for _, names := range [][2]string{pair, {pair[1], pair[0]}} {
			var all [][]byte
			for _, name := range names {
				b, err := os.ReadFile(filepath.Join("..", "testdata", name))
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, b)
			}
			d, err := model.OpenBytes(t.Context(), filepath.Base(names[0]), bytes.Join(all, nil), All(), nil)
			if err != nil {
				t.Fatal(err)
			}
			g, err := cause.Find(t.Context(), d, cause.Options{Formats: All(), Time: patience})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range g.Causes {
				t.Logf("%v: %s cause: %s", names, c.Grade, c.Text)
				if len(c.Repairs) > 0 && c.Repairs[0].Safe {
					t.Errorf("%v: fix would make it: %s", names, c.Text)
				}
			}
		}
	}
}

// TestMiscounted has a number say one value less than there is. The last value is not cut off without being asked, and the number is offered.
func TestMiscounted(t *testing.T) {
	for _, k := range []struct{ sample, from, to, offers string }{
		{"npy/good/complex.npy", "(2, 1)", "(1, 1)", "set dim0 to 2"},
		{"npy/good/vector.npy", "(4,)", "(3,)", ""}, // its last value is what padding is made of
		{"npy/good/dates.npy", "(3,)", "(2,)", "set dim0 to 3"},
	} {
		d := openSound(t, filepath.Join("..", "testdata", k.sample))
		name := d.Tree.Snapshot.Primary
		damaged := opened(d, edited(name, func(b []byte) { copy(b[bytes.Index(b, []byte(k.from)):], k.to) })(d.Tree.Snapshot))
		g, err := cause.Find(t.Context(), damaged, cause.Options{Formats: All(), Time: patience, Warnings: true})
		if err != nil {
			t.Fatal(err)
		}
		offered := false
		for _, c := range g.Causes {
			for _, x := range c.Repairs {
				if offered = offered || x.Label == k.offers; x.Safe {
					t.Errorf("%s: fix would make it: %s", k.sample, x.Label)
				}
			}
		}
		if !offered && k.offers != "" {
			t.Errorf("%s: nothing offers to %s", k.sample, k.offers)
		}
	}
}

// TestHiddenBeside damages a header so that nothing after it is read, and what comes after it as well: the header is told first, though something is wrong
// after its repair, and what can be saved then is said.
func TestHiddenBeside(t *testing.T) {
	byteAt := func(at int, is byte, cut int) func([]byte) []byte {
		return func(b []byte) []byte { b[at] = is; return b[:len(b)-cut] }
	}
	for _, k := range []struct {
		sample string
		damage func([]byte) []byte
		says   string // the first cause
		saves  string
	}{
		{"npy/good/matrix.npy", byteAt(3, 'm', 4), "'m' at 0x3 should be 'M'", "rows"},
		{"npy/good/matrix.npy", func(b []byte) []byte {
			return bytes.Replace(append(b, make([]byte, 8)...), []byte("False"), []byte("false"), 1)
		}, "'f' at 0x", ""},
		{"safetensors/good/model.safetensors", func(b []byte) []byte {
			return bytes.Replace(b[:len(b)-4], []byte(`"dtype"`), []byte(`"dtype'`), 1)
		}, `should be '"'`, "tensors"},
	} {
		name := filepath.Join("..", "testdata", k.sample)
		d := openSound(t, name)
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		g, err := cause.Find(t.Context(), opened(d, d.Tree.Snapshot.With(d.Tree.Snapshot.Primary, model.BytesContent(k.damage(b)))), cause.Options{Formats: All(), Time: patience})
		if err != nil {
			t.Fatal(err)
		}
		var means string
		for _, c := range g.Causes {
			t.Logf("%s: %s cause: %s %s", k.sample, c.Grade, c.Text, c.Means)
			means += c.Means
		}
		if len(g.Causes) == 0 || !strings.Contains(g.Causes[0].Text, k.says) || g.Causes[0].Grade != cause.Likely {
			t.Errorf("%s: the damage of the header is not the first cause", k.sample)
		}
		if k.saves != "" && (!strings.Contains(means, "after the repair “"+g.Causes[0].Repairs[0].Label) || !strings.Contains(means, k.saves)) {
			t.Errorf("%s: it does not say what is left after the repair", k.sample)
		}
	}
}
