package taridx

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"spandrel/model"
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
	ctx, edits, err := context.Background(), f.Edits, error(nil)
	if f.Build != nil {
		if edits, err = f.Build(context.Background(), d.Tree); err != nil {
			t.Fatal(err)
		}
	}
	p, err := d.Plan(ctx, f.Label, edits...)
	if err != nil {
		t.Fatalf("%s: %v", f.Label, err)
	}
	d.Apply(ctx, p, nil)
}

// TestTaridxFixes applies the first fix of the rule that a sample breaks until its finding is gone: no error is new.
func TestTaridxFixes(t *testing.T) {
	other := map[string]bool{ // samples in which the fix is not the answer: something else is wrong
		"016-empty": true, "019-repeated": true, "026-hash": true, "049-crash": true,
	}
	fixed := 0
	for name, doc := range badSamples(t) {
		d, id := doc.open(t), "TIX-"+name[:3]
		known := map[string]bool{}
		for _, f := range findings(t, d) {
			known[f.Rule.ID] = true
		}
		if !known[id] {
			t.Errorf("%s: %s is not reported", name, id)
		}
		again := !other[name]
		for n := 0; again && n < 10; n++ {
			again = false
			for _, f := range findings(t, d) {
				if f.Rule.ID == id && len(f.Fixes) > 0 {
					apply(t, d, f.Fixes[0])
					again = true
					fixed++
					break
				}
			}
		}
		for _, f := range findings(t, d) {
			if again || !known[f.Rule.ID] && f.Grade() == model.Error {
				t.Errorf("%s: the fixes leave %s: %s", name, f.Rule.ID, f.Found)
			}
		}
	}
	if fixed < 25 {
		t.Errorf("only %d fixes", fixed)
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
			if len(f.Fixes) > 0 && f.Fixes[0].Safe {
				apply(t, d, f.Fixes[0])
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
	ctx := context.Background()
	d := goodSamples(t)["one-shard"].open(t)
	shard, later := filepath.Join(filepath.Dir(d.Path), "train_0000.tar"), time.Now().Add(time.Hour)
	if err := os.Chtimes(shard, later, later); err != nil {
		t.Fatal(err)
	}
	d.Tree = model.Parse(ctx, d.Tree.Snapshot, d.Format)
	newer := func() (n int) {
		for _, f := range findings(t, d) {
			if f.Rule == tix059 {
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
	for s, want := range map[string]string{"JPG": "jpg", "İ": "i̇", "ΑΣ": "ας", "Σ": "σ", "ΑΣ.Σ": "ασ.ς", "aΣb": "aσb", "ß": "ß", "K": "k", "É\xff": "é\xff"} {
		if got := pythonLower(s); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}
