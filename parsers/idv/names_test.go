package idv

import "testing"

// .NET waits for the rest of a character that ends with its name, and reads the name without it.
func TestNameEndsInsideCharacter(t *testing.T) {
	for name, want := range map[string]string{"Int32\xe3": "Int32", "Int32\xf0\x9f": "Int32", "Int32": "Int32", "Int\xe332": "", "Int32\xff": ""} {
		f := fileSpec{rpb: 1, rows: 1, cols: []columnSpec{{name: "a", typ: typeSpec{load: name}, raw: [][]byte{{1, 0, 0, 0}}}}}
		d := open(t, "name.idv", f.encode())
		_, rules := rulesOf(t, d)
		if got := !rules["IDV-030"]; got != (want != "") {
			t.Errorf("%q: read %v, want %q: %v", name, got, want, rules)
		}
		d.Close()
	}
}
