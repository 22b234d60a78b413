package headless_test

import (
	"strings"
	"testing"
)

// TestByName reads fields by what the elements of lists are called: of the tree, of a format's name for a list, of a table; and parts of arrays.
func TestByName(t *testing.T) {
	for _, c := range []struct{ path, fields, want string }{
		{"idv/good/stored.idv", `columns["Int16"]/rowsPerBlock header/rowCount`, "3\n8\n"},
		{"idv/good/stored.idv", `toc['Vector']/name/text`, "Vector\n"},
		{"taridx/good/three-shards/train.taridx", `samples["s0001"]/size`, "601\n"},
		{"tiledb/good/dense-v22", `attributes["n"]/filters/num_filters`, "2\n"},
		{"safetensors/good/model.safetensors", `tensors["ids"]/dtype data/ids[1:3]`, "I64\n1000\n2000\n"},
		{"idv/good/stored.idv", `columns[1]/rowsPerBlock`, "3\n"},
		{"samediff/good/inline.fb", `variables["w"][0:3]`, "1\n-2\n0.5\n"},
	} {
		status, out, err := run(nil, append([]string{"get", samples + "../" + c.path}, strings.Fields(c.fields)...)...)
		if status != 0 || out != c.want {
			t.Errorf("%s: status %d: %s%s", c.fields, status, out, err)
		}
	}
	for _, field := range []string{`columns["nothing"]/codec`, `columns["Int16`, `nowhere["x"]`, `columns["Int16"]/nothing`, `header[0:1]`} {
		if status, _, err := run(nil, "get", samples+"../idv/good/stored.idv", field); status != 2 || !strings.Contains(err, "no field") {
			t.Errorf("%s: status %d %s", field, status, err)
		}
	}
}

// TestComplete types commands: what the shell offers is what the document, the formats and the flags have.
func TestComplete(t *testing.T) {
	idv := samples + "../idv/good/stored.idv"
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"get", idv, "header/row"}, "header/rowCount\n"},
		{[]string{"get", idv, `columns["Int1`}, `columns["Int16"]` + "\n"},
		{[]string{"get", idv, "toc[1"}, "toc[1]\ntoc[10]\n"},
		{[]string{"table", idv, ""}, "rows\n"},
		{[]string{"table", idv, "rows", "--columns", "Int16,Te"}, "Int16,Text\n"},
		{[]string{"table", "--to", "p"}, "parquet\n"},
		{[]string{"convert", idv, "set-b"}, "set-booleans\n"},
		{[]string{"convert", idv, "set-booleans", "type=D"}, "type=DvBool\n"},
		{[]string{"set", "--table", "rows", idv, "0/Te"}, "0/Text=\n"},
		{[]string{"check", "--format", "ju"}, "junit\n"},
		{[]string{"check", "--for", "til"}, "tiledb\n"},
		{[]string{"fix", "--rule", "NPY-003"}, "NPY-003\n"},
		{[]string{"rules", "npy"}, "npy\n"},
		{[]string{"find", "--number", "bf"}, ""},
		{[]string{"get", samples + "good/one-shard/train.taridx", "sam"}, `samples["` + "\n"},
		{[]string{"get", samples + "good/one-shard/train.taridx", `samples["s0`}, `samples["s0000"]` + "\n" + `samples["s0001"]` + "\n"},
		{[]string{"get", samples + "../samediff/good/inline.fb", `variables["w`}, `variables["w"]` + "\n"},
		{[]string{"table", idv, "rows", "--group-by", "Int16,Te"}, "Int16,Text\n"},
		{[]string{"table", idv, "rows", "--agg", "count,sum(Dou"}, "count,sum(Double)\n"},
		{[]string{"table", idv, "rows", "--where", "Dou"}, "Double\n"},
		{[]string{"diff", idv, idv, "--key", "Int1"}, "Int16\n"},
		{[]string{"merge", "--prefer", ""}, "a\nb\n"},
		{[]string{"fix", samples + "../idv/bad/008-negative-rows.idv", "--choose", "8a"}, "8a8887c4\tset rowCount to 2\n"},
		{[]string{"check", ""}, "gguf\nidv\n"},
	} {
		_, out, _ := run(nil, append([]string{"__complete"}, c.words...)...)
		if !strings.HasPrefix(out, c.want) || c.want == "" && !strings.HasPrefix(out, ":") {
			t.Errorf("%q: %s", c.words, out)
		}
	}
}

// TestNoCompletion: a shell that is not supported is an error, and no help.
func TestNoCompletion(t *testing.T) {
	if status, _, err := run(nil, "completion", "tcsh"); status == 0 || !strings.Contains(err, "tcsh") {
		t.Errorf("status %d: %s", status, err)
	}
	if status, out, _ := run(nil, "completion", "bash"); status != 0 || !strings.Contains(out, "spandrel") {
		t.Errorf("bash: status %d: %.100s", status, out)
	}
}
