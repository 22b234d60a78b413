package taridx

import (
	"bytes"
	"context"
	"os"
	"testing"

	"spandrel/model"
)

// TestTaridxFirstRow takes the only row away and adds it again: it stands behind the empty collision block, as before.
func TestTaridxFirstRow(t *testing.T) {
	ctx := context.Background()
	d := goodSamples(t)["gnu"].open(t)
	want, _ := os.ReadFile(d.Path)
	for _, c := range []struct {
		action string
		args   map[string]string
	}{{"drop-rows", map[string]string{"from": "0", "to": "0"}}, {"add-row", map[string]string{"shard": "0", "offset": "0"}}} {
		for _, a := range actions {
			if a.Name != c.action {
				continue
			}
			edits, err := a.Plan(ctx, d.Tree, d.Tree.Root, c.args)
			if err != nil {
				t.Fatal(err)
			}
			p, err := d.Plan(ctx, a.Label, edits...)
			if err != nil {
				t.Fatal(err)
			}
			d.Apply(ctx, p, nil)
		}
	}
	if _, err := d.Save(ctx, model.SaveOptions{NoBackup: true}); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(d.Path); !bytes.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}
