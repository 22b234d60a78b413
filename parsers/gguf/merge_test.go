package gguf

import (
	"strings"
	"testing"

	"spandrel/model"
)

// TestMergeOfPairs: pairs of the metadata are merged by key, and one that both sides changed or added differently is a conflict.
func TestMergeOfPairs(t *testing.T) {
	of := func(pairs ...[]byte) *model.Tree {
		return opened(t, made(append([][]byte{llama}, pairs...), three, numbers(8, 5, 6))).Tree
	}
	k, l := func(v byte) []byte { return pairOf("k", 4, v, 0, 0, 0) }, func(v byte) []byte { return pairOf("l", 4, v, 0, 0, 0) }
	for name, x := range map[string]struct {
		base, a, b *model.Tree
		says       string // conflicts, and the fields that are merged
	}{
		"both add one key":         {of(), of(k(1)), of(k(2)), `header/metadata["k"]: missing, type UINT32 (4), value 1, type UINT32 (4), value 2`},
		"both add the same":        {of(), of(k(1)), of(k(1)), ""},
		"both add keys":            {of(), of(k(1)), of(l(2)), `header/metadata["l"]: missing, missing, type UINT32 (4), value 2`},
		"A drops what B changes":   {of(k(1), l(1)), of(l(1)), of(k(2), l(1)), `header/metadata["k"]/value: 1, missing, 2`},
		"A drops, B changes other": {of(k(1), l(1)), of(l(1)), of(k(1), l(2)), `header/metadata["l"]/value=2`},
		"type and value":           {of(k(1)), of(pairOf("k", 6, 0, 0, 128, 63)), of(k(2)), `header/metadata["k"]/value: 1, type FLOAT32 (6), value 1, 2`},
		"value and type":           {of(k(1)), of(k(2)), of(pairOf("k", 6, 0, 0, 128, 63)), `header/metadata["k"]: type UINT32 (4), value 1, 2, type FLOAT32 (6), value 1`},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := model.MergeContent(t.Context(), x.base, x.a, x.b, model.MergeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, c := range m.Conflicts {
				out = append(out, c.Path+": "+c.TextBase+", "+c.TextA+", "+c.TextB)
			}
			for _, f := range m.Fields {
				out = append(out, f.Path+"="+f.Text)
			}
			if is := strings.Join(out, "\n"); is != x.says {
				t.Errorf("%s\nwant %s", is, x.says)
			}
		})
	}
}
