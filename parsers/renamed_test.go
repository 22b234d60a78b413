package parsers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestRenamed: where a name and a number do not agree, either may have been changed.
func TestRenamed(t *testing.T) {
	for _, x := range []struct {
		what, folder, file, says string
		names                    map[string]string
	}{
		{"an index", "taridx/good/one-shard", "old.taridx", "either the first or train_0000.tar was renamed", map[string]string{"train.taridx": "old.taridx"}},
		{"an index of several shards", "taridx/good/three-shards", "train (1).taridx", "was renamed: the files beside it belong to train.taridx", map[string]string{"train.taridx": "train (1).taridx"}},
		{"an array", "scdl/good/archive", "", "is data.npy under another name", map[string]string{"data.npy": "data.npy.bak"}},
		{"a shard, called a backup", "taridx/good/three-shards", "train.taridx", "under another name", map[string]string{"train_0001.tar": "train_0001.tar.old"}},
		{"a file of a split model, called a backup", "gguf/good/split", "model-00001-of-00003.gguf", "under another name", map[string]string{"model-00002-of-00003.gguf": "model-00002-of-00003.gguf.bak"}},
		{"a shard, after the others", "taridx/good/three-shards", "train.taridx", "have swapped content", map[string]string{"train_0001.tar": "train_0003.tar"}},
		{"a file of a split model", "gguf/good/split", "model-00001-of-00003.gguf.txt", "was renamed", map[string]string{"model-00001-of-00003.gguf": "model-00001-of-00003.gguf.txt"}},
		{"two shards of a checkpoint", "safetensors/good/checkpoint", "model.safetensors.index.json", "either the files were exchanged, or their names in",
			map[string]string{"model-00001-of-00003.safetensors": "model-00002-of-00003.safetensors", "model-00002-of-00003.safetensors": "model-00001-of-00003.safetensors"}},
		{"two files of a split model", "gguf/good/split", "model-00002-of-00003.gguf", "have each other's name",
			map[string]string{"model-00002-of-00003.gguf": "model-00003-of-00003.gguf", "model-00003-of-00003.gguf": "model-00002-of-00003.gguf"}},
	} {
		from, to := filepath.Join("../testdata", x.folder), t.TempDir()
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		for was := range x.names {
			if err := os.Rename(filepath.Join(to, was), filepath.Join(to, was+".tmp")); err != nil {
				t.Fatal(err)
			}
		}
		for was, is := range x.names {
			if err := os.Rename(filepath.Join(to, was+".tmp"), filepath.Join(to, is)); err != nil {
				t.Fatal(err)
			}
		}
		d, err := model.Open(t.Context(), filepath.Join(to, x.file), All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: All()})
		d.Close()
		if err != nil || len(g.Causes) == 0 {
			t.Errorf("%s: no cause (%v)", x.what, err)
			continue
		}
		if c := g.Causes[0]; c.Grade == cause.Proven || !strings.Contains(c.Text, x.says) {
			t.Errorf("%s: %s: %s", x.what, c.Grade, c.Text)
		}
	}
}

// TestRenamedFolder: a folder with exactly the files of one that is missing gets its name back.
func TestRenamedFolder(t *testing.T) {
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS("../testdata/scdl/good/archive")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(to, "obs_features"), filepath.Join(to, "obs")); err != nil {
		t.Fatal(err)
	}
	d, err := model.Open(t.Context(), to, All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: All()})
	if err != nil || g.Safe() == nil || g.Safe().Label != "rename obs to obs_features" {
		t.Errorf("%v: %+v", err, g.Safe())
	}
}
