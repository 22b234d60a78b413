package taridx

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"spandrel/model"
)

// said are the errors and warnings of a full check, and the grade of rule 55.
func said(t *testing.T, d *model.Document) (out []string, end model.Severity) {
	t.Helper()
	if err := d.Deep(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	found, _ := d.Tree.Findings()
	for i := range found {
		if found[i].Rule == openEnd {
			end = found[i].Grade()
		}
		if found[i].Grade() != model.Note {
			out = append(out, fmt.Sprintf("%s %s", found[i].Rule.ID, found[i].Text()))
		}
	}
	slices.Sort(out)
	return out, end
}

// A shard with a sparse member of GNU tar, whose map goes on behind the header: the member behind it is where the rows say.
func TestSparseShard(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "testdata", "tar", "good", "gnutar-sparse.tar"))
	if err != nil {
		t.Fatal(err)
	}
	w := &writer{first: map[uint64]string{}}
	w.add(0, 0, 15360, "weights", "bin")
	w.add(0, 0x4200, 2, "weights", "json")
	if out, _ := said(t, (indexDoc{"train_0000.tar": b, "train.taridx": w.bytes()}).open(t)); len(out) > 0 {
		t.Error(out)
	}
}

// What readers of tar refuse is an error; archives that were joined are none, and a shard without members has no rows.
func TestShardEnds(t *testing.T) {
	empty := goodSamples(t)["empty"]
	odd := bytes.Clone(empty["train_0000.tar"])
	odd[100] = 7
	one, other := tarBytes(t, pairs(0, 2)...), tarBytes(t, pairs(2, 4)...)
	joined := indexed(t, one)
	joined["train_0000.tar"] = append(bytes.Clone(one), other...)
	for name, c := range map[string]struct {
		d    indexDoc
		end  model.Severity
		loud bool
	}{
		"the first block is not zero":  {indexDoc{"train.taridx": empty["train.taridx"], "train_0000.tar": odd}, model.Error, true},
		"two archives":                 {joined, model.Note, false},
		"the first shard has no files": {indexed(t, tarBytes(t), one), 0, false},
	} {
		if out, end := said(t, c.d.open(t)); end != c.end || len(out) > 0 != c.loud {
			t.Errorf("%s: %s %v", name, end, out)
		}
	}
}
