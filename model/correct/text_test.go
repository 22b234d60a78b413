package correct

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const numbers = `\{"[a-z]+":\[(0|[1-9][0-9]*)(,(0|[1-9][0-9]*))*\](,"[a-z]+":\[(0|[1-9][0-9]*)(,(0|[1-9][0-9]*))*\])*\} *`

func TestNearestText(t *testing.T) {
	g, text := NewGrammar(numbers), `{"ab":[12,0],"c":[7]}  `
	for _, x := range []struct {
		is    string
		wrong int
		want  []string
	}{
		{text, 0, []string{text}},
		{`{"ab":[12,0],2c":[7]}  `, 1, []string{text}},
		{`{"ab2:[12,0],2c":[7]#  `, 3, []string{text}},
		{`{"ab":[12-0],"c":[7]}  `, 1, []string{`{"ab":[1200],"c":[7]}  `, `{"ab":[12,0],"c":[7]}  `, `{"ab":[1210],"c":[7]}  `}},
		{`{"ab":[12,0],"c":[7]} x`, 1, []string{text}},
		{`#"ab":[12,0],"c":[7]}  `, 1, []string{text}},
		{"{\"\xe3b\":[12,0],\"c\":[7]}  ", 1, []string{`{"cb":[12,0],"c":[7]}  `}},
	} {
		n := g.Near(t.Context(), []byte(x.is), 4)
		var got []string
		for b := range n.Texts(n.Least, func(int) bool { return false }) {
			sure := n.Sure(b)
			if got = append(got, string(b)); sure == strings.Contains(string(b), `"cb"`) {
				t.Errorf("%s: %s, of which a letter could be another, or not, is sure: %v", x.is, b, sure)
			}
		}
		for _, w := range x.want {
			if n.Least != x.wrong || !slices.Contains(got, w) || len(x.want) == 1 && len(got) > 1 {
				t.Errorf("%s: %d wrong, %q, want %d, %q", x.is, n.Least, got, x.wrong, x.want)
			}
		}
	}
	if n := g.Near(t.Context(), []byte(`"ab":[12,0]`), 4); n.Least <= 4 {
		t.Errorf("a text of other bytes is %d from the grammar", n.Least)
	}
}

// TestNearestTextSure: a text is not sure if a letter that could be any was changed, if what was put in its place is rare, or if it was kept among bytes
// that were changed.
func TestNearestTextSure(t *testing.T) {
	g := NewGrammar(`\{"([a-z]|\\[nrt])+":[0-9]\}`)
	for is, want := range map[string]bool{
		`#"format":1}`:              true,
		`{"format";1}`:              true,
		`#"format"#1}`:              true,
		"{\"fo\xf8rat\":1}":         false, // \r is one
		`##format":1}`:              false, // with them the first letter may be another
		`{"format###}`:              false,
		`{"forma` + "\xf8#x1" + `}`: false,
	} {
		n := g.Near(t.Context(), []byte(is), 4)
		sure := true
		for b := range n.Texts(n.Least, func(int) bool { return false }) {
			sure = sure && n.Sure(b)
		}
		if sure != want {
			t.Errorf("%q: %v", is, sure)
		}
	}
}

// TestNearestTextFinds damages texts: the original is among the nearest ones, or among those with one more change, all are texts of the grammar, and none comes twice.
func TestNearestTextFinds(t *testing.T) {
	g, all := NewGrammar(numbers), regexp.MustCompile("^(?:"+numbers+")$")
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		text := `{"name":[` + strings.Repeat("31,", r.IntN(4)) + `40],"more":[0,5]}` + strings.Repeat(" ", r.IntN(3))
		b := []byte(text)
		for range 1 + r.IntN(3) {
			b[r.IntN(len(b))] ^= 1 << r.IntN(7)
		}
		wrong := 0
		for i := range b {
			if b[i] != text[i] {
				wrong++
			}
		}
		n := g.Near(t.Context(), b, 8)
		if n.Least > wrong {
			t.Fatalf("%q: %d bytes are wrong at least, and %d are", b, n.Least, wrong)
		}
		seen, found, free := map[string]bool{}, false, false
		for s := range n.Texts(wrong, func(int) bool { return true }) {
			if seen[string(s)] || !all.Match(s) {
				t.Fatalf("%q is no text, or comes twice", s)
			}
			seen[string(s)] = true
			found = found || string(s) == text
		}
		for i := range b { // a letter of a name may be any other
			free = free || b[i] != text[i] && text[i] >= 'a' && text[i] <= 'z'
		}
		if !found && !free {
			t.Errorf("%q is not found from %q", text, b)
		}
	}
}
