package safetensors

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

// shardOf is a file of tensors of 16 bytes each.
func shardOf(names ...string) []byte {
	var entries []string
	for i, n := range names {
		entries = append(entries, fmt.Sprintf(`"%s":{"dtype":"F32","shape":[2,2],"data_offsets":[%d,%d]}`, n, 16*i, 16*i+16))
	}
	data := bytes.Repeat([]byte{0, 0, 0x80, 0x3f}, 4*len(names))
	return made(padded(`{"__metadata__":{"format":"pt"},`+strings.Join(entries, ",")+"}"), data)
}

// indexOf is an index as transformers writes it.
func indexOf(total int, files map[string]string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "{\n  \"metadata\": {\n    \"total_parameters\": %d,\n    \"total_size\": %d\n  },\n  \"weight_map\": {\n", total/4,
		total)
	for i, n := range slices.Sorted(maps.Keys(files)) {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, "    \"%s\": \"%s\"", n, files[n])
	}
	return []byte(b.String() + "\n  }\n}\n")
}

const (
	first, second, third = "model-00001-of-00003.safetensors", "model-00002-of-00003.safetensors", "model-00003-of-00003.safetensors"
	indexName            = "model.safetensors.index.json"
)

// checkpoint is the files of a sound one.
func checkpoint() map[string][]byte {
	return map[string][]byte{
		first: shardOf("embed.weight"), second: shardOf("layers.0.weight", "layers.1.weight"), third: shardOf("head.weight"),
		indexName: indexOf(64, map[string]string{"embed.weight": first, "layers.0.weight": second, "layers.1.weight": second,
			"head.weight": third}),
		"config.json": []byte("{\n  \"architectures\": [\"Sample\"]\n}\n"),
	}
}

// checkpoints are the folders of testdata/safetensors by their names there, with what is changed in each.
var checkpoints = map[string]func(files map[string][]byte){
	"good/checkpoint":   func(map[string][]byte) {},
	"bad/003-index-cut": func(f map[string][]byte) { f[indexName] = f[indexName][:150] },
	"bad/003-index-comma": func(f map[string][]byte) {
		f[indexName] = bytes.Replace(f[indexName], []byte("s\"\n  }"), []byte("s\",\n  }"), 1)
	},
	"bad/013-shard": func(f map[string][]byte) { delete(f, second) },
	"bad/014-stray": func(f map[string][]byte) {
		f[indexName] = indexOf(48, map[string]string{"embed.weight": first, "layers.0.weight": second, "layers.1.weight": second})
	},
	"bad/014-older": func(f map[string][]byte) {
		f["model-00001-of-00002.safetensors"] = shardOf("embed.weight", "head.weight")
	},
	"bad/015-foreign":   func(f map[string][]byte) { f[second] = shardOf("decoder.0.weight", "decoder.1.weight") },
	"bad/015-exchanged": func(f map[string][]byte) { f[first], f[third] = f[third], f[first] },
	"bad/021-other-names": func(f map[string][]byte) {
		f[indexName] = bytes.ReplaceAll(f[indexName], []byte(`    "`), []byte(`    "model.`))
		f[indexName] = bytes.ReplaceAll(f[indexName], []byte(`"model.total_`), []byte(`"total_`))
	},
	"bad/016-unlisted": func(f map[string][]byte) { f[third] = shardOf("head.weight", "head.bias") },
	"bad/017-total": func(f map[string][]byte) {
		f[indexName] = bytes.Replace(f[indexName], []byte(`e": 64`), []byte(`e": 60`), 1)
	},
	"bad/019-other-save": func(f map[string][]byte) {
		for name, step := range map[string]string{first: "2000", second: "2000", third: "1000"} {
			f[name] = bytes.Replace(f[name], []byte(`"format":"pt"}`), []byte(`"step":"`+step+`"}`), 1)
		}
	},
	"bad/018-no-index":     func(f map[string][]byte) { delete(f, indexName) },
	"bad/checkpoint-cut":   func(f map[string][]byte) { f[second] = f[second][:len(f[second])-20] },
	"bad/checkpoint-zeros": func(f map[string][]byte) { f[third] = make([]byte, len(f[third])) },
}

// checkpointSamples are their files.
func checkpointSamples() map[string][]byte {
	out := map[string][]byte{}
	for name, change := range checkpoints {
		files := checkpoint()
		change(files)
		for file, b := range files {
			out[name+"/"+file] = b
		}
	}
	return out
}

func TestCheckpointSamples(t *testing.T) { suite.Samples(t, "safetensors", checkpointSamples()) }

// folderOf is a checkpoint in a folder of its own, opened as path says: "" is the folder.
func folderOf(t *testing.T, path string, change func(map[string][]byte)) *model.Document {
	t.Helper()
	dir, files := t.TempDir(), checkpoint()
	change(files)
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d, err := model.Open(context.Background(), filepath.Join(dir, path), []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// An index is rebuilt from its shards as it was, byte for byte where it was not read: safe where all numbered files are there and
// nothing that is left of it contradicts them, and not offered where a file is missing or damaged.
func TestRebuildIndex(t *testing.T) {
	for what, x := range map[string]struct {
		change     func(map[string][]byte)
		fix, safe  bool
		withTotals bool // what the metadata said beside the size is had back too
	}{
		"no index":      {checkpoints["bad/018-no-index"], true, true, false},
		"cut":           {checkpoints["bad/003-index-cut"], true, true, true},
		"exchanged":     {checkpoints["bad/015-exchanged"], true, true, true},
		"stray":         {checkpoints["bad/014-stray"], true, false, false},
		"foreign":       {checkpoints["bad/015-foreign"], false, false, false},
		"unlisted":      {checkpoints["bad/016-unlisted"], true, false, false},
		"shard missing": {checkpoints["bad/013-shard"], false, false, false},
		"no index, a shard missing": {func(f map[string][]byte) {
			delete(f, indexName)
			delete(f, second)
		}, false, false, false},
		"cut, a shard damaged": {func(f map[string][]byte) {
			checkpoints["bad/003-index-cut"](f)
			f[third] = f[third][:len(f[third])-1]
		}, false, false, false},
		"cut, and it says something else": {func(f map[string][]byte) {
			f[indexName] = bytes.Replace(f[indexName], []byte(first), []byte(third), 1)[:150]
		}, true, false, false},
		"it names files of another format": {func(f map[string][]byte) {
			f[indexName] = bytes.ReplaceAll(bytes.ReplaceAll(f[indexName], []byte(".safetensors"), []byte(".bin")), []byte(`"model-`), []byte(`"pytorch_model-`))
		}, true, false, true},
		"it is of a save in another number of files": {func(f map[string][]byte) {
			f[indexName] = bytes.ReplaceAll(f[indexName], []byte("-of-00003"), []byte("-of-00004"))
		}, true, false, true},
		"a tensor in two shards": {func(f map[string][]byte) {
			delete(f, indexName)
			f[third] = shardOf("head.weight", "embed.weight")
		}, false, false, false},
	} {
		d := folderOf(t, "", x.change)
		found, _ := d.Tree.Findings()
		offered, safe := false, false
		for i := range found {
			for _, fix := range d.Tree.Fixes(context.Background(), &found[i]) {
				if strings.HasPrefix(fix.Label, "Rebuild index") {
					offered, safe = true, safe || fix.Safe
					edits, err := fix.Make(context.Background(), d.Tree)
					if err != nil {
						t.Fatal(err)
					}
					want := checkpoint()[indexName]
					if !x.withTotals {
						want = bytes.Replace(want, []byte("    \"total_parameters\": 16,\n"), nil, 1)
					}
					text := edits[0].(model.FileEdit).Create
					got := make([]byte, text.Len())
					text.ReadAt(got, 0)
					if what == "exchanged" {
						want = []byte(strings.NewReplacer(first, third, third, first).Replace(string(want)))
					}
					if x.safe && !bytes.Equal(got, want) {
						t.Errorf("%s:\n%s", what, got)
					}
				}
			}
		}
		if offered != x.fix || safe != x.safe {
			t.Errorf("%s: offered %v, safe %v: %v", what, offered, safe, found)
		}
	}
}

func rowText(r model.Row) string {
	var out []string
	for _, c := range r {
		out = append(out, c.String())
	}
	return strings.Join(out, " ")
}

// A checkpoint opens by its folder and by its index, with its tensors as one table; a tensor of the index leads to its shard, and back.
func TestCheckpointLinks(t *testing.T) {
	ctx := context.Background()
	for _, path := range []string{"", indexName} {
		d := folderOf(t, path, func(map[string][]byte) {})
		if found, _ := d.Tree.Findings(); len(found) > 0 {
			t.Errorf("%q: %v", path, found)
		}
		tab := d.Tree.Tables(ctx)[0]
		rows, err := tab.Read(ctx, 0, 10)
		if err != nil || len(rows) != 4 {
			t.Fatalf("%d rows: %v", len(rows), err)
		}
		if got := rowText(rows[1]); got != "head.weight model-00003-of-00003.safetensors F32 2, 2 16" {
			t.Errorf("%q", got)
		}
		s, err := d.Tree.Find(ctx, "index[1]/head.weight")
		if err != nil {
			t.Fatal(err)
		}
		there := d.Tree.Relations(s)
		back, err := d.Tree.Find(ctx, third+"/header/entries[1]/name")
		if err != nil {
			t.Fatal(err)
		}
		if len(there) != 1 || there[0].To != back.Range {
			t.Errorf("%v, want %v", there, back.Range)
		}
		if here := d.Tree.Relations(back); len(here) != 1 || here[0].To != s.Range {
			t.Errorf("%v, want %v", here, s.Range)
		}
	}
}

// An index that names more files than there are, and a folder of more shards than it names, take little time and memory.
func TestCheckpointLimits(t *testing.T) {
	const many = 3000
	d := folderOf(t, "", func(f map[string][]byte) {
		files := map[string]string{}
		for i := range many {
			files[fmt.Sprintf("t%d", i)] = fmt.Sprintf("model-%05d-of-99999.safetensors", i+1)
			f[fmt.Sprintf("other%d-00001-of-00002.safetensors", i)] = nil
		}
		f[indexName] = indexOf(1, files)
	})
	found, omitted := d.Tree.Findings()
	n := 0
	for i := range found {
		if found[i].Rule == noShard {
			n++
		}
	}
	if n += omitted[noShard]; n != many {
		t.Errorf("%d files are missing, want %d", n, many)
	}
}

// The values of a tensor of a checkpoint are a table before its shard is parsed, and are edited there.
func TestCheckpointValues(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	files := checkpoint()
	files[third] = files[third][:len(files[third])-1] // the values of head.weight are truncated
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d, err := model.Open(ctx, dir, []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var names []string
	for _, tab := range d.Tree.Tables(ctx)[2:] {
		names = append(names, tab.Title)
		if tab.Name != "layers.1.weight" {
			continue
		}
		edits, err := tab.Set(ctx, []model.Typed{{Row: 3, Column: 1, Text: "2"}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.Plan(ctx, "set", edits...)
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(ctx, p, nil)
		if rows, err := tab.Read(ctx, 2, 2); err != nil || rows[1][0].String() != "1, 1" || rows[1][1].String() != "1" {
			t.Errorf("before: %v %v", rows, err)
		}
	}
	if want := []string{"embed.weight: F32 [2, 2]", "layers.0.weight: F32 [2, 2]", "layers.1.weight: F32 [2, 2]"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if b, err := d.Tree.Bytes(ctx, d.Tree.Tables(ctx)[4].Elements); err != nil || !bytes.HasSuffix(b, []byte{0, 0, 0, 0x40}) {
		t.Errorf("%x %v", b, err)
	}
}
