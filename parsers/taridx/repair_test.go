package taridx

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
	"spandrel/parsers/internal/tarfile"
)

// findings runs all checks.
func findings(t testing.TB, d *model.Document) []model.Finding {
	t.Helper()
	if err := d.Deep(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	found, _ := d.Tree.Findings()
	return found
}

// apply applies a fix.
func apply(t testing.TB, d *model.Document, f model.Fix) {
	t.Helper()
	ctx := context.Background()
	edits, err := f.Make(ctx, d.Tree)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Plan(ctx, f.Label, edits...)
	if err != nil {
		t.Fatalf("%s: %v", f.Label, err)
	}
	d.Apply(ctx, p, nil)
}

// damaged are the bad samples, and an index that is older than its shard.
func damaged(t testing.TB) suite.Damaged {
	all := suite.Damaged{"059-newer": newerShardDoc}
	for name, doc := range badSamples(t) {
		all[name] = doc.open
	}
	return all
}

// newerShardDoc is a document whose shard was written after its index.
func newerShardDoc(t testing.TB) *model.Document {
	d := goodSamples(t)["one-shard"].open(t)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(filepath.Dir(d.Path), "train_0000.tar"), later, later); err != nil {
		t.Fatal(err)
	}
	d.Tree = model.Parse(context.Background(), d.Tree.Snapshot, d.Format)
	return d
}

func TestTranscript(t *testing.T) { suite.Transcript(t, Format, damaged(t)) }

func TestRepairs(t *testing.T) { suite.Repairs(t, damaged(t)) }

// A repair that takes out a row which the header counts says that it loses it.
func TestDroppedRowIsALoss(t *testing.T) {
	d := badSamples(t)["032-twice"].open(t)
	if err := d.Deep(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	found, _ := d.Tree.Findings()
	dropped := 0
	for i := range found {
		f := &found[i]
		if f.Rule != samePlace {
			continue
		}
		for _, fix := range d.Tree.Fixes(t.Context(), f) {
			if strings.HasPrefix(fix.Label, "remove row") {
				if dropped++; fix.Loses == "" || fix.Safe {
					t.Errorf("%s: loses %q, safe %v", fix.Label, fix.Loses, fix.Safe)
				}
			}
		}
	}
	if dropped == 0 {
		t.Error("no repair drops a row")
	}
}

// TestTaridxLostShard applies all safe fixes to an index whose second shard is gone: what its rows say is not to be replaced by
// what the shard that took its place says.
func TestTaridxLostShard(t *testing.T) {
	doc := goodSamples(t)["three-shards"]
	delete(doc, "train_0001.tar")
	d := doc.open(t)
	for range 40 {
		done := true
		for _, f := range findings(t, d) {
			if fix := d.Tree.Safe(&f, d.Tree.Fixes(t.Context(), &f)); fix != nil {
				apply(t, d, *fix)
				done = false
				break
			}
		}
		if done {
			break
		}
	}
	if _, err := d.Save(context.Background(), model.SaveOptions{NoBackup: true}); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(d.Path); !bytes.Equal(b, doc["train.taridx"]) {
		t.Error("the index was changed")
	}
}

// TestTaridxNewerShard makes a shard newer than the index: an edit makes the index the newer one, saved or not.
func TestTaridxNewerShard(t *testing.T) {
	d := newerShardDoc(t)
	newer := func() (n int) {
		for _, f := range findings(t, d) {
			if f.Rule == newerShard {
				n++
			}
		}
		return n
	}
	if newer() != 1 {
		t.Error("a newer shard is not reported")
	}
	apply(t, d, model.SetTo(d.Tree.Root.Get("header").Get("minor"), model.U(1)))
	if newer() != 0 {
		t.Error("a shard is said to be newer than an index with unsaved edits")
	}
}

// TestTaridxLower compares lower-casing with what Python's str.lower gives.
func TestTaridxLower(t *testing.T) {
	for s, want := range map[string]string{"JPG": "jpg", "İ": "i̇", "ΑΣ": "ας", "Σ": "σ",
		"ΑΣ.Σ": "ασ.ς", "aΣb": "aσb", "ß": "ß", "K": "k",
		"É\xff": "é\xff"} {
		if got := pythonLower(s); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}

// Members in another order have their rows: only the places are wrong.
func TestReordered(t *testing.T) {
	doc := indexed(t, tarBytes(t, pairs(0, 10)...))
	tar := doc["train_0000.tar"]
	const pair = 5 * tarfile.Block // two headers, a picture and a class
	doc["train_0000.tar"] = slices.Concat(tar[:pair], tar[4*pair:7*pair], tar[pair:4*pair], tar[7*pair:])
	d := doc.open(t)
	for _, f := range findings(t, d) {
		for _, fix := range d.Tree.Fixes(t.Context(), &f) {
			if !strings.HasPrefix(fix.Label, "correct all 12 wrong rows") {
				continue
			}
			if !strings.HasPrefix(fix.Says, "The rows give other places of their members") {
				t.Errorf("it says %q", fix.Says)
			}
			if apply(t, d, fix); rowsIn(t, d) != rowsIn(t, indexed(t, tar).open(t)) {
				t.Error("rows have become those of other members")
			}
			return
		}
	}
	t.Error("no repair corrects the rows")
}

// Rows that were written with the padding of a C structure get rid of it.
func TestPaddedRows(t *testing.T) {
	doc := indexed(t, tarBytes(t, pairs(0, 10)...))
	want := doc["train.taridx"]
	var is []byte
	off := bytes.Index(want, []byte("cls")) + 3
	for row := range slices.Chunk(want[off:], rowSize) {
		is = slices.Concat(is, row[:2], make([]byte, 6), row[2:20], make([]byte, 2), row[20:])
	}
	doc["train.taridx"] = append(bytes.Clone(want[:off]), is...)
	d := doc.open(t)
	for _, f := range findings(t, d) {
		for _, fix := range d.Tree.Fixes(t.Context(), &f) {
			if fix.Label != "remove the padding from all rows" {
				continue
			}
			apply(t, d, fix)
			if b, err := d.Tree.Bytes(t.Context(), d.Tree.Root.Range); err != nil || !bytes.Equal(b, want) {
				t.Error("the rows are not what they were")
			}
			return
		}
	}
	t.Error("no repair removes the padding")
}

// rowsIn are the members that the rows name, in their order.
func rowsIn(t *testing.T, d *model.Document) (names string) {
	rows, err := stateOf(d.Tree).allRows(t.Context())
	for _, r := range rows {
		r.off = 0
		names += fmt.Sprint(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// The backup of an index has the shards that the index has.
func TestBackupOfIndex(t *testing.T) {
	d := goodSamples(t)["one-shard"].open(t)
	path := d.Path + ".20260102-030405.bak"
	if err := os.Link(d.Path, path); err != nil {
		t.Fatal(err)
	}
	b, err := model.Open(t.Context(), path, formats, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if found := findings(t, b); len(found) != 0 {
		t.Errorf("%s: %+v", found[0].Path(), found[0])
	}
}

func TestSpelling(t *testing.T) {
	for name, c := range map[string]struct{ hashed, says string }{
		"set/a.b.jpg":    {"set/a", "with their folders"},
		"e\u0301.jpg":    {"\u00e9", "NFC"},
		"set/\u00e9.cls": {"e\u0301", "NFD"},
		"a.jpg":          {"a", ""},
	} {
		if got := spelling(name, xxhash.Sum64String(c.hashed)); (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: %q, want %q", name, got, c.says)
		}
	}
}
