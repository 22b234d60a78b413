package npy

import (
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// A pickle is shown as its instructions, to the one that ends it; what is behind them is not taken for any.
func TestPickle(t *testing.T) {
	for _, c := range []struct{ pickle, want string }{
		{"\x80\x04K\x01.", "PROTO BININT1 STOP"},
		{"cos\nsystem\n(S'" + strings.Repeat("x", 70_000) + "'\ntR.", "GLOBAL MARK STRING TUPLE REDUCE STOP"},
		{"\x80\x05\x95\x0b\x00\x00\x00\x00\x00\x00\x00]\x94(\x8c\x02\xc3\xbc\x8a\x02\xff\x7fe.N", "PROTO FRAME EMPTY_LIST MEMOIZE MARK SHORT_BINUNICODE LONG1 APPENDS STOP"},
		{"N\xffN.", "NONE"},
		{"X\xff\xff\xff\xffabc", "BINUNICODE"},
		{"T\xff\xff\xff\xff", "BINSTRING"},
		{"cos", "GLOBAL"},
		{"\x8c\x03\xed\xb2\x80.", "SHORT_BINUNICODE STOP"},
	} {
		d, err := model.OpenBytes(t.Context(), "a.npy", array(dict("'|O'", "False", "(1,)"), []byte(c.pickle)), nil, Format)
		if err != nil {
			t.Fatal(err)
		}
		s := d.Tree.Root.Get("pickle")
		if err := d.Tree.Open(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range s.Count() {
			if k := s.Child(i); k.Field != nil && k.Field.Note != nil { // what follows is no instruction
				got = append(got, k.Field.Note(t.Context(), d.Tree, k))
			}
		}
		if !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%.40q: %v, want %s", c.pickle, got, c.want)
		}
		d.Close()
	}
}
