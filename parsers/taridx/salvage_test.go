package taridx

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// salvaged saves what can be read of a document as a new index.
func salvaged(t *testing.T, doc indexDoc) ([]byte, model.SalvagedPart) {
	t.Helper()
	s, err := salvage(t.Context(), doc.open(t).Tree)
	if err != nil {
		t.Fatal(err)
	}
	src := s.Files["train.taridx"]
	b := make([]byte, src.Len())
	src.ReadAt(b, 0)
	if err := accepts(b); err != nil {
		t.Errorf("readers refuse it: %v", err)
	}
	return b, s.Parts[0]
}

// However much of the header is lost, the index comes back from its shards as it was.
func TestSalvageFromShards(t *testing.T) {
	for _, name := range []string{"three-shards", "collisions", "multi-part"} {
		for _, lost := range [][2]int{{0, 8}, {16, 32}, {24, 56}, {40, 56}, {0, 64}} {
			doc := goodSamples(t)[name]
			want := bytes.Clone(doc["train.taridx"])
			clear(doc["train.taridx"][lost[0]:lost[1]])
			if got, part := salvaged(t, doc); !bytes.Equal(got, want) || !part.Whole() {
				t.Errorf("%s without bytes %d to %d: %s; % x, want % x", name, lost[0], lost[1], part, got, want)
			}
		}
	}
}

// Without shards all rows that are there are kept, also those of a cut index; of one shard that is gone they are not, as readers would
// look for them in the next.
func TestSalvageWithoutShards(t *testing.T) {
	doc := indexDoc{"train.taridx": goodSamples(t)["collisions"]["train.taridx"]}
	want := bytes.Clone(doc["train.taridx"])
	if got, part := salvaged(t, doc); !bytes.Equal(got, want) || !part.Whole() {
		t.Errorf("%s", part)
	}
	doc["train.taridx"] = want[:len(want)-40]
	got, part := salvaged(t, doc)
	if part.Saved != 2 || part.Of != 4 || part.Whole() || !bytes.Equal(got[len(got)-64:], want[len(want)-128:len(want)-64]) {
		t.Errorf("of a cut index: %s", part)
	}
	doc = goodSamples(t)["three-shards"]
	clear(doc["train.taridx"][:64])
	delete(doc, "train_0001.tar")
	rest := indexed(t, doc["train_0000.tar"], doc["train_0002.tar"])
	if got, part := salvaged(t, doc); !bytes.Equal(got, rest["train.taridx"]) || part.Saved != 6 || !strings.Contains(part.Lost, "are missing") {
		t.Errorf("of two shards in three: %s", part)
	}
}

// The member in which a shard ends is not intact, whether its size is known from its header or from its row.
func TestSalvageOfACutShard(t *testing.T) {
	doc := indexed(t, tarBytes(t, pairs(0, 2)...), tarBytes(t, pairs(2, 4)...))
	doc["train_0001.tar"] = doc["train_0001.tar"][:512+600] // in the first member
	if got, part := salvaged(t, doc); !bytes.Equal(got, indexed(t, doc["train_0000.tar"])["train.taridx"]) || part.Saved != 4 || part.Of != 8 {
		t.Errorf("%s", part)
	}
}

// Members behind a hole in a shard are kept, since readers find them by their rows; those in it are counted as lost.
func TestSalvageAroundHole(t *testing.T) {
	doc := indexed(t, tarBytes(t, pairs(0, 6)...))
	tar := doc["train_0000.tar"]
	clear(tar[2048:4608])
	tar[4096] = 'x' // the rest of a payload
	if _, part := salvaged(t, doc); part.Saved != 10 || part.Of != 12 {
		t.Errorf("%s", part)
	}
	if out, _ := said(t, doc.open(t)); slices.ContainsFunc(out, func(s string) bool { return strings.HasPrefix(s, "TIX-044") }) {
		t.Errorf("rows behind the hole are wrong: %s", out)
	}
}
