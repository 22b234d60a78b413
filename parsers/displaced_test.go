package parsers

import (
	"bytes"
	"encoding/binary"
	"fmt"
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
	var counts []byte // a last tensor that is unlike the first
	for i := range uint64(64) {
		counts = binary.LittleEndian.AppendUint64(counts, 1000+i)
	}
	second := func(last []byte) []byte {
		entry := fmt.Sprintf(`{"w":{"dtype":"F32","shape":[16384],"data_offsets":[0,65536]},"z":{"dtype":"I64","shape":[64],"data_offsets":[65536,%d]}}`, 65536+len(last))
		out := append(binary.LittleEndian.AppendUint64(nil, uint64(len(entry))), entry...)
		return append(append(append(append(out, values.Bytes()[:4096]...), junk...), values.Bytes()[4096:]...), last...)
	}
	entry = `{"z":{"dtype":"I64","shape":[64],"data_offsets":[0,512]}}`
	integers := append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(entry))), entry...), counts...)
	entry = `{"w":{"dtype":"C64","shape":[8192],"data_offsets":[0,65536]}}   `
	complexes := append(binary.LittleEndian.AppendUint64(nil, uint64(len(entry))), entry...)
	at := len(complexes)
	complexes = append(append(append(complexes, values.Bytes()[:1000]...), junk...), values.Bytes()[1000:]...)
	for what, c := range map[string]struct {
		b      []byte
		proven bool
	}{
		"64 bytes in front, complex":  {complexes, false},
		"64 bytes behind, complex":    {append(append(bytes.Clone(complexes[:at]), values.Bytes()...), junk...), true},
		"64 bytes behind":             {in(len(sound), 64), true},
		"3 bytes behind":              {in(len(sound), 3), false},
		"3 bytes in front":            {in(len(header)+1000, 3), false},
		"64 bytes in front":           {in(len(header)+1000, 64), false},
		"64 bytes in front of counts": {second(counts), false},
		"64 bytes in front of zeros":  {second(make([]byte, 512)), false},
		"zeros behind":                {append(bytes.Clone(sound), make([]byte, 100)...), true},
		"a byte inside of the last":   {append(integers[:len(integers)-1:len(integers)-1], 'm', 0), false},
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
