package parsers

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestJoined joins files of one format, as cat does: what is at an end of the one that readers open is said to be files, and the only repair writes all of
// them. Only the same file again is called a copy, which may go.
func TestJoined(t *testing.T) {
	type joined struct {
		files []string
		says  string
		fixes bool
	}
	for _, x := range []joined{
		{[]string{"npy/good/arrays.npz", "npy/good/stored.npz"}, "2 files are joined in one", false},
		{[]string{"npy/good/arrays.npz", "npy/good/stored.npz", "npy/good/arrays.npz"}, "3 files are joined in one", false},
		{[]string{"npy/good/matrix.npy", "npy/good/texts.npy"}, "2 files are joined in one", false},
		{[]string{"safetensors/good/model.safetensors", "safetensors/good/small-floats.safetensors"}, "2 files are joined in one", false},
		{[]string{"samediff/good/arrays.sdc", "samediff/good/plain.sdc"}, "2 files are joined in one", false},
		{[]string{"samediff/good/arrays.sdc", "samediff/good/plain.sdc", "samediff/good/list.sdc"}, "3 files are joined in one: they begin at bytes 0, 956 and 1,888.", false},
		{[]string{"idv/good/stored.idv", "idv/good/deflated.idv", "idv/good/stored.idv"}, "3 files are joined in one", false},
		{[]string{"gguf/good/types.gguf", "gguf/good/blocks.gguf"}, "2 files are joined in one", false},
		{[]string{"npy/good/matrix.npy", "npy/good/matrix.npy", "npy/good/matrix.npy"}, "a second copy of the file", true},
		{[]string{"idv/good/stored.idv", "idv/good/stored.idv"}, "a second copy of the file", true},
		{[]string{"samediff/good/set.shard0-of-2.sdc", "samediff/good/set.shard1-of-2.sdc"}, "2 files are joined in one: they begin at bytes 0 and 680.", false},
		{[]string{"safetensors/good/model.safetensors", "safetensors/good/model.safetensors", "safetensors/good/small-floats.safetensors"}, "3 files are joined in one", false},
	} {
		var all []byte
		var parts []string
		for _, f := range x.files {
			b, err := os.ReadFile(filepath.Join("..", "testdata", f))
			if err != nil {
				t.Fatal(err)
			}
			all, parts = append(all, b...), append(parts, string(b))
		}
		path := filepath.Join(t.TempDir(), "joined"+filepath.Ext(x.files[0]))
		if err := os.WriteFile(path, all, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := model.Open(t.Context(), path, All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: All(), Time: patience})
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		for _, c := range g.Causes {
			said.WriteString(c.Text + "\n")
			for _, r := range c.Repairs {
				if is := written(t, r.To); r.Safe || !x.fixes && !slices.Equal(slices.Sorted(slices.Values(is)), slices.Sorted(slices.Values(parts))) {
					t.Errorf("%s: %q does not write all files", x.files, r.Label)
				}
			}
		}
		for i := range g.Findings {
			f := &g.Findings[i]
			said.WriteString(f.Text() + "\n")
			for _, fix := range d.Tree.Fixes(t.Context(), f) {
				if strings.Contains(fix.Label, "remove") && fix.Loses == "" && !x.fixes {
					t.Errorf("%s: %q is offered", x.files, fix.Label)
				}
			}
		}
		if !x.fixes && (len(g.Causes) != 1 || len(g.Causes[0].Repairs) != 1) || !strings.Contains(said.String(), x.says) {
			t.Errorf("%s: %q is not in %q", x.files, x.says, said.String())
		}
		d.Close()
	}
}

// written are the contents of the files that a repair writes.
func written(t *testing.T, to *model.Snapshot) (out []string) {
	for _, name := range to.Edited() {
		c, err := to.Content(name)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, c.Len())
		if _, err := c.ReadAt(b, 0); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		out = append(out, string(b))
	}
	return out
}

// TestFrontOfText: nothing offers to write the beginning of a file, or a field, over a text in front of it.
func TestFrontOfText(t *testing.T) {
	for _, sample := range []string{"idv/good/deflated.idv", "gguf/good/types.gguf", "taridx/good/three-shards/train.taridx", "samediff/good/blobs.sdnb"} {
		b, err := os.ReadFile(filepath.Join("..", "testdata", sample))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), filepath.Base(sample))
		if err := os.WriteFile(path, []byte(notice+string(b)), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := model.Open(t.Context(), path, All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		list, _ := d.Tree.Findings()
		for i := range list {
			for _, x := range d.Tree.Fixes(t.Context(), &list[i]) {
				if edits, err := x.Make(t.Context(), d.Tree); err == nil && len(edits) > 0 && list[i].Where().Off < int64(len(notice)) {
					t.Errorf("%s: %q is offered for %s", sample, x.Label, list[i].Text())
				}
			}
		}
		d.Close()
	}
}
