package ui

import (
	"strings"
	"testing"
)

// Documents of every format are compared by their tables and fields: what rows show is listed as cells, everything else as fields, also
// in lists, and never as bytes.
func TestEveryFormatIsCompared(t *testing.T) {
	for _, c := range []struct{ a, b, want, not string }{
		{"npy/good/matrix.npy", "npy/good/vector.npy", "header/dim1", "0x"},
		{"samediff/good/plain.sdc", "samediff/good/list.sdc", "variables, name", "records["},
		{"samediff/good/inline.fb", "samediff/good/keys.fb", "metadata, key", "graph/"},
		{"safetensors/good/model.safetensors", "safetensors/good/empty.safetensors", "header_size", "0x"},
		{"idv/good/stored.idv", "idv/good/deflated.idv", "header/tocOffset", "]/data"},
		{"tar/good/gnu.tar", "tar/good/pax.tar", "members, name", "0x"},
		{"tiledb/good/sparse-v22", "tiledb/good/sparse-v23", "fragments/", "0x"},
		{"scdl/good/archive", "scdl/good/chunked", "backend", "0x"},
	} {
		b, d := sampleBench(t, c.a)
		b.files.show("../testdata/" + c.b)
		b.settle(t)
		d.find.Compare(b.current.Document, true)
		b.settle(t)
		var where []string
		for _, p := range d.find.Items {
			where = append(where, p.Cells[0].Text)
		}
		all := strings.Join(where, "\n")
		if !strings.Contains(all, c.want) || strings.Contains("\n"+all, "\n"+c.not) || strings.HasPrefix(c.not, "]") && strings.Contains(all, c.not) {
			t.Errorf("%s and %s: %d differences, among them\n%s", c.a, c.b, len(where), all[:min(len(all), 1500)])
		}
	}
}
