package scdl

import (
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestPaddedTogether: zeros after the end of several arrays, as a copy to a tape leaves them, are one event.
func TestPaddedTogether(t *testing.T) {
	f := long(300)
	for _, name := range []string{"data.npy", "col_ptr.npy", "row_ptr.npy"} {
		f[name] = append(f[name], make([]byte, 4096-len(f[name]))...)
	}
	d := f.open(t)
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Tree: d.Tree})
	if err != nil || len(g.Causes) == 0 || g.Causes[0].Text != "Zeros follow the end of 3 files: they were padded." || g.Causes[0].Grade != cause.Proven {
		t.Fatalf("%v %+v", err, g.Causes)
	}
}
