package parsers

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"spandrel/model"
	"spandrel/model/cause"
)

// TestInsertedOrAppended: bytes too many behind values that nothing checks are proven to be none of the file's only where they are unlike its values.
func TestInsertedOrAppended(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var values bytes.Buffer
	for range 1 << 14 {
		_ = binary.Write(&values, binary.LittleEndian, float32(rnd.NormFloat64()))
	}
	junk := make([]byte, 64)
	for i := range junk {
		junk[i] = byte(rnd.Uint32())
	}
	entry := `{"w":{"dtype":"F32","shape":[16384],"data_offsets":[0,65536]}}  `
	header := string(binary.LittleEndian.AppendUint64(nil, uint64(len(entry)))) + entry
	sound := append([]byte(header), values.Bytes()...)
	in := func(at, n int) []byte { return append(append(bytes.Clone(sound[:at]), junk[:n]...), sound[at:]...) }
	for what, c := range map[string]struct {
		b      []byte
		proven bool
	}{
		"64 bytes behind":   {in(len(sound), 64), true},
		"3 bytes behind":    {in(len(sound), 3), false},
		"3 bytes in front":  {in(len(header)+1000, 3), false},
		"64 bytes in front": {in(len(header)+1000, 64), false},
		"zeros behind":      {append(bytes.Clone(sound), make([]byte, 100)...), true},
	} {
		d, err := model.OpenBytes(t.Context(), "a.safetensors", c.b, All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := cause.Find(t.Context(), d, cause.Options{Formats: All()})
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Causes) != 1 || (g.Causes[0].Grade == cause.Proven) != c.proven || len(g.Causes[0].Repairs) == 0 {
			t.Errorf("%s: %+v", what, g.Causes)
		}
		d.Close()
	}
}
