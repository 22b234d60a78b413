package cause

import (
	"bytes"
	"context"
	"testing"

	"spandrel/model"
)

// TestTakeUnrecognised restores a document that no format recognises any more: its format is that of the copy.
func TestTakeUnrecognised(t *testing.T) {
	f := *toy
	f.Parse = func(c *model.Cursor) {
		if m := c.Field(fMagic); m.Text() != toyMagic {
			c.Report(model.Finding{Rule: toyShort, Span: m.Span})
		}
		c.FieldN(fData, c.Left())
	}
	sound := toyFile(text(200))
	bad := bytes.Clone(sound)
	copy(bad, "NOTATOY!")
	formats := []*model.Format{&f}
	d, err := model.OpenBytes(context.Background(), "a.toy", bad, formats, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if d.Format != nil {
		t.Fatal("the document is recognised")
	}
	from := (&model.Snapshot{Primary: "b.toy"}).With("b.toy", model.BytesContent(sound))
	taken, err := Take(context.Background(), d, Options{Formats: formats}, from)
	if err != nil || taken.Plan == nil || !bytes.Equal(bytesOf(t, taken.Plan.To), sound) {
		t.Errorf("%v: %+v", err, taken)
	}
}
