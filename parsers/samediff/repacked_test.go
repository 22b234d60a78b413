package samediff

import (
	"archive/zip"
	"bytes"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestRepacked packs a model again with a compression that no reader of models knows: the member is stored as it was, and its checksum says so.
func TestRepacked(t *testing.T) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	z.RegisterCompressor(93, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })
	w, err := z.CreateHeader(&zip.FileHeader{Name: "model", Method: 93})
	if err != nil {
		t.Fatal(err)
	}
	w.Write(nbSmall())
	z.Close()
	d := openModel(t, "m.sdz", out.Bytes())
	found, _ := d.Tree.Findings()
	for i := range found {
		if found[i].Rule != memberMethod {
			continue
		}
		fixes := d.Tree.Fixes(t.Context(), &found[i])
		if len(fixes) == 0 {
			t.Fatal("no repair is offered")
		}
		edits, err := fixes[0].Make(t.Context(), d.Tree)
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.Plan(t.Context(), fixes[0].Label, edits...)
		if err != nil {
			t.Fatal(err)
		}
		c, _ := p.To.Content(p.To.Primary)
		b := make([]byte, c.Len())
		c.ReadAt(b, 0)
		again := openModel(t, "m.sdz", b)
		if bad := errorsOf(t, again); len(bad) > 0 || again.Format == nil || again.Format.Name != "samediff" {
			t.Errorf("after the repair: %v", bad)
		}
		return
	}
	t.Error("the compression is not reported")
}
