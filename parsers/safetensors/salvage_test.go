package safetensors

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// What is salvaged are the tensors whose bytes are in the file, under a header that encoding/json reads; what is claimed twice is lost.
func TestSalvage(t *testing.T) {
	data := values()
	sound := map[string][]byte{"layer.0/weight": data[:24], "ids": data[24:56], "mask": data[56:58], "scale": data[58:60]}
	with := func(old, new string, data []byte) []byte {
		return made(padded(strings.Replace(intact, old, new, 1)), data)
	}
	for what, x := range map[string]struct {
		b    []byte
		want string
	}{
		"sound":         {made(padded(intact), data), "ids layer.0/weight mask scale"},
		"cut":           {made(padded(intact), data[:57]), "ids layer.0/weight"},
		"cut at an end": {made(padded(intact), data[:56]), "ids layer.0/weight"},
		"cut in all":    {made(padded(intact), data[:20]), ""},
		"overlap":       {with("[24,56]", "[16,48]", data), "mask scale"},
		"type":          {with("BOOL", "BOOM", data), "ids layer.0/weight scale"},
		"shape":         {with("[2,3]", "[2,4]", data), "ids mask scale"},
		"entry":         {with(`"shape":[4],`, `"shape":["4"],`, data), "layer.0/weight mask scale"},
		"no header":     {made(padded(intact), nil)[:60], ""},
	} {
		d, err := model.OpenBytes(context.Background(), "x.safetensors", x.b, []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := model.Salvage(context.Background(), d.Tree)
		if err != nil {
			if x.want != "" {
				t.Errorf("%s: %v", what, err)
			}
			continue
		}
		if out := s.Files["x.safetensors"]; !s.Valid() || s.Unvouched == 0 || s.Parts[0].Of != 4 {
			t.Errorf("%s: %s, %v", what, s.Verdict(), s.Parts)
		} else if b, err := io.ReadAll(io.NewSectionReader(out, 0, out.Len())); err != nil {
			t.Error(err)
		} else if got := tensorsOf(t, b); strings.Join(slices.Sorted(maps.Keys(got)), " ") != x.want {
			t.Errorf("%s: %v, expected %s", what, slices.Sorted(maps.Keys(got)), x.want)
		} else {
			for name, v := range got {
				if !bytes.Equal(v, sound[name]) {
					t.Errorf("%s: %s is another", what, name)
				}
			}
		}
	}
}

// tensorsOf reads a file as its specification says, and nothing else.
func tensorsOf(t *testing.T, b []byte) map[string][]byte {
	t.Helper()
	n := binary.LittleEndian.Uint64(b)
	var head map[string]json.RawMessage
	if err := json.Unmarshal(b[8:8+n], &head); err != nil || n%8 != 0 {
		t.Fatal(err, n)
	}
	if string(head["__metadata__"]) != `{"format":"pt","made by":"hand"}` {
		t.Errorf("metadata %s", head["__metadata__"])
	}
	delete(head, "__metadata__")
	out, end := map[string][]byte{}, 0
	for name, raw := range head {
		var x struct {
			At [2]int `json:"data_offsets"`
		}
		if err := json.Unmarshal(raw, &x); err != nil {
			t.Fatal(err)
		}
		out[name], end = b[8+int(n)+x.At[0]:8+int(n)+x.At[1]], max(end, x.At[1])
	}
	if len(b) != 8+int(n)+end {
		t.Errorf("%d bytes follow the tensors", len(b)-8-int(n)-end)
	}
	return out
}

// TestSalvageCheckpoint: of a checkpoint of several files, the shards that are whole are saved unchanged, with an index of what is left.
func TestSalvageCheckpoint(t *testing.T) {
	sound := "../../testdata/safetensors/good/checkpoint"
	const one, two, three = "model-00001-of-00003.safetensors", "model-00002-of-00003.safetensors", "model-00003-of-00003.safetensors"
	for what, x := range map[string]struct {
		damage func(dir string) error
		want   string
		files  []string
	}{
		"sound":      {func(string) error { return nil }, "4 of 4 tensors, 3 of 3 shards", []string{"config.json", one, two, three, "model.safetensors.index.json"}},
		"cut":        {func(dir string) error { return os.Truncate(filepath.Join(dir, two), 210) }, "3 of 4 tensors, 3 of 3 shards", []string{"config.json", one, two, three, "model.safetensors.index.json"}},
		"cut in all": {func(dir string) error { return os.Truncate(filepath.Join(dir, two), 20) }, "2 of 4 tensors, 2 of 3 shards", []string{"config.json", one, three, "model.safetensors.index.json"}},
		"missing":    {func(dir string) error { return os.Remove(filepath.Join(dir, one)) }, "3 of 4 tensors, 2 of 3 shards", []string{"config.json", two, three, "model.safetensors.index.json"}},
		"no index": {func(dir string) error { return os.Remove(filepath.Join(dir, "model.safetensors.index.json")) }, "4 of 4 tensors, 3 of 3 shards",
			[]string{"config.json", one, two, three, "model.safetensors.index.json"}},
	} {
		dir := t.TempDir()
		if err := errors.Join(os.CopyFS(dir, os.DirFS(sound)), x.damage(dir)); err != nil {
			t.Fatal(err)
		}
		d, err := model.Open(t.Context(), dir, []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Close)
		s, err := model.Salvage(t.Context(), d.Tree)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if files := slices.Sorted(maps.Keys(s.Files)); s.Contents() != x.want || !s.Valid() || !slices.Equal(files, x.files) {
			t.Errorf("%s: %s (%s), %v", what, s.Contents(), s.Verdict(), files)
		}
		if is, err := io.ReadAll(io.NewSectionReader(s.Files[three], 0, s.Files[three].Len())); err != nil {
			t.Error(err)
		} else if was, _ := os.ReadFile(filepath.Join(sound, three)); !bytes.Equal(was, is) {
			t.Errorf("%s: a whole shard is another", what)
		}
	}
}

// A value of the metadata that contains others is an error however these are written, and no repair writes them one by one.
func TestNestedMetadata(t *testing.T) {
	for _, meta := range []string{`{"training":{"epochs":3}}`, `{"training":{"epochs":"3"}}`, `{"step":1,"list":["a"]}`} {
		text := `{"__metadata__":` + meta + `,"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`
		d, err := model.OpenBytes(context.Background(), "x.safetensors", made(padded(text), []byte("data")), []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		found, _ := d.Tree.Findings()
		i := slices.IndexFunc(found, func(f model.Finding) bool { return f.Rule == badMetadata })
		if i < 0 {
			t.Errorf("%s: nothing is wrong", meta)
		} else if fixes := d.Tree.Fixes(context.Background(), &found[i]); len(fixes) > 0 && strings.Contains(fixes[0].Label, "as texts") {
			t.Errorf("%s: %s is offered", meta, fixes[0].Label)
		}
	}
}

// Metadata that are not texts are salvaged as texts, and a header that cannot be read whole tells what was lost.
func TestSalvageMetadata(t *testing.T) {
	for what, x := range map[string]struct {
		meta, want string
		whole      bool
	}{
		"nested": {`{"format":"pt","training":{"epochs":3},"step":12000}`, `{"format":"pt","step":"12000","training":"{\"epochs\":3}"}`, true},
		"texts":  {`{"format":"pt"}`, `{"format":"pt"}`, true},
		"broken": {`{"format":"pt",}`, "", false},
	} {
		text := `{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"__metadata__":` + x.meta + `}`
		d, err := model.OpenBytes(context.Background(), "x.safetensors", made(padded(text), []byte("data")), []*model.Format{Format}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := model.Salvage(context.Background(), d.Tree)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		out, _ := io.ReadAll(io.NewSectionReader(s.Files["x.safetensors"], 0, s.Files["x.safetensors"].Len()))
		if whole := s.Whole(); whole != x.whole || x.want != "" && !bytes.Contains(out, []byte(`"__metadata__":`+x.want)) {
			t.Errorf("%s: whole %v, %q", what, whole, out)
		}
	}
}
