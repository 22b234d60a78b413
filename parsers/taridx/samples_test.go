package taridx

import (
	"testing"

	"spandrel/model"
)

// The logical view counts the samples that there are, not those that the header says there are.
func TestSamplesAreCounted(t *testing.T) {
	d, err := model.Open(t.Context(), "../../testdata/taridx/bad/027-n-stems/train.taridx", []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, tab := range d.Tree.Tables(t.Context()) {
		if tab.Name != "samples" {
			continue
		}
		rows, err := tab.Read(t.Context(), 0, tab.Rows+1)
		if err != nil || int64(len(rows)) != tab.Rows {
			t.Errorf("%d samples, of which %d can be read: %v", tab.Rows, len(rows), err)
		}
		list, err := outline(t.Context(), d.Tree)
		if err != nil || list[0].Text != model.Thousands(int64(len(rows))) {
			t.Errorf("the logical view says %q samples: %v", list[0].Text, err)
		}
	}
}
