package safetensors

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestOtherNames: the names in an index and in the shards differ in a prefix, which is one event. Its repair is the index with the other names, and nothing
// else in it changes. Salvage counts each tensor once.
func TestOtherNames(t *testing.T) {
	layered := func(f map[string][]byte) { // three layers in two shards
		f[third] = shardOf("layers.2.weight")
		f[indexName] = bytes.Replace(f[indexName], []byte(`    "head.weight": "`+third+"\",\n"), nil, 1)
		f[indexName] = bytes.Replace(f[indexName], []byte(second+"\"\n"), []byte(second+"\",\n    \"layers.2.weight\": \""+third+"\"\n"), 1)
	}
	files := checkpoint()
	layered(files)
	index := string(files[indexName])
	for says, change := range map[string]func(string) string{
		`every name in the index begins with "model.", which the shards do not have`:   strings.NewReplacer(`"embed`, `"model.embed`, `"layers`, `"model.layers`).Replace,
		`3 of 4 names in the index begin with "x/", which the shards do not have`:      strings.NewReplacer(`"layers`, `"x/layers`).Replace,
		`3 of 4 names in the index lack the prefix "layers." of the shards`:            strings.NewReplacer(`"layers.`, `"`).Replace,
		`3 of 4 names in the index begin with "m.rs", and in the shards with "layers"`: strings.NewReplacer(`"layers`, `"m.rs`).Replace,
	} {
		d := folderOf(t, "", func(f map[string][]byte) { layered(f); f[indexName] = []byte(change(index)) })
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
		if err != nil || len(g.Causes) != 1 || len(g.Causes[0].Repairs) == 0 {
			t.Errorf("%s: %v %+v", says, err, g.Findings)
			continue
		}
		c := g.Causes[0]
		is, err := c.Repairs[0].To.Content(indexName)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, is.Len())
		if is.ReadAt(got, 0); !bytes.Equal(got, []byte(index)) || !strings.Contains(strings.ToLower(c.Text), says) || c.Grade == cause.Proven {
			t.Errorf("%s: %s %s: %s", says, c.Grade, c.Text, got)
		}
		if s, err := model.Salvage(t.Context(), d.Tree); err != nil || !s.Whole() || s.Parts[0].Of != 4 {
			t.Errorf("%s: %v, %v", says, err, s)
		}
	}
	beside := folderOf(t, "", func(f map[string][]byte) {
		layered(f)
		f[indexName] = []byte(strings.NewReplacer(`"embed`, `"module.embed`, `"layers`, `"module.layers`).Replace(index))
		f[third] = []byte("version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("0", 64) + "\nsize 84\n")
	})
	g, err := cause.Find(t.Context(), beside, cause.Options{Formats: []*model.Format{Format}, Deep: true})
	if err != nil || len(g.Causes) != 2 || !strings.HasPrefix(g.Causes[1].Text, `Every name in the index begins with "module."`) {
		t.Errorf("beside a shard that was not fetched: %v, %+v", err, g.Causes)
	}
	for name, change := range map[string]func(f map[string][]byte){
		"of another model": checkpoints["bad/015-foreign"],
		"one of them is nowhere": func(f map[string][]byte) {
			layered(f)
			f[indexName] = []byte(strings.NewReplacer(`"layers.0`, `"x.layers.0`, `"layers.1`, `"x.layers.2`).Replace(index))
		},
		"in other files": func(f map[string][]byte) {
			f[indexName] = indexOf(64, map[string]string{"x.embed.weight": third, "layers.0.weight": second, "layers.1.weight": second, "x.head.weight": first})
		},
		"a shard has more": func(f map[string][]byte) {
			layered(f)
			f[indexName] = []byte(strings.ReplaceAll(index, `"layers`, `"x.layers`))
			f[third] = shardOf("layers.2.weight", "head.bias")
		},
	} {
		d := folderOf(t, "", change)
		found, _ := d.Tree.Findings()
		rules := map[*model.Rule]bool{}
		for _, f := range found {
			rules[f.Rule] = true
		}
		if rules[otherNames] || !rules[foreignShard] {
			t.Errorf("%s: %v", name, maps.Keys(rules))
		}
	}
}

// TestMisspeltIndex: one wrong letter anywhere in the names of an index is told, with the name that the shards have; only that of a file which the index also
// names otherwise is certain.
func TestMisspeltIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 1))
	for range 6 {
		index := checkpoint()[indexName]
		from := bytes.Index(index, []byte(weightMap)) + len(weightMap) + 1
		at := from + r.IntN(len(index)-from)
		if letter := index[at] | 0x20; letter < 'a' || letter > 'z' {
			continue
		}
		damaged := bytes.Clone(index)
		damaged[at] = 'a' + (damaged[at]-'a'+1+byte(r.IntN(24)))%26
		d := folderOf(t, "", func(f map[string][]byte) { f[indexName] = damaged })
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
		if err != nil || len(g.Causes) != 1 || len(g.Causes[0].Repairs) == 0 {
			t.Errorf("%s: %v %+v", damaged[max(0, at-30):at+10], err, g.Findings)
			continue
		}
		restored := slices.ContainsFunc(g.Causes[0].Repairs, func(x *cause.Repair) bool {
			is, err := x.To.Content(indexName)
			got := make([]byte, len(index)+1)
			n, _ := is.ReadAt(got, 0)
			return err == nil && bytes.Equal(got[:n], index)
		})
		if !restored {
			t.Errorf("%s: %s %s", damaged[max(0, at-30):at+10], g.Causes[0].Grade, g.Causes[0].Text)
		}
	}
}

// TestSecondCopy: beside another damage a shard is said to be missing, and which file may be it under the name of a second copy.
func TestSecondCopy(t *testing.T) {
	copied := strings.TrimSuffix(third, ".safetensors") + " (1).safetensors"
	d := folderOf(t, "", func(f map[string][]byte) {
		f[copied] = f[third]
		delete(f, third)
		f[second] = []byte("version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("0a", 32) + "\nsize 99536\n")
	})
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range g.Causes {
		if strings.Contains(c.Text, third+" is missing") && strings.Contains(c.Means, copied+" beside it") {
			return
		}
	}
	t.Errorf("nothing is said of the copy: %+v", g.Causes)
}
