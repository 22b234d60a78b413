package table

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/ui/headless"
)

// Rows of a file change the cells in the same places, or come behind the last row, each as one edit; what is not understood changes nothing.
func TestImport(t *testing.T) {
	b, d, p := sample(t, "npy/good/vector.npy")
	dir := t.TempDir()
	take := func(name, text, key string, add bool) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p.Import(path, key, add)
		b.Settle(t)
		p.View.Update()
		b.Settle(t)
		undo, _ := d.Model.History()
		return grid(p) + " " + strings.Repeat("u", len(undo))
	}
	if got := grid(p); got != "0 1 | 1 2 | 2 3 | 3 -1" {
		t.Fatal(got)
	}
	if got := take("one.csv", "value\n1\n2\n7\n-1\n", "", false); got != "0 1 | 1 2 | 2 7 | 3 -1 u" {
		t.Errorf("in place: %s", got)
	}
	if got := take("more.jsonl", `{"value": 9}`+"\n", "", true); got != "0 1 | 1 2 | 2 7 | 3 -1 | 4 9 uu" {
		t.Errorf("behind the last: %s", got)
	}
	if got := take("same.csv", "value\n1\n2\n7\n-1\n9\n", "", false); !strings.HasSuffix(got, "9 uu") {
		t.Errorf("the same rows: %s", got)
	}
	if got := take("key.csv", "index,value\n2,7\n", "index", false); !strings.HasSuffix(got, "9 uu") {
		t.Errorf("a column that there is not: %s", got)
	}
	if _, err := headless.PlanImport(t.Context(), p.Table, filepath.Join(dir, "one.csv"), "value", true); err == nil {
		t.Error("by a key and behind the last at once")
	}
	short := filepath.Join(dir, "short.csv")
	os.WriteFile(short, []byte("value\n5\n6\n"), 0o600)
	if x, err := headless.PlanImport(t.Context(), &p.tables[p.Array.at], short, "", false); err != nil || x.Says != "all 5 rows replaced by 2" || x.Fewer != 3 {
		t.Errorf("fewer rows: %+v %v", x, err)
	}
	if got := take("wrong.csv", "value\n1\nmany\n", "", false); !strings.HasSuffix(got, "9 uu") {
		t.Errorf("no number: %s", got)
	}
}
