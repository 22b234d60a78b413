package jsontext

import (
	"fmt"
	"strings"
	"testing"

	"spandrel/model"
)

func TestTokens(t *testing.T) {
	text := ` {"a" : [1, -2.5e3,"x\"y"], "b":{"c":null}}  tail`
	tokens, end, err := Tokens([]byte(text))
	var got []string
	for _, k := range tokens {
		got = append(got, fmt.Sprintf("%d %d %s|%s %s%d", k.Kind, k.Depth, k.Text, text[k.Start:k.End], k.Key, k.Index))
	}
	want := []string{"0 0 {|{ 0", `2 1 a|"a" 0`, "0 1 [|[ a0", "4 2 1|1 a0", "4 2 -2.5e3|-2.5e3 a1", `3 2 x"y|"x\"y" a2`, "1 1 ]|] a3", `2 1 b|"b" a1`,
		"0 1 {|{ b1",
		`2 2 c|"c" b0`, "5 2 null|null c0", "1 1 }|} c1", "1 0 }|} b2"}
	if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") || text[end:] != "  tail" {
		t.Errorf("%v %d\n%s", err, end, strings.Join(got, "\n"))
	}
	if _, end, err := Tokens([]byte(`{"a": 1, ]`)); err == nil || end < 7 {
		t.Errorf("%d %v", end, err)
	}
}

func TestScalar(t *testing.T) {
	for text, want := range map[string]model.Value{`"<é>"`: model.S("<é>"), "12": model.I(12), "true": model.B(true), "1.5": model.F(1.5)} {
		tokens, _, err := Tokens([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		tok := tokens[0]
		v, _, err := tok.Codec().Decode([]byte(text))
		if err != nil || !v.Equal(want) {
			t.Errorf("%s: %v %v", text, v, err)
		}
		if b, err := tok.Codec().Encode(v); err != nil || string(b) != text {
			t.Errorf("%s becomes %s: %v", text, b, err)
		}
	}
}
