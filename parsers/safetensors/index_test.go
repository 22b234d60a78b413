package safetensors

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"spandrel/model"
)

// An index is checked with its folder: a file that it names and that is missing is an error.
func TestIndex(t *testing.T) {
	ctx := context.Background()
	const text = `{"metadata":{"total_size":48},"weight_map":{"a":"model-1.safetensors","b":"model-2.safetensors","c":"model-2.safetensors"}}` + "\n"
	for name, c := range map[string]struct {
		text  string
		files []string
		want  *model.Rule
	}{
		"whole":        {text, []string{"model-1.safetensors", "model-2.safetensors"}, nil},
		"one is gone":  {text, []string{"model-1.safetensors"}, noShard},
		"text follows": {text + "x", []string{"model-1.safetensors", "model-2.safetensors"}, notJSON},
		"cut":          {text[:len(text)-4], []string{"model-1.safetensors", "model-2.safetensors"}, notJSON},
	} {
		dir := t.TempDir()
		for _, f := range c.files {
			if err := os.WriteFile(filepath.Join(dir, f), map[string][]byte{"model-1.safetensors": shardOf("a"), "model-2.safetensors": shardOf("b", "c")}[f], 0o600); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, "model.safetensors.index.json")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := model.Open(ctx, path, []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		found, _ := d.Tree.Findings()
		if len(found) > 1 || len(found) > 0 != (c.want != nil) || c.want != nil && found[0].Rule != c.want {
			t.Errorf("%s: %v", name, found)
		}
		d.Close()
	}
}
