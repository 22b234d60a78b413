package parsers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// repairedIndex damages the index of the checkpoint sample, and returns what fix makes of it and how many repairs that took.
func repairedIndex(t *testing.T, damage func(b []byte) []byte) (was, is []byte, made int) {
	t.Helper()
	const name = "model.safetensors.index.json"
	dir := filepath.Join(t.TempDir(), "checkpoint")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "testdata", "safetensors", "good", "checkpoint"))); err != nil {
		t.Fatal(err)
	}
	was, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), damage(bytes.Clone(was)), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := model.Open(t.Context(), dir, All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	list, _, err := cause.ApplyProven(t.Context(), d, cause.Options{Formats: All()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Tree.Snapshot.Content(name)
	if err != nil {
		t.Fatal(err)
	}
	is, err = io.ReadAll(io.NewSectionReader(c, 0, c.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return was, is, len(list)
}

// An index that is cut after its metadata, and whose shards are all there, is proven to be the one that they make: what is left of it is how that
// begins. Cut earlier it is left alone, as metadata may be missing.
func TestCutIndex(t *testing.T) {
	proven := 0
	for n := 1; n < 320; n += 11 {
		was, is, made := repairedIndex(t, func(b []byte) []byte { return b[:n] })
		if proven += made; made > 0 && !bytes.Equal(is, was) {
			t.Errorf("cut to %d bytes: %s", n, is)
		}
		if whole := bytes.Contains(was[:n], []byte(`"weight_map"`)); whole != (made > 0) {
			t.Errorf("cut to %d bytes: %d repairs, though the metadata are left: %v", n, made, whole)
		}
	}
	if proven == 0 {
		t.Error("nothing was repaired: the test says nothing")
	}
}

// A name in an index that no file has, where one file has no other name: the file keeps the name that goes with its sisters.
func TestNameInIndex(t *testing.T) {
	for _, other := range []string{"model-0000~\x83\xcdf-00003", "model-00003-pf-00003"} {
		was, is, _ := repairedIndex(t, func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("model-00003-of-00003"), []byte(other)) })
		if !bytes.Equal(is, was) {
			t.Errorf("%q: %s", other, is)
		}
	}
}

// A shard whose front is encrypted is named with what it is, as its sisters do not begin so.
func TestShardEncrypted(t *testing.T) {
	dir, index := t.TempDir(), `{"metadata": {"total_size": 3072}, "weight_map": {`
	for i := range 3 {
		head := fmt.Sprintf(`{"t%d":{"dtype":"F32","shape":[256],"data_offsets":[0,1024]}}`, i)
		b := append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...)
		if b = append(b, make([]byte, 1024)...); i == 1 {
			noise(rand.New(rand.NewPCG(1, 2)), b[:768])
		}
		name := fmt.Sprintf("model-%05d-of-00003.safetensors", i+1)
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
		index += fmt.Sprintf(`"t%d": "%s", `, i, name)
	}
	if err := os.WriteFile(filepath.Join(dir, "model.safetensors.index.json"), []byte(strings.TrimSuffix(index, ", ")+"}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := model.Open(t.Context(), dir, All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: All()})
	if err != nil || len(g.Causes) == 0 || !strings.Contains(g.Causes[0].Text, "model-00002-of-00003.safetensors") || !strings.Contains(g.Causes[0].Text, "noise") {
		t.Errorf("%v: %+v", err, g.Causes)
	}
}
