package samediff

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"spandrel/model"
)

// zipOf is an archive with one model.
func zipOf(t testing.TB, method uint16, nb []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	w, err := z.CreateHeader(&zip.FileHeader{Name: "model", Method: method})
	if err == nil {
		_, err = w.Write(nb)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// elements returns the elements of an array by the tables.
func elements(t testing.TB, d *model.Document, name string) (out []float64) {
	t.Helper()
	for _, tab := range d.Tree.Tables(context.Background()) {
		if tab.Name != name {
			continue
		}
		rows, err := tab.Read(context.Background(), 0, tab.Rows)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			out = append(out, r[len(r)-1].Value.Float())
		}
	}
	return out
}

// TestSameDiffConvert wraps models in containers, splits them into shards and merges these again: the arrays stay.
func TestSameDiffConvert(t *testing.T) {
	want := map[string]string{"w": "[1 -2 0.5 3]", "b": "[0.25 -1]"}
	same := func(name string, d *model.Document) {
		t.Helper()
		if errs := errorsOf(t, d); len(errs) > 0 {
			t.Errorf("%s: %v", name, errs)
		}
		for array, values := range want {
			if got := fmt.Sprint(elements(t, d, array)); got != values {
				t.Errorf("%s: %s = %s, want %s", name, array, got, values)
			}
		}
	}
	for name, file := range map[string][]byte{"g.fb": fb(inline()), "g.sdnb": nbSmall(), "g.sdz": zipOf(t, 8, nbSmall())} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), file, 0o644); err != nil {
			t.Fatal(err)
		}
		open := func(file string) *model.Document {
			d, err := model.Open(context.Background(), filepath.Join(dir, file), formats, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(d.Close)
			return d
		}
		d := open(name)
		same(name, d)
		actOn(t, d, "convert-container", "", "name", "out.sdc")
		save(t, d)
		box := open("out.sdc")
		same(name+" wrapped", box)
		if m := main(box.Tree).con.meta; m == nil || m.entries[0].key != "converted.from" {
			t.Errorf("%s: no trace of where the container comes from", name)
		}
		actOn(t, box, "convert-shards", "", "count", "3")
		save(t, box)
		for i := range 3 {
			shard := open(fmt.Sprintf("out.shard%d-of-3.sdc", i))
			if errs := errorsOf(t, shard); len(errs) > 0 {
				t.Errorf("%s shard %d: %v", name, i, errs)
			}
		}
		set := open("out.shard0-of-3.sdc")
		actOn(t, set, "convert-merge", "", "name", "merged.sdc")
		save(t, set)
		same(name+" merged", open("merged.sdc"))
	}
}

func save(t testing.TB, d *model.Document) {
	t.Helper()
	if _, err := d.Save(context.Background(), model.SaveOptions{NoBackup: true}); err != nil {
		t.Fatal(err)
	}
}
