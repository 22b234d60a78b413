package parsers

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

// sdZipOf is an archive with one model.
func sdZipOf(t testing.TB, method uint16, nb []byte) []byte {
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

// sdElements returns the elements of an array by the tables.
func sdElements(t testing.TB, d *model.Document, name string) (out []float64) {
	t.Helper()
	for _, tab := range d.Tables() {
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
		if errs := sdErrors(t, d); len(errs) > 0 {
			t.Errorf("%s: %v", name, errs)
		}
		for array, values := range want {
			if got := fmt.Sprint(sdElements(t, d, array)); got != values {
				t.Errorf("%s: %s = %s, want %s", name, array, got, values)
			}
		}
	}
	for name, file := range map[string][]byte{"g.fb": sdFB(sdInline()), "g.sdnb": sdNBSmall(), "g.sdz": sdZipOf(t, 8, sdNBSmall())} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), file, 0o644); err != nil {
			t.Fatal(err)
		}
		open := func(file string) *model.Document {
			d, err := model.Open(context.Background(), filepath.Join(dir, file), All(), nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(d.Close)
			return d
		}
		d := open(name)
		same(name, d)
		sdAct(t, d, "convert-container", "", "name", "out.sdc")
		sdSave(t, d)
		box := open("out.sdc")
		same(name+" wrapped", box)
		if m := sdMain(box.Tree).con.meta; m == nil || m.entries[0].key != "converted.from" {
			t.Errorf("%s: no trace of where the container comes from", name)
		}
		sdAct(t, box, "convert-shards", "", "count", "3")
		sdSave(t, box)
		for i := range 3 {
			shard := open(fmt.Sprintf("out.shard%d-of-3.sdc", i))
			if errs := sdErrors(t, shard); len(errs) > 0 {
				t.Errorf("%s shard %d: %v", name, i, errs)
			}
		}
		set := open("out.shard0-of-3.sdc")
		sdAct(t, set, "convert-merge", "", "name", "merged.sdc")
		sdSave(t, set)
		same(name+" merged", open("merged.sdc"))
	}
}

func sdSave(t testing.TB, d *model.Document) {
	t.Helper()
	if _, err := d.Save(context.Background(), model.SaveOptions{NoBackup: true}); err != nil {
		t.Fatal(err)
	}
}
