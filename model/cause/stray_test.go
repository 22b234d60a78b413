package cause

import (
	"bytes"
	"context"
	"testing"

	"spandrel/model"
)

// TestHeaderByChance: in bytes of no known kind, those that happen to look like the header of a file say nothing if what follows them is not read.
func TestHeaderByChance(t *testing.T) {
	rules := model.NewRules("HDR")
	lost := rules.Error(1, "what follows the header is no record", "", "")
	headed := &model.Format{Name: "headed", Title: "Headed", Rules: rules,
		Detect: func(_ string, head, _ []byte, _ int64) (model.Confidence, string) {
			if bytes.HasPrefix(head, []byte("\x01\x02\x03\x04\x05\x06")) {
				return 90, ""
			}
			return 0, "no header"
		},
		Parse: func(c *model.Cursor) {
			c.FieldN(fData, 6)
			for c.Left() >= 8 && bytes.HasPrefix(c.Peek(8), []byte("RECORD")) {
				c.FieldN(fData, 8)
			}
			if c.Left() > 0 {
				c.Wrong(lost, c.FieldN(fData, c.Left()), nil, nil)
			}
		}}
	front := []byte(text(476))
	for what, rest := range map[string]string{"noise": text(4000), "records": string(bytes.Repeat([]byte("RECORD12"), 400))} {
		b := append(append(bytes.Clone(front), 1, 2, 3, 4, 5, 6), rest...)
		d, err := model.OpenBytes(context.Background(), "a.bin", b, []*model.Format{headed}, nil)
		if err != nil && d == nil {
			t.Fatal(err)
		}
		g, err := Find(context.Background(), d, Options{Formats: []*model.Format{headed}})
		if err != nil {
			t.Fatal(err)
		}
		if found := len(g.Causes) > 0 && len(g.Causes[0].Repairs) > 0; found != (what == "records") {
			t.Errorf("%s: %d causes", what, len(g.Causes))
		}
		d.Close()
	}
}
