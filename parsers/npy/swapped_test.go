package npy

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// The numbers are in another byte order than the header says: that is likely, and both may be corrected, the header and the numbers.
func TestOtherOrder(t *testing.T) {
	var singles []byte
	for i := range 8000 {
		singles = binary.LittleEndian.AppendUint32(singles, math.Float32bits(float32(20+10*math.Sin(float64(i)))))
	}
	d, err := model.OpenBytes(t.Context(), "a.npy", array(dict("'>f4'", "False", "(8000,)"), singles), []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := cause.Find(t.Context(), d, cause.Options{Formats: []*model.Format{Format}, Deep: true, Warnings: true})
	if err != nil || len(g.Causes) != 1 {
		t.Fatalf("%v %+v", err, g)
	}
	offered := ""
	for _, x := range g.Causes[0].Repairs {
		offered += x.Label + "; "
	}
	if g.Causes[0].Grade != cause.Likely || !strings.Contains(offered, "set descr to <f4; ") || !strings.Contains(offered, "reverse the bytes") {
		t.Errorf("%s: %s, %v", g.Causes[0].Grade, offered, g.Causes[0].Evidence)
	}
}
