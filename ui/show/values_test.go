package show

import (
	"context"
	"testing"

	"spandrel/model"
	"spandrel/parsers"
)

// A structure shows the text that names it, so that columns are not told apart by number alone.
func TestStructuresShowTheirNames(t *testing.T) {
	d, err := model.Open(context.Background(), "../../testdata/idv/good/stored.idv", parsers.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for path, want := range map[string]string{"toc[2]": `"Int32"`, "toc[2]/name": `"Int32"`, "header": ""} {
		s, err := d.Tree.Find(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		if got := ValueOf(context.Background(), d.Tree, s); got != want {
			t.Errorf("%s shows %s, want %s", path, got, want)
		}
	}
}
